package rounds

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// Where a part of every example was observed everywhere, other examples may tell more about it than its time does. Where much is missing together, its time is all there is.
// Both ways are tried, and compared on the held-out values.

// withoutTimes returns a completer of the same examples without their times, and without motion if they are frames of a film. It returns nil
//   - if nothing is to be chosen, or little (quick, but for films), or the settings name a kernel in time;
//   - for large data;
//   - if nothing was observed of some example, unless it is a frame;
//   - for tables, where principal components do the same.
func (c *completer) withoutTimes(s training.Settings) *completer {
	if c.d.Times == nil || !c.open(s) || len(c.Y.Data) > selection.LargeFilm ||
		s.Effort == field.EffortQuick && !c.d.Film || s.LatentKernel != "" || c.Points.Rows == 1 || s.LatentTime.Kind != "" || s.TimeKernel.Kind != "" {
		return nil
	}
	for i := range c.Y.Rows {
		if !c.d.Film && !slices.Contains(c.Holes.Of(i), false) {
			return nil
		}
	}
	other := *c
	other.Y, other.Variance = c.Y.Clone(), c.Variance.Clone()
	other.Holes = &completion.Mask{Size: c.Holes.Size, Missing: slices.Clone(c.Holes.Missing)}
	other.rng = rand.New(completion.Random(s.Seed)) // the same is held out
	other.d.Film, other.d.Times, other.d.Sequences, other.d.Holes = false, nil, nil, other.Holes
	n, points, channels := c.d.Source.Dims()
	other.d.Source = field.NewSource(other.Y.Data, n, points, channels)
	if other.doing = "without times, "; c.d.Film {
		other.doing = "without motion, "
	}
	return &other
}

// noTime reports whether no time is left for another completion, or nothing to compare it by.
func (c *completer) noTime(compared int) bool {
	return c.how.Report.Ended != "" || c.d.Clock.Over(1./3) || compared < 2
}

// completeStill has a completer without motion fill in the frames of a film for the contest, and returns its settings. The result keeps the model of the film.
func (c *completer) completeStill(ctx context.Context, other *completer, s training.Settings) (training.Settings, error) {
	if c.noTime(len(c.Holes.HeldOut)) {
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

// better has another completer fill in the same values, keeps its result if that is surely better, and returns the settings of the one that it keeps.
func (c *completer) better(ctx context.Context, chosen training.Settings, other *completer, s training.Settings) (training.Settings, error) {
	if c.noTime(len(c.scores.Losses)) {
		return chosen, nil
	}
	s.Period = 0
	without, err := other.chosen(ctx, s)
	if err != nil || other.hopeless {
		return chosen, err
	}
	stage := field.SelectionStage{Name: "times of the examples", Candidates: []field.Candidate{{Name: "tell where latent variables are"}, {Name: "tell nothing"}}}
	all, winner := []validation.Scores{c.scores, other.scores}, 0
	for k, v := range all {
		stage.Candidates[k].Score, stage.Candidates[k].RMSE = validation.Mean(v.Losses), validation.Mean(v.Errors)
	}
	searched := c.how.Searched + other.how.Searched
	if validation.Better(other.scores, c.scores, validation.SureErrors) {
		other.doing, winner = "", 1
		*c, chosen = *other, without
	}
	c.how.Searched = searched
	selection.Record(&c.how.Report, stage, all, winner)
	return chosen, nil
}
