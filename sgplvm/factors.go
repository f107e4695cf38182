package sgplvm

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// largestJoint is how many points one factor that was made of several has at most: it needs several matrices of
// their square, of 2 GiB each.
const largestJoint = 1 << 14

// pointsOf returns a grid, whose rows are contiguous, as Factors says: joint ones are one factor of all points, in the same
// order.
func pointsOf(grid Grid, f Factors) (Grid, error) {
	if f != FactorsJoint || len(grid) < 2 {
		return grid, nil
	}
	if n := grid.Len(); n > largestJoint {
		return nil, &ConfigError{Field: "Factors", Err: fmt.Errorf("joint for a grid of %d points, expected at most %d (larger ones take product)", n, largestJoint)}
	}
	return Grid{data.Joined(grid)}, nil
}
