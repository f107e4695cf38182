package mixture

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/filmtest"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// noiseFound returns the variance found, by both predictions and by the model alone, of the white noise in moving frames that have some of the given variance, and jump
// at random by up to so much. The model predicts as the flow does, or all but the noise.
func noiseFound(t *testing.T, variance, jump float64, clean bool) (both, model float64) {
	t.Helper()
	const width, height = 96, 72
	times, rng := drawn.Times(7, 1), rand.New(rand.NewPCG(7, 1))
	film := make([]float64, len(times)*width*height)
	jumps := make([]float64, len(times))
	for i := range jumps {
		jumps[i] = jump * rng.Float64()
	}
	for k := range film { // waves that move
		i, x, y := k/(width*height), float64(k%width), float64(k/width%height)
		film[k] = 40*math.Sin(x/9+0.3*float64(i)+jumps[i]) + 30*math.Cos(y/7-x/20+0.2*float64(i)+jumps[i])
	}
	waves := slices.Clone(film)
	for k := range film {
		film[k] += math.Sqrt(variance) * rng.NormFloat64()
	}
	source := data.NewSource(film, len(times), width*height, 1)
	m := filmtest.Still(width, height, times)
	frames, d := trained(t, m, source)
	law, truth, predicted := NewNoiseLaw(frames, d), frame.New(width, height, 1), frame.New(width, height, 1)
	if v := append(law.Variances(), law.Most()...); v != nil {
		t.Errorf("variances %v before anything was measured", v)
	}
	for i := range times {
		copy(truth.Mean.Data, film[i*width*height:])
		x := m.LeftOut(i)
		o := NewOthers(frames, d, x, width, height)
		copy(predicted.Mean.Data, o.means[others-1].Data)
		if clean {
			copy(predicted.Mean.Data, waves[i*width*height:])
		}
		law.Add(truth, predicted, x, o, o)
	}
	if most := law.Most()[0]; !(most >= 0.8*variance) {
		t.Errorf("noise of %v at most, drawn with %v", most, variance)
	}
	if most := law.Most()[0]; jump == 0 && variance > 8 && !(most < 1.3*variance) {
		t.Errorf("noise of %v at most, drawn with %v alone", most, variance)
	}
	return law.Variances()[0], law.scale[0] * law.variance(inModel, 0)
}

// White noise is found by its variance, never more of it than there is and none where there is none: what may as well be contents counts as these.
func TestNoiseLaw(t *testing.T) {
	if found, _ := noiseFound(t, 0, 0, false); found != 0 {
		t.Errorf("variance %v where there is no noise", found)
	}
	if found, _ := noiseFound(t, 0, 9, false); !(found < 1) {
		t.Errorf("variance %v where frames jump at random", found)
	}
	for _, v := range []float64{1, 9, 100} {
		if found, _ := noiseFound(t, v, 0, false); !(found > v/5 && found < 1.1*v) {
			t.Errorf("variance %v, want %v at most and not much less", found, v)
		}
	}
	if _, found := noiseFound(t, 100, 0, true); !(found > 80 && found < 110) {
		t.Errorf("variance %v by a model that has none of it, want 100", found)
	}
}

// A spline through white noise has so much less energy in the highest octave between pixels, and the errors of the flow have so much less noise.
func TestInterpolatedNoise(t *testing.T) {
	const side, steps = 128, 4
	rng := rand.New(rand.NewPCG(4, 1))
	energy := func(m frame.Image[float64]) (sum float64) {
		for _, v := range detail.OctaveEnergy(m).Data {
			sum += v
		}
		return sum
	}
	var left, whole float64
	for k := range steps * steps {
		noise, between := frame.NewImage[float32](side, side, 1), frame.NewImage[float64](side, side, 1)
		for i := range noise.Data {
			noise.Data[i] = float32(rng.NormFloat64())
			between.Data[i] = float64(noise.Data[i])
		}
		whole += energy(between)
		noise.ToSpline()
		for i := range between.Data {
			frame.Sample(between.Data[i:i+1], noise, float64(i%side)+float64(k%steps)/steps, float64(i/side)+float64(k/steps)/steps)
		}
		left += energy(between)
	}
	if part := left / whole; math.Abs(part-interpolatedNoise) > 0.02 {
		t.Errorf("part %v of the energy, want %v", part, interpolatedNoise)
	}
	law := &NoiseLaw{scale: []float64{1}, detail: new(detail.Detail)}
	for p := range law.errors {
		for k := range noiseOctaves {
			law.errors[p].parts[k], law.errors[p].squares[k] = make([][]varianceLaw, 1), make([][]float64, 1)
		}
	}
	m, frames, d := still(t, textured(32, 32, 3, 1), 32, 32)
	x := m.LeftOut(1)
	o := NewOthers(frames, d, x, 32, 32)
	law.Add(frame.New(32, 32, 1), frame.New(32, 32, 1), x, o, o)
	want := [noisePredictions][noiseOctaves]float64{{detail.WhiteMissed, detail.WhiteMissed / 4}, {detail.WhiteMissed * (1 + interpolatedNoise/2), detail.WhiteMissed * 1.5 / 4}}
	for p, row := range want {
		for k, w := range row {
			if math.Abs(law.white[p][k]-w) > 1e-12 {
				t.Errorf("prediction %d, octave %d: %v of noise, want %v", p, k, law.white[p][k], w)
			}
		}
	}
}

// A detail keeps its noise in a file, older ones have none, and none that is not a variance is read.
func TestNoiseFile(t *testing.T) {
	d := &detail.Detail{Width: 8, Height: 6, Energy: []float64{2}, White: []float64{0.1}}
	text, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read := new(detail.Detail)
	if err := read.Decode(text); err != nil || len(read.White) != 1 || read.White[0] != 0.1 {
		t.Errorf("noise %v, error %v", read.White, err)
	}
	for _, c := range []struct {
		noise string
		good  bool
	}{{"", true}, {`,"Noise":[0]`, true}, {`,"Noise":[-1]`, false}, {`,"Noise":[1e999]`, false}} {
		old := bytes.Replace(text, []byte(`,"Noise":[0.1]`), []byte(c.noise), 1)
		if err := read.Decode(old); (err == nil) != c.good {
			t.Errorf("%s: error %v", old, err)
		}
	}
	two := &detail.Detail{Width: 8, Height: 6, Energy: []float64{2}, White: []float64{1, 1}}
	if err := two.Check(frame.Shape{Width: 8, Height: 6, Channels: 1}); err == nil {
		t.Error("noise of two channels where there is one")
	}
	if v := d.Noise(16); len(v) != 1 || math.Abs(v[0]-0.3) > 1e-12 {
		t.Errorf("noise %v of pixels of half the size, want 0.3", v)
	}
	if v := d.Noise(8); len(v) != 0 {
		t.Errorf("noise %v that pixels of training do not show already", v)
	}
}
