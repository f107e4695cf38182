package mixture

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// nothingLearned returns a law that has seen no frame, and room for a frame, what the model predicts of it and what the others do.
func nothingLearned(t *testing.T) (law *Law, truth, predicted frame.Frame, o Others) {
	t.Helper()
	scene := turned()
	if scene.err != nil {
		t.Fatal(scene.err)
	}
	for k := range o.means {
		o.means[k] = frame.NewImage[float64](drawn.Width, drawn.Height, 1)
	}
	o.mismatch = frame.NewImage[float64](drawn.Width, drawn.Height, 1)
	return NewLaw(scene.motion, scene.frames, 0), frame.New(drawn.Width, drawn.Height, 1), frame.New(drawn.Width, drawn.Height, 1), o
}

// lawOfLeftOut returns what some left-out frames between others and one at the end teach, in a shot of few frames or not, of which the model predicts all values right and far from sure, and the flow with errors of the deviation 0.1.
func lawOfLeftOut(t *testing.T, frames int, few bool) *Mixture {
	t.Helper()
	law, truth, predicted, o := nothingLearned(t)
	deviation, rng := math.Sqrt(law.mixture.scale[0]), rand.New(rand.NewPCG(8, 9))
	predicted.Variance.Fill(100 * frame.Square(deviation))
	o.gap, o.few = 1, few
	for range frames {
		for k := range truth.Mean.Data {
			for _, m := range o.means {
				m.Data[k] = 0.1 * deviation * rng.NormFloat64()
			}
		}
		law.Add(truth, predicted, o)
	}
	o.gap, o.beyond = 0, law.mixture.unit
	law.Add(truth, predicted, o)
	return law.Mixture()
}

// Where no frame lies between others the flow predicts, with variances that grow with
// the distance from both frames. The middle one of three frames teaches variances and weights, but none of the model; frames of larger shots teach these too.
func TestFewFrames(t *testing.T) {
	const still = 1e-3
	for left := range 3 {
		x := lawOfLeftOut(t, left, left < 2)
		w, v := x.inside, x.laws[0].variance(traitsOf(100, still, 0, 1))
		switch left {
		case 0:
			if w != (weights{0, 0, 0, 1}) {
				t.Errorf("no frame left out: weights %v", w)
			}
			if want := 1e-3 + 3e-4; math.Abs(v-want) > 1e-9 {
				t.Errorf("no frame left out: variance %v, want %v", v, want)
			}
			near, half := spreadOf(gapOf(0.1*x.unit, 0.9*x.unit), x.gap), spreadOf(gapOf(0.5*x.unit, 0.5*x.unit), x.gap)
			if a, b := x.laws[0].variance(traitsOf(0, 0, 1, near)), x.laws[0].variance(traitsOf(0, 0, 1, half)); !(b-a > 1e-3) {
				t.Errorf("variance %v a tenth of the way, %v half way", a, b)
			}
		case 1:
			if w[0] != 0 || !(w[1] > 0.25 && w[3] > w[1]) { // all are as good, and the flow is usually better
				t.Errorf("one frame left out: weights %v", w)
			}
			if want := 0.01 * (w[1]*w[1] + w[2]*w[2] + w[3]*w[3]); !(v > 0 && v < want) {
				t.Errorf("one frame left out: variance %v where nothing is steep, want a part of %v", v, want)
			}
			if l := x.laws[0]; l[modelled] != 0 {
				t.Errorf("one frame left out: a law of what the model expects, %v", l)
			}
		case 2:
			if !(w[0] > 0.99) {
				t.Errorf("two frames left out: weights %v", w)
			}
		}
		if w := x.weights(x.unit / 2); left < 2 && w != (weights{2: 1}) || left == 2 && !(w[0] > 0.99) {
			t.Errorf("%d frames left out: weights %v beyond the ends", left, w)
		}
	}
}

// Usual errors count as those of one frame, whatever the unit: hardly beside many, and where one prediction is right not at all.
func TestUsualErrors(t *testing.T) {
	of := func(frames int, unit float64, model, flow float64) weights {
		var p products
		for range frames {
			p.add(&[1 + others]float64{model * unit, 2 * unit, 0, 0}, 1)
			p.add(&[1 + others]float64{0, 0, 2 * unit, flow * unit}, 1)
		}
		p.frames = float64(frames)
		p.joinUsual(0)
		return simplexWeights(&p.plain, 0)
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
