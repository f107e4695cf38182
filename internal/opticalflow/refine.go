package opticalflow

import "math"

// Of the refinement: γ, α and the ε of differences and of slopes of the flow (doc.go); linearisations, fixed-point
// iterations of each, sweeps of each of these and the relaxation.
const (
	gradientWeight = 0.5
	smoothness     = 4
	dataSoftness   = 0.05
	flowSoftness   = 0.1

	linearisations, fixedPoints, sweeps = 2, 3, 5
	relaxation                          = 1.6
)

// refine improves a flow of pictures.
func refine(a, b Picture, f Flow) {
	if a.Width < 3 || a.Height < 3 {
		return
	}
	ax, ay := a.slopes()
	r := &refinement{flow: f, terms: make([]term, len(a.Pixels)), links: make([]link, len(a.Pixels)), du: make([]float32, len(a.Pixels)), dv: make([]float32, len(a.Pixels)),
		diffusivity: make([]float32, len(a.Pixels))}
	for range linearisations {
		r.linearise(a, b, ax, ay)
		for range fixedPoints {
			r.weigh()
			for range sweeps {
				r.sweep()
			}
		}
		for k := range f.Right {
			f.Right[k] += r.du[k]
			f.Down[k] += r.dv[k]
		}
	}
}

// A term has the three differences of a pixel, of intensity and of both slopes, with their derivatives by the flow:
// dᵢ + xᵢ·du + yᵢ·dv.
type term struct{ d, x, y [3]float32 }

// A link is what a sweep needs of a pixel, given what ψ′ makes of its terms and of the slopes of the flow: the diffusivity between it and the
// pixels to the right and below, 0 at the edges; what pulls at the step in both directions while all steps are 0, and how the two
// depend on one another; the relaxation over what holds the step back.
type link struct{ right, below, u, v, uv, stepU, stepV float32 }

// A refinement is the state of refine: the flow and the step to it.
type refinement struct {
	flow        Flow
	terms       []term
	links       []link
	du, dv      []float32
	diffusivity []float32 // α·ψ′ of each pixel
}

// linearise sets the terms at the flow, and the step to nothing.
func (r *refinement) linearise(a, b, ax, ay Picture) {
	w, h := a.Width, a.Height
	moved := Picture{w, h, make([]float32, w*h)}
	for y := range h {
		for x := range w {
			k := y*w + x
			moved.Pixels[k] = b.at(float32(x)+r.flow.Right[k], float32(y)+r.flow.Down[k])
		}
	}
	bx, by := moved.slopes()
	mx, my := mean(ax, bx), mean(ay, by)
	xx, xy := mx.slopes()
	_, yy := my.slopes()
	for y := range h {
		for x := range w {
			k := y*w + x
			// What left the frame says nothing.
			if u, v := float32(x)+r.flow.Right[k], float32(y)+r.flow.Down[k]; u < 0 || v < 0 || u > float32(w-1) || v > float32(h-1) {
				r.terms[k] = term{}
				continue
			}
			r.terms[k] = term{d: [3]float32{moved.Pixels[k] - a.Pixels[k], bx.Pixels[k] - ax.Pixels[k], by.Pixels[k] - ay.Pixels[k]},
				x: [3]float32{mx.Pixels[k], xx.Pixels[k], xy.Pixels[k]}, y: [3]float32{my.Pixels[k], xy.Pixels[k], yy.Pixels[k]}}
		}
	}
	clear(r.du)
	clear(r.dv)
}

func mean(a, b Picture) Picture {
	m := Picture{a.Width, a.Height, make([]float32, len(a.Pixels))}
	for k, v := range a.Pixels {
		m.Pixels[k] = 0.5 * (v + b.Pixels[k])
	}
	return m
}

func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// weigh sets the links as the terms and the slopes of the flow ask for at the step.
func (r *refinement) weigh() {
	for k := range r.terms {
		t, l := &r.terms[k], &r.links[k]
		du, dv := r.du[k], r.dv[k]
		e0 := t.d[0] + float32(t.x[0]*du) + float32(t.y[0]*dv)
		e1 := t.d[1] + float32(t.x[1]*du) + float32(t.y[1]*dv)
		e2 := t.d[2] + float32(t.x[2]*du) + float32(t.y[2]*dv)
		own := 1 / root(float32(e0*e0)+dataSoftness*dataSoftness)
		slope := gradientWeight / root(float32(e1*e1)+float32(e2*e2)+dataSoftness*dataSoftness)
		sum := func(a, b *[3]float32) float32 {
			return float32(own*float32(a[0]*b[0])) + float32(slope*(float32(a[1]*b[1])+float32(a[2]*b[2])))
		}
		l.u, l.v, l.uv = -sum(&t.x, &t.d), -sum(&t.y, &t.d), sum(&t.x, &t.y)
		l.stepU, l.stepV = sum(&t.x, &t.x), sum(&t.y, &t.y)
	}
	r.diffuse()
	r.link()
}

