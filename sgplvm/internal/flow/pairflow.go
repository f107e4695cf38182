package flow

import (
	"math"

	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
)

// A pairFlow is the flows from one frame to another and back. Where the whole picture turns or is enlarged they are those between the frames taken half of the way to
// one another, and what moves follows the similarity beside them: its power at a time leads there.
type pairFlow struct {
	there, back opticalflow.Flow
	turns       bool
	whole       opticalflow.Similarity
}

// luminance returns two pictures as optical flow wants them: means of the channels, in units of their deviation.
func luminance(a, b image[float32]) (p, q opticalflow.Picture) {
	var sum, squares float64
	all := make([]float32, 2*a.width*a.height)
	for k := range all {
		m := a
		if k >= len(all)/2 {
			m = b
		}
		pixel := k % (len(all) / 2)
		for _, v := range m.data[pixel*m.channels : (pixel+1)*m.channels] {
			all[k] += v / float32(m.channels)
		}
		sum += float64(all[k])
	}
	mean := sum / float64(len(all))
	for _, v := range all {
		squares += square(float64(v) - mean)
	}
	if deviation := math.Sqrt(squares / float64(len(all))); deviation > 0 {
		for k, v := range all {
			all[k] = float32((float64(v) - mean) / deviation)
		}
	} else {
		clear(all)
	}
	half := len(all) / 2
	return opticalflow.Picture{Width: a.width, Height: a.height, Pixels: all[:half]}, opticalflow.Picture{Width: a.width, Height: a.height, Pixels: all[half:]}
}

// flowsBetween estimates the flows from one frame to another and back.
func flowsBetween(a, b image[float32]) (f pairFlow) {
	p, q := luminance(a, b)
	if f.whole, f.turns = opticalflow.Similar(p, q); f.turns {
		p, q = f.whole.Halfway(p, q)
	}
	f.there, f.back = opticalflow.Between(p, q)
	return f
}

// flowPortion is by which part of the displacement flows there and back may disagree besides (a standard deviation).
const flowPortion = 0.05

// agreement returns how far flows agree, from 0 to 1, that come back after the displacement (u, v) at a squared distance, where they may disagree by so many pixels.
func agreement(apart, u, v, pixels float64) float64 {
	return math.Exp(-0.5 * apart / (square(pixels) + square(flowPortion)*(u*u+v*v)))
}

// A oneWay is a flow from one frame to another, which turns by turn before it and after it where these do.
type oneWay struct {
	flow  *opticalflow.Flow
	turns bool
	turn  opticalflow.Similarity
}

// from returns the flow from the first frame of the pair to the second, or from the second one to the first.
func (f *pairFlow) from(second bool) oneWay {
	if second {
		return oneWay{&f.back, f.turns, f.whole.Power(-0.5)}
	}
	return oneWay{&f.there, f.turns, f.whole.Power(0.5)}
}

// follow returns where the contents at a point are in the other frame.
func (w *oneWay) follow(x, y float64) (float64, float64) {
	if w.turns {
		x, y = w.turn.At(w.flow.Width, w.flow.Height, x, y)
	}
	u, v := w.flow.At(x, y)
	x, y = x+u, y+v
	if w.turns {
		x, y = w.turn.At(w.flow.Width, w.flow.Height, x, y)
	}
	return x, y
}
