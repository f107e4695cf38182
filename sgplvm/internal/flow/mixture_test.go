package flow

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// The dense interpolation meets a picture that turns evenly between two frames, a little or far, or comes nearer, where the mean of the frames does not.
func TestDense(t *testing.T) {
	const width, height, middle = 96, 72, 0.375
	for name, turn := range map[string]struct {
		angle, zoom, most float64 // most of the squared error in that of the mean of the frames
	}{"a little": {0.1, 1, 0.1}, "far": {0.6, 1, 0.02}, "nearer": {0, 1.3, 0.02}} {
		t.Run(name, func(t *testing.T) {
			at := func(time float64) image[float32] {
				p := newImage[float32](width, height, 1)
				sin, cos := math.Sincos(turn.angle * time)
				m := func(_, u, v float64) (x, y float64) {
					du, dv := (u-0.5)*math.Pow(turn.zoom, time), (v-middle)*math.Pow(turn.zoom, time)
					return 0.5 + du*cos - dv*sin, middle + du*sin + dv*cos
				}
				for k, v := range draw([]float64{0}, width, height, 1, m) {
					p.data[k] = float32(v)
				}
				return p
			}
			a, b, truth := at(0), at(1), at(0.4)
			flows := flowsBetween(a, b)
			a.toSpline()
			b.toSpline()
			flow := newDense(0.4, sharpPicture{image: a, finer: 1}, sharpPicture{image: b, finer: 1}, flows, [2]*bend{})
			var dense, mean float64
			value, buffer := make([]float64, 1), make([]float64, 2)
			for y := 12; y < height-12; y++ {
				for x := 12; x < width-12; x++ {
					k := y*width + x
					flow.at(value, buffer, float64(x), float64(y))
					dense += square(value[0] - float64(truth.data[k]))
					mean += square(0.6*float64(a.data[k]) + 0.4*float64(b.data[k]) - float64(truth.data[k]))
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
				g[i][j] = dot(e.Row(i), e.Row(j))
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
	motion *Motion
	frames *TrainingFrames
	err    error
}

var turned = sync.OnceValue(func() (x turning) {
	times := line(8, 1)
	x.film = draw(times, testWidth, testHeight, 1, rotation)
	source := data.NewSource(x.film, len(times), testWidth*testHeight, 1)
	o := Options{Width: testWidth, Height: testHeight, Nodes: []int{5}, Strengths: []float64{1e-5}, Gain: 0.999}
	if x.motion, x.err = Fit(context.Background(), source, times, nil, o); x.err == nil {
		x.frames, x.err = x.motion.TrainingFrames(context.Background(), source)
	}
	return x
})

// mixtureOf learns a mixture for a film of 8 frames, of which the model predicts each with an error.
func mixtureOf(t *testing.T, spoil float64) (*Mixture, *MixtureLaw) {
	t.Helper()
	scene := turned()
	if scene.err != nil {
		t.Fatal(scene.err)
	}
	film, motion, frames := scene.film, scene.motion, scene.frames
	law := motion.NewMixtureLaw(frames, new(Detail), 0)
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range frames.Frames {
		truth, predicted := NewFrame(testWidth, testHeight, 1), NewFrame(testWidth, testHeight, 1)
		copy(truth.Mean.Data, film[i*testWidth*testHeight:])
		for k, v := range truth.Mean.Data {
			predicted.Mean.Data[k], predicted.Variance.Data[k] = v+spoil*rng.NormFloat64(), 1
		}
		law.Add(truth, predicted, frames.Others(new(Detail), motion.LeftOut(i), testWidth, testHeight))
	}
	x := law.Mixture()
	for _, time := range []float64{-1, 0, 0.5, 1, 7, 9} { // beyond the ends, at frames and between them
		o := frames.Others(new(Detail), momentAt(t, motion, time, -1), testWidth, testHeight)
		f := NewFrame(testWidth, testHeight, 1)
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
	mean := func(x *Mixture, k int) (sum float64) {
		for _, s := range x.levels {
			sum += s[k] / mixtureLevels
		}
		return sum
	}
	if w := mean(good, 0); w < 0.9 {
		t.Errorf("a good model has the weight %v", w)
	}
	if m, f := mean(bad, 0), mean(bad, others); m > 0.2 || f < 0.6 {
		t.Errorf("beside a bad model, of weight %v, the flow has %v", m, f)
	}
	scale := good.scale[0] // the model expects a hundred times the variance of its errors
	if v := scale * good.laws[0].variance((&traitsOf{}).parts(1/scale, 0, 1)); math.Abs(math.Log(v/0.01)) > 0.7 {
		t.Errorf("variance %v of errors of variance 0.01", v)
	}
	x := *bad
	for _, c := range []struct{ beyond, want float64 }{{1, 0.5}, {2, 0.25}, {100, 0.005}} {
		x.outside = share{Weights: weights{0.5, 0, 0.5, 0}, Factor: 1}
		if w := x.weights(0.01, c.beyond); math.Abs(w[0]-c.want) > 1e-12 || math.Abs(w[2]-(1-c.want)) > 1e-12 {
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
	shape := Shape{Width: testWidth, Height: testHeight, Channels: 1}
	if err := again.Check(shape); err != nil {
		t.Error(err)
	}
	if shape.Channels = 2; again.Check(shape) == nil {
		t.Error("a mixture of one channel fits two")
	}
	for _, bad := range []func(x *Mixture){
		func(x *Mixture) { x.levels = x.levels[:2] }, func(x *Mixture) { x.levels[0][0] = 2 }, func(x *Mixture) { x.outside.Factor = -1 },
		func(x *Mixture) { x.laws[0][1] = -1 }, func(x *Mixture) { x.laws[0][0] = 0 }, func(x *Mixture) { x.laws = nil },
		func(x *Mixture) { x.scale[0] = 0 }, func(x *Mixture) { x.width = 0 }, func(x *Mixture) { x.outside.Weights = weights{} },
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

// A flicker of whole frames is learned apart from errors that differ from pixel to pixel.
func TestLightOfFrames(t *testing.T) {
	_, law := mixtureOf(t, 0.01)
	rng := rand.New(rand.NewPCG(6, 6))
	flicker, squares := map[int]float64{}, 0.
	for k := range law.samples {
		s := &law.samples[k]
		if _, known := flicker[s.frame]; !known {
			flicker[s.frame] = 0.2 * rng.NormFloat64()
			squares += square(flicker[s.frame])
		}
		e := flicker[s.frame] + 0.05*rng.NormFloat64()
		for j := range s.errors {
			s.errors[j] = e
		}
	}
	x, want := law.Mixture(), squares/float64(len(flicker))
	if math.Abs(x.light[0]-want) > 0.1*want {
		t.Errorf("variance %v of whole frames, want %v", x.light[0], want)
	}
	var mean float64
	for _, s := range law.samples {
		mean += x.laws[0].variance(s.traits.parts(s.variance, x.aliased, 1)) / float64(len(law.samples))
	}
	if math.Abs(mean-square(0.05)) > 0.1*square(0.05) {
		t.Errorf("variance %v within frames, drawn with %v", mean, square(0.05))
	}
	f := NewFrame(testWidth, testHeight, 1)
	f.Variance.Fill(1)
	o := Others{}
	for k := range o.means {
		o.means[k] = newImage[float64](testWidth, testHeight, 1)
	}
	with := x.Recipe(f, o).variances.data[0]
	x.light = nil
	if d := with - x.Recipe(f, o).variances.data[0]; math.Abs(d-want*x.scale[0]) > 0.1*want*x.scale[0] {
		t.Errorf("predictions gain the variance %v, want %v", d, want*x.scale[0])
	}
}

// Where contents are wrong in a third of the places, all to one side in each frame, the others are no less sure: that is no light.
func TestLightIsCommon(t *testing.T) {
	_, law := mixtureOf(t, 0.01)
	rng := rand.New(rand.NewPCG(7, 6))
	for k := range law.samples {
		s := &law.samples[k]
		s.variance, s.traits = 1, traitsOf{}
		e := 0.01 * rng.NormFloat64()
		if k%3 == 0 {
			s.traits[traitTexture] = 1
			e = float64(s.frame%3-1) + 0.3*rng.NormFloat64()
		}
		for j := range s.errors {
			s.errors[j] = e
		}
	}
	x := law.Mixture()
	if !(x.light[0] < 1e-4) {
		t.Errorf("variance %v of whole frames, most of which is right", x.light[0])
	}
	still, wrong := traitsOf{}, traitsOf{traitTexture: 1}
	if v := x.laws[0].variance(still.parts(1, x.aliased, 1)); !(v > 0.5e-4 && v < 2e-4) {
		t.Errorf("variance %v where errors have 1e-4", v)
	}
	if v := x.laws[0].variance(wrong.parts(1, x.aliased, 1)); !(v > 0.4 && v < 1) {
		t.Errorf("variance %v where errors have about 0.7", v)
	}
}

// Weights go by what two frames show along the paths of the flow: of the model and the flow, equally far apart everywhere, each counts where it is right.
// Those of older files go by how far the two are apart, which tells nothing here.
func TestWeightsByPaths(t *testing.T) {
	scene := turned()
	if scene.err != nil {
		t.Fatal(scene.err)
	}
	law := scene.motion.NewMixtureLaw(scene.frames, new(Detail), 0)
	scale := law.mixture.scale[0]
	rng := rand.New(rand.NewPCG(3, 9))
	truth, predicted := NewFrame(testWidth, testHeight, 1), NewFrame(testWidth, testHeight, 1)
	predicted.Variance.Fill(scale)
	var o Others
	for k := range o.means {
		o.means[k] = newImage[float64](testWidth, testHeight, 1)
	}
	o.doubts = newImage[float64](testWidth, testHeight, doubts)
	for range 3 {
		for k := range truth.Mean.Data {
			e, far := 0.3*math.Sqrt(scale)*rng.NormFloat64(), 100*math.Sqrt(scale)
			o.means[0].data[k], o.means[1].data[k] = far*rng.NormFloat64(), far*rng.NormFloat64()
			if k%testWidth < testWidth/2 {
				predicted.Mean.Data[k], o.means[others-1].data[k], o.doubts.data[doubts*k] = e, 0, 1e-3*scale
			} else {
				predicted.Mean.Data[k], o.means[others-1].data[k], o.doubts.data[doubts*k] = 0, e, 0.5*scale
			}
		}
		law.Add(truth, predicted, o)
	}
	x := law.Mixture()
	atHalves := func(x *Mixture) (left, right float64) {
		return x.weights(x.deciding(&traitsOf{0.09, 1e-3}), 0)[others], x.weights(x.deciding(&traitsOf{0.09, 0.5}), 0)[others]
	}
	if left, right := atHalves(x); left < 0.9 || right > 0.1 {
		t.Errorf("the flow has the weight %v where it is right and %v where it is not", left, right)
	}
	mean := NewFrame(testWidth, testHeight, 1)
	mat.Copy(mean.Mean, predicted.Mean)
	x.Combine(mean, o, x.Recipe(predicted, o))
	var got, alone float64
	for k, v := range mean.Mean.Data {
		got, alone = got+float64(v*v), alone+square(predicted.Mean.Data[k])
	}
	if got > 0.1*alone {
		t.Errorf("squared errors %v of the mixture, %v of the model", got, alone)
	}
	text, err := x.Encode()
	if err != nil {
		t.Fatal(err)
	}
	older := new(Mixture)
	if err := older.Decode([]byte(strings.Replace(string(text), `,"ByPaths":true`, "", 1))); err != nil {
		t.Fatal(err)
	}
	if left, right := atHalves(older); left != right {
		t.Errorf("by how far model and flow are apart, as older files have it, the flow has the weights %v and %v", left, right)
	}
}
