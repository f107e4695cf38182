package edge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
)

// Thresholds from levels of examples like those of training have the wanted rate of false alarms over others, of one example and of cumulative sums, to a third of it; where examples
// are too few the rate says so. Transforms are uniform.
func TestAlarm(t *testing.T) {
	tier.Skip(t, tier.Emulated)
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func() float64 { // levels of a model that is too sure now and then
		v := rng.NormFloat64()
		if rng.IntN(10) == 0 {
			v *= 3
		}
		return v
	}
	c := contents()
	for range 4000 {
		c.Scores = append(c.Scores, draw())
	}
	c.Spreads = []float64{0, 1, 0, 1, 5}
	m := opened(t, c)
	for _, rate := range []float64{0.01, 0.05} {
		a, ok := m.Alarm(rate)
		if !ok || a.Rate != rate {
			t.Fatalf("rate %v: %v", rate, a)
		}
		var alarms, sums, sum float64
		var tenths [10]float64
		const frames = 1e5
		for range int(frames) {
			level := draw()
			tenths[int(10*m.Transform(level))]++
			if level > a.Level {
				alarms++
			}
			if sum = m.accumulated(sum, level); sum > a.Sum {
				sum = 0
				sums++
			}
		}
		if math.Abs(alarms/frames/rate-1) > 1./3 || math.Abs(sums/frames/rate-1) > 1./3 {
			t.Errorf("rates %v and %v of false alarms, expected %v", alarms/frames, sums/frames, rate)
		}
		for k, v := range tenths {
			if math.Abs(v/frames-0.1) > 0.02 {
				t.Errorf("%v of the transforms are in tenth %d", v/frames, k)
			}
		}
	}
	if a, ok := m.Alarm(1e-6); !ok || a.Rate != 1./4001 || math.Abs(a.Level-slices.Max(c.Scores)) > 1e-12 {
		t.Errorf("more than can be had: %v", a)
	}
	if _, ok := opened(t, contents()).Alarm(0.01); ok {
		t.Error("alarms without examples")
	}
}

// Mean squares of any number of normal numbers are about standard normal as levels.
func TestLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, count := range []int{5, 60, 500} {
		var mean, square float64
		const draws = 4000
		for range draws {
			var sum float64
			for range count {
				v := rng.NormFloat64()
				sum += v * v
			}
			l := normal(sum/float64(count), count)
			mean += l / draws
			square += l * l / draws
		}
		if math.Abs(mean) > 0.1 || math.Abs(square-1) > 0.12 {
			t.Errorf("%d numbers: levels of mean %v and mean square %v", count, mean, square)
		}
	}
}
