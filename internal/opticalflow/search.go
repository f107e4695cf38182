package opticalflow

import "math"

// Of the search: the side of a patch, how far patches are apart, and the steps of each.
const patchSide, patchStep, patchSteps = 8, 4, 8

// patchEdge returns the places of patches along n pixels: every patchStep, and the last one at the end.
func patchEdge(n int) (places []int) {
	for p := 0; p+patchSide < n; p += patchStep {
		places = append(places, p)
	}
	return append(places, max(0, n-patchSide))
}

// A patch has its place in the first picture, the derivatives there with their matrix inverted, and its displacement.
type patch struct {
	x, y       int
	u, v       float32
	dx, dy     [patchSide * patchSide]float32
	xx, xy, yy float32 // of the inverse
	cost       float32
}

// search improves a flow by inverse search: it moves each patch by itself, looks for lost ones if it is told to, then blends all.
func search(a, b Picture, f Flow, lost bool) {
	if a.Width < 2*patchSide || a.Height < 2*patchSide {
		return
	}
	dx, dy := a.slopes()
	xs, ys := patchEdge(a.Width), patchEdge(a.Height)
	patches := make([]patch, len(xs)*len(ys))
	for j, y := range ys {
		for i, x := range xs {
			p := &patches[j*len(xs)+i]
			p.place(x, y, dx, dy)
			centre := (y+patchSide/2)*a.Width + x + patchSide/2
			p.u, p.v = f.Right[centre], f.Down[centre]
			p.cost = p.distance(a, b, p.u, p.v)
			if i > 0 {
				p.take(a, b, &patches[j*len(xs)+i-1])
			}
			if j > 0 {
				p.take(a, b, &patches[(j-1)*len(xs)+i])
			}
			p.improve(a, b)
		}
	}
	if lost {
		findLost(a, b, patches, len(xs))
	}
	for k := len(patches) - 1; k >= 0; k-- { // once more, from the other end
		p, i, j := &patches[k], k%len(xs), k/len(xs)
		before := p.cost
		if i+1 < len(xs) {
			p.take(a, b, &patches[k+1])
		}
		if j+1 < len(ys) {
			p.take(a, b, &patches[k+len(xs)])
		}
		if p.cost < before {
			p.improve(a, b)
		}
	}
	blend(a, b, f, patches)
}

// slopes returns the derivatives of a picture.
func (p Picture) slopes() (dx, dy Picture) {
	dx, dy = Picture{p.Width, p.Height, make([]float32, len(p.Pixels))}, Picture{p.Width, p.Height, make([]float32, len(p.Pixels))}
	last := p.Width - 1
	for y := range p.Height {
		row, up, down := p.row(y), p.row(max(y-1, 0)), p.row(min(y+1, p.Height-1))
		right, below := dx.row(y), dy.row(y)
		right[0], right[last] = 0.5*(row[min(1, last)]-row[0]), 0.5*(row[last]-row[max(last-1, 0)])
		for x := 1; x < last; x++ {
			right[x] = 0.5 * (row[x+1] - row[x-1])
		}
		for x, v := range up {
			below[x] = 0.5 * (down[x] - v)
		}
	}
	return dx, dy
}

// place puts a patch where it is in the first picture, with derivatives.
func (p *patch) place(x, y int, dx, dy Picture) {
	p.x, p.y = x, y
	var mx, my float32
	for j := range patchSide {
		right, down := dx.row(y + j)[x:][:patchSide], dy.row(y + j)[x:][:patchSide]
		copy(p.dx[j*patchSide:], right)
		copy(p.dy[j*patchSide:], down)
		for i, v := range right {
			mx += v / (patchSide * patchSide)
			my += down[i] / (patchSide * patchSide)
		}
	}
	xx, xy, yy := float32(1e-3), float32(0), float32(1e-3)
	for k := range p.dx {
		p.dx[k] -= mx
		p.dy[k] -= my
		xx += float32(p.dx[k] * p.dx[k])
		xy += float32(p.dx[k] * p.dy[k])
		yy += float32(p.dy[k] * p.dy[k])
	}
	det := float32(xx*yy) - float32(xy*xy)
	p.xx, p.xy, p.yy = yy/det, -xy/det, xx/det
}

