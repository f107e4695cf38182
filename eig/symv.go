package eig

import (
	"math"
	"runtime"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// symvOrder is the order from which on a symmetric product is cut into parts:
// below, it takes less time than waking another processor is worth. Tests change
// it.
var symvOrder = 400

// symvParts is the number of parts into which the product of a symmetric matrix
// of order n with a vector is cut.
func symvParts(n int) int {
	if n < symvOrder {
		return 1
	}
	return 4
}

// symvTask is the product A·x under way, where A is the symmetric matrix with
// its strict lower triangle in u from row and column first on. Every element of
// u is read once, for both triangles.
//
// A part is a band of rows of about the same area, and sums its columns into a
// vector of its own.
//
// Every other product runs from the last row to the first. What the former
// product read last is then read first, while it is in the cache: of a triangle
// larger than the cache only the excess comes from further away. The order of the
// parts is turned round as well where one processor does them all; several find
// their own parts in their caches, and begin with the longest rows, as the update of
// the triangle by mat.MulSym does. No sum depends on it.
type symvTask struct {
	u        []float64 // strict lower triangle, zeros above
	n, ld    int       // order; distance of rows, a multiple of 8
	first    int
	parts    int
	backward bool
	alone    bool      // one processor does all parts
	x        []float64 // elements before first are 0
	rows     []float64 // sums of rows, from the diagonal's share on
	columns  []float64 // sums of columns, ld for each part
}

// symv sets y = A·x for the trailing matrix A whose first row and column is
// first: the diagonal in s.d, the rest in s.u. x and y have the length of a row
// of s.u, and x is 0 before first. Of y the elements from first on are set, and
// some before that to no purpose.
func (s *Solver) symv(y []float64, first int, x []float64) {
	p := &s.product
	n, c := p.n, first&^7
	p.x, p.first, p.backward = x, first, !p.backward
	p.parts, p.alone = symvParts(n-first), runtime.GOMAXPROCS(0) == 1
	asm.MulTo(p.rows[c:n], s.d[c:], x[c:n])
	clear(p.rows[n:])
	mat.Run(p.parts, p)
	copy(y[c:], p.rows[c:])
	for part := range p.parts {
		end := p.end(p.row(part + 1))
		asm.Axpy(1, p.columns[part*p.ld+c:part*p.ld+end], y[c:])
	}
}

// row returns where a part begins, a multiple of four.
func (p *symvTask) row(part int) int {
	m := p.n - p.first
	if part == p.parts {
		return (p.n + 3) &^ 3
	}
	return (p.first + int(float64(m)*math.Sqrt(float64(part)/float64(p.parts)))) &^ 3
}

// end returns where the columns of the rows before row end, a multiple of eight.
func (p *symvTask) end(row int) int { return (row + 7) &^ 7 }

// Do forms a part's sums, four rows at a time.
func (p *symvTask) Do(part int) {
	if p.backward || !p.alone {
		part = p.parts - 1 - part
	}
	from, to := p.row(part), p.row(part+1)
	c := p.first &^ 7
	y := p.columns[part*p.ld : (part+1)*p.ld]
	clear(y[c:p.end(to)])
	for i, stop, step := p.order(from, to); i != stop; i += step {
		end := p.end(i + 4)
		asm.SymvRows(y[c:end], p.x[c:end], (*[4]float64)(p.rows[i:]), (*[4]float64)(p.x[i:]), p.u[i*p.ld+c:], p.ld)
	}
}

// order returns the first group of four rows, what follows the last, and the
// step between them.
func (p *symvTask) order(from, to int) (i, stop, step int) {
	if p.backward {
		return to - 4, from - 4, -4
	}
	return from, to, 4
}
