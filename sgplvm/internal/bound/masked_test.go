package bound_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// Complete data give the same bound and the same derivatives on either path.
func TestMaskedComplete(t *testing.T) {
	for seed := range uint64(compare.Sizes(60)) {
		s := reference.RandomShape(seed)
		if seed%3 == 2 {
			s = reference.TimeShape(4 * seed) // with white noise
		}
		m := s.Model(t)
		whole, masked := newSubject(m), newSubject(m)
		masked.evaluator.Mask()
		what := fmt.Sprint(s)
		compare.NearOne(t, what+": bound", masked.bound(t), whole.bound(t), 1e-10)
		want, got := natural(whole.gradient(t, bound.GroupAll)), natural(masked.gradient(t, bound.GroupAll)).values()
		compare.Near(t, what+": gradient", got, want.values(), 1e-8)
		if t.Failed() {
			for i, v := range want.values() {
				fmt.Println(want.names[i], v, got[i])
			}
			return
		}
	}
}

// hidden returns the model with some values missing.
func hidden(m *reference.Model, rng *rand.Rand, share float64) {
	for i := range m.Y.Data {
		if rng.Float64() < share {
			m.Y.Data[i] = math.NaN()
		}
	}
}

func TestMaskedDifferences(t *testing.T) {
	for seed := range uint64(compare.Sizes(24)) {
		s := reference.RandomShape(seed)
		if seed%3 == 2 {
			s = reference.TimeShape(4 * seed)
		}
		m := s.Model(t)
		hidden(m, rand.New(rand.NewPCG(seed, 99)), 0.3)
		x := newSubject(m)
		x.bound(t) // the basis
		moved := natural(x.Params)
		rng := rand.New(rand.NewPCG(seed, 98))
		for i, v := range moved.at {
			_ = i
			*v *= math.Exp(0.1 * rng.NormFloat64())
		}
		if x.Params.X.Paths != nil {
			reference.SetMarginals(t, x.Params)
		}
		grad := natural(x.gradient(t, bound.GroupAll))
		compare.CheckGradient(t, moved.name(fmt.Sprint(s)), moved.at, grad.values(), func() float64 { return x.bound(t) })
		if t.Failed() {
			return
		}
	}
}

// Bound, gap and every derivative of data with holes against evaluations with 50 digits.
func TestHolesReference(t *testing.T) {
	for _, c := range reference.HolesCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			s := newSubject(c.Model(t))
			if !s.evaluator.Holes() {
				s.evaluator.Mask()
			}
			if err := s.evaluator.Refresh(t.Context(), c.BasisModel(t).Params); err != nil {
				t.Fatal(err)
			}
			compare.NearOne(t, "bound", s.bound(t), c.Expected.Bound, reference.Digits)
			checkGap(t, s, c.Expected.Gap)
			var got map[string][]float64
			bound.WithResidual(1e-12, func() { got = slopesByName(s.gradient(t, bound.GroupAll)) })
			slopes := c.Slopes(t)
			for name, values := range slopes {
				compare.Near(t, "derivative in "+name, got[name], values, reference.Digits)
			}
			for name := range got {
				if slopes[name] == nil {
					t.Errorf("the file has no derivative in %s", name)
				}
			}
			if err := s.evaluator.Refresh(t.Context(), s.Params); err != nil {
				t.Fatal(err)
			}
			compare.NearOne(t, "bound at its own T", s.bound(t), c.Expected.Fresh.Bound, reference.Digits)
			checkGap(t, s, c.Expected.Fresh.Gap)
		})
	}
}

func checkGap(t *testing.T, s *subject, want float64) {
	t.Helper()
	gap, ok, err := s.evaluator.Gap(t.Context(), s.Params)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if !(math.Abs(gap-want) <= reference.Digits*max(1, want)) {
		t.Errorf("gap %v, expected %v", gap, want)
	}
}
