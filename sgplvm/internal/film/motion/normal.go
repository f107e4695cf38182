package motion

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A solver estimates the displacements of a chain on one level.
type solver struct {
	pairing
	chain
	prior   precision
	frames  []frame.Image[float32]
	warped  []frame.Image[float32] // the frames in reference coordinates
	factors []chol.Factor          // of the normal equations, a block for each frame
}

// A state is a displacement of every frame with the cost there and what a step needs.
type state struct {
	d     mat.Matrix // frames × lattice.size
	cells [][]cell   // of every link, row by row
	cost  float64
}

func (s *solver) newState() *state {
	st := &state{d: mat.New(len(s.frames), s.size()), cells: make([][]cell, len(s.frames))}
	for p, linked := range s.linked {
		if linked {
			st.cells[p] = make([]cell, (s.Across-1)*(s.Down-1))
		}
	}
	return st
}

// step returns the damped Gauss-Newton step at st: the solution of the block-tridiagonal normal
// equations by block elimination with Cholesky factors (Golub and Van Loan, section 4.5). damping
// is the part by which the diagonal grows.
func (s *solver) step(st *state, damping float64) (mat.Matrix, error) {
	n, size := len(s.frames), s.size()
	x := s.priorSlope(st)
	diagonal, link, before := mat.New(size, size), mat.New(size, size), mat.New(size, size)
	half := mat.New(size, size) // L⁻¹·(the block of frames p−1 and p)
	slope, product, y := make([]float64, size), make([]float64, size), make([]float64, size)
	curve := func(p int) { // sets link and slope to those of the frames p and p+1
		clear(link.Data)
		clear(slope)
		s.addCurvature(link, slope, st.cells[p])
	}
	for p := range n {
		clear(diagonal.Data)
		if p > 0 && s.linked[p-1] {
			mat.Add(diagonal, diagonal, 1, before)
		}
		s.addTo(diagonal, s.prior.diagonal[p])
		if s.linked[p] {
			curve(p)
			mat.Add(diagonal, diagonal, 1, link)
			for i, v := range slope {
				x.Row(p)[i] += v
				x.Row(p + 1)[i] -= v
			}
		}
		for i := range size {
			diagonal.Row(i)[i] *= 1 + damping
		}
		if p > 0 && s.linked[p-1] {
			mat.Syrk(diagonal, -1, half.T(), 1)
			copy(y, x.Row(p-1))
			s.factors[p-1].SolveHalf(mat.Vector(y))
			mat.Mul(mat.Vector(x.Row(p)), -1, half.T(), mat.Vector(y), 1)
		}
		if err := s.factors[p].Refactorize(diagonal); err != nil {
			return x, fmt.Errorf("film: normal equations of frame %d: %w", s.chain.frames[p], err)
		}
		if s.linked[p] {
			mat.Copy(before, link)
			mat.Scale(half, -1, link)
			s.addTo(half, s.prior.next[p])
			s.factors[p].SolveHalf(half)
		}
	}
	for p := n - 1; p >= 0; p-- {
		b := x.Row(p)
		if s.linked[p] {
			next := x.Row(p + 1)
			curve(p)
			mat.Mul(mat.Vector(product), -1, link, mat.Vector(next), 0)
			s.multiply(product, next, s.prior.next[p])
			for i, v := range product {
				b[i] -= v
			}
		}
		s.factors[p].Solve(mat.Vector(b))
	}
	return x, nil
}

// priorSlope returns minus half the gradient of the prior's part of the cost, a row for each frame.
func (s *solver) priorSlope(st *state) mat.Matrix {
	x := mat.New(len(s.frames), s.size())
	for p := range x.Rows {
		b := x.Row(p)
		s.multiply(b, st.d.Row(p), s.prior.diagonal[p])
		if s.linked[p] {
			s.multiply(b, st.d.Row(p+1), s.prior.next[p])
		}
		if p > 0 && s.linked[p-1] {
			s.multiply(b, st.d.Row(p-1), s.prior.next[p-1])
		}
		for i := range b {
			b[i] = -b[i]
		}
	}
	return x
}
