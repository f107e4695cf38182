package motion

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Lattice is the grid of across×down nodes on the unit square that carries a displacement: bilinear
// between the nodes, the outermost of which lie on the frame's edges. A displacement is the vector
// (u, v) of the nodes' components, u of all nodes and then v of all, row by row, both in units of the
// frame's width. aspect is the frame's width over its height.
type Lattice struct {
	Across, Down int
	Aspect       float64
}

// nodes returns how many nodes there are.
func (l Lattice) nodes() int { return l.Across * l.Down }

// size returns how many numbers a displacement has.
func (l Lattice) size() int { return 2 * l.nodes() }

// maxNodes bounds the nodes in one direction.
const maxNodes = 64

// maxStretch bounds the stretch of an estimated displacement, and maxShift the displacement itself,
// in frame widths.
const maxStretch, maxShift = 0.7, 4

// valid reports whether a displacement is within bounds.
func (l Lattice) valid(d []float64) bool {
	for _, v := range d {
		if !(math.Abs(v) <= maxShift) {
			return false
		}
	}
	return l.stretch(d) < maxStretch
}

// stretch bounds the displacement's Lipschitz constant: the largest Frobenius norm of its
// derivative in any cell, from the differences along the cell's edges. Below 1 the map
// r ↦ r + d(r) is one to one.
func (l Lattice) stretch(d []float64) float64 {
	var worst float64
	n := l.nodes()
	slope := func(p, q int, spacing float64) float64 {
		return (frame.Square(d[q]-d[p]) + frame.Square(d[n+q]-d[n+p])) / (spacing * spacing)
	}
	dx, dy := 1/float64(l.Across-1), 1/float64(l.Down-1)/l.Aspect
	for j := range l.Down - 1 {
		for i := range l.Across - 1 {
			p := j*l.Across + i
			q := p + l.Across
			worst = max(worst, max(slope(p, p+1, dx), slope(q, q+1, dx))+max(slope(p, q, dy), slope(p+1, q+1, dy)))
		}
	}
	return math.Sqrt(worst)
}

// edges calls visit for every edge between neighbouring nodes.
func (l Lattice) edges(visit func(p, q int)) {
	for j := range l.Down {
		for i := range l.Across {
			p := j*l.Across + i
			if i+1 < l.Across {
				visit(p, p+1)
			}
			if j+1 < l.Down {
				visit(p, p+l.Across)
			}
		}
	}
}

// corners calls visit with every cell and the nodes at its corners.
func (l Lattice) corners(visit func(c int, corner [4]int)) {
	for j := range l.Down - 1 {
		for i := range l.Across - 1 {
			p := j*l.Across + i
			visit(j*(l.Across-1)+i, [4]int{p, p + 1, p + l.Across, p + l.Across + 1})
		}
	}
}

// cellsOf returns the cell of every of n pixels in one direction, and how far into the cell its
// centre lies, for a lattice with the given number of nodes in that direction.
func cellsOf(n, nodes int) (cell []int, part []float64) {
	cell, part = make([]int, n), make([]float64, n)
	for i := range n {
		cell[i], _, part[i] = frame.Between((float64(i)+0.5)/float64(n)*float64(nodes-1), nodes)
	}
	return cell, part
}
