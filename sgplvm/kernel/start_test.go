package kernel_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

func TestMissingAndComplete(t *testing.T) {
	for _, c := range []struct {
		text          string
		scale, period bool
		complete      string
	}{
		{"rbf", true, false, "rbf(3)"},
		{"rbf(2)", false, false, "rbf(2)"},
		{"rbf(2,4)", false, false, "rbf(2,4)"},
		{"quadratic", true, false, "quadratic(3)"},
		{"white", false, false, "white"},
		{"periodic", false, true, "periodic(7,1)"},
		{"periodic(5)", false, false, "periodic(5,1)"},
		{"periodic(5,2)", false, false, "periodic(5,2)"},
		{"rbf+matern12(1)", true, false, "0.5*rbf(3)+0.5*matern12(1)"},
		{"0.75*rbf(2)+0.25*matern12", true, false, "0.75*rbf(2)+0.25*matern12(3)"},
		{"rbf*periodic*(white+matern12(1)+rbf(4)+rbf(5))", true, true, "rbf(3)*periodic(7,1)*(0.25*white+0.25*matern12(1)+0.25*rbf(4)+0.25*rbf(5))"},
	} {
		k := parsed(t, c.text)
		before := k.Clone()
		if scale, period := k.Missing(); scale != c.scale || period != c.period {
			t.Errorf("%s: missing %v, %v", c.text, scale, period)
		}
		if diff := cmp.Diff(parsed(t, c.complete), k.Complete(3, 7)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
		if diff := cmp.Diff(before, k); diff != "" {
			t.Errorf("%s has changed:\n%s", c.text, diff)
		}
	}
	zero := kernel.Kernel{Kind: kernel.RBF, LengthScale: []float64{0}}
	if scale, _ := zero.Missing(); !scale || zero.Complete(3, 7).LengthScale[0] != 3 || zero.String() != "rbf" {
		t.Errorf("a length scale of 0 is not missing in %v", zero)
	}
}

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
		near(t, c.x.String(), kernel.Spacing(c.x), c.want, 4*epsilon)
	}
}
