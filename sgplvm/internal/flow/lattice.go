package flow

import "math"

// lattice is the grid of across×down nodes on the unit square whose hat functions carry a
// displacement: bilinear between the nodes, the outermost of which lie on the frame's edges. A
// displacement is the vector (u, v) of the nodes' components, u of all nodes and then v of all,
// row by row, both in units of the frame's width. aspect is the frame's width over its height.
type lattice struct {
	across, down int
	aspect       float64
}

// nodes returns how many nodes there are.
func (l lattice) nodes() int { return l.across * l.down }

// size returns how many numbers a displacement has.
func (l lattice) size() int { return 2 * l.nodes() }

// hats returns the cell of every of n pixels in one direction, and how far into the cell its
// centre lies, for a lattice with the given number of nodes in that direction.
func hats(n, nodes int) (cell []int, part []float64) {
	cell, part = make([]int, n), make([]float64, n)
	for i := range n {
		cell[i], _, part[i] = between((float64(i)+0.5)/float64(n)*float64(nodes-1), nodes)
	}
	return cell, part
}

// A flow evaluates a displacement, in pixels, on a frame of width×height pixels.
type flow struct {
	lattice
	width, height int
	column        []int
	columnPart    []float64
	scaleX        float64 // from units of the frame's width to pixels
	scaleY        float64
	d             []float64 // the displacement, of size numbers
}

func newFlow(l lattice, width, height int) *flow {
	f := &flow{lattice: l, width: width, height: height, scaleX: float64(width), scaleY: float64(height) * l.aspect}
	f.column, f.columnPart = hats(width, l.across)
	return f
}

// of returns the flow of the displacement d.
func (f flow) of(d []float64) *flow {
	f.d = d
	return &f
}

// row sets u and v to the displacement in pixels at the centres of row y.
func (f *flow) row(u, v []float64, y int) {
	j, k, b := between((float64(y)+0.5)/float64(f.height)*float64(f.down-1), f.down)
	n := f.nodes()
	for i, c := range f.column {
		a := f.columnPart[i]
		u[i] = f.scaleX * blend(f.d[:n], f.across, c, j, k, a, b)
		v[i] = f.scaleY * blend(f.d[n:], f.across, c, j, k, a, b)
	}
}

// at returns the displacement in pixels at the point (x, y), in pixels.
func (f *flow) at(x, y float64) (u, v float64) {
	i, _, a := between((x+0.5)/float64(f.width)*float64(f.across-1), f.across)
	j, k, b := between((y+0.5)/float64(f.height)*float64(f.down-1), f.down)
	n := f.nodes()
	return f.scaleX * blend(f.d[:n], f.across, i, j, k, a, b), f.scaleY * blend(f.d[n:], f.across, i, j, k, a, b)
}

// blend interpolates node values between the columns i and i+1 and the rows j and k.
func blend(d []float64, across, i, j, k int, a, b float64) float64 {
	top, bottom := d[j*across+i:], d[k*across+i:]
	return (1-b)*((1-a)*top[0]+a*top[1]) + b*((1-a)*bottom[0]+a*bottom[1])
}

// inverse returns the point r with r + d(r) = s for s = (x, y), in pixels, by fixed-point
// iteration from r = s + (u, v). It converges where the displacement contracts, see stretch.
func (f *flow) inverse(x, y, u, v float64) (rx, ry float64) {
	rx, ry = x+u, y+v
	for range 60 {
		u, v = f.at(rx, ry)
		nx, ny := x-u, y-v
		moved := math.Abs(nx-rx) + math.Abs(ny-ry)
		rx, ry = nx, ny
		if moved < 1e-6 {
			break
		}
	}
	return rx, ry
}

// stretch bounds the displacement's Lipschitz constant: the largest Frobenius norm of its
// derivative in any cell, from the differences along the cell's edges. Below 1 the map
// r ↦ r + d(r) is one to one.
func (l lattice) stretch(d []float64) float64 {
	var worst float64
	n := l.nodes()
	slope := func(p, q int, spacing float64) float64 {
		return (square(d[q]-d[p]) + square(d[n+q]-d[n+p])) / (spacing * spacing)
	}
	dx, dy := 1/float64(l.across-1), 1/float64(l.down-1)/l.aspect
	for j := range l.down - 1 {
		for i := range l.across - 1 {
			p := j*l.across + i
			q := p + l.across
			worst = max(worst, max(slope(p, p+1, dx), slope(q, q+1, dx))+max(slope(p, q, dy), slope(p+1, q+1, dy)))
		}
	}
	return math.Sqrt(worst)
}

// maxStretch bounds the stretch of an estimated displacement, and maxShift the displacement itself,
// in frame widths.
const maxStretch, maxShift = 0.7, 4

// valid reports whether a displacement is within bounds.
func (l lattice) valid(d []float64) bool {
	for _, v := range d {
		if !(math.Abs(v) <= maxShift) {
			return false
		}
	}
	return l.stretch(d) < maxStretch
}

// edges calls add for every edge between neighbouring nodes.
func (l lattice) edges(add func(p, q int)) {
	for j := range l.down {
		for i := range l.across {
			p := j*l.across + i
			if i+1 < l.across {
				add(p, p+1)
			}
			if j+1 < l.down {
				add(p, p+l.across)
			}
		}
	}
}

// corners calls visit with every cell and the nodes at its corners.
func (l lattice) corners(visit func(c int, corner [4]int)) {
	for j := range l.down - 1 {
		for i := range l.across - 1 {
			at := j*l.across + i
			visit(j*(l.across-1)+i, [4]int{at, at + 1, at + l.across, at + l.across + 1})
		}
	}
}

func square(x float64) float64 { return x * x }
