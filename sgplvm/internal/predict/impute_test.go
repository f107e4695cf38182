package predict

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// What was observed comes back as it was, with no variance, whatever its size
// and whatever else is missing.
func TestImputeKeepsObserved(t *testing.T) {
	for seed := range uint64(compare.Sizes(20)) {
		shape := reference.RandomShape(13000 + seed)
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 42))
		for _, share := range []float64{0, 0.5} {
			values := m.ref.UserValues(reference.Masked(rng, m.grid.Len(), shape.Channels, share, false))
			kept := values.Clone()
			p, _, err := m.Impute(t.Context(), field.Observed{Values: values}, field.InferOptions{})
			if err != nil {
				t.Fatal(err)
			}
			compare.SameBits(t, "the caller's values", values.Data, kept.Data)
			for i, y := range kept.Data {
				unit := math.Pow(m.scaler.Scale[i%shape.Channels], 2)
				switch mean, variance := p.Mean.Data[i], p.Variance.Data[i]; {
				case y == y && (mean != y || variance != 0):
					t.Errorf("%v: observed %v, returned %v with variance %v", shape, y, mean, variance)
				case y != y && !(variance >= unit/m.params.Noise.Beta && mean-mean == 0):
					t.Errorf("%v: missing value filled with %v, variance %v", shape, mean, variance)
				}
			}
			if share == 0 && p.Conditioning != "none" {
				t.Errorf("%v: conditioning %q with nothing missing", shape, p.Conditioning)
			}
		}
	}
}
