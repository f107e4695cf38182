package motion

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// The frames around a time share the weight in linear interpolation; a frame that is not used gives
// its place to the next one.
func TestNeighbours(t *testing.T) {
	s := Sequence{Sequence: data.Sequence{Examples: []int{5, 4, 3, 2, 1}, Times: []float64{0, 2, 3, 3, 7}}}
	one := func(place int) []Neighbour { return []Neighbour{{Place: place, Weight: 1}} }
	two := func(place int, weight float64, next int) []Neighbour {
		return []Neighbour{{Place: place, Weight: weight}, {Place: next, Weight: 1 - weight}}
	}
	for _, c := range []struct {
		time    float64
		without int
		want    []Neighbour
	}{
		{-1, -1, one(0)}, {-1, 5, one(1)}, {8, -1, one(4)}, {8, 1, one(3)}, {0, -1, one(0)}, {0, 5, one(1)}, {7, 1, one(3)},
		{0.5, -1, two(0, 0.75, 1)}, {2, -1, two(0, 0, 1)}, {2, 4, two(0, 1-2./3, 2)}, {5, -1, two(3, 0.5, 4)}, {3, 3, two(1, 0, 3)},
	} {
		if d := cmp.Diff(c.want, s.neighbours(c.time, c.without), cmp.AllowUnexported(Neighbour{}), cmpopts.EquateApprox(0, 1e-15)); d != "" {
			t.Errorf("around %v without frame %d (-want +got):\n%s", c.time, c.without, d)
		}
	}
	alone := Sequence{Sequence: data.Sequence{Examples: []int{7}, Times: []float64{1}}}
	if got := alone.neighbours(1, 7); got != nil {
		t.Errorf("around the only frame: %v", got)
	}
}
