package motion

import (
	"math"

	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// FlowSpread is by how many pixels flows there and back may disagree, and paths miss a point, a standard deviation: 0.25 or 1 alters errors by 0.13 % at most.
const FlowSpread = 0.5

// A PairFlow is the flows from one frame to another and back.
type PairFlow struct{ There, Back opticalflow.Flow }

// flowPortion is by which part of the displacement flows there and back may disagree besides (a standard deviation), which counts where contents move far: without it slow films have 0.02 % less.
const flowPortion = 0.05

// Agreement returns how far flows agree, from 0 to 1, that come back after the displacement (u, v) at a squared distance.
func Agreement(apart, u, v float64) float64 {
	return math.Exp(-0.5 * apart / (frame.Square(FlowSpread) + frame.Square(flowPortion)*(u*u+v*v)))
}

// A RoundTrip is a flow from one frame to another, and the one back.
type RoundTrip struct{ There, Back *opticalflow.Flow }

// RoundTrip returns the flows from the first frame of the pair to the second and back, or from the second one.
func (f *PairFlow) RoundTrip(second bool) RoundTrip {
	if second {
		return RoundTrip{&f.Back, &f.There}
	}
	return RoundTrip{&f.There, &f.Back}
}

// Follow returns where a flow leads from a point.
func Follow(f *opticalflow.Flow, x, y float64) (float64, float64) {
	u, v := f.At(x, y)
	return x + u, y + v
}

// FlowsBetween estimates the flows from one frame to another and back.
func FlowsBetween(a, b frame.Image[float32]) (f PairFlow) {
	f.There, f.Back = opticalflow.Between(luminance(a, b))
	return f
}

// luminance returns two pictures as optical flow wants them: means of the channels, less their mean and in units of their deviation over both.
func luminance(a, b frame.Image[float32]) (p, q opticalflow.Picture) {
	half := a.Width * a.Height
	all := make([]float32, 2*half)
	for i, m := range [2]frame.Image[float32]{a, b} {
		for k, v := range m.Data {
			all[i*half+k/m.Channels] += v / float32(m.Channels)
		}
	}
	mean, deviation := spread(all)
	for k, v := range all {
		all[k] = 0
		if deviation > 0 {
			all[k] = float32((float64(v) - mean) / deviation)
		}
	}
	return opticalflow.Picture{Width: a.Width, Height: a.Height, Pixels: all[:half]}, opticalflow.Picture{Width: a.Width, Height: a.Height, Pixels: all[half:]}
}

// spread returns mean and deviation of some values.
func spread(values []float32) (mean, deviation float64) {
	var sum, squares float64
	for _, v := range values {
		sum += float64(v)
	}
	mean = sum / float64(len(values))
	for _, v := range values {
		squares += frame.Square(float64(v) - mean)
	}
	return mean, math.Sqrt(squares / float64(len(values)))
}
