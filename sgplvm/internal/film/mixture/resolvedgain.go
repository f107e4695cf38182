package mixture

import "github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"

// A gain is how much less the errors of a left-out frame are where it is predicted by the flow between enlarged frames, brought to pixels of training: of each channel, the sum over pixels
// of squared errors less those between frames as they are; and the sum of what pixels miss between them.
type gain struct {
	less   []float64
	missed float64
}

// gainOf returns that of a frame, given what others predict of it and what enlarged ones do.
func gainOf(truth frame.Frame, o Others, enlarged frame.Image[float64]) gain {
	g := gain{less: make([]float64, truth.Mean.Cols)}
	n := len(g.less)
	for k, v := range truth.Mean.Data {
		g.less[k%n] += frame.Square(o.means[others-1].Data[k]-v) - frame.Square(enlarged.Data[k]-v)
	}
	for k := doubtMissed; k < len(o.doubts.Data); k += doubts {
		g.missed += o.doubts.Data[k]
	}
	return g
}

// resolving returns the mixture of which, in finer pixels, that part of what pixels miss between them is known by which errors of left-out frames are less, two standard errors taken off.
func (x *Mixture) resolving(gains []gain) *Mixture {
	scale := x.meanScale()
	var frames []asking // what is expected of the errors, and by how much they are less
	for _, g := range gains {
		var a asking
		for c, s := range x.scale {
			a.missed += x.laws[c][missing] * g.missed / scale
			a.missedErrors += g.less[c] / s
		}
		frames = append(frames, a)
	}
	resolving := *x
	resolving.resolved = 1 - atMost(frames, surelyLess, func(a asking) float64 { return 1 - a.missedErrors/a.missed })
	return &resolving
}
