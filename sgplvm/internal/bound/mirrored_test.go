package bound_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// box returns the points of a box of so many points a side, in random order.
func box(seed uint64, sides ...int) mat.Matrix {
	n := 1
	for _, s := range sides {
		n *= s
	}
	x := mat.New(n, len(sides))
	for i, at := range rand.New(rand.NewPCG(seed, 3)).Perm(n) {
		for q, s := range sides {
			x.Set(i, q, 0.7*float64(at%s)-1)
			at /= s
		}
	}
	return x
}

// mirroredSubjects are models whose points are mirrored, and the number of blocks of each spatial factor.
func mirroredSubjects(t *testing.T) (all []*subject, blocks [][]int) {
	one := func(n, dims int, kind int) []factor {
		return []factor{{Points: n, Dims: dims, Kind: reference.Kinds[kind], ARD: true}}
	}
	cut := box(4, 4, 5) // without a corner's two points: mirrored along the second dimension alone
	var rows []int
	for i := range cut.Rows {
		if !(cut.At(i, 0) < -0.9 && math.Abs(cut.At(i, 1)-0.4) > 1.3) {
			rows = append(rows, i)
		}
	}
	part := mat.New(len(rows), 2)
	for i, r := range rows {
		copy(part.Row(i), cut.Row(r))
	}
	for i, c := range []struct {
		shape  shape
		grid   []mat.Matrix
		blocks []int
	}{
		{shape{Residual: matern32, Space: one(20, 2, 1)}, []mat.Matrix{box(1, 5, 4)}, []int{4}},
		{shape{Residual: matern12, Space: one(25, 2, 2)}, []mat.Matrix{box(2, 5, 5)}, []int{4}},
		{shape{Residual: matern52, Space: one(6, 1, 0)}, []mat.Matrix{box(3, 6)}, []int{2}},
		{shape{Residual: matern32, Space: one(18, 2, 2)}, []mat.Matrix{part}, []int{2}},
		{shape{Residual: matern32, Space: one(12, 3, 1)}, []mat.Matrix{box(5, 3, 2, 2)}, []int{8}},
		{shape{Residual: matern32, Space: one(9, 2, 4)}, []mat.Matrix{box(6, 3, 3)}, []int{4}},
		{shape{Residual: matern32, Space: one(5, 2, 1)}, []mat.Matrix{box(6, 1, 5)}, []int{2}},
		{shape{Space: one(12, 2, 1)}, []mat.Matrix{box(7, 4, 3)}, []int{4}},
		{shape{Space: append(one(5, 1, 1), one(4, 1, 2)...)}, []mat.Matrix{box(8, 5), box(9, 4)}, []int{2, 2}},
		{shape{Space: append(one(5, 1, 1), one(4, 1, 4)...)}, []mat.Matrix{box(8, 5), box(9, 4)}, []int{2, 0}},
	} {
		s := c.shape
		s.Examples, s.Inducing, s.Latent, s.Channels, s.Seed = 5, 4, 2, 2, uint64(700+i)
		m := s.Model(t)
		m.Space = c.grid
		all, blocks = append(all, newSubject(m)), append(blocks, c.blocks)
	}
	return all, blocks
}

// Blocks by parity change nothing but the work: factors, the bound, its gradient and what is learned of the noise.
func TestMirrored(t *testing.T) {
	bound.WithFewestMirrored(1, func() {
		subjects, blocks := mirroredSubjects(t)
		for i, s := range subjects {
			what := fmt.Sprintf("model %d", i)
			whole := newSubject(&reference.Model{Params: s.Params.Clone(), Space: s.Space, Y: s.Y, Jitter: s.Jitter})
			got := s.gradient(t, bound.GroupAll)
			var want *bound.Params
			bound.WithFewestMirrored(1000, func() { want = whole.gradient(t, bound.GroupAll) })
			for f, count := range blocks[i] {
				if n := s.evaluator.Parities(f); n != count {
					t.Errorf("%s: factor %d has %d blocks, expected %d", what, f, n, count)
				}
				if n := whole.evaluator.Parities(f); n != 0 {
					t.Errorf("%s: factor %d has %d blocks without mirrors", what, f, n)
				}
				a, b := s.evaluator.AllFactors()[f+1], whole.evaluator.AllFactors()[f+1]
				compare.Near(t, what+": Λ", a.Lambda, b.Lambda, 1e-12)
				if !slices.IsSorted(a.Lambda) {
					t.Errorf("%s: Λ = %v", what, a.Lambda)
				}
			}
			compare.Near(t, what+": bound", []float64{s.bound(t)}, []float64{whole.bound(t)}, 1e-11)
			compare.Near(t, what+": gradient", flat(got), flat(want), 1e-9)
			if !s.Params.Noise.Structured() {
				continue
			}
			f, n := s.evaluator.AllFactors()[1], s.Space[0].Rows
			sigma := mat.New(n, n)
			s.Params.Noise.Matrix(sigma, s.Space[0])
			compare.Near(t, what+": ŪᵀΣŪ", congruent(f.Coord, sigma), mat.Identity(n).Data, 1e-12)
			compare.Near(t, what+": ŪᵀKŪ", congruent(f.Coord, f.K), diagonal(f.Lambda).Data, 1e-12)
			compare.Near(t, what+": residual covariance", s.residualCovariance(t).Data, whole.residualCovariance(t).Data, 1e-10)
			s.learnNoise(t, 3)
			s.bound(t)
			if s.evaluator.Parities(0) != 0 {
				t.Errorf("%s: a learned covariance in blocks", what)
			}
		}
	})
}

// The basis for data with holes is that of the whole matrix.
func TestMirroredHoles(t *testing.T) {
	bound.WithFewestMirrored(1, func() {
		subjects, _ := mirroredSubjects(t)
		for i, s := range subjects {
			if s.Params.Noise.Structured() {
				continue
			}
			whole := newSubject(&reference.Model{Params: s.Params.Clone(), Space: s.Space, Y: s.Y, Jitter: s.Jitter})
			s.evaluator.Mask()
			got := s.bound(t)
			var want float64
			bound.WithFewestMirrored(1000, func() { whole.evaluator.Mask(); want = whole.bound(t) })
			compare.Near(t, fmt.Sprintf("model %d", i), []float64{got}, []float64{want}, 1e-9)
		}
	})
}
