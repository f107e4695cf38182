package sgplvm

import (
	"context"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
)

// inTime returns the methods of a contest, which end where limit.MethodsShare of the limit has passed: what they fill in stays open. The first, the mean, goes on, and what
// has a clock of its own: methods that must be surely better.
func inTime(c *limit.Clock, methods []completion.Filler) []completion.Filler {
	if !c.Limited() {
		return methods
	}
	for i := range methods {
		m := &methods[i]
		if fill := m.Fill; i > 0 && !m.Sure {
			m.Fill = func(ctx context.Context) (mean, variance mat.Matrix, err error) {
				some, cancel := c.InTime(ctx, limit.MethodsShare)
				defer cancel()
				if mean, variance, err = fill(some); some.Err() != nil && ctx.Err() == nil {
					c.Untried++
				}
				return mean, variance, err
			}
		}
	}
	return methods
}
