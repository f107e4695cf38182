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

// absent are examples of which nothing was observed, and where they are.
type absent struct {
	examples []int
	at       []Instant
}

// withoutAbsent returns the data without the examples of which nothing was observed, and which examples remain; nil where all do, as in films and
// in data without times.
func (d Data) withoutAbsent() (Data, []int, absent, error) {
	if d.Times == nil || d.Film {
		return d, nil, absent{}, nil
	}
	n, points, channels := d.Source.Dims()
	var present []int
	var none absent
	at := data.Instants(d.Times, d.Sequences)
	all := data.Scaled{Source: d.Source, Examples: n, Points: points, Channels: channels}
	if err := all.EachSlab(func(slab []float64, from int) error {
		for i := from; len(slab) > 0; i, slab = i+1, slab[all.Size():] {
			if slices.ContainsFunc(slab[:all.Size()], func(v float64) bool { return v == v }) {
				present = append(present, i)
			} else {
				none.examples, none.at = append(none.examples, i), append(none.at, at[i])
			}
		}
		return nil
	}); err != nil {
		return d, nil, none, err
	}
	if len(present) == 0 || len(none.examples) == 0 {
		return d, nil, absent{}, nil
	}
	d.Source = SourceOf(d.Source, present)
	d.Times, d.Sequences = instantsOf(d, present)
	d.absent = none.at
	return d, present, none, nil
}

// absentShare is of how many examples one is held out of a fold at most where whole examples are missing, so that gaps do not grow much by it.
const absentShare = 6

