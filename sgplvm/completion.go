package sgplvm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Complete learns from examples of which values are missing, NaN in the data, and fills them in. What cfg leaves open is chosen by
// what was observed, as by Select, where validation hides values the way others are missing.
//
// The model is learned from completed examples. They are completed in rounds: all examples with holes are divided into
// folds, and those of each fold filled in by a model of all others as they are by then, so that no
// value that was filled in confirms itself. The first round begins with a matrix of low rank. At last the model of
// all completed examples is trained. An example without a value gets what the prior says, or its time.
//
// A table without times whose neighbouring rows are alike has the numbers of its rows as times.
// Examples with times, of each of which something was observed, are also tried as if they had none, unless the configuration says what a kernel of
// time is: where much is seen everywhere, the others tell more than the times. The model then has no times.
//
// Values with known errors (Data.Errors) are learned from by the bound on observed values instead, as NewTrainer does, with white
// noise and nothing chosen. Errors: those of Fit; *ConfigError where nothing was observed.
func Complete(ctx context.Context, d Data, cfg Config) (*Completion, error) {
	return Run{}.Complete(ctx, d, cfg)
}

// Complete is the function Complete, watched, ended and kept as r says.
func (r Run) Complete(ctx context.Context, d Data, cfg Config) (done *Completion, err error) {
	set, end, err := r.begin(d, cfg)
	if err != nil {
		return nil, err
	}
	defer func() {
		var told Report
		if err = end(&told, err); done != nil {
			done.ended(told)
		}
	}()
	if set, err = set.inOrder(cfg); err != nil {
		return nil, err
	}
	return complete(ctx, set, cfg)
}

// ended adds what the end of a run tells.
func (c *Completion) ended(told Report) {
	c.Report.Forecast = told.Forecast
	c.Report.Warnings = append(c.Report.Warnings, told.Warnings...)
}

// complete is Complete within a run.
func complete(ctx context.Context, d trainingSet, cfg Config) (*Completion, error) {
	if some, err := data.CheckErrors(d.Errors, d.Source); err != nil {
		return nil, err
	} else if some {
		done, err := completeByBound(ctx, d, cfg)
		if done != nil {
			foundOutliers(&done.Report, d.outliers)
		}
		return done, err
	}
	d.Errors = nil // of which there are none
	return completeByRounds(ctx, d, cfg)
}

// completeByRounds is Complete of data without known errors.
func completeByRounds(ctx context.Context, d trainingSet, cfg Config) (done *Completion, err error) {
	n, points, channels := d.Source.Dims()
	found := d.outliers
	d, series, err := d.folded(cfg)
	if err != nil {
		return nil, err
	}
	if d, err = d.transformed(ctx, cfg); err != nil {
		return nil, err
	}
	c, err := newCompleter(d, cfg)
	if err != nil {
		return nil, err
	}
	all, rest, some, none := c.apart(cfg)
	if series != nil {
		all.Series = series
		d.run.watcher().Tell(series.String())
	}
	if len(some) < c.y.Rows {
		if c, err = newCompleter(rest, cfg); err != nil {
			return nil, err
		}
	}
	c.all, c.rows = all, some
	if series != nil && cfg.Effort == EffortQuick {
		c.d.Times, c.d.Sequences = nil, nil // a series says more of time than its periods
	}
	chosen := cfg
	if len(c.incomplete) > 0 {
		if chosen, err = c.learn(ctx, cfg); err != nil {
			return nil, c.tooLittle(err)
		}
	}
	done = &Completion{at: all.At}
	if len(some)+len(none) < all.Y.Rows {
		done.learnable = slices.DeleteFunc(work.AllBut(all.Y.Rows, none), func(i int) bool { return !slices.Contains(all.Holes.Of(i), false) })
	}
	w := &wholeTask{completer: c, none: none}
	if len(none) > 0 {
		err = w.train(ctx, cfg, chosen, done)
	} else if done.Model, done.Report, err = fitWhole(ctx, c.taught(cfg), chosen, ""); done.Model != nil && c.how != nil {
		done.Model.selection = &c.how.selection
		done.Report.Searched = c.how.searched
	}
	if done.Model == nil {
		return nil, err
	}
	kinds, failure := c.finish(ctx, w, cfg, done)
	if failure != nil {
		return nil, failure
	}
	if c.contest != nil && !c.contest.Wins("", kinds) && (len(none) == 0 || w.contest != nil && !w.contest.Shares[completion.KindWhole].Need("")) {
		done.Report.Warnings = nil // of the training of a model that fills in nothing
	}
	if err := done.natural(d); err != nil {
		return nil, err
	}
	place := func(example int) int { return example }
	if series != nil {
		done.Period = series.Steps
		done.Mean, done.Variance = series.Unfold(c.all.Y, n, points, channels), series.Unfold(c.all.Variance, n, points, channels)
		place = func(example int) int { return series.Place[example] }
	}
	done.restore(found, points, func(v Outlier) completion.Kind { return kinds[(place(v.Example)*points+v.Point)*channels+v.Channel] })
	done.Check = completion.CheckOf(done.Kinds, c.check)
	return done, err
}

