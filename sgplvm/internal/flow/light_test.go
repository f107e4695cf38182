package flow

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Light that flickers is as uncertain however near the frames are, smooth changes are found to vanish with the fourth power of
// the distance, and a walk with the first.
func TestLightGrowth(t *testing.T) {
	const n = 400
	rng := rand.New(rand.NewPCG(5, 5))
	s := sequence{Sequence: data.Sequence{Times: line(n, 2)}}
	for i := range n {
		s.Examples = append(s.Examples, i)
	}
	walk := 0.
	for _, c := range []struct {
		name        string
		level       func(t float64) float64
		least, most float64
	}{
		{"flicker", func(float64) float64 { return rng.NormFloat64() }, 0, 0.3},
		{"a walk", func(float64) float64 { walk += rng.NormFloat64(); return walk }, 0.7, 1.3},
		{"a wave", func(t float64) float64 { return math.Sin(t / 20) }, 3.8, 4},
		{"nothing", func(float64) float64 { return 3 }, 0, 0},
	} {
		levels := make([][]float64, n)
		for i, time := range s.Times {
			levels[i] = []float64{c.level(time)}
		}
		if g := lightGrowth([]sequence{s}, levels, []float64{2}); !(g >= c.least && g <= c.most) {
			t.Errorf("%s: grows with the power %v, want %v to %v", c.name, g, c.least, c.most)
		}
	}
	if g := lightGrowth(nil, nil, nil); g != 0 {
		t.Errorf("no frames: %v", g)
	}
	law := lightLaw{Variances: []float64{1, 3}, Growth: 2}
	if v := law.variance(1, 0.5); v != 0.75 {
		t.Errorf("variance %v at half the distance, want a quarter of 3", v)
	}
	if v := (&lightLaw{}).variance(1, 0.5); v != 0 {
		t.Errorf("variance %v of a law without any", v)
	}
	if h := harmonic(1, 2, 5); h != 1.5 {
		t.Errorf("harmonic mean %v of 1 and 3, want 1.5", h)
	}
}

// A flicker of whole frames is learned apart from errors that differ from pixel to pixel.
func TestLightOfFrames(t *testing.T) {
	_, law := mixtureOf(t, translation, 0.01)
	rng := rand.New(rand.NewPCG(6, 6))
	deviations := make([]float64, law.frames)
	var want float64
	var used float64
	for i := range deviations {
		deviations[i] = 0.2 * rng.NormFloat64()
	}
	seen := map[int]bool{}
	for k := range law.samples {
		s := &law.samples[k]
		for j := range s.errors {
			s.errors[j] = deviations[s.frame] + 0.05*rng.NormFloat64()
		}
		seen[s.frame] = true
	}
	for i := range seen {
		want += square(deviations[i])
		used++
	}
	law.mixture.light.Growth = 0
	x := law.Mixture()
	if got := x.light.Variances[0]; math.Abs(got-want/used) > 0.1*want/used {
		t.Errorf("variance %v of whole frames, want %v", got, want/used)
	}
	var mean float64
	for _, s := range law.samples {
		mean += x.laws[0].variance(s.variance, &s.traits) / float64(len(law.samples))
	}
	if mean > 2*square(0.05) {
		t.Errorf("variance %v within frames, drawn with at most %v", mean, square(0.05))
	}
}
