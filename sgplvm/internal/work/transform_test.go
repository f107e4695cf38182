package work

import (
	"math"
	"testing"
)

// A transform and its reverse cancel, its slope is that of differences, and moments are those of a fine sum over the normal distribution of t.
func TestTransform(t *testing.T) {
	for _, by := range []Transform{Identity, Log, Logit} {
		for _, y := range []float64{0.03, 0.4, 0.97} {
			at := by.To(y)
			if math.Abs(by.Back(at)-y) > 1e-14 {
				t.Errorf("transform %d: %v comes back as %v", by, y, by.Back(at))
			}
			const h = 1e-6
			slope := (by.To(y+h) - by.To(y-h)) / (2 * h)
			if math.Abs(math.Exp(by.LogSlope(at))/slope-1) > 1e-6 {
				t.Errorf("transform %d: slope %v, by differences %v", by, math.Exp(by.LogSlope(at)), slope)
			}
			if v, e := by.Observed(y, 0.001); v != at || math.Abs(e/(0.001*slope)-1) > 1e-6 {
				t.Errorf("transform %d: %v ± %v observed of %v", by, v, e, at)
			}
			for _, variance := range []float64{0.01, 0.5} {
				var sum, square, weight float64
				for k := -4000; k <= 4000; k++ {
					z := float64(k) / 500
					w := math.Exp(-z * z / 2)
					v := by.Back(at + math.Sqrt(variance)*z)
					sum, square, weight = sum+w*v, square+w*v*v, weight+w
				}
				mean := sum / weight
				m, v := by.Moments(at, variance)
				if want := square/weight - mean*mean; math.Abs(m/mean-1) > 1e-5 || math.Abs(v/want-1) > 1e-4 {
					t.Errorf("transform %d: moments %v, %v, want %v, %v", by, m, v, mean, want)
				}
			}
		}
		for _, y := range []float64{-0.1, 0, 1.2} {
			if v, e := by.Observed(y, 0.05); v-v != 0 || !(e > 0) {
				t.Errorf("transform %d: %v is observed as %v ± %v", by, y, v, e)
			}
		}
	}
}

// Positive values over a factor of ten may be logarithms, those between 0 and 1 logits; others stay as they are, and so does a channel of which nothing was seen.
func TestTransformOf(t *testing.T) {
	for _, r := range []struct {
		least, most float64
		want        Transform
	}{
		{1, 10, Log}, {1, 9.9, Identity}, {1e-13, 2, Identity}, {0, 5, Identity}, {-1, 20, Identity}, {0.1, 0.9, Logit}, {0.1, 1, Log}, {270, 310, Identity},
		{math.Inf(1), math.Inf(-1), Identity},
	} {
		if got := TransformOf(r.least, r.most); got != r.want {
			t.Errorf("values from %v to %v: %v, expected %v", r.least, r.most, got, r.want)
		}
	}
}
