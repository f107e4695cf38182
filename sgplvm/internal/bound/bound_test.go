package bound_test

import (
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