// diffuse sets the diffusivities.
func (r *refinement) diffuse() {
	w, h := r.flow.Width, r.flow.Height
	for y := range h {
		for x := range w {
			k := y*w + x
			left, right, up, down := y*w+max(x-1, 0), y*w+min(x+1, w-1), max(y-1, 0)*w+x, min(y+1, h-1)*w+x
			slope := func(c, d []float32, to, from int) float32 { return (c[to] + d[to]) - (c[from] + d[from]) }
			ux, uy := slope(r.flow.Right, r.du, right, left), slope(r.flow.Right, r.du, down, up)
			vx, vy := slope(r.flow.Down, r.dv, right, left), slope(r.flow.Down, r.dv, down, up)
			square := float32(ux*ux) + float32(uy*uy) + float32(vx*vx) + float32(vy*vy)
			r.diffusivity[k] = smoothness / root(0.25*square+flowSoftness*flowSoftness)
		}
	}
}

// link adds to the links what neighbours do.
func (r *refinement) link() {
	w, h := r.flow.Width, r.flow.Height
	u, v := r.flow.Right, r.flow.Down
	for y := range h {
		for x := range w {
			k := y*w + x
			l := &r.links[k]
			var total float32
			join := func(o int, g float32) {
				total += g
				l.u += float32(g * (u[o] - u[k]))
				l.v += float32(g * (v[o] - v[k]))
			}
			l.right, l.below = 0, 0
			if x+1 < w {
				l.right = 0.5 * (r.diffusivity[k] + r.diffusivity[k+1])
				join(k+1, l.right)
			}
			if y+1 < h {
				l.below = 0.5 * (r.diffusivity[k] + r.diffusivity[k+w])
				join(k+w, l.below)
			}
			if x > 0 {
				join(k-1, r.links[k-1].right)
			}
			if y > 0 {
				join(k-w, r.links[k-w].below)
			}
			l.stepU, l.stepV = relaxation/(l.stepU+total), relaxation/(l.stepV+total)
		}
	}
}

// sweep solves for the step of one pixel after the other, that of the others held.
func (r *refinement) sweep() {
	w, h := r.flow.Width, r.flow.Height
	none := make([]link, w) // above the first row
	still := make([]float32, w)
	for y := range h {
		row := func(v []float32, y int) []float32 {
			if y < 0 || y == h {
				return still
			}
			return v[y*w:][:w]
		}
		links, above := r.links[y*w:][:w], none
		if y > 0 {
			above = r.links[(y-1)*w:][:w]
		}
		sweepRow(links, above, row(r.du, y), row(r.du, y-1), row(r.du, y+1), row(r.dv, y), row(r.dv, y-1), row(r.dv, y+1))
	}
}

// sweepRow is sweep of a row of links, with the rows of steps above and below it.
func sweepRow(links, above []link, u, uAbove, uBelow, v, vAbove, vBelow []float32) {
	n := len(links)
	above, u, uAbove, uBelow, v, vAbove, vBelow = above[:n], u[:n], uAbove[:n], uBelow[:n], v[:n], vAbove[:n], vBelow[:n]
	var left, uLeft, vLeft float32
	for x := range links {
		l, up := &links[x], above[x].below
		var uRight, vRight float32
		if x+1 < n {
			uRight, vRight = u[x+1], v[x+1]
		}
		pullU := l.u + float32(l.right*uRight) + float32(l.below*uBelow[x]) + float32(up*uAbove[x]) - float32(l.uv*v[x])
		pullV := l.v + float32(l.right*vRight) + float32(l.below*vBelow[x]) + float32(up*vAbove[x])
		// What waits for the pixel to the left comes last.
		uLeft = float32((1-relaxation)*u[x]) + float32(l.stepU*pullU) + float32(float32(l.stepU*left)*uLeft)
		vLeft = float32((1-relaxation)*v[x]) + float32(l.stepV*pullV) + float32(float32(l.stepV*left)*vLeft) - float32(float32(l.stepV*l.uv)*uLeft)
		u[x], v[x], left = uLeft, vLeft, l.right
	}
}
