package sums_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/sums"
)

// A subject is a random model with its data in the model's units.
type subject struct {
	*reference.Model
	basis     *sums.Basis
	evaluator *bound.Evaluator
	y         mat.Matrix
}

func subjectOf(t *testing.T, s reference.Shape) *subject {
	t.Helper()
	m := s.Model(t)
	e := m.Evaluator()
	data := e.Data()
	v := &subject{Model: m, evaluator: e, y: mat.New(data.Examples, data.Size())}
	for i := range data.Examples {
		if err := data.Read(v.y.Row(i), i, i+1); err != nil {
			t.Fatal(err)
		}
	}
	v.basis = sums.NewBasis(m.Params, m.Space, s.Jitter, s.Channels)
	return v
}

// summed adds up the examples, some at a time.
func (s *subject) summed(step int) *sums.Sums {
	all, q := s.basis.New(), s.Params.Q()
	for from := 0; from < s.y.Rows; from += step {
		to := min(from+step, s.y.Rows)
		part := s.basis.New()
		rows := func(a mat.Matrix) mat.Matrix { return a.Slice(from, to, 0, a.Cols).Clone() }
		s.basis.AddExamples(part, psi.Q{Mu: rows(q.Mu), S: rows(q.S)}, rows(s.y), mat.Matrix{})
		all.Add(part)
	}
	return all
}

// shapes are random models with white noise, then some with structured noise.
func shapes() (all []reference.Shape) {
	for seed := range uint64(60) {
		all = append(all, reference.RandomShape(seed))
		if seed%3 == 0 {
			all = append(all, reference.ResidualShape(seed))
		}
	}
	return all
}

// near holds numbers to others, relative to the largest.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	var most, off float64
	for i, v := range want {
		most, off = max(most, math.Abs(v)), max(off, math.Abs(v-got[i]))
	}
	if !(off <= tolerance*most) || len(got) != len(want) {
		t.Errorf("%s: off by %.3g of %.3g, %d numbers of %d", what, off, most, len(got), len(want))
	}
}

// α, the latent eigenvalues and the bound of sums, whatever examples were added together, are those of the training code.
func TestSolve(t *testing.T) {
	for _, shape := range shapes() {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			s := subjectOf(t, shape)
			want, err := s.evaluator.Bound(t.Context(), s.Params)
			if err != nil {
				t.Fatal(err)
			}
			alpha, err := s.evaluator.Alpha(t.Context(), s.Params)
			if err != nil {
				t.Fatal(err)
			}
			spectra := s.evaluator.Spectra()
			tolerance := 1e-12
			if shape.Jitter == 1e-3 { // by which alone the latent kernel matrix is regular
				tolerance /= 1e-2
			}
			for _, step := range []int{1, 2, s.y.Rows} {
				all := s.summed(step)
				q, err := s.basis.Solve(all, nil)
				if err != nil {
					t.Fatal(err)
				}
				near(t, "α", q.Alpha.Data, alpha.Data, tolerance)
				near(t, "Λ", q.Spectra[0].Values, spectra[0].Values, 1e-12)
				got, err := s.basis.Bound(all, q)
				if err != nil {
					t.Fatal(err)
				}
				near(t, "bound", []float64{got}, []float64{want}, 1e-12)
			}
		})
	}
}

// Sums that are recovered from q(U) are those that it was made of, and make it again.
func TestRecover(t *testing.T) {
	for _, shape := range shapes() {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			s := subjectOf(t, shape)
			all := s.summed(2)
			q, err := s.basis.Solve(all, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := s.basis.Recover(q, all.Totals)
			near(t, "Ψ2", got.Psi2.Data, all.Psi2.Data, 1e-12)
			near(t, "G", got.G.Data, all.G.Data, 1e-11)
			again, err := s.basis.Solve(got, q.Spectra[1:])
			if err != nil {
				t.Fatal(err)
			}
			near(t, "α", again.Alpha.Data, q.Alpha.Data, 1e-10)
		})
	}
}

// The precision that White finds is a maximum of the training code's bound.
func TestWhite(t *testing.T) {
	for seed := range uint64(20) {
		shape := reference.RandomShape(seed)
		s := subjectOf(t, shape)
		all := s.summed(3)
		q, err := s.basis.Solve(all, nil)
		if err != nil {
			t.Fatal(err)
		}
		beta, err := s.basis.White(t.Context(), all, q)
		if err != nil {
			t.Fatal(err)
		}
		at := func(beta float64) float64 {
			p := s.Params.Clone()
			p.Noise.Beta = beta
			v, err := s.evaluator.Bound(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		best := at(beta)
		for _, other := range []float64{s.Params.Noise.Beta, beta * 1.01, beta / 1.01} {
			if v := at(other); v > best+1e-9*math.Abs(best) {
				t.Errorf("%v: bound %.12g at %g, and %.12g at %g", shape, best, beta, v, other)
			}
		}
	}
}

// A value that was filled in counts its square and its variance.
func TestFilledVariances(t *testing.T) {
	for _, shape := range shapes() {
		s := subjectOf(t, shape)
		variance, q := mat.New(s.y.Rows, s.y.Cols), s.Params.Q()
		for i := range variance.Data {
			variance.Data[i] = float64(i % 3)
		}
		sure, unsure := s.basis.New(), s.basis.New()
		s.basis.AddExamples(sure, q, s.y.Clone(), mat.Matrix{})
		s.basis.AddExamples(unsure, q, s.y.Clone(), variance)
		if channels := s.y.Cols / max(1, sure.Outer.Rows); sure.Outer.Rows > 0 {
			for i, v := range variance.Data {
				k := i % s.y.Cols / channels
				sure.Outer.Row(k)[k] += v
			}
		} else {
			for _, v := range variance.Data {
				sure.Totals[sums.Square] += v
			}
		}
		near(t, fmt.Sprint(shape), unsure.Numbers, sure.Numbers, 1e-13)
	}
}

// What is learned of structured noise is what the training code learns at the same parameters.
func TestLearnNoise(t *testing.T) {
	for seed := range uint64(30) {
		shape := reference.ResidualShape(seed)
		s := subjectOf(t, shape)
		p := s.Params.Clone()
		const strength = 3
		if err := s.evaluator.LearnNoise(t.Context(), p, strength, mat.Matrix{}); err != nil {
			t.Fatal(err)
		}
		all := s.summed(2)
		q, err := s.basis.Solve(all, nil)
		if err != nil {
			t.Fatal(err)
		}
		prior := mat.New(all.Outer.Rows, all.Outer.Rows)
		s.Params.Noise.Matrix(prior, s.Space[0])
		got := s.basis.Residual(all, q)
		p.Noise.Shrink(got, prior, s.Space[0], all.Totals[sums.Count], strength)
		near(t, fmt.Sprint(shape), got.Data, p.Noise.Covariance.Data, 1e-11)
	}
}