// taught returns the data of the last training. A model that fills in nothing is trained on as many examples as probe used.
func (c *completer) taught(cfg Config) trainingSet {
	n := c.y.Rows
	if !c.hopeless || n <= probeExamples {
		return c.d
	}
	d, some := c.d, rand.New(completionRandom(cfg)).Perm(n)[:probeExamples]
	slices.Sort(some)
	d.Source, d.holes, d.observed, d.imputationErrors = SourceOf(c.d.Source, some), nil, nil, d.imputationErrors.Of(some)
	d.Times, d.Sequences = data.TimesOf(c.d.Times, c.d.Sequences, some)
	return d
}

// restore puts back the outliers that their predictions explain after all, which were missing in the ways of kind, and reports the others.
func (c *Completion) restore(found []Outlier, points int, kind func(v Outlier) completion.Kind) {
	var list []Outlier
	for _, v := range found {
		row := v.Example*points + v.Point
		score, far := outlier.Score(v.Value, c.Mean.At(row, v.Channel), c.Variance.At(row, v.Channel))
		if far {
			v.Score = score
			list = append(list, v)
			continue
		}
		c.Mean.Set(row, v.Channel, v.Value)
		c.Variance.Set(row, v.Channel, 0)
		c.Report.Missing--
		if i := slices.IndexFunc(c.Kinds, func(f FillCheck) bool { return f.Kind == completion.KindNames[kind(v)] }); i >= 0 {
			c.Kinds[i].Missing--
		}
	}
	c.Kinds = slices.DeleteFunc(c.Kinds, func(f FillCheck) bool { return f.Missing == 0 })
	foundOutliers(&c.Report, list)
}

// maxLearned is the largest number of examples that a completion learns from; its model fills in the others. Rows of a table tell less, so that fewer do.
func maxLearned(points int, e Effort) int {
	if points > 1 || e == EffortNone {
		return selection.Plans[EffortThorough].Rows
	}
	return selection.Plans[e].Rows
}

// apart divides the examples. It returns the values of all of them, the data of those to learn from, their numbers (some), and the numbers of those of which nothing was
// observed (none): with times these teach nothing. Of very many examples some are enough.
func (c *completer) apart(cfg Config) (all completion.Filled, d trainingSet, some, none []int) {
	at := c.at()
	all = completion.Filled{Y: c.y, Variance: c.variance, Holes: &completion.Mask{Size: c.holes.Size, Missing: slices.Clone(c.holes.Missing)}, Points: c.points, Channels: c.channels, At: at, Film: c.d.Film, Beside: c.d.beside}
	for i := range c.y.Rows {
		if at != nil && !c.d.Film && !slices.Contains(c.holes.Of(i), false) {
			none = append(none, i)
		} else {
			some = append(some, i)
		}
	}
	d = c.d
	if d.observed != nil {
		d.Source = d.observed
	}
	d.observed, d.holes = nil, nil
	for _, i := range none {
		d.absent = append(d.absent, at[i])
	}
	if most := maxLearned(c.points.Rows, cfg.Effort); len(some) > most && !d.Film {
		rng := rand.New(rand.NewPCG(0, 0x6d616e79))
		rng.Shuffle(len(some), func(i, k int) { some[i], some[k] = some[k], some[i] })
		var holed, whole []int // half of those that are taken show how values are missing, if as many do
		for _, i := range some {
			if c.holes.Any(i) {
				holed = append(holed, i)
			} else {
				whole = append(whole, i)
			}
		}
		take := min(len(holed), max(most/2, most-len(whole)))
		some = append(holed[:take], whole[:most-take]...)
		slices.Sort(some)
	}
	if len(some) < c.y.Rows {
		d.Source = SourceOf(d.Source, some)
		d.Times, d.Sequences = data.TimesOf(d.Times, d.Sequences, some)
	}
	return all, d, some, none
}

