package opticalflow

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
	dx, dy     []float32
	xx, xy, yy float32 // of the inverse
	cost       float32
}

// search improves a flow by inverse search: it moves each patch by itself, then blends them.
func search(a, b Picture, f Flow) {
	if a.Width < 2*patchSide || a.Height < 2*patchSide {
		return
	}
	dx, dy := a.slopes()
	xs, ys := patchEdge(a.Width), patchEdge(a.Height)
	patches := make([]patch, len(xs)*len(ys))
	for j, y := range ys {
		for i, x := range xs {
			p := &patches[j*len(xs)+i]
			*p = newPatch(x, y, dx, dy)
			centre := (y+patchSide/2)*a.Width + x + patchSide/2
			p.u, p.v = f.Right[centre], f.Down[centre]
			p.cost = p.distance(a, b, p.u, p.v)
			if i > 0 {
				p.take(a, b, patches[j*len(xs)+i-1])
			}
			if j > 0 {
				p.take(a, b, patches[(j-1)*len(xs)+i])
			}
			p.improve(a, b)
		}
	}
	for k := len(patches) - 1; k >= 0; k-- { // once more, from the other end
		p, i, j := &patches[k], k%len(xs), k/len(xs)
		before := p.cost
		if i+1 < len(xs) {
			p.take(a, b, patches[k+1])
		}
		if j+1 < len(ys) {
			p.take(a, b, patches[k+len(xs)])
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
	for y := range p.Height {
		row, up, down := p.row(y), p.row(max(y-1, 0)), p.row(min(y+1, p.Height-1))
		for x := range p.Width {
			dx.Pixels[y*p.Width+x] = 0.5 * (row[min(x+1, p.Width-1)] - row[max(x-1, 0)])
			dy.Pixels[y*p.Width+x] = 0.5 * (down[x] - up[x])
		}
	}
	return dx, dy
}

func newPatch(x, y int, dx, dy Picture) patch {
	p := patch{x: x, y: y, dx: make([]float32, 0, patchSide*patchSide), dy: make([]float32, 0, patchSide*patchSide)}
	var mx, my float32
	for j := range patchSide {
		for i := range patchSide {
			o := (y+j)*dx.Width + x + i
			p.dx, p.dy = append(p.dx, dx.Pixels[o]), append(p.dy, dy.Pixels[o])
			mx += dx.Pixels[o] / (patchSide * patchSide)
			my += dy.Pixels[o] / (patchSide * patchSide)
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
	return p
}

// differences sets d to what b shows of the patch, displaced, less what a does, less the mean of that, and returns
// their mean square.
func (p *patch) differences(d *[patchSide * patchSide]float32, a, b Picture, u, v float32) (square float32) {
	var mean float32
	for j := range patchSide {
		row := a.row(p.y + j)
		for i := range patchSide {
			k := j*patchSide + i
			d[k] = b.at(float32(p.x+i)+u, float32(p.y+j)+v) - row[p.x+i]
			mean += d[k] / (patchSide * patchSide)
		}
	}
	for k := range d {
		d[k] -= mean
		square += float32(d[k]*d[k]) / (patchSide * patchSide)
	}
	return square
}

func (p *patch) distance(a, b Picture, u, v float32) float32 {
	var d [patchSide * patchSide]float32
	return p.differences(&d, a, b, u, v)
}

// take takes the displacement of another patch if that fits better.
func (p *patch) take(a, b Picture, q patch) {
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
		for k, e := range d {
			rx += float32(p.dx[k] * e)
			ry += float32(p.dy[k] * e)
		}
		su, sv := float32(p.xx*rx)+float32(p.xy*ry), float32(p.xy*rx)+float32(p.yy*ry)
		u, v = u-su, v-sv
		if du, dv := u-p.u, v-p.v; float32(du*du)+float32(dv*dv) > patchSide*patchSide || float32(su*su)+float32(sv*sv) < 1e-4 {
			return
		}
	}
}

// leastMisfit is added to differences of a pixel before patches are weighted by them.
const leastMisfit = 0.05

// blend sets a flow to means over the patches that cover each pixel, weighted by how well they fit there.
func blend(a, b Picture, f Flow, patches []patch) {
	weights := make([]float32, len(f.Right))
	clear(f.Right)
	clear(f.Down)
	for _, p := range patches {
		for y := p.y; y < p.y+patchSide; y++ {
			for x := p.x; x < p.x+patchSide; x++ {
				k := y*a.Width + x
				d := b.at(float32(x)+p.u, float32(y)+p.v) - a.Pixels[k]
				w := 1 / (leastMisfit + max(d, -d))
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
