package flow

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Frames of half the size are means of 2×2 pixels, whatever the values.
func TestHalvedFrames(t *testing.T) {
	for _, step := range []float64{1, 0.37} {
		const width, height = 6, 5
		values := make([]float64, 2*width*height)
		for k := range values {
			values[k] = step * float64(k*k%251)
		}
		m := &Motion{width: width, height: height, frames: 2}
		f, err := m.TrainingFrames(context.Background(), data.NewSource(values, 2, width*height, 1))
		if err != nil {
			t.Fatal(err)
		}
		all := make([]float64, len(values))
		if err := f.ReadExamples(all, 0, 2); err != nil {
			t.Fatal(err)
		}
		for k, v := range values {
			if math.Abs(all[k]-v) > 251*step/(1<<16) {
				t.Fatalf("value %d is %v, was %v", k, all[k], v)
			}
		}
		h := f.halved()
		if h.Width != 3 || h.Height != 2 || h.Frames != 2 {
			t.Fatalf("%d frames of %d×%d pixels", h.Frames, h.Width, h.Height)
		}
		one := make([]float64, 6)
		if err := h.ReadExamples(one, 1, 2); err != nil {
			t.Fatal(err)
		}
		second := values[width*height:]
		// Five rows become two: two and a half rows each.
		want := (second[0] + second[1] + second[6] + second[7] + 0.5*(second[12]+second[13])) / 5
		if math.Abs(one[0]-want) > 0.13*step {
			t.Errorf("the first pixel is %v, want %v", one[0], want)
		}
	}
}

// The detail that is left is what was measured to be missed: it asks for no further change. Nothing that was measured, and less than
// frames miss, change nothing.
func TestEnlarging(t *testing.T) {
	const width, height = 64, 48
	times := line(7, 1)
	film := draw(times, width, height, 1, func(t, u, v float64) (x, y float64) { return u + 2./width*t, v + 2./width*t })
	source := data.NewSource(film, len(times), width*height, 1)
	motion := &Motion{width: width, height: height, frames: len(times), sequences: sequencesOf(times, nil)}
	frames, d := trained(t, motion, source)
	if law := motion.NewEnlargingLaw(frames, d); law.Detail(d, nil) != d {
		t.Error("another detail before anything was measured")
	}
	half := frames.halved()
	half.cache = new(flowCache) // the same flows for all laws
	measured := func(d *Detail) *EnlargingLaw {
		law, truth := motion.NewEnlargingLaw(frames, d), NewFrame(width, height, 1)
		law.half = half
		for i := range times {
			copy(truth.Mean.Data, film[i*width*height:])
			law.Add(truth, motion.LeftOut(i))
		}
		return law
	}
	law := measured(d)
	if scaled := law.Detail(d, nil); law.missed[0] > law.expected[0] && scaled.a != d.a {
		t.Errorf("missed %v, expected %v: intercept %v after %v", law.missed[0], law.expected[0], scaled.a, d.a)
	}
	more := *d
	more.a += math.Log(3 * law.missed[0] / law.expected[0]) // three times what was missed
	law = measured(&more)
	if scaled := law.Detail(&more, nil); math.Abs(scaled.a-more.a-math.Log(1./3)) > 1e-9 || scaled.gamma != d.gamma {
		t.Errorf("intercept %v after %v, of three times what is missed", scaled.a, more.a)
	}
	brighter, other := motion.NewEnlargingLaw(frames, d), NewFrame(width, height, 1)
	brighter.half = half
	for i := range times {
		for k, v := range film[i*width*height : (i+1)*width*height] {
			other.Mean.Data[k] = v + 40
		}
		brighter.Add(other, motion.LeftOut(i))
	}
	if a, b := brighter.missed[0], measured(d).missed[0]; math.Abs(a-b) > 1e-6*b {
		t.Errorf("%v missed of brighter frames, %v of those that are expected", a, b)
	}
	if half := motion.NewEnlargingLaw(frames, d).detail; math.Abs(half.energy[0]*half.ratio[0]-d.energy[0]) > 1e-9*d.energy[0] || !(half.energy[0] > 1.01*d.energy[0]) {
		t.Errorf("energy %v of half the size, which goes on by %v, after %v", half.energy[0], half.ratio[0], d.energy[0])
	}
	// Half of the energy of this octave is noise, and half of that of the octave below: nothing of this changes how octaves go on.
	flat := *d
	flat.ratio = []float64{math.Pow(4, octavePower)}
	if noisy := flat.withNoise([]float64{0.5 * d.energy[0] / whiteMissed}); math.Abs(noisy.ratio[0]-flat.ratio[0]) > 1e-12 || math.Abs(noisy.scenery(0)-0.5) > 1e-12 {
		t.Errorf("octaves of white noise go on by %v and %v less noise, of which scenes are %v", flat.ratio[0], noisy.ratio[0], noisy.scenery(0))
	}
	law = measured(d)
	little := []float64{0.1 * law.missed[0] * law.scale(0) / (0.75 * law.values)}
	scaled := law.Detail(d, little)
	want := math.Log(min(max(0.9*law.missed[0]/(scaled.scenery(0)*law.expected[0]), leastEnlarging), 1))
	if math.Abs(scaled.a-d.a-want) > 1e-9 || scaled.noise[0] != little[0] {
		t.Errorf("noise %v and intercept %v after %v, want %v and a change of %v", scaled.noise, scaled.a, d.a, little, want)
	}
	more.a += 9
	if scaled := measured(&more).Detail(&more, nil); math.Abs(scaled.a-more.a-math.Log(leastEnlarging)) > 1e-9 {
		t.Errorf("intercept %v after %v, of far too much", scaled.a, more.a)
	}
	small := motion.NewEnlargingLaw(&TrainingFrames{framesHead: framesHead{Width: 20, Height: 20, Channels: 1}}, d)
	if small.Add(NewFrame(20, 20, 1), motion.LeftOut(0)); small.Detail(d, nil) != d {
		t.Error("frames that are too small tell something")
	}
}

// Of the places of a frame those count at which paths meet best.
func TestSurePlaces(t *testing.T) {
	l := &EnlargingLaw{half: &TrainingFrames{framesHead: framesHead{Width: 4, Height: 2}}}
	doubt := newImage[float64](4, 2, doubts)
	for k, apart := range []float64{3, 1, 4, 1, 5, 9, 0.5, 6} {
		doubt.data[doubts*k], doubt.data[doubts*k+1] = -apart, apart
	}
	if places := l.sure(doubt); !slices.Equal(places, []int{6, 1}) {
		t.Errorf("places %v", places)
	}
}
