package motion

import (
	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// luminance returns two pictures as optical flow wants them: means of the channels, in units of their deviation.
func luminance(a, b frame.Image[float32]) (p, q opticalflow.Picture) {
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
	}
	standardize(all)
	half := len(all) / 2
	return opticalflow.Picture{Width: a.Width, Height: a.Height, Pixels: all[:half]}, opticalflow.Picture{Width: a.Width, Height: a.Height, Pixels: all[half:]}
}

// FlowsBetween estimates the flows from one frame to another and back. Where light fades they are those between frames of one brightness, if along these the frames
// are more alike; from a frame that shows nothing, and to it, they are 0.
func FlowsBetween(a, b frame.Image[float32]) PairFlow {
	p, q := luminance(a, b)
	if flat(p, q) {
		clear(p.Pixels)
		clear(q.Pixels)
		return flowsBetween(p, q)
	}
	f := flowsBetween(p, q)
	even, other, fades := evened(p, q)
	if !fades {
		return f
	}
	faded := flowsBetween(even, other)
	if !(faded.correlation(p, q) > f.correlation(p, q)) {
		return f
	}
	if l := faded.lights(a, b, 0.5); l != nil {
		faded.Light = &l.light
	}
	return faded
}

// flowsBetween estimates the flows between two pictures as optical flow wants them. Flows that follow a similarity are estimated once more beside it, if along these the pictures are more alike.
func flowsBetween(p, q opticalflow.Picture) (f PairFlow) {
	if s, turns := opticalflow.Similar(p, q); turns {
		return flowsBeside(s, p, q)
	}
	f.There, f.Back = opticalflow.Between(p, q)
	if s, turns := opticalflow.Followed(&f.There, &f.Back); turns {
		if beside := flowsBeside(s, p, q); beside.correlation(p, q) > f.correlation(p, q) {
			return beside
		}
	}
	return f
}

// flowsBeside estimates the flows between two pictures, each taken half of the way to the other by a similarity.
func flowsBeside(s opticalflow.Similarity, p, q opticalflow.Picture) PairFlow {
	f := PairFlow{Turns: true, Whole: s}
	f.There, f.Back = opticalflow.Between(s.Halfway(p, q))
	return f
}
