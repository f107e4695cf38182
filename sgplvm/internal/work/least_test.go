package work_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// The least values are those that a stable sort puts first, many equal ones among them, and the list's order stays.
func TestLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		values := make([]float64, 1+rng.IntN(40))
		for i := range values {
			values[i] = float64(rng.IntN(1 + rng.IntN(60)))
		}
		var list []int
		for i := range values {
			if rng.IntN(4) > 0 {
				list = append(list, i)
			}
		}
		count := rng.IntN(len(values) + 2)
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
		want = want[:min(count, len(want))]
		slices.Sort(want)
		if got := work.Least(slices.Clone(list), values, make([]float64, len(list)), count); !slices.Equal(got, want) {
			t.Fatalf("%d least of %v by %v: %v, expected %v", count, list, values, got, want)
		}
	}
}
