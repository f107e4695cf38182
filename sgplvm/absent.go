package sgplvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Examples of which nothing was observed tell a model nothing: those with times are left out of it, and predicted at their times at last. What
// predicts them is chosen by examples that are held out as these are missing: in runs as long, at the ends where these are.

// absentShare is of how many examples one is held out of a fold at most where whole examples are missing, so that gaps do not grow much by it, but for the
// longest run, of which longestShare are.
const absentShare, longestShare = 6, 4

// mostAbsent is how many are held out of a fold at most.
const mostAbsent = 200

// likeAbsent returns which of some examples are held out of each fold, in ascending order: in runs in time as those that are missing, at the ends where
// these are, with observed examples on both sides where there are such. No example is in two folds.
func likeAbsent(rng *rand.Rand, at, missing []Instant, folds int) [][]int {
	order, runs := runsOf(at, missing)
	var all [][]int
	taken, longest := make([]bool, len(at)), 0
	for _, r := range runs {
		longest = max(longest, r.length)
	}
	most := min(max(1, len(at)/absentShare, min(longest, len(at)/longestShare)), mostAbsent)
	var next []int // runs, none of which comes again before all others
	for range folds {
		var out []int
		for range runs {
			if len(next) == 0 {
				next = rng.Perm(len(runs))
			}
			r := runs[next[0]]
			next = next[1:]
			for _, i := range r.place(rng, order, min(r.length, most-len(out)), taken) {
				taken[i] = true
				out = append(out, i)
			}
			if len(out) >= most {
				break
			}
		}
		if len(out) > 0 {
			slices.Sort(out)
			all = append(all, out)
		}
	}
	return all
}

// A run is so many missing examples, one after the other, at the beginning of a sequence, at its end, or between others.
type run struct {
	length     int
	first, end bool
}

// runsOf returns each sequence in order of time, examples by their number and missing ones as −1, and the runs of these.
func runsOf(at, missing []Instant) (order [][]int, runs []run) {
	var times []float64
	var labels []int
	for _, a := range slices.Concat(at, missing) {
		times, labels = append(times, a.Time), append(labels, a.Sequence)
	}
	for _, s := range data.Sequences(times, labels) {
		var list []int
		for k, i := range s.Examples {
			if i < len(at) {
				list = append(list, i)
				continue
			}
			if k == 0 || list[k-1] >= 0 {
				runs = append(runs, run{first: k == 0})
			}
			list = append(list, -1)
			r := &runs[len(runs)-1]
			r.length++
			r.end = k == len(s.Examples)-1
		}
		order = append(order, list)
	}
	return order, runs
}

// placeTries is at how many places a run is tried.
const placeTries = 100

// place returns so many examples as a run may miss, of none that was taken, with observed ones on both sides where such are found; nil where there is no room.
func (r run) place(rng *rand.Rand, order [][]int, length int, taken []bool) (found []int) {
	if length == 0 {
		return nil
	}
	free := func(list []int, k int) bool { return k >= 0 && k < len(list) && list[k] >= 0 && !taken[list[k]] }
	for range placeTries {
		list := order[rng.IntN(len(order))]
		if r.first || r.end { // what is missing there makes no gap longer
			list = slices.DeleteFunc(slices.Clone(list), func(i int) bool { return i < 0 })
		}
		if len(list) < length {
			continue
		}
		k := rng.IntN(len(list) - length + 1)
		switch {
		case r.first:
			k = 0
		case r.end:
			k = len(list) - length
		}
		some := list[k : k+length]
		before, after := free(list, k-1), free(list, k+length)
		switch {
		case slices.ContainsFunc(some, func(i int) bool { return i < 0 || taken[i] }), !before && !after:
		case before && after || r.first || r.end:
			return some
		case found == nil:
			found = some
		}
		if r.first || r.end {
			break
		}
	}
	return found
}

// seriesConfig is the configuration of the model of a series, a single value over time. Latent variables tell nothing that the values
// do not: the simplest methods fill it in, and a model of it is there to be kept.
func seriesConfig(n int) Config {
	return Config{LatentKernel: linearLatent, LatentDims: 1, Inducing: min(n, seriesInducing), Training: TrainingConfig{Iterations: seriesSteps, Warmup: shortWarmup(seriesSteps)}}
}

const seriesInducing, seriesSteps = 10, 20

// A wholeTask is to predict examples of which nothing was observed, beside others that were completed.
type wholeTask struct {
	*completer
	none    []int    // examples
	contest *contest // of this task
}

