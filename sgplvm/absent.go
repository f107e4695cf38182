package sgplvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
)

// Examples of which nothing was observed teach a model nothing. Those with times are left out of training and predicted at their times in the end. Their
// model is chosen on examples that are held out in runs as long, at the ends of the record if these are there.

// A wholeTask predicts examples of which nothing was observed, from others that were completed.
type wholeTask struct {
	*completer
	none    []int               // examples
	contest *completion.Contest // of this task
}

// train chooses and trains what predicts whole examples at their times.
func (w *wholeTask) train(ctx context.Context, cfg, partly Config, done *Completion) (err error) {
	d := w.d
	d.holes, d.guessed, d.Times, d.Sequences = nil, w.holes, w.times, w.sequences
	given, open := cfg, cfg.Effort != EffortNone && cfg.Start == nil
	if w.how != nil && w.d.Times != nil && cfg.Partly == nil {
		cfg.Partly = partly.kept()
	}
	how := &choice{selection: Selection{Effort: cfg.Effort}}
	if open && w.y.Cols == 1 {
		cfg = cfg.or(selection.Series(w.y.Rows))
		cfg.Effort, cfg.Training.Uncalibrated = EffortNone, true
	} else if open {
		if cfg, how, err = choose(ctx, d, cfg); err != nil {
			return err
		}
	}
	if open {
		d.run.clock.Expects(2) // as much is compared afterwards
	}
	if done.Model, done.Report, err = fitWhole(ctx, d, cfg, ""); done.Model == nil || err != nil || !open {
		return err
	}
	done.Model.selection = &how.selection
	done.Report.Searched = how.searched
	w.contest, err = w.compete(ctx, d, given, cfg)
	return err
}

// compete compares the model with the simplest methods on examples held out in the same way; nil if there are too few.
func (w *wholeTask) compete(ctx context.Context, d trainingSet, given, chosen Config) (*completion.Contest, error) {
	if w.y.Rows < selection.MinTraining {
		return nil, nil
	}
	d, err := d.checked()
	if err != nil {
		return nil, err
	}
	j, err := d.newSearch(given).HoldOutWhole()
	if err != nil {
		return nil, err
	}
	var folds []filledValues // by the model
	if w.y.Cols > 1 {
		folds, err = journal.Once(d.run.journal, "examples held out, predicted by "+text(chosen), func() ([]filledValues, error) { return w.predictHeld(ctx, j, chosen) })
		if err != nil {
			return nil, err
		}
	}
	t, read := w.newContest(), make([]int, j.Count())
	place := make([]int, len(w.all.At)) // in order of time, with a step between sequences
	next := 0
	for _, order := range completion.InOrder(w.all.At) {
		for _, i := range order {
			place[i] = next
			next++
		}
		next++
	}
	group := groupsOf(place, w.rows, j.Cases)
	lists := make([][]completion.HeldValue, j.Count())
	for _, c := range j.Cases {
		row := w.rows[c.Example]
		for k, missing := range w.all.Holes.Of(row) {
			at := read[c.Fold]
			read[c.Fold]++
			if !missing {
				v := completion.HeldValue{Example: row, Value: k, Kind: completion.KindWhole, Group: group[row], Truth: w.all.Y.Row(row)[k]}
				if folds != nil {
					v.Mean, v.Variance = folds[c.Fold].Mean[at], folds[c.Fold].Variance[at]
				}
				lists[c.Fold] = append(lists[c.Fold], v)
			}
		}
	}
	for _, list := range lists {
		if folds != nil {
			t.Add("", list)
		}
		if err := t.Try(ctx, list, inTime(w.d.run.clock, w.all.Fillers(list, given.Seed))); err != nil {
			return nil, err
		}
	}
	t.Decide()
	return t, nil
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

// predictHeld predicts the examples that a validator holds out, fold by fold, with models of the others.
func (w *wholeTask) predictHeld(ctx context.Context, j *selection.Folds, chosen Config) ([]filledValues, error) {
	of := make([]selection.Trainers, j.Count()) // which train side by side
	clocks := make([]*limit.Clock, len(of))
	for k := range of {
		clocks[k] = w.d.run.clock.Part(1)
		clocks[k].Train(limit.TrainShare)
		of[k] = trainers{clocks[k]}
	}
	models, err := j.Models(ctx, chosen.open(), of)
	if err != nil {
		return nil, err
	}
	for _, c := range clocks {
		w.d.run.clock.Ended(c)
	}
	all, failures := make([]Prediction, len(j.Cases)), make([]error, len(j.Cases))
	mat.Parallel(len(j.Cases), func(i int) {
		if failures[i] = ctx.Err(); failures[i] == nil {
			c := &j.Cases[i]
			all[i], failures[i] = newModel(models[c.Fold], nil, 0, nil, nil).imputeAt(ctx, nothingOf(w.points.Rows, w.channels), []Instant{*c.At}, 0)
		}
	})
	folds := make([]filledValues, len(models))
	for i, p := range all {
		f := &folds[j.Cases[i].Fold]
		f.Mean, f.Variance = append(f.Mean, p.Mean.Data...), append(f.Variance, p.Variance.Data...)
	}
	return folds, cmp.Or(failures...)
}

// nothingOf returns an example of missing values.
func nothingOf(points, channels int) mat.Matrix {
	y := mat.New(points, channels)
	y.Fill(math.NaN())
	return y
}

// imputeAt fills in example i at its time at[i]; at is nil without times.
func (m *Model) imputeAt(ctx context.Context, values mat.Matrix, at []Instant, i int) (p Prediction, err error) {
	obs := Observed{Values: values}
	if at != nil && m.Times() != nil {
		if obs.Prior, err = m.posterior.PriorAt(at[i]); err != nil {
			return p, err
		}
	}
	p, _, err = m.Impute(ctx, obs, InferOptions{KeepOutliers: true})
	if err == nil {
		if j, k, bad := mat.NonFinite(p.Mean); bad {
			err = fmt.Errorf("example %d: predicted %v at point %d, channel %d", i, p.Mean.At(j, k), j, k)
		}
	}
	return p, err
}
