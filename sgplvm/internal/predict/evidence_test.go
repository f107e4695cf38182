package predict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// checkSlopes compares derivatives of L* in the mean and the variance of l with differences.
func checkSlopes(t *testing.T, what string, v *infer.Evidence, l field.Latent) {
	t.Helper()
	dmu, ds := make([]float64, len(l.Mu)), make([]float64, len(l.Mu))
	value := v.At(new(psi.Scratch), l.Mu, l.S, dmu, ds)
	if alone := boundAt(v, l); alone != value {
		t.Errorf("%s: L* is %v with its derivatives, %v without", what, value, alone)
	}
	name := func(i int) string {
		return fmt.Sprintf("%s: %s[%d]", what, []string{"μ*", "S*"}[i/len(l.Mu)], i%len(l.Mu))
	}
	compare.CheckGradient(t, name, compare.Pointers(l.Mu, l.S), slices.Concat(dmu, ds), func() float64 { return boundAt(v, l) })
}

// L* with its own derivatives, under the standard normal prior and another, at a time and none, and for noise
// of all kinds.
func TestEvidenceGradient(t *testing.T) {
	for seed := range uint64(compare.Sizes(40)) {
		shape := samplingShape(5000 + seed)
		if seed%4 == 3 {
			shape = reference.TimeShape(5000 + seed)
		}
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 8))
		obs := field.Observed{Values: m.ref.UserValues(reference.Masked(rng, m.grid.Len(), shape.Channels, 0.3, false))}
		if seed%2 == 1 {
			prior := randomLatent(rng, shape.Latent)
			if m.times != nil && seed%8 != 7 {
				prior.At = &m.times[0]
			}
			obs.Prior = &prior
		}
		e := m.mustObserveAll(t, obs)
		checkSlopes(t, shape.String(), mustEvidence(t, e), randomLatent(rng, shape.Latent))
	}
}
