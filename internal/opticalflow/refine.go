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
	r := &refinement{flow: f, terms: make([]term, len(a.Pixels)), du: make([]float32, len(a.Pixels)), dv: make([]float32, len(a.Pixels)),
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
// dᵢ + xᵢ·du + yᵢ·dv; and the weighted sums that a sweep needs.
type term struct {
	d, x, y                     [3]float32
	xx, xy, yy, right, downward float32
}

// A refinement is the state of refine: the flow and the step to it.
type refinement struct {
	flow        Flow
	terms       []term
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
	for k := range r.terms {
		r.terms[k] = term{d: [3]float32{moved.Pixels[k] - a.Pixels[k], bx.Pixels[k] - ax.Pixels[k], by.Pixels[k] - ay.Pixels[k]},
			x: [3]float32{mx.Pixels[k], xx.Pixels[k], xy.Pixels[k]}, y: [3]float32{my.Pixels[k], xy.Pixels[k], yy.Pixels[k]}}
		// What left the frame says nothing.
		x, y := float32(k%w)+r.flow.Right[k], float32(k/w)+r.flow.Down[k]
		if x < 0 || y < 0 || x > float32(w-1) || y > float32(h-1) {
			r.terms[k] = term{}
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

// weigh sets what ψ′ makes of the terms and the diffusivity at the step.
func (r *refinement) weigh() {
	for k := range r.terms {
		t := &r.terms[k]
		du, dv := r.du[k], r.dv[k]
		var e [3]float32
		for i := range e {
			e[i] = t.d[i] + float32(t.x[i]*du) + float32(t.y[i]*dv)
		}
		own := 1 / root(float32(e[0]*e[0])+dataSoftness*dataSoftness)
		slope := gradientWeight / root(float32(e[1]*e[1])+float32(e[2]*e[2])+dataSoftness*dataSoftness)
		weights := [3]float32{own, slope, slope}
		t.xx, t.xy, t.yy, t.right, t.downward = 0, 0, 0, 0, 0
		for i, g := range weights {
			t.xx += float32(g * t.x[i] * t.x[i])
			t.xy += float32(g * t.x[i] * t.y[i])
			t.yy += float32(g * t.y[i] * t.y[i])
			t.right -= float32(g * t.x[i] * t.d[i])
			t.downward -= float32(g * t.y[i] * t.d[i])
		}
	}
	w, h := r.flow.Width, r.flow.Height
	at := func(c, d []float32, k int) float32 { return c[k] + d[k] }
	for y := range h {
		for x := range w {
			k := y*w + x
			left, right, up, down := y*w+max(x-1, 0), y*w+min(x+1, w-1), max(y-1, 0)*w+x, min(y+1, h-1)*w+x
			ux, uy := at(r.flow.Right, r.du, right)-at(r.flow.Right, r.du, left), at(r.flow.Right, r.du, down)-at(r.flow.Right, r.du, up)
			vx, vy := at(r.flow.Down, r.dv, right)-at(r.flow.Down, r.dv, left), at(r.flow.Down, r.dv, down)-at(r.flow.Down, r.dv, up)
			square := float32(ux*ux) + float32(uy*uy) + float32(vx*vx) + float32(vy*vy)
			r.diffusivity[k] = smoothness / root(0.25*square+flowSoftness*flowSoftness)
		}
	}
}

// sweep solves for the step of one pixel after the other, that of the others held.
func (r *refinement) sweep() {
	w, h := r.flow.Width, r.flow.Height
	for y := range h {
		for x := range w {
			k := y*w + x
			t := &r.terms[k]
			var total, u, v float32
			link := func(o int) {
				g := 0.5 * (r.diffusivity[k] + r.diffusivity[o])
				total += g
				u += float32(g * (r.flow.Right[o] + r.du[o] - r.flow.Right[k]))
				v += float32(g * (r.flow.Down[o] + r.dv[o] - r.flow.Down[k]))
			}
			if x > 0 {
				link(k - 1)
			}
			if x+1 < w {
				link(k + 1)
			}
			if y > 0 {
				link(k - w)
			}
			if y+1 < h {
				link(k + w)
			}
			r.du[k] += relaxation * ((t.right+u-float32(t.xy*r.dv[k]))/(t.xx+total) - r.du[k])
			r.dv[k] += relaxation * ((t.downward+v-float32(t.xy*r.du[k]))/(t.yy+total) - r.dv[k])
		}
	}
}