// differences sets d to what b shows of the patch, displaced, less what a does, less the mean of that, and returns
// their mean square.
func (p *patch) differences(d *[patchSide * patchSide]float32, a, b Picture, u, v float32) (square float32) {
	p.shown(d, b, u, v)
	var mean float32
	for j := range patchSide {
		row, own := d[j*patchSide:(j+1)*patchSide], a.row(p.y + j)[p.x:][:patchSide]
		var sum float32
		for i, s := range own {
			row[i] -= s
			sum += row[i]
		}
		mean += sum / (patchSide * patchSide)
	}
	for j := range patchSide {
		var sum float32
		for i, e := range d[j*patchSide : (j+1)*patchSide] {
			e -= mean
			d[j*patchSide+i] = e
			sum += float32(e * e)
		}
		square += sum / (patchSide * patchSide)
	}
	return square
}

// shown sets d to what b shows of the patch, displaced: all its pixels lie in the same way between those of b.
func (p *patch) shown(d *[patchSide * patchSide]float32, b Picture, u, v float32) {
	left, top := int(math.Floor(float64(u))), int(math.Floor(float64(v)))
	right, down := u-float32(left), v-float32(top)
	left, top = p.x+left, p.y+top
	if left < 0 || top < 0 || left+patchSide >= b.Width || top+patchSide >= b.Height {
		for k := range d {
			d[k] = b.at(float32(p.x+k%patchSide)+u, float32(p.y+k/patchSide)+v)
		}
		return
	}
	var upper, lower [patchSide]float32
	for j := range patchSide + 1 {
		row := b.row(top + j)[left:][:patchSide+1]
		before := row[0]
		for i, next := range row[1:] {
			lower[i] = before + float32(right*(next-before))
			before = next
		}
		if j > 0 {
			out := d[(j-1)*patchSide:][:patchSide]
			for i, s := range upper {
				out[i] = s + float32(down*(lower[i]-s))
			}
		}
		upper = lower
	}
}

func (p *patch) distance(a, b Picture, u, v float32) float32 {
	var d [patchSide * patchSide]float32
	return p.differences(&d, a, b, u, v)
}

// take takes the displacement of another patch if that fits better.
func (p *patch) take(a, b Picture, q *patch) {
	if q.u == p.u && q.v == p.v {
		return
	}
	if c := p.distance(a, b, q.u, q.v); c < p.cost {
		p.u, p.v, p.cost = q.u, q.v, c
	}
}

// improve moves the patch while it fits better, at most by its side.
func (p *patch) improve(a, b Picture) {
	var d [patchSide * patchSide]float32
	u, v := p.u, p.v
	for range patchSteps {
		cost := p.differences(&d, a, b, u, v)
		if cost < p.cost {
			p.u, p.v, p.cost = u, v, cost
		} else if cost > p.cost {
			return
		}
		var rx, ry float32
		for j := 0; j < len(d); j += patchSide {
			var x, y float32
			dx, dy := p.dx[j:j+patchSide], p.dy[j:j+patchSide]
			for i, e := range d[j : j+patchSide] {
				x += float32(dx[i] * e)
				y += float32(dy[i] * e)
			}
			rx += x
			ry += y
		}
		su, sv := float32(p.xx*rx)+float32(p.xy*ry), float32(p.xy*rx)+float32(p.yy*ry)
		u, v = u-su, v-sv
		if du, dv := u-p.u, v-p.v; float32(du*du)+float32(dv*dv) > patchSide*patchSide || float32(su*su)+float32(sv*sv) < 1e-4 {
			return
		}
	}
}

// minMisfit is added to differences of a pixel before patches are weighted by them.
const minMisfit = 0.05

// blend sets a flow to means over the patches that cover each pixel, weighted by how well they fit there.
func blend(a, b Picture, f Flow, patches []patch) {
	weights := make([]float32, len(f.Right))
	clear(f.Right)
	clear(f.Down)
	var shown [patchSide * patchSide]float32
	for i := range patches {
		p := &patches[i]
		p.shown(&shown, b, p.u, p.v)
		for j := range patchSide {
			first := (p.y+j)*a.Width + p.x
			for i, s := range shown[j*patchSide : (j+1)*patchSide] {
				k := first + i
				d := s - a.Pixels[k]
				w := 1 / (minMisfit + max(d, -d))
				weights[k] += w
				f.Right[k] += float32(w * p.u)
				f.Down[k] += float32(w * p.v)
			}
		}
	}
	for k, w := range weights {
		f.Right[k] /= w
		f.Down[k] /= w
	}
}
