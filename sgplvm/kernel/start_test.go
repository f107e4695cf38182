package kernel_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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