// likeAbsent returns which of some examples are held out of each fold, in ascending order: in runs in time as those that are missing, at the ends where
// these are, with observed examples on both sides where there are such. No example is in two folds.
func likeAbsent(rng *rand.Rand, at, missing []Instant, folds int) [][]int {
	order, runs := runsOf(at, missing)
	var all [][]int
	taken := make([]bool, len(at))
	for range folds {
		var out []int
		hidden := make([]bool, len(at))
		most := max(1, len(at)/absentShare)
		for _, r := range rng.Perm(len(runs)) {
			length := min(runs[r].length, most-len(out))
			for _, i := range runs[r].place(rng, order, length, taken) {
				taken[i], hidden[i] = true, true
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

// place returns so many examples as a run may miss, of none that was taken; nil where there is no room.
func (r run) place(rng *rand.Rand, order [][]int, length int, taken []bool) []int {
	free := func(i int) bool { return i >= 0 && !taken[i] }
	var places, closed [][]int // closed: an observed example on either side
	for _, list := range order {
		list = slices.DeleteFunc(slices.Clone(list), func(i int) bool { return i < 0 && (r.first || r.end) })
		for k := 0; k+length <= len(list); k++ {
			some := list[k : k+length]
			before, after := k > 0 && free(list[k-1]), k+length < len(list) && free(list[k+length])
			switch {
			case slices.ContainsFunc(some, func(i int) bool { return !free(i) }):
			case r.first && (k > 0 || !after), r.end && (k+length < len(list) || !before):
			case before && after || r.first || r.end:
				closed = append(closed, some)
			case before || after:
				places = append(places, some)
			}
		}
	}
	if len(closed) > 0 {
		places = closed
	}
	if len(places) == 0 || length == 0 {
		return nil
	}
	return places[rng.IntN(len(places))]
}

// absentees are examples of which nothing was observed, beside others that were completed.
type absentees struct {
	d       Data // the others, completed
	present []int
	none    absent
	full    filledData
}

// filledData are values of all examples, their holes and the variances of what was filled in.
type filledData struct {
	y, variance mat.Matrix
	holes       *holes
	points      mat.Matrix // in mean spacings
	channels    int
	at          []Instant
}

// full returns all examples as the completer's and those of which nothing was observed.
func (c *completer) full(present []int, none absent) filledData {
	n := len(present) + len(none.examples)
	f := filledData{y: mat.New(n, c.y.Cols), variance: mat.New(n, c.y.Cols), points: c.points, channels: c.channels, at: make([]Instant, n),
		holes: &holes{size: c.holes.size, missing: make([]bool, n*c.holes.size)}}
	at := c.at()
	for k, i := range present {
		copy(f.y.Row(i), c.y.Row(k))
		copy(f.holes.of(i), c.holes.of(k))
		f.at[i] = at[k]
	}
	for k, i := range none.examples {
		f.at[i] = none.at[k]
		for j := range f.holes.of(i) {
			f.holes.of(i)[j] = true
		}
	}
	return f
}

// predict chooses and trains what predicts whole examples at their times, and predicts those that are missing.
func (a *absentees) predict(ctx context.Context, cfg Config, done *Completion) error {
	given := cfg
	var how *search
	var err error
	if cfg.Effort != EffortNone && cfg.Start == nil {
		if cfg, how, err = choose(ctx, a.d, cfg); err != nil {
			return err
		}
	}
	m, report, err := fitWhole(ctx, a.d, cfg)
	if err != nil {
		return err
	}
	done.Model, done.Report = m, report
	if err := a.impute(ctx, m); err != nil || how == nil {
		return err
	}
	m.selection = &how.selection
	done.Report.Searched, done.Report.Forecast = how.searched, how.forecast
	t, err := a.contest(ctx, given, cfg)
	if err != nil || t == nil {
		return err
	}
	kinds := a.full.holes.kindsOf(a.full.at, a.full.points, a.full.channels)
	for i := range kinds {
		if kinds[i] != kindWhole {
			kinds[i] = kindCount
		}
	}
	done.Kinds = append(done.Kinds, t.checks(countKinds(kinds))...)
	if t.winner[kindWhole] == "" {
		for _, i := range a.none.examples {
			for k := range a.full.variance.Row(i) {
				a.full.variance.Row(i)[k] *= t.factor[kindWhole]
			}
		}
	}
	return t.fill(ctx, kinds, a.full.y, a.full.variance, a.full.fillers(a.full.holes.missing, given.Seed))
}

func (f *filledData) fillers(missing []bool, seed uint64) []filler {
	return fillers(f.y, missing, f.points, f.channels, f.at, seed)
}

// impute predicts the examples at their times.
func (a *absentees) impute(ctx context.Context, m *Model) error {
	failures := make([]error, len(a.none.examples))
	mat.Parallel(len(failures), func(k int) {
		if failures[k] = ctx.Err(); failures[k] != nil {
			return
		}
		p, err := m.imputeAt(ctx, nothingOf(a.full.points.Rows, a.full.channels), a.none.at[k])
		failures[k] = err
		copy(a.full.y.Row(a.none.examples[k]), p.Mean.Data)
		copy(a.full.variance.Row(a.none.examples[k]), p.Variance.Data)
	})
	return cmp.Or(failures...)
}

// contest compares the simplest methods with the model by examples held out as these are missing; nil where there are too few.
func (a *absentees) contest(ctx context.Context, given, chosen Config) (*contest, error) {
	if n, _, _ := a.d.Source.Dims(); n < leastTraining {
		return nil, nil
	}
	d, err := a.d.checked()
	if err != nil {
		return nil, err
	}
	s := &search{ctx: ctx, outer: ctx, data: d, given: given, plan: plans[given.Effort], watch: watcherOf(given.Watch)}
	j, err := newAbsentJudge(s)
	if err != nil {
		return nil, err
	}
	folds, err := once(given.run(), "examples held out, predicted by "+text(chosen), func() (folds []filledValues, err error) { return a.predictHeld(ctx, j, chosen) })
	if err != nil {
		return nil, err
	}
	t, read := newContest(deviations(a.full.y, a.full.holes, a.full.channels)), make([]int, len(folds))
	place := make([]int, len(a.full.at)) // in order of time, with a step between sequences
	next := 0
	for _, order := range inOrder(a.full.at) {
		for _, i := range order {
			place[i] = next
			next++
		}
		next++
	}
	group, last := 0, -2
	lists := make([][]heldValue, len(folds))
	for _, c := range j.cases {
		row := a.present[c.example]
		if place[row] != last+1 {
			group++
		}
		last = place[row]
		for k, missing := range a.full.holes.of(row) {
			at := read[c.fold]
			read[c.fold]++
			if !missing {
				lists[c.fold] = append(lists[c.fold], heldValue{row, k, kindWhole, group, a.full.y.Row(row)[k], folds[c.fold].Mean[at], folds[c.fold].Variance[at]})
			}
		}
	}
	for _, list := range lists {
		t.add("", list)
		missing := slices.Clone(a.full.holes.missing)
		for _, v := range list {
			missing[v.example*a.full.holes.size+v.value] = true
		}
		if err := t.try(ctx, list, a.full.fillers(missing, given.Seed)); err != nil {
			return nil, err
		}
	}
	t.decide()
	return t, nil
}

// predictHeld returns what models of the other examples make of those that a judge holds out, fold by fold.
func (a *absentees) predictHeld(ctx context.Context, j absentJudge, chosen Config) ([]filledValues, error) {
	models, err := j.models(ctx, chosen, 0, len(j.folds))
	if err != nil {
		return nil, err
	}
	all, failures := make([]Prediction, len(j.cases)), make([]error, len(j.cases))
	mat.Parallel(len(j.cases), func(i int) {
		if failures[i] = ctx.Err(); failures[i] == nil {
			c := &j.cases[i]
			all[i], failures[i] = models[c.fold].imputeAt(ctx, nothingOf(a.full.points.Rows, a.full.channels), *c.at)
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

// imputeAt fills in an example at its time.
func (m *Model) imputeAt(ctx context.Context, values mat.Matrix, at Instant) (p Prediction, err error) {
	obs := Observed{Values: values}
	if obs.Prior, err = m.priorAt(at); err != nil {
		return p, err
	}
	p, _, err = m.Impute(ctx, obs, InferOptions{})
	if err == nil {
		if i, k, bad := mat.NonFinite(p.Mean); bad {
			err = fmt.Errorf("predicted %v at point %d, channel %d, time %v", p.Mean.At(i, k), i, k, at.Time)
		}
	}
	return p, err
}
