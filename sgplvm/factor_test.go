package sgplvm

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// product is a·b.
func product(a, b mat.Matrix) mat.Matrix {
	c := mat.New(a.Rows, b.Cols)
	mat.Mul(c, 1, a, b, 0)
	return c
}

// TᵀK T = I and TᵀΨ2T = diag Λ for the factors of a model, with the jitter in K;
// where tied, V is orthogonal and K = V·diag(s)·Vᵀ.
func TestFactorDiagonalises(t *testing.T) {
	for seed := range uint64(sizes(20)) {
		shape := randomShape(15000 + seed)
		m := shape.model(t)
		p := m.params
		m.mustBound(t)
		for f, s := range m.problem.factors {
			what := fmt.Sprintf("%v: factor %d", shape, f)
			n := s.size()
			lambda := mat.New(n, n)
			for i, l := range s.lambda {
				lambda.Set(i, i, l)
			}
			if !slices.IsSorted(s.lambda) || s.lambda[0] < 0 {
				t.Errorf("%s: Λ = %v", what, s.lambda)
			}
			if s.tied {
				v := s.coord
				if v.Rows == 0 {
					v = mat.Identity(n)
				}
				near(t, what+": VᵀV", product(v.T(), v).Data, mat.Identity(n).Data, 1e-13)
				near(t, what+": VΛVᵀ", product(product(v, lambda), v.T()).Data, s.k.Data, 1e-13)
				continue
			}
			k := s.k.Clone()
			for i := range n {
				k.Set(i, i, k.At(i, i)+m.jitter*mat.Trace(s.k)/float64(n))
			}
			psi2 := mat.New(n, n)
			if f == 0 {
				m.problem.psi.psi2(psi2, p.Mu, p.S)
			} else {
				psi2 = product(s.psi1.T(), s.psi1)
			}
			congruent := func(a mat.Matrix) []float64 { return product(product(s.coord.T(), a), s.coord).Data }
			// The condition number of K, below 10⁶, is what T costs.
			near(t, what+": TᵀKT", congruent(k), mat.Identity(n).Data, 1e-9)
			near(t, what+": TᵀΨ2T", congruent(psi2), lambda.Data, 1e-9)
			near(t, what+": W", s.data.Data, product(s.psi1, s.coord).Data, 1e-13)
		}
	}
}

// Rounding makes eigenvalues of a singular matrix negative; Λ is never so, or a
// large β would make a logarithm of D a NaN.
func TestFactorClampsAtZero(t *testing.T) {
	crowded := mat.New(12, 1)
	for i := range 12 {
		crowded.Data[i] = 1e-3 * float64(i)
	}
	kernel := Kernel{RBF, 1, one(1)}
	tied, err := newSpatialFactor(kernel, crowded, mat.Matrix{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	free, err := newSpatialFactor(kernel, crowded, line(12), 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]*factor{"tied": tied, "free": free} {
		zeros := 0
		for _, l := range f.lambda {
			if l == 0 {
				zeros++
			}
			if l < 0 {
				t.Errorf("%s: Λ = %v", name, f.lambda)
				break
			}
		}
		if zeros == 0 {
			t.Errorf("%s: nothing to clamp in Λ = %v", name, f.lambda)
		}
	}
}

// A matrix that cannot be factored is named by its factor, 0 being the latent
// one, and is forgotten: later evaluations have the bits of a problem that never
// met it.
func TestFactorizationError(t *testing.T) {
	for want := range 3 {
		for _, warm := range []bool{false, true} {
			shape := modelShape{examples: 4, inducing: 3, latent: 1, channels: 1, space: []factorShape{{points: 3, dims: 1, inducing: 2, kind: RBF}, {points: 3, dims: 1, inducing: 2, kind: Matern32}}}
			m := shape.model(t)
			fresh := m.mustBound(t)
			if !warm {
				m.problem = problemOf(m.problem.observations(), 4, m.space, 0)
			}
			good := m.params
			m.params = good.clone()
			p := m.params
			p.Latent.Variance, p.Spatial[0].Variance, p.Spatial[1].Variance = 1, 1, 1
			[]mat.Matrix{p.Z, p.Xu[0], p.Xu[1]}[want].Fill(0.5)
			_, boundErr := m.problem.bound(p)
			_, predictErr := m.Predict(randomLatent(rand.New(rand.NewPCG(1, 60)), 1), nil)
			for _, err := range []error{boundErr, predictErr} {
				var at *FactorizationError
				var pivot *chol.NotPositiveDefiniteError
				if !errors.As(err, &at) || at.Factor != want || !errors.As(err, &pivot) || pivot.Index != 1 {
					t.Errorf("equal inducing points of factor %d: error %v", want, err)
					continue
				}
				if text := []string{"latent factor", "spatial factor 1", "spatial factor 2"}[want]; !strings.Contains(err.Error(), text) {
					t.Errorf("message %q does not say %q", err, text)
				}
			}
			m.params = good
			if got := m.mustBound(t); got != fresh {
				t.Errorf("factor %d, evaluated before %v: bound %v after the failure, %v without", want, warm, got, fresh)
			}
		}
	}
}
