package sgplvm

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
)

// mostJoint is how many points one factor that was made of several has at most: it needs several matrices of
// their square, of 2 GiB each.
const mostJoint = 1 << 14

// seenAs returns a grid, whose rows are contiguous, as Factors says: joint ones are one factor of all points, in the same
// order.
func seenAs(grid Grid, f Factors) (Grid, error) {
	if f != FactorsJoint || len(grid) < 2 {
		return grid, nil
	}
	points, dims := grid.Len(), 0
	for _, x := range grid {
		dims += x.Cols
	}
	if points > mostJoint {
		return nil, &ConfigError{Field: "Factors", Err: fmt.Errorf("joint for a grid of %d points, expected at most %d (larger ones take product)", points, mostJoint)}
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
	return Grid{all}, nil
}
