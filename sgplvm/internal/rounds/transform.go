package rounds

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// InOrder returns the data with the numbers of the rows as times, where they are a table without times or known errors whose neighbouring rows are alike. Errors: *field.ReadError, *field.ConfigError.
func (d Set) InOrder() (Set, error) {
	n, points, _ := d.Source.Dims()
	if d.Times != nil || d.Errors != nil || points > 1 || d.Film {
		return d, nil
	}
	y, h, err := completion.Read(d.Source)
	if err != nil || !h.RowsInOrder(y) {
		return d, err
	}
	d.Run.Tell("rows that follow one another are alike: their numbers are taken as times")
	d.Times = make([]float64, n)
	for i := range d.Times {
		d.Times[i] = float64(i)
	}
	return d, nil
}

// Folded returns the data with a period of a series as an example, or as they are where they show none.
func (d Set) Folded(o Options) (Set, *completion.Folding, error) {
	if !o.Fold || d.Film || d.Times == nil || d.Sequences != nil {
		return d, nil, nil
	}
	series, err := completion.Fold(d.Source, d.Grid, d.Times)
	if series != nil {
		d.Source, d.Grid, d.Times = series.Source, series.Grid, series.Times
	}
	return d, series, err
}

// transformed returns the data with t(y) in place of the values y where principal components of t fill in held-out values surely better than those of y: in density and
// in error, or in CRPS where values have a limit.
func (d Set) transformed(given context.Context, s training.Settings, o Options) (Set, error) {
	if !o.Transform || s.Effort == field.EffortNone || d.Film || d.beside != nil {
		return d, nil
	}
	lists, limited, err := completion.Links(d.Source)
	if err != nil || len(lists) == 0 {
		return d, err
	}
	ctx, cancel := d.Clock.InTime(given, linkShare)
	defer cancel()
	chosen, err := d.byLinks(ctx, s.Seed, lists, limited)
	switch {
	case err != nil && ctx.Err() != nil && given.Err() == nil:
		d.Clock.Untried += len(lists)
		return d, nil
	case err != nil || chosen.transform == nil:
		return d, err
	}
	c, err := newCompleter(chosen, s.Seed, false, nil)
	if err != nil {
		return d, err
	}
	for k, missing := range c.Holes.Missing {
		if missing {
			c.Y.Data[k] = math.NaN()
		}
	}
	chosen.Source = c.d.Source
	return chosen, c.censor(given)
}

// linkExamples is of how many examples values are held out to compare links, at most: principal components take little time.
const linkExamples = 200

// linkShare is the share of a limit in which links are compared.
const linkShare = 0.15

// byLinks returns the data by the best of lists of links, each of which has what those before it chose where it has no limit.
func (d Set) byLinks(ctx context.Context, seed uint64, lists [][]work.Link, limited bool) (Set, error) {
	defer d.Run.Timing("comparing values with their transforms")()
	values, scale, err := d.byComponents(ctx, seed, limited)
	if err != nil {
		return d, err
	}
	check := field.TransformCheck{Score: "root mean square error", Without: validation.Mean(values.Errors)}
	if limited {
		check = field.TransformCheck{Score: "CRPS", Without: validation.Mean(values.Losses)}
		asm.Scale(values.Losses, 1/check.Without, values.Losses) // relative differences, as those of errors
	}
	best := values
	chosen := d
	for _, by := range lists {
		other := d
		if chosen.transform != nil {
			for k, l := range chosen.transform.links {
				if !by[k].Limited {
					by[k] = l
				}
			}
		}
		other.Source = data.Transformed[work.Link]{Source: d.Source, By: by}
		other.transform = &transform{links: by, natural: d.Source, scale: scale, check: check}
		scores, _, err := other.byComponents(ctx, seed, limited)
		if err != nil {
			return d, err
		}
		with := &other.transform.check.With
		*with = validation.Mean(scores.Errors)
		if limited {
			*with = validation.Mean(scores.Losses)
			asm.Scale(scores.Losses, 1/check.Without, scores.Losses)
		}
		sure := validation.Better(scores, values, validation.SureErrors) && (limited || validation.Mean(scores.Errors) < validation.Mean(values.Errors))
		if m, _ := validation.Difference(scores, best); sure && m < 0 {
			best, chosen = scores, other
		}
	}
	return chosen, nil
}

// byComponents scores principal components on held-out values, in the units of the data, with CRPS as losses if asked, and returns the deviations of these by channel. A column over time is scored by itself.
func (d Set) byComponents(ctx context.Context, seed uint64, crps bool) (v validation.Scores, scale []float64, err error) {
	c, err := newCompleter(d, seed, false, nil)
	if err != nil {
		return v, nil, err
	}
	c.all = c.Filled
	c.all.Holes = &completion.Mask{Size: c.Holes.Size, Missing: slices.Clone(c.Holes.Missing)}
	if c.Y.Cols > 1 {
		c.all.At = nil
	}
	c.rows = work.AllBut(c.Y.Rows, nil)
	c.holdOut().Some(linkExamples)
	list := c.heldValues()
	contest := c.newContest()
	if err := c.censor(ctx); err != nil {
		return v, nil, err
	}
	c.TakeBack()
	methods := c.all.Fillers(list, seed)
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

// natural brings what was filled in back to the units of the data. Errors: *field.ReadError.
func (done *Completion) natural(d Set) error {
	t := d.transform
	if t == nil {
		return nil
	}
	done.TransformCheck = t.check
	for _, l := range t.links {
		done.Transforms = append(done.Transforms, l.String())
	}
	n, points, channels := t.natural.Dims()
	y := make([]float64, points*channels)
	for i := range n {
		if err := t.natural.ReadExamples(y, i, i+1); err != nil {
			return &field.ReadError{From: i, To: i + 1, Err: err}
		}
		mean, variance := done.Mean.Data[i*len(y):][:len(y)], done.Variance.Data[i*len(y):]
		for k, v := range y {
			if v == v {
				mean[k] = v
			} else {
				mean[k], variance[k] = t.links[k%channels].Moments(mean[k], variance[k])
			}
		}
	}
	return nil
}
