package mixture

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/filmtest"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// The dense interpolation meets a picture that turns evenly between two frames, a little, or comes nearer, where the mean of the frames does not.
func TestDense(t *testing.T) {
	const width, height, middle = 96, 72, 0.375
	for name, turn := range map[string]struct {
		angle, zoom, most float64 // most of the squared error in that of the mean of the frames
	}{"a little": {0.1, 1, 0.1}, "nearer": {0, 1.1, 0.1}} {
		t.Run(name, func(t *testing.T) {
			at := func(time float64) frame.Image[float32] {
				p := frame.NewImage[float32](width, height, 1)
				sin, cos := math.Sincos(turn.angle * time)
				m := func(_, u, v float64) (x, y float64) {
					du, dv := (u-0.5)*math.Pow(turn.zoom, time), (v-middle)*math.Pow(turn.zoom, time)
					return 0.5 + du*cos - dv*sin, middle + du*sin + dv*cos
				}
				for k, v := range drawn.Film([]float64{0}, width, height, 1, m) {
					p.Data[k] = float32(v)
				}
				return p
			}
			a, b, truth := at(0), at(1), at(0.4)
			flows := motion.FlowsBetween(a, b)
			a.ToSpline()
			b.ToSpline()
			flow := newDense(0.4, motion.SharpPicture{Image: a, Finer: 1}, motion.SharpPicture{Image: b, Finer: 1}, flows, [2]*bend{})
			var dense, mean float64
			value, buffer := make([]float64, 1), make([]float64, 2)
			for y := 12; y < height-12; y++ {
				for x := 12; x < width-12; x++ {
					k := y*width + x
					flow.at(value, buffer, float64(x), float64(y))
					dense += frame.Square(value[0] - float64(truth.Data[k]))
					mean += frame.Square(0.6*float64(a.Data[k]) + 0.4*float64(b.Data[k]) - float64(truth.Data[k]))
				}
			}
			if !(dense < turn.most*mean) {
				t.Errorf("squared error %v along the flow, %v of the mean of the frames", dense, mean)
			}
		})
	}
}

// The weights are the best of all on a grid of them.
func TestSimplexWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for range 20 {
		var g [1 + others][1 + others]float64
		e := mat.New(1+others, 6)
		for k := range e.Data {
			e.Data[k] = rng.NormFloat64() + 0.7
		}
		for i := range g {
			for j := range i + 1 {
				g[i][j] = frame.Dot(e.Row(i), e.Row(j))
			}
		}
		w := simplexWeights(&g, 0)
		got, sum := quadratic(&g, &w), 0.0
		for _, v := range w {
			sum += v
			if v < 0 {
				t.Fatalf("weights %v", w)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("weights %v add up to %v", w, sum)
		}
		const steps = 12
		for i := range steps + 1 {
			for j := range steps + 1 - i {
				for k := range steps + 1 - i - j {
					tried := weights{float64(i) / steps, float64(j) / steps, float64(k) / steps, float64(steps-i-j-k) / steps}
					if v := quadratic(&g, &tried); v < got-1e-7*math.Abs(got) {
						t.Fatalf("weights %v have %v, worse than %v of %v", w, got, v, tried)
					}
				}
			}
		}
	}
}

// turning is a film of frames that turn; its training frames keep the flows between them.
type turning struct {
	film   []float64
	motion *motion.Motion
	frames *motion.Frames
	err    error
}

var turned = sync.OnceValue(func() (x turning) {
	times := drawn.Times(8, 1)
	x.film = drawn.Film(times, drawn.Width, drawn.Height, 1, drawn.Rotation)
	source := field.NewSource(x.film, len(times), drawn.Width*drawn.Height, 1)
	if x.frames, x.err = motion.Keep(context.Background(), source, drawn.Width, drawn.Height); x.err == nil {
		x.motion, x.err = motion.Find(context.Background(), x.frames, times, nil)
	}
	return x
})

