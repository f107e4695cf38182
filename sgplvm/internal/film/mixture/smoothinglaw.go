package mixture

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// smoothingNoises are the variances of noise that are tried, over the channels' mean one, with one frame beside each of the two; more are tried with the best, up to detail.MostSmoothed.
var smoothingNoises = [...]float64{1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1}

// Errors over those of frames as they are (smoothingErrors) are leastSmoothed at most; with more noise they are moreNoise, and with more frames moreFrames, of those with less.
const leastSmoothed, moreNoise, moreFrames = 0.997, 0.998, 0.99

// Smoothing returns the detail with frames that are averaged with those beside them as left-out frames ask for it. Where frames are no evidence of one another (Hypotheses) they are as they are. Errors: ctx.Err().
func Smoothing(ctx context.Context, m *motion.Motion, frames *training.Frames, d *detail.Detail) (*detail.Detail, error) {
	if !d.Hypotheses {
		return d, nil
	}
	scale, moments := frames.Variances(), pathMoments(m)
	errors := func(how detail.Smoothing) (sum smoothingErrors) {
		for _, x := range moments {
			if ctx.Err() != nil {
				break
			}
			path, by := pathBetween(frames, x, d.Bends), smoothedAround(frames, x, x.Neighbours(), how)
			path.smoothed = by
			sum.between += math.Sqrt(pathErrors(frames, x, path, scale))
			sum.next += math.Sqrt(nextErrors(frames, x, by, scale))
		}
		return sum
	}
	smooth, plain := *d, errors(detail.Smoothing{})
	smooth.Smoothing = bestSmoothing(func(how detail.Smoothing) float64 { return errors(how).over(plain) })
	return &smooth, ctx.Err()
}

// bestSmoothing returns how frames are to be averaged by the errors over those of frames as they are.
func bestSmoothing(over func(how detail.Smoothing) float64) (best detail.Smoothing) {
	least := 1.
	take := func(how detail.Smoothing, part float64) bool {
		e := over(how)
		if !(e <= part*least) {
			return false
		}
		best, least = how, e
		return true
	}
	part := leastSmoothed
	for _, noise := range smoothingNoises {
		if take(detail.Smoothing{Noise: noise, Frames: 1}, part) {
			part = moreNoise
		}
	}
	for how := best; how.Frames > 0 && how.Frames < detail.MostSmoothed; {
		if how.Frames++; !take(how, moreFrames) {
			break
		}
	}
	return best
}

// smoothingErrors are those of frames that are left out, sums over frames of their root mean square: of what lies between the two around each, along the flow between them; and of what each of these two shows along the flow to it. The first are there
// where frames are farther apart than others, the flow is less right, and any mean is better, also one that blurs. The second know the frame itself, and where contents are in it, but not how sampling twice between pixels blurs.
type smoothingErrors struct{ between, next float64 }

// over returns the larger of both over others: averaging has to be better in both.
func (e smoothingErrors) over(plain smoothingErrors) float64 {
	return max(e.between/plain.between, e.next/plain.next)
}

// nextErrors returns the squared errors of what the two frames around one that is left out, averaged, show of it along the flow from it to each, at some of its pixels, over the variance of each channel.
func nextErrors(f *training.Frames, x motion.Moment, by [2]smoothed, scale []float64) (sum float64) {
	for k, n := range x.Neighbours() {
		other := x.Shot.Examples[n.Place]
		flows, picture := f.FlowsBetween(min(x.Without, other), max(x.Without, other)), plainPicture(f, other)
		there := flows.From(x.Without > other)
		sum += sampledErrors(f, x.Without, scale, func(value, buffer []float64, x, y float64) {
			p, q := there.Follow(x, y)
			picture.At(value, p, q)
			by[k].addTo(value, buffer, 1, p, q)
		})
	}
	return sum
}
