package sgplvm

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// transformed (docs/math.md, 22.14) returns the data with t(y) in place of the values y where principal components of t(y) fill in held-out values better, in density and in error, than those
// of y: log of positive values that differ much, logit of those between 0 and 1.
func (d trainingSet) transformed(ctx context.Context, cfg Config) (trainingSet, error) {
	if cfg.Transform == Off || cfg.Effort == EffortNone || d.Film || d.beside != nil {
		return d, nil
	}
	n, points, channels := d.Source.Dims()
	y, holes, err := completion.Read(d.Source)
	if err != nil {
		return d, err
	}
	low, high := slices.Repeat([]float64{math.Inf(1)}, channels), slices.Repeat([]float64{math.Inf(-1)}, channels)
	for k, v := range y.Data {
		if c := k % channels; !holes.Missing[k] {
			low[c], high[c] = min(low[c], v), max(high[c], v)
		}
	}
	by := make([]work.Transform, channels)
	for c := range by {
		by[c] = work.TransformOf(low[c], high[c])
	}
	if slices.Max(by) == work.Identity {
		return d, nil
	}
	t := make([]float64, len(y.Data))
	for k, v := range y.Data {
		if t[k] = math.NaN(); !holes.Missing[k] {
			t[k] = by[k%channels].To(v)
		}
	}
	other := d
	other.Source, other.by, other.natural = NewSource(t, n, points, channels), by, y.Data
	_, other.scale = completion.Moments(y, holes, channels)
	before, err := d.byComponents(ctx, cfg)
	if err != nil {
		return d, err
	}
	after, err := other.byComponents(ctx, cfg)
	if err != nil || !validation.Better(after, before, validation.SureErrors) || validation.Mean(after.Errors) >= validation.Mean(before.Errors) {
		return d, err
	}
	return other, nil
}

// byComponents scores principal components on held-out values, in the units of the data.
func (d trainingSet) byComponents(ctx context.Context, cfg Config) (v validation.Scores, err error) {
	c, err := newCompleter(d, cfg)
	if err != nil {
		return v, err
	}
	c.all = completion.Filled{Y: c.y, Variance: c.variance, Holes: &completion.Mask{Size: c.holes.Size, Missing: slices.Clone(c.holes.Missing)}, Points: c.points, Channels: c.channels}
	c.rows = allBut(c.y.Rows, nil)
	c.holdOutSome(plans[cfg.Effort].heldOut)
	list := c.heldValues()
	contest := c.newContest()
	c.takeBack()
	methods := slices.DeleteFunc(c.all.Fillers(list, cfg.Seed), func(m completion.Filler) bool { return m.Name != simple.Components })
	if err := contest.Try(ctx, list, methods); err != nil || len(methods) == 0 {
		return v, err
	}
	v, _ = contest.Scores(contest.Held[methods[0].Name])
	return v, nil
}

// natural brings what was filled in back to the units of the data.
func (c *Completion) natural(d trainingSet) {
	if d.by == nil {
		return
	}
	for _, t := range d.by {
		c.Transforms = append(c.Transforms, t.String())
	}
	for k, v := range c.Variance.Data {
		if v == 0 {
			c.Mean.Data[k] = d.natural[k]
			continue
		}
		c.Mean.Data[k], c.Variance.Data[k] = d.by[k%len(d.by)].Moments(c.Mean.Data[k], v)
	}
}
