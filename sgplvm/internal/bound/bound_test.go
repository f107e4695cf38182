package bound_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// The Kronecker path against the dense one. Kernel matrices have a condition number below 10⁶ and the
// dense formulas use their inverses: 1e-9 leaves one digit.
func TestDense(t *testing.T) {
	for seed := range uint64(compare.Sizes(300)) {
		shape := reference.RandomShape(seed)
		if seed%3 == 2 {
			shape = reference.ResidualShape(seed)
		}
		s := subjectOf(t, shape)
		compare.NearOne(t, shape.String(), s.bound(t), reference.NewDense(s.Model).Bound(), 1e-9)
	}
}

// The same with a part of time beside all others and alone, under a dynamical prior of several
// sequences, whose divergence is tested where it lives.
func TestDenseInTime(t *testing.T) {
	for seed := range uint64(compare.Sizes(24)) {
		shape := reference.TimeShape(seed)
		s := subjectOf(t, shape)
		d := reference.NewDense(s.Model)
		compare.NearOne(t, shape.String(), s.bound(t)+s.evaluator.Divergence(s.Params), d.Bound()+d.KL, 1e-9)
	}
}

// The collapsed bound is the uncollapsed one, trace term and all, at q(U) with the model's own α, and
// any other mean of q(U) gives less.
func TestUncollapsed(t *testing.T) {
	for seed := range uint64(compare.Sizes(50)) {
		shape := reference.RandomShape(1000 + seed)
		if seed%3 == 2 {
			shape = reference.ResidualShape(1000 + seed)
		}
		s := subjectOf(t, shape)
		d := reference.NewDense(s.Model)
		tensor, err := s.evaluator.Alpha(t.Context(), s.Params)
		if err != nil {
			t.Fatal(err)
		}
		alpha := reference.NewRows(s.Channels(), len(d.Kuu))
		for u := range d.Kuu {
			for c := range alpha {
				alpha[c][u] = tensor.Data[u*s.Channels()+c]
			}
		}
		best := s.bound(t)
		compare.NearOne(t, shape.String(), d.Uncollapsed(alpha), best, 1e-9)

		rng := rand.New(rand.NewPCG(seed, 4))
		for c := range alpha {
			for u := range alpha[c] {
				alpha[c][u] += 0.01 * rng.NormFloat64()
			}
		}
		if v := d.Uncollapsed(alpha); !(v < best) {
			t.Errorf("%v: %v away from the optimal q(U), above the bound %v", shape, v, best)
		}
	}
}

// With S → 0, all points as inducing points and the divergence given back, nothing is approximated;
// with fewer inducing points the bound can only be lower.
func TestBoundAtCertainLatentPoints(t *testing.T) {
	for seed := range uint64(compare.Sizes(30)) {
		shape := reference.RandomShape(2000 + seed)
		shape.Parts |= reference.RBF // no jitter
		shape.Jitter = 0
		for f := range shape.Space {
			shape.Space[f].Inducing = 0
		}
		full := shape
		full.Inducing = full.Examples
		s := subjectOf(t, full)
		s.Params.Z = s.Params.X.Mu.Clone()
		s.Params.X.S.Fill(1e-13)
		compare.NearOne(t, full.String(), s.withoutKL(t), reference.LogEvidenceGiven(s.Model, s.Params.X.Mu), 1e-9)

		s = subjectOf(t, shape)
		s.Params.X.S.Fill(1e-13)
		got, exact := s.withoutKL(t), reference.LogEvidenceGiven(s.Model, s.Params.X.Mu)
		if !(got <= exact+1e-9*math.Abs(exact)) {
			t.Errorf("%v: bound %v above the log evidence %v given the latent points", shape, got, exact)
		}
	}
}
