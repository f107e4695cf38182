package flow

import (
	"math"
	"math/rand/v2"
	"testing"
)

// lawOfLeftOut returns what some left-out frames between others teach, in a shot of few frames or not, of which the model predicts all values right and far from sure, and the flow with errors of the deviation 0.1.
func lawOfLeftOut(t *testing.T, frames int, few bool) *Mixture {
	t.Helper()
	scene := turned()
	if scene.err != nil {
		t.Fatal(scene.err)
	}
	law := scene.motion.NewMixtureLaw(scene.frames, new(Detail), 0)
	deviation := math.Sqrt(law.mixture.scale[0])
	rng := rand.New(rand.NewPCG(8, 9))
	truth, predicted := NewFrame(testWidth, testHeight, 1), NewFrame(testWidth, testHeight, 1)
	predicted.Variance.Fill(100 * square(deviation))
	o := Others{gap: 1, few: few}
	for k := range o.means {
		o.means[k] = newImage[float64](testWidth, testHeight, 1)
	}
	o.doubts = newImage[float64](testWidth, testHeight, doubts)
	for range frames {
		for k := range truth.Mean.Data {
			for _, m := range o.means {
				m.data[k] = 0.1 * deviation * rng.NormFloat64()
			}
		}
		law.Add(truth, predicted, o)
	}
	return law.Mixture()
}

// Where no frame lies between others the flow predicts, in part linear interpolation where frames along its paths are far apart, with variances that grow with
// the distance from both frames. One frame is enough to learn these, of which the model is no part; shots of more teach weights.
func TestFewFrames(t *testing.T) {
	still, far := traitsOf{traitMismatch: 1e-3}, traitsOf{traitMismatch: 4}
	for left := range 3 {
		x := lawOfLeftOut(t, left, left < 2)
		if w := x.weights(x.deciding(&still), 0); left < 2 && w != (weights{0, 0, 0, 1}) || left == 2 && !(w[0] > 0.99) {
			t.Errorf("%d frames left out: weights %v", left, w)
		}
		if w := x.weights(x.deciding(&far), 0); left < 2 && (w[0] != 0 || w[1] != 0.35 || w[2] != 0 || w[3] != 0.65) {
			t.Errorf("%d frames left out: weights %v where frames are far apart", left, w)
		}
		if w := x.weights(0, 1); w[1]+w[2] != 1 {
			t.Errorf("%d frames left out, none at the ends: weights %v beyond them", left, w)
		}
		v := x.laws[0].variance(still.parts(100, x.aliased, 1))
		want := map[int]float64{0: 1e-3 + 3e-4 + 100*leastModelled, 1: 0.01, 2: 0.01}[left]
		if left < 2 && math.Abs(v-want) > 0.1*want+100*leastModelled {
			t.Errorf("%d frames left out: variance %v, want %v", left, v, want)
		}
		texture := traitsOf{traitTexture: 1, traitMissed: 2}
		x.aliased = 0.25
		near, half := spreadOf(gapOf(0.1*x.unit, 0.9*x.unit), x.gap), spreadOf(gapOf(0.5*x.unit, 0.5*x.unit), x.gap)
		if left == 0 && (math.Abs(near-0.36) > 1e-12 || math.Abs(half-1) > 1e-12) {
			t.Errorf("the spread is %v a tenth of the way and %v half way", near, half)
		}
		if a, b := x.laws[0].variance(texture.parts(0, 0, near)), x.laws[0].variance(texture.parts(0, 0, half)); left == 0 && !(b-a > 1e-3) {
			t.Errorf("variance %v a tenth of the way, %v half way", a, b)
		}
	}
	if l := lawsOfFew(2, 0.25)[1]; l[missing] != 0.25 || !l.valid() {
		t.Errorf("law %v of few frames", l)
	}
}

// Usual errors count as those of one frame, whatever the unit: hardly beside many, and where one prediction is right not at all.
func TestUsualErrors(t *testing.T) {
	of := func(frames int, unit float64, model, flow float64) weights {
		var p products
		for range frames {
			p.add(1, &[1 + others]float64{model * unit, 2 * unit, 0, 0}, 1)
			p.add(1, &[1 + others]float64{0, 0, 2 * unit, flow * unit}, 1)
		}
		p.joinUsual(frames)
		return simplexWeights(&p.plain)
	}
	few, many := of(1, 1, 1, 1.5), of(1000, 1, 1, 1.5)
	if w := 2.25 / 3.25; math.Abs(many[0]/(many[0]+many[3])-w) > 0.02 || !(few[0]/(few[0]+few[3]) < 0.95*w) {
		t.Errorf("the model has the weights %v by one frame and %v by many, where %v of both is best", few, many, w)
	}
	large := of(1, 1e3, 1, 1.5)
	for k := range few {
		if math.Abs(few[k]-large[k]) > 1e-6 {
			t.Errorf("weights %v, of larger errors %v", few, large)
		}
	}
	if w := of(1, 1, 1e-6, 1); !(w[0] > 0.99) {
		t.Errorf("weights %v where the model is right", w)
	}
}
