package sgplvm

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Sums of lower triangles become a symmetric mean.
func TestMeanUnsure(t *testing.T) {
	c := &completer{points: mat.New(2, 1), y: mat.New(3, 4), channels: 2}
	if got := c.meanUnsure(nil); got.Rows != 0 {
		t.Errorf("a %d×%d matrix of nothing", got.Rows, got.Cols)
	}
	sum := plus(plus(nil, []float64{6, 12, 18}), []float64{6, 0, 0})
	sum = plus(sum, nil)
	got := c.meanUnsure(sum)
	for k, want := range []float64{2, 2, 2, 3} {
		if got.Data[k] != want {
			t.Errorf("%v, expected rows 2 2 and 2 3", got.Data)
		}
	}
}
