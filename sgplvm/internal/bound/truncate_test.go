package bound_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

func (s *subject) truncate(t *testing.T, tolerance float64) {
	t.Helper()
	if err := s.evaluator.Truncate(t.Context(), s.Params, tolerance); err != nil {
		t.Fatal(err)
	}
}

// truncated calls f with random models and tolerances that leave out nothing (negative), some and nearly
// all of the spatial components.
func truncated(t *testing.T, f func(what string, s *subject, tolerance float64)) {
	for seed := range uint64(compare.Sizes(30)) {
		shape := reference.RandomShape(22000 + seed)
		if seed%5 == 4 {
			shape = reference.ResidualShape(22000 + seed)
		}
		s := subjectOf(t, shape)
		full := s.bound(t)
		for _, tolerance := range []float64{-1, 0.01 * math.Abs(full), 0.3 * math.Abs(full), math.Inf(1)} {
			s.truncate(t, tolerance)
			f(fmt.Sprintf("%v, tolerance %g, %d of %d components left out", shape, tolerance, s.evaluator.Dropped(), s.evaluator.Components()), s, tolerance)
		}
	}
}

// The truncated bound is below the bound, by no more than the certificate, which is within the tolerance
// where components were chosen and holds elsewhere too.
func TestTruncationCertificate(t *testing.T) {
	some, tight := 0, 0
	truncated(t, func(what string, s *subject, tolerance float64) {
		p := s.Params
		mu, beta := p.X.Mu.Data[0], p.Noise.Beta
		for moved := range 3 {
			full, got := newSubject(s.Model).bound(t), s.bound(t)
			loss, rounding := s.evaluator.TruncationLoss(p), 1e-10*(math.Abs(full)+s.evaluator.Magnitude(p))
			if !(full-got >= -rounding && full-got <= loss+rounding) {
				t.Errorf("%s: bound %v, truncated %v, certificate %v", what, full, got, loss)
			}
			if moved == 0 && !(loss <= max(tolerance, 0)) {
				t.Errorf("%s: certificate %v", what, loss)
			}
			if n := s.evaluator.Dropped(); n > 0 && n < s.evaluator.Components() {
				some++
			}
			if loss > 0 && full-got > 0.01*loss {
				tight++
			}
			if !p.Noise.Structured() { // then β is a parameter of the space
				p.Noise.Beta *= 3 // as training may move what is not held
			}
			p.X.Mu.Data[0] += 0.5
		}
		p.X.Mu.Data[0], p.Noise.Beta = mu, beta
	})
	if some == 0 || tight == 0 {
		t.Errorf("%d truncations of a part, %d with a certificate within a hundredfold", some, tight)
	}
}

// The gradient in the latent parameters and the noise is that of the truncated bound.
func TestTruncatedGradient(t *testing.T) {
	truncated(t, func(what string, s *subject, _ float64) {
		c := bound.Coordinates{Free: held}
		x, slope := packed(c, s.Params), make([]float64, c.Count(s.Params))
		dropped := s.evaluator.Dropped()
		c.PackGradient(slope, s.Params, s.gradient(t, held))
		compare.CheckGradient(t, func(i int) string { return fmt.Sprintf("%s: coordinate %d", what, i) }, compare.Pointers(x), slope, func() float64 {
			c.Unpack(s.Params, x)
			return s.bound(t)
		})
		if n := s.evaluator.Dropped(); n != dropped {
			t.Errorf("%s: %d components were left out, now %d", what, dropped, n)
		}
	})
}

// Derivatives in the spatial parameters and α are those of all components.
func TestTruncationEnds(t *testing.T) {
	truncated(t, func(what string, s *subject, tolerance float64) {
		whole := newSubject(s.Model)
		got, err := s.evaluator.Alpha(t.Context(), s.Params)
		if err != nil {
			t.Fatal(err)
		}
		want, err := whole.evaluator.Alpha(t.Context(), s.Params)
		if err != nil {
			t.Fatal(err)
		}
		compare.SameBits(t, what+": α", got.Data, want.Data)
		s.truncate(t, tolerance)
		compare.SameBits(t, what+": gradient", flat(s.gradient(t, bound.GroupAll)), flat(whole.gradient(t, bound.GroupAll)))
		if n := s.evaluator.Dropped(); n > 0 {
			t.Errorf("%s: %d components are still left out", what, n)
		}
		s.truncate(t, tolerance)
		s.evaluator.Restore()
		compare.SameBits(t, what+": bound", []float64{s.bound(t)}, []float64{whole.bound(t)})
	})
}