// finish fills in the examples that were not learned from, then each kind of missing values by what has a share in it, reports the errors, and returns the kind of each value.
// Examples for which the limit left the model no time are filled in by the best method that needs none; where most are, all.
func (c *completer) finish(ctx context.Context, w *wholeTask, cfg Config, done *Completion) (kinds []completion.Kind, err error) {
	for k, i := range c.rows {
		copy(c.all.Y.Row(i), c.y.Row(k))
		copy(c.all.Variance.Row(i), c.variance.Row(k))
	}
	kinds = c.all.Kinds()
	late, err := c.imputeOthers(ctx, done.Model, kinds)
	if err != nil {
		return nil, err
	}
	byModel, simpler := slices.Clone(kinds), slices.Repeat([]completion.Kind{completion.KindCount}, len(kinds))
	for _, i := range late {
		for j := i * c.all.Holes.Size; j < (i+1)*c.all.Holes.Size; j++ {
			byModel[j], simpler[j] = simpler[j], byModel[j]
		}
	}
	methods := completion.Once(c.all.Fillers(nil, cfg.Seed))
	if c.still != nil {
		methods = append(methods, completion.Filler{Name: withoutMotion, Fill: func(context.Context) (mean, variance mat.Matrix, err error) { return c.still.y, c.still.variance, nil }})
	}
	count, lateCount := completion.CountKinds(kinds), completion.CountKinds(simpler)
	done.Report.Missing = 0
	for k := range completion.KindCount {
		done.Report.Missing += count[k]
		t := c.contest
		if w.contest != nil && k == completion.KindWhole {
			t = w.contest
		}
		if t == nil || count[k] == 0 {
			continue
		}
		if len(late) > 0 {
			w := t.Without("").Shares[k]
			if err := t.Fill(ctx, w, k, simpler, c.all.Y, c.all.Variance, methods); err != nil {
				return nil, err
			}
			if 2*lateCount[k] > count[k] {
				t.Shares[k] = w
			}
		}
		if err := t.Fill(ctx, t.Shares[k], k, byModel, c.all.Y, c.all.Variance, methods); err != nil {
			return nil, err
		}
		done.Kinds = append(done.Kinds, t.Check(k, count[k]))
	}
	done.Mean, done.Variance = c.matrix(c.all.Y), c.matrix(c.all.Variance)
	return kinds, nil
}

// imputeOthers fills in the examples that were not learned from, if the model has a part in it. It returns those for which the limit left no time.
func (c *completer) imputeOthers(ctx context.Context, m *Model, kinds []completion.Kind) (late []int, err error) {
	list := slices.DeleteFunc(c.unlearned(), func(i int) bool {
		return !slices.ContainsFunc(kinds[i*c.all.Holes.Size:(i+1)*c.all.Holes.Size], func(k completion.Kind) bool {
			return k < completion.KindCount && (k == completion.KindWhole || c.contest == nil || c.contest.Shares[k].Need(""))
		})
	})
	failures, left := make([]error, len(list)), make([]bool, len(list))
	mat.Parallel(len(list), func(k int) {
		left[k] = c.contest != nil && c.d.run.clock.Over(limit.LeavingShare)
		if failures[k] = ctx.Err(); failures[k] != nil || left[k] {
			return
		}
		i := list[k]
		values := mat.New(c.points.Rows, c.channels)
		for j, missing := range c.all.Holes.Of(i) {
			if values.Data[j] = c.all.Y.Row(i)[j]; missing {
				values.Data[j] = math.NaN()
			}
		}
		var p Prediction
		if p, failures[k] = m.imputeAt(ctx, values, c.all.At, i); failures[k] == nil {
			for j, missing := range c.all.Holes.Of(i) {
				if missing {
					c.all.Y.Row(i)[j], c.all.Variance.Row(i)[j] = p.Mean.Data[j], p.Variance.Data[j]
				}
			}
		}
	})
	for k, i := range list {
		if left[k] {
			late = append(late, i)
		}
	}
	if len(late) > 0 {
		c.d.run.clock.Late += len(late)
	}
	return late, cmp.Or(failures...)
}

