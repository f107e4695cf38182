package mixture

import (
	"context"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// leastBent is what squared errors along paths that bend are at most over those
// along straight ones: contents have four times as far to depart from an even motion between frames that are left out as between others, and flows are as wrong.
const leastBent = 0.98

// Bending returns the detail with paths that bend if left-out frames ask for it, each predicted by the flow between those around it, or if the whole picture turns between most of these. Errors: ctx.Err().
func Bending(ctx context.Context, m *motion.Motion, frames *motion.Frames, d *Detail) (*Detail, error) {
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

// bendErrors returns the squared errors of a frame that is left out, over the variance of each channel, along straight paths and along those that bend; nothing where the whole picture turns.
func bendErrors(f *motion.Frames, x motion.Moment, scale []float64) (straight, bent float64, turns bool) {
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
