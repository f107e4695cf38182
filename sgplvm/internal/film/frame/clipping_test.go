package frame

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// The mean square of a clipped value about its median is the mean over many such values.
func TestClippedSquare(t *testing.T) {
	const draws = 1 << 16
	inf := math.Inf(1)
	for _, c := range []struct{ mean, variance, least, most float64 }{
		{0, 1, -inf, inf}, {3, 4, 0, inf}, {3, 4, -inf, 4}, {-1, 9, 0, inf}, {260, 16, 0, 255}, {254, 16, 0, 255}, {100, 1e4, 0, 255}, {-3, 1e4, 0, 255}, {300, 1, 0, 255}, {5, 0, 0, 10}, {12, 0, 0, 10}, {0, 1e-4, 0, 255},
	} {
		var want float64
		median := min(max(c.mean, c.least), c.most)
		for k := range draws {
			z := math.Sqrt2 * math.Erfinv(2*(float64(k)+0.5)/draws-1)
			x := min(max(c.mean+math.Sqrt(c.variance)*z, c.least), c.most)
			want += Square(x-median) / draws
		}
		if got := clippedSquare(c.mean, c.variance, c.least, c.most); !(math.Abs(got-want) <= 1e-3*want+1e-9) {
			t.Errorf("mean %v, variance %v, from %v to %v: %v, want %v", c.mean, c.variance, c.least, c.most, got, want)
		}
	}
}

// Values end where those of the film were clipped, and are surer beyond; those of another channel, and those far from the limits, stay.
func TestClip(t *testing.T) {
	l := Limits{Step: 1, Channels: []Range{{Least: 0, Most: 140, Above: true}, {Least: 0, Most: 140}}}
	means, variances := []float64{-5, 20, 139, 141, 180}, []float64{4, 100}
	f := New(len(means), len(variances), 2)
	for k := range f.Mean.Rows {
		for c := range 2 {
			f.Mean.Set(k, c, means[k%len(means)])
			f.Variance.Set(k, c, variances[k/len(means)])
		}
	}
	l.Clip(f)
	for k := range f.Mean.Rows {
		mean, before := means[k%len(means)], variances[k/len(means)]
		if f.Mean.At(k, 1) != mean || f.Variance.At(k, 1) != before {
			t.Errorf("another channel of mean %v and variance %v has %v and %v", mean, before, f.Mean.At(k, 1), f.Variance.At(k, 1))
		}
		want := 0.1*before + 0.9*min(before, clippedSquare(mean, before, math.Inf(-1), 140)+1./12)
		if v := f.Variance.At(k, 0); f.Mean.At(k, 0) != min(mean, 140) || !(math.Abs(v-want) <= 1e-12*want) {
			t.Errorf("mean %v and variance %v become %v and %v, want %v and %v", mean, before, f.Mean.At(k, 0), v, min(mean, 140), want)
		}
	}
	plain := Frame{Width: 1, Height: 1, Mean: mat.NewDense(1, 2, []float64{150, 150})}
	if l.Clip(plain); plain.Mean.At(0, 0) != 140 || plain.Mean.At(0, 1) != 150 {
		t.Errorf("without variances %v and %v, want 140 and 150", plain.Mean.At(0, 0), plain.Mean.At(0, 1))
	}
}
