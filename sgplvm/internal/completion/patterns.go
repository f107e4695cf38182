package completion

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// Patterns of missing values for validation of complete data, if the user gives none: half of the points at random, one side, a block, nine in ten.

// A pattern returns what is missing of an example: one of the masks that are known, or the next of the usual
// ones at points x (n×d).
type pattern func(rng *rand.Rand, x mat.Matrix, channels int) []bool

// patterns are the usual ones, taken in turn.
var Patterns = []pattern{scattered(0.5), oneSide, block, scattered(0.9)}

// scattered hides a share of the points at random; of a single point, of its channels.
func scattered(share float64) pattern {
	return func(rng *rand.Rand, x mat.Matrix, channels int) []bool {
		if x.Rows == 1 {
			missing := make([]bool, channels)
			for _, c := range rng.Perm(channels)[:someOf(channels, share)] {
				missing[c] = true
			}
			return missing
		}
		return allChannels(rng.Perm(x.Rows)[:someOf(x.Rows, share)], x.Rows, channels)
	}
}

// someOf returns a share of n, at least one and not all where there are two.
func someOf(n int, share float64) int {
	return max(1, min(n-1, int(math.Round(share*float64(n)))))
}

// oneSide hides the half of the points that lies on one side along one dimension.
func oneSide(rng *rand.Rand, x mat.Matrix, channels int) []bool {
	if x.Rows == 1 {
		return scattered(0.5)(rng, x, channels)
	}
	q, low := rng.IntN(x.Cols), rng.IntN(2) == 0
	return nearest(x, channels, x.Rows/2, func(i int) float64 {
		if low {
			return x.At(i, q)
		}
		return -x.At(i, q)
	})
}

// block hides the quarter of the points that is nearest to one of them, in a box as long and as wide as the
// points are.
func block(rng *rand.Rand, x mat.Matrix, channels int) []bool {
	if x.Rows == 1 {
		return scattered(0.25)(rng, x, channels)
	}
	centre, extent := rng.IntN(x.Rows), make([]float64, x.Cols)
	for q := range extent {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range x.Rows {
			low, high = min(low, x.At(i, q)), max(high, x.At(i, q))
		}
		extent[q] = high - low
	}
	return nearest(x, channels, someOf(x.Rows, 0.25), func(i int) (far float64) {
		for q, e := range extent {
			if e > 0 {
				far = max(far, math.Abs(x.At(i, q)-x.At(centre, q))/e)
			}
		}
		return far
	})
}

// nearest hides the count points with the least distances, of equal ones the first.
func nearest(x mat.Matrix, channels, count int, distance func(i int) float64) []bool {
	order, d := make([]int, x.Rows), make([]float64, x.Rows)
	for i := range order {
		order[i], d[i] = i, distance(i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d[a], d[b]) })
	return allChannels(order[:count], x.Rows, channels)
}

// allChannels hides all channels of some of n points.
func allChannels(points []int, n, channels int) []bool {
	missing := make([]bool, n*channels)
	for _, i := range points {
		for c := range channels {
			missing[i*channels+c] = true
		}
	}
	return missing
}

// Hiding returns the lists that hide something.
func Hiding(hide [][]bool) (list [][]bool) {
	for _, missing := range hide {
		if slices.Contains(missing, true) {
			list = append(list, missing)
		}
	}
	return list
}

// CheckPatterns refuses lists that do not fit examples of some size, or hide nothing at all.
func CheckPatterns(hide [][]bool, size int) error {
	for k, missing := range hide {
		if len(missing) != size {
			return &field.ConfigError{Field: "Hide", Err: fmt.Errorf("list %d has %d values, expected %d, those of an example", k, len(missing), size)}
		}
	}
	if len(hide) > 0 && len(Hiding(hide)) == 0 {
		return &field.ConfigError{Field: "Hide", Err: errors.New("nothing is hidden, expected what will be missing")}
	}
	return nil
}
