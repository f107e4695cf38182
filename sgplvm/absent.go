package sgplvm

import (
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

// predictAbsent chooses and trains what predicts whole examples at their times, and predicts those that are missing. d are the others, completed.
func predictAbsent(ctx context.Context, d Data, cfg Config, c *Completion) (mean, variance mat.Matrix, err error) {
	var how *search
	if cfg.Effort != EffortNone && cfg.Start == nil {
		if cfg, how, err = choose(ctx, d, cfg); err != nil {
			return mean, variance, err
		}
	}
	m, report, err := fitWhole(ctx, d, cfg)
	if err != nil {
		return mean, variance, err
	}
	if how != nil {
		m.selection = &how.selection
		report.Searched, report.Forecast = how.searched, how.forecast
	}
	_, points, channels := d.Source.Dims()
	mean, variance = mat.New(len(d.absent), points*channels), mat.New(len(d.absent), points*channels)
	failures := make([]error, len(d.absent))
	mat.Parallel(len(d.absent), func(k int) {
		if failures[k] = ctx.Err(); failures[k] != nil {
			return
		}
		p, err := m.imputeAt(ctx, nothingOf(points, channels), d.absent[k])
		failures[k] = err
		copy(mean.Row(k), p.Mean.Data)
		copy(variance.Row(k), p.Variance.Data)
	})
	for _, err := range failures {
		if err != nil {
			return mean, variance, err
		}
	}
	c.Model, c.Report = m, report
	return mean, variance, nil
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
