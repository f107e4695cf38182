package sgplvm

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// transformed (docs/math.md, 22.14) returns the data with t(y) in place of the values y where principal components of t fill in held-out values surely better than those of y: in density and
// in error, or in CRPS where values have a limit.
func (d trainingSet) transformed(given context.Context, cfg Config) (trainingSet, error) {
	if cfg.Transform == Off || cfg.Effort == EffortNone || d.Film || d.beside != nil {
		return d, nil
	}
	lists, limited, err := completion.Links(d.Source)
	if err != nil || len(lists) == 0 {
		return d, err
	}
	ctx, cancel := d.run.clock.InTime(given, linkShare)
	defer cancel()
	chosen, check, err := d.byLinks(ctx, cfg, lists, limited)
	switch {
	case err != nil && ctx.Err() != nil && given.Err() == nil:
		d.run.clock.Untried += len(lists)
		return d, nil
	case err != nil || chosen.by == nil:
		return d, err
	}
	c, err := newCompleter(chosen, cfg)
	if err != nil {
		return d, err
	}
	for k, missing := range c.holes.Missing {
		if missing {
			c.y.Data[k] = math.NaN()
		}
	}
	chosen.Source, chosen.linked = c.d.Source, check
	return chosen, c.censor(given)
}

// linkExamples is of how many examples values are held out to compare links, at most: principal components take little time.
const linkExamples = 200

// linkShare is the share of a limit in which links are compared.
const linkShare = 0.15

// byLinks returns the data by the best of lists of links, each of which has what those before it chose where it has no limit, and the scores of these.
func (d trainingSet) byLinks(ctx context.Context, cfg Config, lists [][]work.Link, limited bool) (chosen trainingSet, check TransformCheck, err error) {
	values, scale, err := d.byComponents(ctx, cfg, limited)
	if err != nil {
		return d, check, err
	}
	check = TransformCheck{Score: "root mean square error", Without: validation.Mean(values.Errors)}
	if limited {
		check = TransformCheck{Score: "CRPS", Without: validation.Mean(values.Losses)}
		asm.Scale(values.Losses, 1/check.Without, values.Losses) // relative differences, as those of errors
	}
	chosen, best := d, values
	for _, by := range lists {
		other := d
		for k, l := range chosen.by {
			if !by[k].Limited {
				by[k] = l
			}
		}
		other.Source, other.by, other.natural, other.scale = data.Transformed[work.Link]{Source: d.Source, By: by}, by, d.Source, scale
		scores, _, err := other.byComponents(ctx, cfg, limited)
		if err != nil {
			return d, check, err
		}
		with := validation.Mean(scores.Errors)
		if limited {
			with = validation.Mean(scores.Losses)
			asm.Scale(scores.Losses, 1/check.Without, scores.Losses)
		}
		sure := validation.Better(scores, values, validation.SureErrors) && (limited || validation.Mean(scores.Errors) < validation.Mean(values.Errors))
		if m, _ := validation.Difference(scores, best); sure && m < 0 {
			best, chosen, check.With = scores, other, with
		}
	}
	return chosen, check, nil
}

// byComponents scores principal components on held-out values, in the units of the data, with CRPS as losses if asked, and returns the deviations of these by channel. A column over time is scored by itself.
func (d trainingSet) byComponents(ctx context.Context, cfg Config, crps bool) (v validation.Scores, scale []float64, err error) {
	c, err := newCompleter(d, cfg)
	if err != nil {
		return v, nil, err
	}
	c.all = completion.Filled{Y: c.y, Variance: c.variance, Holes: &completion.Mask{Size: c.holes.Size, Missing: slices.Clone(c.holes.Missing)}, Points: c.points, Channels: c.channels}
	if c.y.Cols == 1 {
		c.all.At = c.at()
	}
	c.rows = work.AllBut(c.y.Rows, nil)
	c.holdOutSome(linkExamples)
	list := c.heldValues()
	contest := c.newContest()
	if err := c.censor(ctx); err != nil {
		return v, nil, err
	}
	c.takeBack()
	methods := c.all.Fillers(list, cfg.Seed)
	k := slices.IndexFunc(methods, func(m completion.Filler) bool { return m.Name == simple.Components })
	if k < 0 {
		k = len(methods) - 1
	}
	if err := contest.Try(ctx, list, methods[k:k+1]); err != nil {
		return v, nil, err
	}
	list = contest.Held[methods[k].Name]
	if v, _ = contest.Scores(list); crps {
		v.Losses = contest.CRPS(list)
	}
	return v, contest.Scale, nil
}

// natural brings what was filled in back to the units of the data. Errors: *ReadError.
func (c *Completion) natural(d trainingSet) error {
	if d.by == nil {
		return nil
	}
	c.TransformCheck = d.linked
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

// inOrder returns the data with the numbers of the rows as times, where they are a table without times whose neighbouring rows are alike and something is to be chosen.
func (d trainingSet) inOrder(cfg Config) (trainingSet, error) {
	n, points, _ := d.Source.Dims()
	if d.Times != nil || d.Errors != nil || points > 1 || d.Film || cfg.Effort == EffortNone || cfg.Start != nil {
		return d, nil
	}
	y, h, err := completion.Read(d.Source)
	if err != nil || !h.RowsInOrder(y) {
		return d, err
	}
	d.run.watcher().Tell("rows that follow one another are alike: their numbers are taken as times")
	d.Times = make([]float64, n)
	for i := range d.Times {
		d.Times[i] = float64(i)
	}
	return d, nil
}

// folded returns the data with a period of a series as an example, or as they are where they show none.
func (d trainingSet) folded(cfg Config) (trainingSet, *completion.Folding, error) {
	if cfg.Fold == Off || d.Film || d.Times == nil || d.Sequences != nil {
		return d, nil, nil
	}
	series, err := completion.Fold(d.Source, d.Grid, d.Times)
	if series != nil {
		d.Source, d.Grid, d.Times = series.Source, series.Grid, series.Times
	}
	return d, series, err
}
