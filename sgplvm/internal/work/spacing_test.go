package work_test

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

const epsilon = 0x1p-52

// Points of a grid, and points that have no spacing.
func TestSpacing(t *testing.T) {
	grid := mat.New(12, 2) // 3×4 points, 0.5 and 2 apart
	for i := range 3 {
		for j := range 4 {
			copy(grid.Row(4*i+j), []float64{0.5 * float64(i), -2 * float64(j)})
		}
	}
	for _, c := range []struct {
		x    mat.Matrix
		want []float64
	}{
		{grid, []float64{1 / math.Sqrt(12), 6 / math.Sqrt(12)}},
		{mat.NewDense(5, 1, []float64{0, 3, 1, 10, 2}), []float64{2}},
		{mat.New(3, 2), []float64{0.5, 0.5}},
		{mat.New(0, 1), []float64{0.5}},
		{mat.NewDense(2, 1, []float64{math.NaN(), 1}), []float64{0.5}},
	} {
		for q, got := range work.Spacing(c.x) {
			if !(math.Abs(got-c.want[q]) <= 4*epsilon*c.want[q]) {
				t.Errorf("%v: spacing %v of dimension %d, want %v", c.x, got, q, c.want[q])
			}
		}
	}
}
