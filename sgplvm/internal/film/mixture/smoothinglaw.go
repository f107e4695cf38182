package mixture

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// smoothingNoises are the variances of noise that are tried, over the channels' mean one, with one frame beside each of the two; more are tried with the best, up to detail.MostSmoothed.
var smoothingNoises = [...]float64{3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1}

// Errors, means over frames of their root mean square, are leastSmoothed of those of frames as they are at most; those with more noise are moreNoise, and those with more frames moreFrames, of those with less. Flows are
// less right around frames that are left out than around others, and where they are wrong any mean is better.
const leastSmoothed, moreNoise, moreFrames = 0.985, 0.995, 0.99

// Smoothing returns the detail with frames that are averaged with those beside them as left-out frames ask for it, each predicted by the flow between those around it. Where frames are no evidence of one another (Hypotheses) they are as they are. Errors: ctx.Err().
func Smoothing(ctx context.Context, m *motion.Motion, frames *training.Frames, d *detail.Detail) (*detail.Detail, error) {
	if !d.Hypotheses {
		return d, nil
	}
	scale, moments := frames.Variances(), pathMoments(m)
	smooth := *d
	smooth.Smoothing = detail.Smoothing{}
	errors := func(how detail.Smoothing) (sum float64) {
		for _, x := range moments {
			if ctx.Err() != nil {
				return 0
			}
			path := pathBetween(frames, x, d.Bends)
			path.smoothed = smoothedAround(frames, x, x.Neighbours(), how)
			sum += math.Sqrt(pathErrors(frames, x, path, scale))
		}
		return sum
	}
	least := errors(smooth.Smoothing)
	take := func(how detail.Smoothing, part float64) bool {
		e := errors(how)
		if !(e < part*least) {
			return false
		}
		smooth.Smoothing, least = how, e
		return true
	}
	part := leastSmoothed
	for _, noise := range smoothingNoises {
		if take(detail.Smoothing{Noise: noise, Frames: 1}, part) {
			part = moreNoise
		}
	}
	for how := smooth.Smoothing; how.Frames > 0 && how.Frames < detail.MostSmoothed; {
		if how.Frames++; !take(how, moreFrames) {
			break
		}
	}
	return &smooth, ctx.Err()
}
