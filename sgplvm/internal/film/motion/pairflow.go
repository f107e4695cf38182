package motion

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// FlowSpread is by how many pixels flows there and back may disagree, a standard deviation.
const FlowSpread = 0.5

// A PairFlow is the flows from one frame to another and back. Where the whole picture turns or is enlarged they are those between the frames taken half of the way to
// one another, and what moves follows the similarity beside them: its power at a time leads there.
type PairFlow struct {
	There, Back opticalflow.Flow
	Turns       bool
	Whole       opticalflow.Similarity
	Light       *[2]Light // of what both frames show, where light fades; nil where it does not
}

// A Light is how bright something is in a frame: of each channel the mean and the deviation over its places.
type Light struct{ Mean, Deviation []float64 }

// flowPortion is by which part of the displacement flows there and back may disagree besides (a standard deviation).
const flowPortion = 0.05

// Agreement returns how far flows agree, from 0 to 1, that come back after the displacement (u, v) at a squared distance, where they may disagree by so many pixels.
func Agreement(apart, u, v, pixels float64) float64 {
	return math.Exp(-0.5 * apart / (frame.Square(pixels) + frame.Square(flowPortion)*(u*u+v*v)))
}

// Rests tells whether nothing moves.
func (f *PairFlow) Rests() bool {
	moves := func(v float32) bool { return v != 0 }
	return !f.Turns && !slices.ContainsFunc([][]float32{f.There.Right, f.There.Down, f.Back.Right, f.Back.Down}, func(all []float32) bool { return slices.ContainsFunc(all, moves) })
}

// A OneWay is a flow from one frame to another, which turns by turn before it and after it where these do.
type OneWay struct {
	Flow  *opticalflow.Flow
	turns bool
	turn  opticalflow.Similarity
}

// From returns the flow from the first frame of the pair to the second, or from the second one to the first.
func (f *PairFlow) From(second bool) OneWay {
	if second {
		return OneWay{&f.Back, f.Turns, f.Whole.Power(-0.5)}
	}
	return OneWay{&f.There, f.Turns, f.Whole.Power(0.5)}
}

// Follow returns where the contents at a point are in the other frame.
func (w *OneWay) Follow(x, y float64) (float64, float64) {
	if w.turns {
		x, y = w.turn.At(w.Flow.Width, w.Flow.Height, x, y)
	}
	u, v := w.Flow.At(x, y)
	x, y = x+u, y+v
	if w.turns {
		x, y = w.turn.At(w.Flow.Width, w.Flow.Height, x, y)
	}
	return x, y
}

// A RoundTrip is a flow from one frame to another, and the one back.
type RoundTrip struct{ There, Back OneWay }

// RoundTrip returns the flows from the first frame of the pair to the second and back, or from the second one.
func (f *PairFlow) RoundTrip(second bool) RoundTrip {
	return RoundTrip{f.From(second), f.From(!second)}
}

// Follow returns where the contents at a point are in the other frame, and the squared distance from the point to where the flow back leads. inside tells whether the other frame shows that place.
func (r *RoundTrip) Follow(x, y float64) (p, q, apart float64, inside bool) {
	p, q = r.There.Follow(x, y)
	u, v := r.Back.Follow(p, q)
	f := r.There.Flow
	return p, q, frame.Square(u-x) + frame.Square(v-y), p >= 0 && q >= 0 && p <= float64(f.Width-1) && q <= float64(f.Height-1)
}
