package mixture

import (
	"context"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// bendFrames is about how many left-out frames tell whether paths bend, bendPixels about how many pixels of each, and leastBent what squared errors along paths that bend are at most over those
// along straight ones: contents have four times as far to depart from an even motion between frames that are left out as between others, and flows are as wrong.
const bendFrames, bendPixels, leastBent = 12, 1 << 15, 0.98

// Bending returns the detail with paths that bend if left-out frames ask for it, each predicted by the flow between those around it, or if the whole picture turns between most of these. Errors: ctx.Err().
func Bending(ctx context.Context, m *motion.Motion, frames *training.Frames, d *detail.Detail) (*detail.Detail, error) {
	var straight, bent float64
	var turning int // pairs between which the whole picture turns: along an arc, however wide the gap, which narrower ones do not show as a whole
	scale, moments := frames.Variances(), pathMoments(m)
	for _, x := range moments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a, b, turns := bendErrors(frames, x, scale)
		if turns {
			turning++
		}
		straight, bent = straight+a, bent+b
	}
	bending := *d
	bending.Bends = bent < leastBent*straight || 2*turning > len(moments)
	return &bending, nil
}

// pathMoments returns the moments of the left-out frames that tell how paths are to be followed.
func pathMoments(m *motion.Motion) (some []motion.Moment) {
	var moments []motion.Moment
	examined := m.Examined(mostMixtureFrames)
	for _, s := range m.Sequences {
		if len(s.Examples) <= fewFrames {
			continue // nothing beside the two around it
		}
		for p := 1; p+1 < len(s.Examples); p++ {
			if i := s.Examples[p]; examined[i] {
				moments = append(moments, m.LeftOut(i))
			}
		}
	}
	n := min(len(moments), bendFrames)
	for k := range n {
		some = append(some, moments[(2*k+1)*len(moments)/(2*n)])
	}
	return some
}

// bendErrors returns the squared errors of a frame that is left out, over the variance of each channel, along straight paths and along those that bend; nothing where the whole picture turns.
func bendErrors(f *training.Frames, x motion.Moment, scale []float64) (straight, bent float64, turns bool) {
	around, s := x.Neighbours(), x.Shot
	first, second := s.Examples[around[0].Place], s.Examples[around[1].Place]
	flows := f.FlowsBetween(first, second)
	if flows.Turns {
		return 0, 0, true
	}
	path := pathBetween(f, x, false)
	straight = pathErrors(f, x, path, scale)
	path.bends = bendsAround(f, x, around, flows)
	return straight, pathErrors(f, x, path, scale), false
}

// pathErrors returns the squared errors of an interpolation of a frame that is left out, at some of its pixels, over the variance of each channel.
func pathErrors(f *training.Frames, x motion.Moment, path *dense, scale []float64) float64 {
	return sampledErrors(f, x.Without, scale, func(value, buffer []float64, x, y float64) { path.at(value, buffer, x, y) })
}

// sampledErrors returns the squared errors of what at says of a frame, at some of its pixels, over the variance of each channel. A buffer holds two numbers for each.
func sampledErrors(f *training.Frames, of int, scale []float64, at func(value, buffer []float64, x, y float64)) (sum float64) {
	truth := f.Picture(of)
	stride := 1 + 2*(f.Width*f.Height/(2*bendPixels)) // odd, to meet columns of all kinds
	rows := make([]float64, f.Height)
	mat.Parallel(f.Height, func(y int) {
		value, buffer, sum := make([]float64, f.Channels), make([]float64, 2*f.Channels), 0.0
		for x := (stride - y*f.Width%stride) % stride; x < f.Width; x += stride {
			at(value, buffer, float64(x), float64(y))
			for k, v := range value {
				sum += frame.Square(f.Step*(v-float64(truth.Data[(y*f.Width+x)*f.Channels+k]))) / max(scale[k], detail.LeastScale)
			}
		}
		rows[y] = sum
	})
	for _, e := range rows {
		sum += e
	}
	return sum
}
