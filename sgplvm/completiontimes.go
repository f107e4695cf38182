package sgplvm

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// Where a part of every example was observed everywhere, other examples may tell more about it than its time does. Where much is missing together, its time is all there is.
// Both ways are tried, and compared on the held-out values.

// withoutTimes returns a completer of the same examples without their times, and without motion if they are frames of a film. It returns nil
//   - if nothing is to be chosen, or the configuration names a kernel in time;
//   - for large data;
//   - if nothing was observed of some example, unless it is a frame;
//   - for tables, where principal components do the same.
func (c *completer) withoutTimes(cfg Config) *completer {
	if c.d.Times == nil || cfg.Effort == EffortNone || cfg.Start != nil || len(c.y.Data) > selection.LargeFilm ||
		cfg.LatentKernel != "" || c.points.Rows == 1 || cfg.LatentTime.Kind != "" || cfg.TimeKernel.Kind != "" {
		return nil
	}
	for i := range c.y.Rows {
		if !c.d.Film && !slices.Contains(c.holes.Of(i), false) {
			return nil
		}
	}
	other := *c
	other.y, other.variance = c.y.Clone(), c.variance.Clone()
	other.holes = &completion.Mask{Size: c.holes.Size, Missing: slices.Clone(c.holes.Missing)}
	other.incomplete = slices.Clone(c.incomplete)
	other.rng = rand.New(completionRandom(cfg)) // the same is held out
	other.d.Film, other.d.Times, other.d.Sequences, other.d.holes = false, nil, nil, other.holes
	n, points, channels := c.d.Source.Dims()
	other.d.Source = NewSource(other.y.Data, n, points, channels)
	if other.doing = "without times, "; c.d.Film {
		other.doing = "without motion, "
	}
	return &other
}

// completeStill has a completer without motion fill in the frames of a film for the contest, and returns its configuration. The result keeps the model of the film.
func (c *completer) completeStill(ctx context.Context, other *completer, cfg Config) (Config, error) {
	if c.how.selection.Ended != "" || c.d.run.clock.Over(1./3) || len(c.holes.HeldOut) < 2 {
		return cfg, nil
	}
	cfg.Motion = Off
	other.holes.Missing, other.holes.HeldOut = slices.Clone(c.holes.Missing), c.holes.HeldOut
	other.listIncomplete()
	without, err := other.chosen(ctx, cfg)
	if err == nil {
		c.still = other
		c.how.searched += other.how.searched
	}
	return without, err
}

// better has another completer fill in the same values, keeps its result if that is surely better, and returns the configuration of the one that it keeps.
// Rounds improve both, so both make all of them first, unless the other is far behind after two.
func (c *completer) better(ctx context.Context, chosen Config, other *completer, cfg Config) (Config, error) {
	if c.how.selection.Ended != "" || c.d.run.clock.Over(1./3) || len(c.scores.Losses) < 2 {
		return chosen, nil
	}
	plan := selection.Plans[cfg.Effort]
	cfg.Period = 0
	without, err := other.chosen(ctx, cfg)
	if err != nil {
		return chosen, err
	}
	if other.hopeless {
		return chosen, nil
	}
	stage := selection.Stage{Name: "times of the examples", Candidates: []selection.Candidate{{Name: "tell where latent variables are"}, {Name: "tell nothing"}}}
	if validation.Worse(other.scores, c.scores, validation.StopErrors) {
		stage.Candidates[1].Name += ", after two rounds"
	} else {
		if err := c.again(ctx, chosen, plan); err != nil {
			return chosen, err
		}
		if err := other.again(ctx, without, plan); err != nil {
			return chosen, err
		}
		c.compare()
		other.compare()
	}
	all, winner := []validation.Scores{c.scores, other.scores}, 0
	for k, v := range all {
		stage.Candidates[k].Score, stage.Candidates[k].RMSE = validation.Mean(v.Losses), validation.Mean(v.Errors)
	}
	searched := c.how.searched + other.how.searched
	if validation.Better(other.scores, c.scores, validation.SureErrors) {
		other.doing, winner = "", 1
		*c, chosen = *other, without
	}
	c.how.searched = searched
	var r selection.Report
	r.Record(stage, all, winner)
	c.how.selection.Stages = append(c.how.selection.Stages, selectionOf(cfg.Effort, r).Stages...)
	return chosen, nil
}
