package infer

import (
	"math"
	"testing"
)

// Points seen at random have about the same gap·seen^(1/d) whatever their share; a block that is missing has a larger one.
func TestUnlike(t *testing.T) {
	half, tenth, block := Missing{1.08, 0.5}, Missing{1.85, 0.1}, Missing{4.5, 0.75}
	if strip := (Missing{2.3, 0.75}); !(Unlike(block, strip, 2) < Unlike(half, strip, 2) && Unlike(block, strip, 2) < Unlike(tenth, strip, 2)) {
		t.Errorf("a strip is %v from a block, %v from half of the points, %v from a tenth", Unlike(block, strip, 2), Unlike(half, strip, 2), Unlike(tenth, strip, 2))
	}
	gaps := math.Pow(math.Log(2.85/2.08), 2)
	for _, seen := range []float64{0, 0.1} { // of which nothing is known, or as much as of the other
		a, b := Missing{1.85, seen}, Missing{1.08, seen}
		want := gaps
		if seen > 0 {
			want += math.Pow(math.Log(1.85/1.08), 2)
		}
		if got := Unlike(a, b, 2); math.Abs(got-want) > 1e-12 || math.Abs(Unlike(b, a, 2)-got) > 1e-12 {
			t.Errorf("seen %v: %v and %v, expected %v", seen, got, Unlike(b, a, 2), want)
		}
	}
	if d := Unlike(Missing{2, 0.1}, Missing{2, 0.8}, 3); math.Abs(d-math.Pow(math.Log(8)/3, 2)) > 1e-12 {
		t.Errorf("%v in three dimensions", d)
	}
	if d := Unlike(Missing{0, 0.5}, Missing{0, 0.9}, 2); d != 0 {
		t.Errorf("%v without a gap", d)
	}
}

// Observed values whose variances are half of those of the missing ones count a quarter, and larger ones no more than equal ones.
func TestTelling(t *testing.T) {
	for _, c := range []struct{ observed, missing, want float64 }{{1, 1, 1}, {3, 1, 1}, {1, 2, 0.25}, {0, 1, 0}, {0, 0, 1}} {
		if got := StudentWeight(c.observed, c.missing); got != c.want {
			t.Errorf("variances %v and %v: %v, expected %v", c.observed, c.missing, got, c.want)
		}
	}
	if got := StudentScale(16, 2, 16, 0.25); got != 16.5/20 {
		t.Errorf("scale %v of a quarter of 16 values, expected %v", got, 16.5/20)
	}
	if got := StudentScale(16, 2, 16, 0); got != 1 {
		t.Errorf("scale %v of values that tell nothing", got)
	}
}
