package rounds

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
)

// withoutMotion returns a completer of the frames of a film as examples in no order, for the contest. It returns nil
//   - for other data;
//   - if nothing is to be chosen, or the settings name a kernel in time;
//   - for large films.
func (c *completer) withoutMotion(s training.Settings) *completer {
	if !c.d.Film || !c.open(s) || len(c.Y.Data) > selection.LargeFilm || s.LatentKernel != "" || s.LatentTime.Kind != "" || s.TimeKernel.Kind != "" {
		return nil
	}
	other := *c
	other.Y, other.Variance = c.Y.Clone(), c.Variance.Clone()
	other.Holes = &completion.Mask{Size: c.Holes.Size, Missing: slices.Clone(c.Holes.Missing)}
	other.rng = rand.New(completion.Random(s.Seed)) // the same is held out
	other.d.Film, other.d.Times, other.d.Sequences, other.d.Holes = false, nil, nil, other.Holes
	n, points, channels := c.d.Source.Dims()
	other.d.Source = field.NewSource(other.Y.Data, n, points, channels)
	other.doing = "without motion, "
	return &other
}

// completeStill has a completer without motion fill in the frames of a film, unless no time is left or nothing was held out, and returns its settings. The result keeps the model of the film.
func (c *completer) completeStill(ctx context.Context, other *completer, s training.Settings) (training.Settings, error) {
	if c.how.Report.Ended != "" || c.d.Clock.Over(1./3) || len(c.Holes.HeldOut) < 2 {
		return s, nil
	}
	s.Motion = field.Off
	other.Holes.Missing, other.Holes.HeldOut = slices.Clone(c.Holes.Missing), c.Holes.HeldOut
	without, err := other.chosen(ctx, s)
	if err == nil {
		c.still = other
		c.how.Searched += other.how.Searched
	}
	return without, err
}