// tooLittle explains an error of training: all examples are the same, or too little was observed. Other errors it returns as they are.
func (c *completer) tooLittle(err error) error {
	if value := (*ValueError)(nil); !errors.As(err, &value) {
		return err
	}
	if c.same() {
		return &ConfigError{Field: "Data", Err: fmt.Errorf("all %d examples are the same where they were observed, expected examples that differ", c.y.Rows)}
	}
	size := len(c.holes.Missing)
	return &ConfigError{Field: "Data", Err: fmt.Errorf("%d of %d values were observed, too few to tell how examples differ", size-c.holes.Count(), size)}
}

// same reports whether examples share observed places and agree at all of them.
func (c *completer) same() (twice bool) {
	first := make([]float64, c.y.Cols)
	for k := range first {
		first[k] = math.NaN()
	}
	for i := range c.y.Rows {
		row := c.y.Row(i)
		for k, missing := range c.holes.Of(i) {
			switch {
			case missing:
			case math.IsNaN(first[k]):
				first[k] = row[k]
			case first[k] != row[k]:
				return false
			default:
				twice = true
			}
		}
	}
	return twice
}

// completeByBound is Complete by the bound on observed values.
func completeByBound(ctx context.Context, d trainingSet, cfg Config) (*Completion, error) {
	if cfg.Effort != EffortNone && cfg.Start == nil {
		var err error
		if cfg, err = cfg.checkedOpen(d); err != nil {
			return nil, err
		}
		cfg = cfg.having(d.newSearch(cfg).White())
		cfg.Effort = EffortNone
	}
	t, report, err := trainKept(ctx, d, cfg, "", false)
	if err != nil {
		return nil, err
	}
	n, points, channels := d.Source.Dims()
	done := &Completion{Mean: mat.New(n*points, channels), Variance: mat.New(n*points, channels), Report: report}
	if err := d.Source.ReadExamples(done.Mean.Data, 0, n); err != nil {
		return nil, &ReadError{From: 0, To: n, Err: err}
	}
	if err := t.Complete(ctx, InferOptions{}, func(i int, p Prediction) error {
		copy(done.Mean.Data[i*points*channels:], p.Mean.Data)
		copy(done.Variance.Data[i*points*channels:], p.Variance.Data)
		return nil
	}); err != nil {
		return nil, err
	}
	done.Model, err = t.Model()
	return done, err
}

// learn chooses the configuration, completes the data with it, and returns it with nothing left open.
func (c *completer) learn(ctx context.Context, cfg Config) (Config, error) {
	other, observed, plan := c.withoutTimes(cfg), slices.Clone(c.holes.Missing), selection.Plans[cfg.Effort]
	if c.d.run.clock != nil {
		c.d.run.clock.Twice = other != nil
	}
	chosen, err := c.chosen(ctx, cfg)
	var still Config
	if err == nil && other != nil && c.contest == nil {
		if c.d.Film {
			still, err = c.completeStill(ctx, other, cfg)
		} else {
			chosen, err = c.better(ctx, chosen, other, cfg)
		}
	}
	if err != nil {
		return cfg, err
	}
	if c.contest == nil && cfg.Effort != EffortNone {
		if c.contest, err = c.compete(ctx, cfg); err != nil {
			return cfg, err
		}
	}
	c.holes.Missing = observed
	c.takeBack()
	if err := c.censor(ctx); err != nil {
		return cfg, err
	}
	kinds := c.all.Kinds()
	if c.still != nil && c.contest.Wins(withoutMotion, kinds) {
		c.still.holes.Missing = slices.Clone(observed)
		c.still.takeBack()
		if err := c.still.again(ctx, still, plan); err != nil {
			return cfg, err
		}
	}
	if c.contest != nil && !c.contest.Wins("", kinds) {
		return chosen, nil
	}
	return chosen, c.again(ctx, chosen, plan)
}
