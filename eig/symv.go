package eig

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// symvOrder is the order for each part of a symmetric product: below two of
// them the product takes less time than waking another processor is worth.
// Tests change it.
var symvOrder = 400

// mostSymvParts bounds the number of parts.
const mostSymvParts = 8

// symvParts is the number of parts into which the product of a symmetric matrix
// of order n with a vector is cut.
func symvParts(n int) int { return max(1, min(mostSymvParts, n/symvOrder)) }

// symvTask is the product A·x under way, where A is the symmetric matrix with
// its strict upper triangle in u from row and column first on. Every element of
// u is read once, for both triangles: from left to right for the sums of its
// row, downwards for those of its column.
//
// A part is a band of rows of about the same area, and sums its columns into a
// vector of its own.
//
// Every other product runs from the last row to the first. What the former
// product read last is then read first, while it is in the cache: of a triangle
// larger than the cache only the excess comes from further away.
type symvTask struct {
	u        []float64 // strict upper triangle, zeros below
	n, ld    int       // order; distance of rows, a multiple of 8
	first    int
	parts    int
	backward bool
	x        []float64 // elements before first are 0
	right    []float64 // sums of rows
	down     []float64 // sums of columns, ld for each part
}

// symv sets y = A·x for the trailing matrix A whose first row and column is
// first: the diagonal in s.d, the rest in s.u. x and y have the length of a row
// of s.u, and x is 0 before first. Of y the elements from first on are set, and
// some before that to no purpose.
func (s *Solver) symv(y []float64, first int, x []float64) {
	p := &s.product
	n, c := p.n, first&^7
	p.x, p.first, p.backward = x, first, !p.backward
	p.parts = symvParts(n - first)
	asm.MulTo(p.right[c:n], s.d[c:], x[c:n])
	clear(p.right[n:])
	mat.Run(p.parts, p)
	copy(y[c:], p.right[c:])
	for part := range p.parts {
		r := p.row(part)
		asm.Axpy(1, p.down[part*p.ld+r:(part+1)*p.ld], y[r:])
	}
}

// row returns where a part begins, a multiple of four.
func (p *symvTask) row(part int) int {
	m := p.n - p.first
	if part == p.parts {
		return (p.n + 3) &^ 3
	}
	return (p.first + int(float64(m)*(1-math.Sqrt(1-float64(part)/float64(p.parts))))) &^ 3
}

// Do forms a part's sums, four rows at a time.
func (p *symvTask) Do(part int) {
	if p.backward {
		part = p.parts - 1 - part
	}
	r0, r1 := p.row(part), p.row(part+1)
	y := p.down[part*p.ld : (part+1)*p.ld]
	clear(y[r0&^7:])
	for i, end, step := p.order(r0, r1); i != end; i += step {
		c := i &^ 7
		asm.SymvRows(y[c:], p.x[c:], (*[4]float64)(p.right[i:]), (*[4]float64)(p.x[i:]), p.u[i*p.ld+c:], p.ld)
	}
}

// order returns the first group of four rows, what follows the last, and the
// step between them.
func (p *symvTask) order(r0, r1 int) (i, end, step int) {
	if p.backward {
		return r1 - 4, r0 - 4, -4
	}
	return r0, r1, 4
}
