package motion

import (
	"math"

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
}

// luminance returns two pictures as optical flow wants them: means of the channels, in units of their deviation.
func luminance(a, b frame.Image[float32]) (p, q opticalflow.Picture) {
	var sum, squares float64
	all := make([]float32, 2*a.Width*a.Height)
	for k := range all {
		m := a
		if k >= len(all)/2 {
			m = b
		}
		pixel := k % (len(all) / 2)
		for _, v := range m.Data[pixel*m.Channels : (pixel+1)*m.Channels] {
			all[k] += v / float32(m.Channels)
		}
		sum += float64(all[k])
	}
	mean := sum / float64(len(all))
	for _, v := range all {
		squares += frame.Square(float64(v) - mean)
	}
	if deviation := math.Sqrt(squares / float64(len(all))); deviation > 0 {
		for k, v := range all {
			all[k] = float32((float64(v) - mean) / deviation)
		}
	} else {
		clear(all)
	}
	half := len(all) / 2
	return opticalflow.Picture{Width: a.Width, Height: a.Height, Pixels: all[:half]}, opticalflow.Picture{Width: a.Width, Height: a.Height, Pixels: all[half:]}
}

// FlowsBetween estimates the flows from one frame to another and back.
func FlowsBetween(a, b frame.Image[float32]) (f PairFlow) {
	p, q := luminance(a, b)
	if f.Whole, f.Turns = opticalflow.Similar(p, q); f.Turns {
		p, q = f.Whole.Halfway(p, q)
	}
	f.There, f.Back = opticalflow.Between(p, q)
	return f
}

// flowPortion is by which part of the displacement flows there and back may disagree besides (a standard deviation).
const flowPortion = 0.05

// Agreement returns how far flows agree, from 0 to 1, that come back after the displacement (u, v) at a squared distance, where they may disagree by so many pixels.
func Agreement(apart, u, v, pixels float64) float64 {
	return math.Exp(-0.5 * apart / (frame.Square(pixels) + frame.Square(flowPortion)*(u*u+v*v)))
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
