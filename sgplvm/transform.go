package sgplvm

import (
	"context"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// transformed (docs/math.md, 22.14) returns the data with t(y) in place of the values y where principal components of t(y) fill in held-out values better, in density and in error, than those
// of y: log of positive values that differ much, logit of those between 0 and 1.
func (d trainingSet) transformed(ctx context.Context, cfg Config) (trainingSet, error) {
	if cfg.Transform == Off || cfg.Effort == EffortNone || d.Film || d.beside != nil {
		return d, nil
	}
	by, err := data.Transforms(d.Source)
	if err != nil || by == nil {
		return d, err
	}
	before, scale, err := d.byComponents(ctx, cfg)
	if err != nil {
		return d, err
	}
	other := d
	other.Source, other.by, other.natural, other.scale = data.Transformed{Source: d.Source, By: by}, by, d.Source, scale
	after, _, err := other.byComponents(ctx, cfg)
	if err != nil || !validation.Better(after, before, validation.SureErrors) || validation.Mean(after.Errors) >= validation.Mean(before.Errors) {
		return d, err
	}
	return other, nil
}

// byComponents scores principal components on held-out values, in the units of the data, and returns the deviations of these by channel.
func (d trainingSet) byComponents(ctx context.Context, cfg Config) (v validation.Scores, scale []float64, err error) {
	c, err := newCompleter(d, cfg)
	if err != nil {
		return v, nil, err
	}
	c.all = completion.Filled{Y: c.y, Variance: c.variance, Holes: &completion.Mask{Size: c.holes.Size, Missing: slices.Clone(c.holes.Missing)}, Points: c.points, Channels: c.channels}
	c.rows = work.AllBut(c.y.Rows, nil)
	c.holdOutSome(selection.Plans[cfg.Effort].HeldOut)
	list := c.heldValues()
	contest := c.newContest()
	c.takeBack()
	methods := slices.DeleteFunc(c.all.Fillers(list, cfg.Seed), func(m completion.Filler) bool { return m.Name != simple.Components })
	if err := contest.Try(ctx, list, methods); err != nil || len(methods) == 0 {
		return v, nil, err
	}
	v, _ = contest.Scores(contest.Held[methods[0].Name])
	return v, contest.Scale, nil
}

// natural brings what was filled in back to the units of the data. Errors: *ReadError.
func (c *Completion) natural(d trainingSet) error {
	if d.by == nil {
		return nil
	}
	for _, t := range d.by {
		c.Transforms = append(c.Transforms, t.String())
	}
	n, points, channels := d.natural.Dims()
	y := make([]float64, points*channels)
	for i := range n {
		if err := d.natural.ReadExamples(y, i, i+1); err != nil {
			return &ReadError{From: i, To: i + 1, Err: err}
		}
		mean, variance := c.Mean.Data[i*len(y):][:len(y)], c.Variance.Data[i*len(y):]
		for k, v := range y {
			if v == v {
				mean[k] = v
			} else {
				mean[k], variance[k] = d.by[k%channels].Moments(mean[k], variance[k])
			}
		}
	}
	return nil
}
