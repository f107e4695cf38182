package rounds

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
)

// Examples of which nothing was observed teach a model nothing. Those with times are left out of training and predicted at their times in the end. Their
// model is chosen on examples that are held out in runs as long, at the ends of the record if these are there.

// trainWhole chooses and trains what predicts whole examples at their times, from others that were completed. It returns nil where nothing was chosen.
func (c *completer) trainWhole(ctx context.Context, given, partly training.Settings, done *Completion) (how *Choice, err error) {
	d, s, open := c.d, given, c.open(given)
	d.Holes, d.Guessed, d.Times, d.Sequences = nil, c.Holes, c.times, c.sequences
	if c.how != nil && c.d.Times != nil && s.Partly == nil {
		partly.Effort = field.EffortNone
		s.Partly = &partly
	}
	how = &Choice{Report: field.Selection{Effort: s.Effort}}
	if open && c.Y.Cols == 1 {
		s = s.Or(selection.Series(c.Y.Rows))
		s.Effort, s.Training.Uncalibrated = field.EffortNone, true
	} else if open {
		if how, err = d.Choose(ctx, s); err != nil {
			return nil, err
		}
		s = how.Settings
	}
	if open {
		d.Clock.Expects(2) // as much is compared afterwards
	}
	if done.Model, done.Report, err = c.learner.Fit(ctx, d, s, ""); done.Model == nil || err != nil || !open {
		return nil, err
	}
	c.whole, err = c.competeWhole(ctx, d, given, s)
	return how, err
}

// competeWhole compares the model of whole examples with the simplest methods on examples held out in the same way; nil if there are too few.
func (c *completer) competeWhole(ctx context.Context, d Set, given, chosen training.Settings) (*completion.Contest, error) {
	if c.Y.Rows < selection.MinTraining {
		return nil, nil
	}
	j, err := d.Search(given).HoldOutWhole()
	if err != nil {
		return nil, err
	}
	var folds []filledValues // by the model
	if c.Y.Cols > 1 {
		folds, err = journal.Once(d.Run.Journal, "examples held out, predicted by "+chosen.String(), func() ([]filledValues, error) { return c.predictHeld(ctx, j, chosen) })
		if err != nil {
			return nil, err
		}
	}
	t, read, group := c.newContest(), make([]int, j.Count()), groupsOf(placesOf(c.all.At), c.rows, j.Cases)
	lists := make([][]completion.HeldValue, j.Count())
	for _, held := range j.Cases {
		row := c.rows[held.Example]
		for k, missing := range c.all.Holes.Of(row) {
			at := read[held.Fold]
			read[held.Fold]++
			if !missing {
				v := completion.HeldValue{Example: row, Value: k, Kind: completion.KindWhole, Group: group[row], Truth: c.all.Y.Row(row)[k]}
				if folds != nil {
					v.Mean, v.Variance = folds[held.Fold].Mean[at], folds[held.Fold].Variance[at]
				}
				lists[held.Fold] = append(lists[held.Fold], v)
			}
		}
	}
	for _, list := range lists {
		if folds != nil {
			t.Add("", list)
		}
		if err := t.Try(ctx, list, inTime(d.Clock, c.all.Fillers(list, given.Seed))); err != nil {
			return nil, err
		}
	}
	t.Decide()
	return t, nil
}

// placesOf returns the places of examples in order of time, with a step between sequences.
func placesOf(at []field.Instant) []int {
	place, next := make([]int, len(at)), 0
	for _, order := range completion.InOrder(at) {
		for _, i := range order {
			place[i] = next
			next++
		}
		next++
	}
	return place
}

// groupsOf returns a number for each example that is held out, the same for those of a fold that come one after the other in time.
func groupsOf(place, rows []int, cases []selection.Case) map[int]int {
	held := slices.Clone(cases)
	sort.SliceStable(held, func(i, j int) bool {
		a, b := held[i], held[j]
		return a.Fold < b.Fold || a.Fold == b.Fold && place[rows[a.Example]] < place[rows[b.Example]]
	})
	groups := map[int]int{}
	for k, c := range held {
		at, next := rows[c.Example], 0
		if k > 0 {
			before := rows[held[k-1].Example]
			if next = groups[before]; held[k-1].Fold != c.Fold || place[at] != place[before]+1 {
				next++
			}
		}
		groups[at] = next
	}
	return groups
}

// predictHeld predicts the examples that are held out, fold by fold, with models of the others.
func (c *completer) predictHeld(ctx context.Context, j *selection.Folds, chosen training.Settings) ([]filledValues, error) {
	of := make([]selection.Trainers, j.Count()) // which train side by side
	clocks := make([]*limit.Clock, len(of))
	for k := range of {
		clocks[k] = c.d.Clock.Part(1)
		clocks[k].Train(limit.TrainShare)
		of[k] = trainers{clocks[k]}
	}
	models, err := j.Models(ctx, chosen, of)
	if err != nil {
		return nil, err
	}
	for _, k := range clocks {
		c.d.Clock.Ended(k)
	}
	all, failures := make([]field.Prediction, len(j.Cases)), make([]error, len(j.Cases))
	mat.Parallel(len(j.Cases), func(i int) {
		if failures[i] = ctx.Err(); failures[i] == nil {
			held := &j.Cases[i]
			all[i], failures[i] = imputeAt(ctx, models[held.Fold], models[held.Fold], NothingOf(c.Points.Rows, c.Channels), []field.Instant{*held.At}, 0)
		}
	})
	folds := make([]filledValues, len(models))
	for i, p := range all {
		f := &folds[j.Cases[i].Fold]
		f.Mean, f.Variance = append(f.Mean, p.Mean.Data...), append(f.Variance, p.Variance.Data...)
	}
	return folds, cmp.Or(failures...)
}
