package motion

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A chain is a list of frames, sequence after sequence and in order of time.
type chain struct {
	frames []int  // numbers in the film
	linked []bool // frame p is followed by frame p+1 of the same sequence
}

// chainOf returns the frames of some sequences.
func chainOf(sequences []Sequence) chain {
	var c chain
	for _, s := range sequences {
		for p, f := range s.Examples {
			c.frames, c.linked = append(c.frames, f), append(c.linked, p+1 < len(s.Examples))
		}
	}
	return c
}

// smoothing is the length, in frame widths, over which the prior holds changes of the displacement
// together.
const smoothing = 1. / 8

// precision is the prior's: block-tridiagonal over the frames of a chain.
type precision struct {
	diagonal []block
	next     []block // of the frames p and p+1
}

// A block stands for the combination identity·I + laplacian·L of the identity and the lattice's Laplacian.
type block struct{ identity, laplacian float64 }

// priorOf returns the precision of scale·Σ‖d_p‖² + scale·a²·Σ‖∇(d_{p+1} − d_p)‖², where a is
// smoothing and the gradients are differences between neighbouring nodes over their distance.
func priorOf(c chain, l Lattice, scale float64) precision {
	n := len(c.frames)
	q := precision{make([]block, n), make([]block, n)}
	membrane := scale * frame.Square(smoothing*float64(l.Across-1))
	for p := range n {
		q.diagonal[p].identity = scale
		if c.linked[p] {
			q.diagonal[p].laplacian += membrane
			q.diagonal[p+1].laplacian += membrane
			q.next[p].laplacian -= membrane
		}
	}
	return q
}

// multiply adds b·x to dst, for a displacement x.
func (l Lattice) multiply(dst, x []float64, b block) {
	for i, v := range x {
		dst[i] += b.identity * v
	}
	n := l.nodes()
	for _, o := range [2]int{0, n} {
		l.edges(func(p, q int) {
			e := b.laplacian * (x[o+q] - x[o+p])
			dst[o+q] += e
			dst[o+p] -= e
		})
	}
}

// addTo adds b to the matrix m.
func (l Lattice) addTo(m mat.Matrix, b block) {
	n := l.nodes()
	for i := range m.Rows {
		m.Row(i)[i] += b.identity
	}
	for _, o := range [2]int{0, n} {
		l.edges(func(p, q int) {
			p, q = o+p, o+q
			m.Row(p)[p] += b.laplacian
			m.Row(q)[q] += b.laplacian
			m.Row(p)[q] -= b.laplacian
			m.Row(q)[p] -= b.laplacian
		})
	}
}
