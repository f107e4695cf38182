package completion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Many values at the least one are at a limit, few are not; the shift of logarithms is about that by which values were drawn, none where the normal distribution itself was cut off, and
// channels of other values have no limit.
func TestLinks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, channels = 4000, 5
	y := make([]float64, n*channels)
	for i := range n {
		z := rng.NormFloat64()
		copy(y[i*channels:], []float64{
			max(0.5, 1+z),               // a detection limit
			max(0, math.Exp(1.2*z)-0.8), // zeros
			20 + z,
			math.Exp(2 * z),
			math.Round(10 * z), // the least value is rare
		})
	}
	y[3*channels] = math.NaN()
	lists, limited, err := Links(field.NewSource(y, n, 1, channels))
	if err != nil || !limited || len(lists) != 3 {
		t.Fatalf("%v %v %v", lists, limited, err)
	}
	for k, want := range [][]string{
		{"identity", "identity", "identity", "log", "identity"},
		{"identity above 0.5", "identity above 0", "identity", "identity", "identity"},
		{"identity above 0.5", "log above 0", "identity", "identity", "identity"},
	} {
		var got []string
		for _, l := range lists[k] {
			if l.By == work.Log && l.Limited {
				if l.Shift < 0.4 || l.Shift > 1.6 {
					t.Errorf("shift %v, drawn by 0.8", l.Shift)
				}
				l.Shift = 0
			}
			got = append(got, l.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("list %d: %v, expected %v", k, got, want)
		}
	}
	if lists, limited, err := Links(field.NewSource([]float64{3, 3, 3, -1, 4, 5}, 6, 1, 1)); lists != nil || limited || err != nil {
		t.Errorf("%v %v %v", lists, limited, err)
	}
}
