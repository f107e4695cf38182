package mixture

import (
	"context"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// leastBent is what squared errors along paths that bend are at most over those
// along straight ones: contents have four times as far to depart from an even motion between frames that are left out as between others, and flows are as wrong.
const leastBent = 0.98

// Bending returns the detail with paths that bend if left-out frames ask for it, each predicted by the flow between those around it. Errors: ctx.Err().
func Bending(ctx context.Context, m *motion.Motion, frames *motion.Frames, d *Detail) (*Detail, error) {
	var straight, bent float64
	scale, moments := frames.Variances(), pathMoments(m)
	for _, x := range moments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a, b := bendErrors(frames, x, scale)
		straight, bent = straight+a, bent+b
	}
	bending := *d
	bending.Bends = bent < leastBent*straight
	return &bending, nil
}

// bendErrors returns the squared errors of a frame that is left out, over the variance of each channel, along straight paths and along those that bend.
func bendErrors(f *motion.Frames, x motion.Moment, scale []float64) (straight, bent float64) {
	around, s := x.Neighbours(), x.Shot
	first, second := s.Examples[around[0].Place], s.Examples[around[1].Place]
	flows := f.FlowsBetween(first, second)
	path := pathBetween(f, x, false)
	straight = pathErrors(f, x, path, scale)
	path.bends = bendsAround(f, x, around, flows)
	return straight, pathErrors(f, x, path, scale)
}