// train chooses and trains what predicts whole examples at their times.
func (w *wholeTask) train(ctx context.Context, cfg, partly Config, done *Completion) (err error) {
	d := w.d
	d.holes, d.Times, d.Sequences = nil, w.times, w.sequences
	given, open := cfg, cfg.Effort != EffortNone && cfg.Start == nil
	if w.how != nil && w.d.Times != nil && cfg.Partly == nil {
		cfg.Partly = partly.kept()
	}
	how := new(search)
	if open && w.y.Cols == 1 {
		cfg = filled(cfg, seriesConfig(w.y.Rows))
		cfg.Effort, cfg.Training.Uncalibrated = EffortNone, true
	} else if open {
		if cfg, how, err = choose(ctx, d, cfg); err != nil {
			return err
		}
	}
	if done.Model, done.Report, err = fitWhole(ctx, d, cfg); done.Model == nil || err != nil || !open {
		return err
	}
	done.Model.selection = &how.selection
	done.Report.Searched, done.Report.Forecast = how.searched, how.forecast
	w.contest, err = w.compete(ctx, d, given, cfg)
	return err
}

// compete compares the simplest methods with the model by examples held out as others are missing; nil where there are too few.
func (w *wholeTask) compete(ctx context.Context, d Data, given, chosen Config) (*contest, error) {
	if w.y.Rows < leastTraining {
		return nil, nil
	}
	d, err := d.checked()
	if err != nil {
		return nil, err
	}
	s := &search{ctx: ctx, outer: ctx, data: d, given: given, plan: plans[given.Effort], watch: watcherOf(given.Watch)}
	j, err := newAbsentJudge(s)
	if err != nil {
		return nil, err
	}
	var folds []filledValues // by the model
	if w.y.Cols > 1 {
		folds, err = once(given.run(), "examples held out, predicted by "+text(chosen), func() ([]filledValues, error) { return w.predictHeld(ctx, j, chosen) })
		if err != nil {
			return nil, err
		}
	}
	t, read := newContest(w.y, w.holes, w.channels), make([]int, len(j.folds))
	place := make([]int, len(w.all.at)) // in order of time, with a step between sequences
	next := 0
	for _, order := range inOrder(w.all.at) {
		for _, i := range order {
			place[i] = next
			next++
		}
		next++
	}
	group, last := 0, -2
	lists := make([][]heldValue, len(j.folds))
	for _, c := range j.cases {
		row := w.rows[c.example]
		if place[row] != last+1 {
			group++
		}
		last = place[row]
		for k, missing := range w.all.holes.of(row) {
			at := read[c.fold]
			read[c.fold]++
			if !missing {
				v := heldValue{example: row, value: k, kind: kindWhole, group: group, truth: w.all.y.Row(row)[k]}
				if folds != nil {
					v.mean, v.variance = folds[c.fold].Mean[at], folds[c.fold].Variance[at]
				}
				lists[c.fold] = append(lists[c.fold], v)
			}
		}
	}
	for _, list := range lists {
		if folds != nil {
			t.add("", list)
		}
		if err := t.try(ctx, list, w.all.fillers(w.all.hiding(list).missing, given.Seed)); err != nil {
			return nil, err
		}
	}
	t.decide()
	return t, nil
}

// predictHeld returns what models of the other examples make of those that a judge holds out, fold by fold.
func (w *wholeTask) predictHeld(ctx context.Context, j absentJudge, chosen Config) ([]filledValues, error) {
	models, err := j.models(ctx, chosen, 0, len(j.folds))
	if err != nil {
		return nil, err
	}
	all, failures := make([]Prediction, len(j.cases)), make([]error, len(j.cases))
	mat.Parallel(len(j.cases), func(i int) {
		if failures[i] = ctx.Err(); failures[i] == nil {
			c := &j.cases[i]
			all[i], failures[i] = models[c.fold].imputeAt(ctx, nothingOf(w.points.Rows, w.channels), []Instant{*c.at}, 0)
		}
	})
	folds := make([]filledValues, len(models))
	for i, p := range all {
		f := &folds[j.cases[i].fold]
		f.Mean, f.Variance = append(f.Mean, p.Mean.Data...), append(f.Variance, p.Variance.Data...)
	}
	return folds, cmp.Or(failures...)
}

// nothingOf are values of an example of which none was observed.
func nothingOf(points, channels int) mat.Matrix {
	y := mat.New(points, channels)
	y.Fill(math.NaN())
	return y
}

// imputeAt fills in an example at its time, number i of those at; nil where there are none.
func (m *Model) imputeAt(ctx context.Context, values mat.Matrix, at []Instant, i int) (p Prediction, err error) {
	obs := Observed{Values: values}
	if at != nil && m.Times() != nil {
		if obs.Prior, err = m.priorAt(at[i]); err != nil {
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
