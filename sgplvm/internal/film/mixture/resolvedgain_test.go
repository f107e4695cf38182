package mixture

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A gain is what squared errors between enlarged frames are less, channel by channel, and what pixels miss.
func TestGain(t *testing.T) {
	truth, enlarged := frame.New(2, 1, 2), frame.NewImage[float64](2, 1, 2)
	copy(truth.Mean.Data, []float64{1, 2, 3, 4})
	copy(enlarged.Data, []float64{1, 3, 2, 4})
	o := Others{doubts: frame.NewImage[float64](2, 1, doubts)}
	for k := range o.means {
		o.means[k] = frame.NewImage[float64](2, 1, 2)
	}
	o.doubts.Data[doubtMissed], o.doubts.Data[doubts+doubtMissed] = 2, 5
	g := gainOf(truth, o, enlarged)
	if g.less[0] != 1+9-1 || g.less[1] != 4+16-1 || g.missed != 7 {
		t.Errorf("less by %v where %v is missed, want 9, 19 and 7", g.less, g.missed)
	}
}

// As much of what pixels miss is known as all channels' errors are less by, over their variances: nothing where errors are no less, all at most, less where frames do not say the same, and nothing where few say something.
func TestResolvedGains(t *testing.T) {
	x := &Mixture{scale: []float64{4, 16}, laws: make([]varianceLaw, 2)}
	x.laws[0][missing], x.laws[1][missing] = 0.5, 0.3
	resolved := func(parts ...float64) float64 {
		var gains []gain
		for _, p := range parts {
			const missed = 50 // over the mean variance, 10, 5: errors of 0.5·5·4 in the first channel, 0.3·5·16 in the other one
			gains = append(gains, gain{less: []float64{p * 10, p * 24}, missed: missed})
		}
		return x.resolving(gains).resolved
	}
	for _, c := range []struct {
		parts []float64
		want  float64
	}{
		{[]float64{0.6, 0.6, 0.6, 0.6}, 0.6},
		{[]float64{-0.5, -0.5, -0.5, -0.5}, 0},
		{[]float64{1.5, 1.5, 1.5, 1.5}, 1},
		{[]float64{0.6, 0.6, 0.6}, 0},
		{nil, 0},
		{[]float64{0.4, 0.8, 0.4, 0.8}, 0.6 - 2*0.2/math.Sqrt(3)},
		{[]float64{-3, 4, -2, 3}, 0},
	} {
		if got := resolved(c.parts...); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("errors less by %v of what is missed: %v is known, want %v", c.parts, got, c.want)
		}
	}
	x.laws[0][missing], x.laws[1][missing] = 0, 0
	if got := resolved(0.6, 0.6, 0.6, 0.6); got != 0 {
		t.Errorf("%v is known of nothing", got)
	}
	if x.resolved != 0 {
		t.Error("the mixture that was given has changed")
	}
}
