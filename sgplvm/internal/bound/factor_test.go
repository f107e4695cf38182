package bound_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// product is a·b.
func product(a, b mat.Matrix) mat.Matrix {
	c := mat.New(a.Rows, b.Cols)
	mat.Mul(c, 1, a, b, 0)
	return c
}

// congruent is tᵀ·a·t.
func congruent(t, a mat.Matrix) []float64 { return product(product(t.T(), a), t).Data }

func diagonal(v []float64) mat.Matrix {
	a := mat.New(len(v), len(v))
	for i, x := range v {
		a.Set(i, i, x)
	}
	return a
}

// TᵀK T = I and TᵀΨ2T = diag Λ for the factors of a model, with the jitter in K; where tied, V is
// orthogonal and K = V·diag(s)·Vᵀ; where the noise is structured, ŪᵀΣŪ = I and ŪᵀKŪ = diag(s).
func TestFactorsDiagonalise(t *testing.T) {
	for seed := range uint64(compare.Sizes(30)) {
		shape := reference.RandomShape(15000 + seed)
		if seed%3 == 2 {
			shape = reference.ResidualShape(15000 + seed)
		}
		s := subjectOf(t, shape)
		p := s.Params
		s.bound(t)
		for number, f := range s.evaluator.AllFactors() {
			what := fmt.Sprintf("%v: factor %d", shape, number)
			n := f.Size()
			lambda, identity := diagonal(f.Lambda), mat.Identity(n)
			if !slices.IsSorted(f.Lambda) || f.Lambda[0] < 0 {
				t.Errorf("%s: Λ = %v", what, f.Lambda)
			}
			switch {
			case f.Tied && p.Noise.Structured():
				sigma := mat.New(n, n)
				p.Noise.Matrix(sigma, s.Space[0])
				compare.Near(t, what+": ŪᵀΣŪ", congruent(f.Coord, sigma), identity.Data, 1e-12) // Σ has a condition number below 10³
				compare.Near(t, what+": ŪᵀKŪ", congruent(f.Coord, f.K), lambda.Data, 1e-12)
			case f.Tied:
				v := f.Coord
				if v.Rows == 0 {
					v = identity
				}
				compare.Near(t, what+": VᵀV", congruent(v, identity), identity.Data, 1e-13)
				compare.Near(t, what+": VΛVᵀ", congruent(v.T(), lambda), f.K.Data, 1e-13)
			default:
				k, psi2 := f.K.Clone(), mat.New(n, n)
				for i := range n {
					k.Set(i, i, k.At(i, i)+s.Jitter*mat.Trace(f.K)/float64(n))
				}
				if number == 0 {
					statistics := new(psi.Statistics)
					statistics.Set(p.Latent, p.Inducing())
					statistics.Forward(mat.New(s.Examples(), n), psi2, p.Q())
				} else {
					psi2 = product(f.Psi1.T(), f.Psi1)
				}
				// The condition number of K, below 10⁶, is what T costs.
				compare.Near(t, what+": TᵀKT", congruent(f.Coord, k), identity.Data, 1e-9)
				compare.Near(t, what+": TᵀΨ2T", congruent(f.Coord, psi2), lambda.Data, 1e-9)
				compare.Near(t, what+": W", f.Data.Data, product(f.Psi1, f.Coord).Data, 1e-13)
			}
		}
	}
}

// ToInducing multiplies with T, also where it is the identity that is not stored.
func TestToInducing(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{0, 1, 3})
	a := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	for _, kind := range []kernel.Kind{white, matern32} {
		k := kernel.Kernel{Kind: kind, Variance: 2}
		if kind != white {
			k.LengthScale = []float64{1}
		}
		f, err := bound.NewSpatialFactor(k, x, mat.Matrix{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, want := mat.New(2, 3), a
		f.ToInducing(got, a)
		if f.Coord.Rows > 0 {
			want = product(a, f.Coord)
		}
		compare.SameBits(t, string(kind), got.Data, want.Data)
		if stored := f.Coord.Rows > 0; stored != (kind != white) {
			t.Errorf("%s: an eigenbasis is stored: %v", kind, stored)
		}
	}
}

// Rounding makes eigenvalues of a singular matrix negative; Λ is never so, or a large β would make a
// logarithm of D a NaN.
func TestFactorClampsAtZero(t *testing.T) {
	crowded, spread := mat.New(12, 1), mat.New(12, 1)
	for i := range 12 {
		crowded.Data[i], spread.Data[i] = 1e-3*float64(i), float64(i)
	}
	k := kernel.Kernel{Kind: rbf, Variance: 1, LengthScale: []float64{1}}
	for name, xu := range map[string]mat.Matrix{"tied": {}, "free": spread} {
		f, err := bound.NewSpatialFactor(k, crowded, xu, 1e-6)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Min(f.Lambda) < 0 {
			t.Errorf("%s: Λ = %v", name, f.Lambda)
		}
		if !slices.Contains(f.Lambda, 0) {
			t.Errorf("%s: nothing to clamp in Λ = %v", name, f.Lambda)
		}
	}
}

// A matrix that cannot be factored is named by its factor, 0 being the latent one, and is forgotten:
// later evaluations have the bits of an evaluator that never met it.
func TestFactorizationError(t *testing.T) {
	for want, text := range []string{"latent factor", "spatial factor 1", "spatial factor 2"} {
		for _, warm := range []bool{false, true} {
			s := subjectOf(t, shape{Examples: 4, Inducing: 3, Latent: 1, Channels: 1, Space: []factor{{Points: 3, Dims: 1, Inducing: 2, Kind: rbf}, {Points: 3, Dims: 1, Inducing: 2, Kind: matern32}}})
			fresh := s.bound(t)
			if !warm {
				s = newSubject(s.Model)
			}
			p := s.Params.Clone()
			p.Latent.Part("rbf").(*psi.RBF).Variance, p.Space[0].Kernel.Variance, p.Space[1].Kernel.Variance = 1, 1, 1
			[]mat.Matrix{p.Z, p.Space[0].Xu, p.Space[1].Xu}[want].Fill(0.5)
			_, err := s.evaluator.Bound(t.Context(), p)
			statistics := new(psi.Statistics)
			statistics.Set(p.Latent, p.Inducing())
			_, err2 := bound.Factors(statistics, p, s.Space, s.Jitter)
			for _, err := range []error{err, err2} {
				var at *field.FactorizationError
				var pivot *chol.NotPositiveDefiniteError
				if !errors.As(err, &at) || at.Factor != want || !errors.As(err, &pivot) || pivot.Index != 1 {
					t.Errorf("equal inducing points of factor %d: error %v", want, err)
				} else if !strings.Contains(err.Error(), text) {
					t.Errorf("message %q does not say %q", err, text)
				}
			}
			compare.SameBits(t, fmt.Sprintf("bound after factor %d failed, evaluated before %v", want, warm), []float64{s.bound(t)}, []float64{fresh})
		}
	}
}