// mixtureOf learns a mixture for a film of 8 frames, of which the model predicts each with an error.
func mixtureOf(t *testing.T, spoil float64) (*Mixture, *Law) {
	t.Helper()
	scene := turned()
	if scene.err != nil {
		t.Fatal(scene.err)
	}
	film, m, frames := scene.film, scene.motion, scene.frames
	law := NewLaw(m, frames, 0)
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range frames.Frames {
		truth, predicted := frame.New(drawn.Width, drawn.Height, 1), frame.New(drawn.Width, drawn.Height, 1)
		copy(truth.Mean.Data, film[i*drawn.Width*drawn.Height:])
		for k, v := range truth.Mean.Data {
			predicted.Mean.Data[k], predicted.Variance.Data[k] = v+spoil*rng.NormFloat64(), 1
		}
		law.Add(truth, predicted, NewOthers(frames, new(Detail), m.LeftOut(i), drawn.Width, drawn.Height))
	}
	x := law.Mixture()
	for _, time := range []float64{-1, 0, 0.5, 1, 7, 9} { // beyond the ends, at frames and between them
		o := NewOthers(frames, new(Detail), filmtest.MomentAt(t, m, time, -1), drawn.Width, drawn.Height)
		f := frame.New(drawn.Width, drawn.Height, 1)
		f.Variance.Fill(1)
		x.Combine(f, o, x.Recipe(f, o))
		for k, v := range f.Variance.Data {
			if !(v > 0) || math.IsInf(v, 0) || math.IsNaN(f.Mean.Data[k]) {
				t.Fatalf("time %v, pixel %d: %v with variance %v", time, k, f.Mean.Data[k], v)
			}
		}
	}
	return x, law
}

// Who is best where frames are left out is taken: the model if its errors are small, else the dense flow if
// contents move, and the variances fit the errors.
func TestMixture(t *testing.T) {
	good, _ := mixtureOf(t, 0.1)
	bad, _ := mixtureOf(t, 30)
	if w := good.inside[0]; w < 0.9 {
		t.Errorf("a good model has the weight %v", w)
	}
	if m, f := bad.inside[0], bad.inside[others]; m > 0.2 || f < 0.6 {
		t.Errorf("beside a bad model, of weight %v, the flow has %v", m, f)
	}
	scale := good.scale[0] // the model expects a hundred times the variance of its errors
	if v := scale * good.laws[0].variance(traitsOf(1/scale, 0, 0, 1)); math.Abs(math.Log(v/0.01)) > 0.7 {
		t.Errorf("variance %v of errors of variance 0.01", v)
	}
	x := *bad
	for _, c := range []struct{ beyond, want float64 }{{1, 0.5}, {2, 0.25}, {100, 0.005}} {
		x.outside = share{Weights: weights{0.5, 0, 0.5, 0}, Factor: 1}
		if w := x.weights(c.beyond); math.Abs(w[0]-c.want) > 1e-12 || math.Abs(w[2]-(1-c.want)) > 1e-12 {
			t.Errorf("%v beyond the end: weights %v, want %v of the model and the rest of the nearest frame", c.beyond, w, c.want)
		}
	}
}

// A mixture comes back from its text, and nonsense does not.
func TestMixtureText(t *testing.T) {
	x, _ := mixtureOf(t, 5)
	text, err := x.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again := new(Mixture)
	if err := again.Decode(text); err != nil {
		t.Fatal(err)
	}
	if second, err := again.Encode(); err != nil || string(second) != string(text) {
		t.Errorf("%s, then %s (%v)", text, second, err)
	}
	shape := frame.Shape{Width: drawn.Width, Height: drawn.Height, Channels: 1}
	if err := again.Check(shape); err != nil {
		t.Error(err)
	}
	if shape.Channels = 2; again.Check(shape) == nil {
		t.Error("a mixture of one channel fits two")
	}
	for _, bad := range []func(x *Mixture){
		func(x *Mixture) { x.inside[0] = 2 }, func(x *Mixture) { x.inside = weights{1: 0.5} }, func(x *Mixture) { x.outside.Factor = -1 },
		func(x *Mixture) { x.laws[0][1] = -1 }, func(x *Mixture) { x.laws = nil },
		func(x *Mixture) { x.scale[0] = 0 }, func(x *Mixture) { x.outside.Weights = weights{} },
	} {
		spoiled := new(Mixture)
		if err := spoiled.Decode(text); err != nil {
			t.Fatal(err)
		}
		bad(spoiled)
		text, err := spoiled.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if spoiled.Decode(text) == nil {
			t.Errorf("no error for %s", text)
		}
	}
}
