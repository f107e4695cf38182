package mixture

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/filmtest"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// Frames of half the size are means of 2×2 pixels, whatever the values.
func TestHalvedFrames(t *testing.T) {
	for _, step := range []float64{1, 0.37} {
		const width, height = 6, 5
		values := make([]float64, 2*width*height)
		for k := range values {
			values[k] = step * float64(k*k%251)
		}
		m := &motion.Motion{Width: width, Height: height, Frames: 2}
		f := filmtest.Keep(t, m, data.NewSource(values, 2, width*height, 1))
		all := make([]float64, len(values))
		if err := f.ReadExamples(all, 0, 2); err != nil {
			t.Fatal(err)
		}
		for k, v := range values {
			if math.Abs(all[k]-v) > 251*step/(1<<16) {
				t.Fatalf("value %d is %v, was %v", k, all[k], v)
			}
		}
		h := f.Halved()
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
	times := drawn.Times(7, 1)
	film := drawn.Film(times, width, height, 1, func(t, u, v float64) (x, y float64) { return u + 2./width*t, v + 2./width*t })
	source := data.NewSource(film, len(times), width*height, 1)
	m := filmtest.Still(width, height, times)
	frames, d := trained(t, m, source)
	if started := NewEnlargingLaw(m, frames, d).Detail(d, nil); started.A != d.A || started.Resolvable != d.Resolvable {
		t.Error("another law of detail before anything was measured")
	}
	half := frames.Halved()
	half.Cache = new(training.Cache) // the same flows for all laws
	measured := func(d *detail.Detail) *EnlargingLaw {
		law, truth := NewEnlargingLaw(m, frames, d), frame.New(width, height, 1)
		law.half = half
		for i := range times {
			copy(truth.Mean.Data, film[i*width*height:])
			law.Add(truth, m.LeftOut(i))
		}
		return law
	}
	law := measured(d)
	if scaled := law.Detail(d, nil); law.missed[0] > law.expected[0] && scaled.A != d.A {
		t.Errorf("missed %v, expected %v: intercept %v after %v", law.missed[0], law.expected[0], scaled.A, d.A)
	}
	more := *d
	more.A += math.Log(3 * law.missed[0] / law.expected[0]) // three times what was missed
	law = measured(&more)
	if scaled := law.Detail(&more, nil); math.Abs(scaled.A-more.A-math.Log(1./3)) > 1e-9 || scaled.Gamma != d.Gamma {
		t.Errorf("intercept %v after %v, of three times what is missed", scaled.A, more.A)
	}
	brighter, other := NewEnlargingLaw(m, frames, d), frame.New(width, height, 1)
	brighter.half = half
	for i := range times {
		for k, v := range film[i*width*height : (i+1)*width*height] {
			other.Mean.Data[k] = v + 40
		}
		brighter.Add(other, m.LeftOut(i))
	}
	if a, b := brighter.missed[0], measured(d).missed[0]; math.Abs(a-b) > 1e-6*b {
		t.Errorf("%v missed of brighter frames, %v of those that are expected", a, b)
	}
	if half := NewEnlargingLaw(m, frames, d).detail; math.Abs(half.Energy[0]*half.Ratio[0]-d.Energy[0]) > 1e-9*d.Energy[0] || !(half.Energy[0] > 1.01*d.Energy[0]) {
		t.Errorf("energy %v of half the size, which goes on by %v, after %v", half.Energy[0], half.Ratio[0], d.Energy[0])
	}
	if half := NewEnlargingLaw(m, frames, d).detail; len(half.Laplacian) != 1 || half.Laplacian[0] != d.LaplacianBelow[0] {
		t.Errorf("Laplacian %v of half the size, want %v", half.Laplacian, d.LaplacianBelow)
	}
	// Half of the energy of this octave is noise, and half of that of the octave below: nothing of this changes how octaves go on.
	flat := *d
	flat.Ratio = []float64{math.Pow(4, detail.OctavePower)}
	if noisy := flat.WithNoise([]float64{0.5 * d.Energy[0] / detail.WhiteMissed}); math.Abs(noisy.Ratio[0]-flat.Ratio[0]) > 1e-12 || math.Abs(noisy.Scenery(0)-0.5) > 1e-12 {
		t.Errorf("octaves of white noise go on by %v and %v less noise, of which scenes are %v", flat.Ratio[0], noisy.Ratio[0], noisy.Scenery(0))
	}
	law = measured(d)
	little := []float64{0.1 * law.missed[0] * law.scale(0) / (0.75 * law.values)}
	scaled := law.Detail(d, little)
	want := math.Log(min(max(0.9*law.missed[0]/(scaled.Scenery(0)*law.expected[0]), detail.LeastEnlarging), 1))
	if math.Abs(scaled.A-d.A-want) > 1e-9 || scaled.White[0] != little[0] {
		t.Errorf("noise %v and intercept %v after %v, want %v and a change of %v", scaled.White, scaled.A, d.A, little, want)
	}
	more.A += 9
	if scaled := measured(&more).Detail(&more, nil); math.Abs(scaled.A-more.A-math.Log(detail.LeastEnlarging)) > 1e-9 {
		t.Errorf("intercept %v after %v, of far too much", scaled.A, more.A)
	}
	small := NewEnlargingLaw(m, &training.Frames{Head: training.Head{Width: 20, Height: 20, Channels: 1}}, d)
	if small.Add(frame.New(20, 20, 1), m.LeftOut(0)); small.Detail(d, nil) != d {
		t.Error("frames that are too small tell something")
	}
}

// Of the places of a frame those count at which paths meet best.
func TestSurePlaces(t *testing.T) {
	l := &EnlargingLaw{half: &training.Frames{Head: training.Head{Width: 4, Height: 2}}}
	doubt := frame.NewImage[float64](4, 2, doubts)
	for k, apart := range []float64{3, 1, 4, 1, 5, 9, 0.5, 6} {
		doubt.Data[doubts*k], doubt.Data[doubts*k+1] = -apart, apart
	}
	if places := l.sure(doubt); !slices.Equal(places, []int{6, 1}) {
		t.Errorf("places %v", places)
	}
}
