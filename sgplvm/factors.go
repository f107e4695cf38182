package sgplvm

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
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
	return Grid{joined(grid)}, nil
}

// joined returns the points of a grid as those of one factor: all coordinates, in the same order.
func joined(grid Grid) mat.Matrix {
	if len(grid) == 1 {
		return grid[0]
	}
	points, dims := grid.Len(), 0
	for _, x := range grid {
		dims += x.Cols
	}
	all := mat.New(points, dims)
	every, column := points, 0
	for _, x := range grid {
		every /= x.Rows
		for j := range points {
			copy(all.Row(j)[column:column+x.Cols], x.Row(j/every%x.Rows))
		}
		column += x.Cols
	}
	return all
}
