package sgplvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A Completion is examples some of whose values were missing, filled in by what the others say.
type Completion struct {
	// Mean and Variance are (n_ξ·n_s)×d_y, rows as those of Data.Y, in the user's units, noise included.
	// Observed values are as they were, with variance 0.
	Mean, Variance mat.Matrix

	Model  *Model // of the completed examples
	Report Report // of its training

	// Check tells how well observed values were filled in that were hidden from all that bore on them, the way others are missing: errors of
	// the kinds of missing values, as many of each as are missing. Kinds tells it of each.
	Check FillCheck
	Kinds []FillCheck
}

// Complete learns from examples of which values are missing, NaN in the data, and fills them in. What cfg leaves open is chosen by
// what was observed, as by Select, where validation hides values the way others are missing.
//
// The model is learned from completed examples. They are completed in rounds: all examples with holes are divided into
// folds, and those of each fold filled in by a model of all others as they are by then, so that no
// value that was filled in confirms itself. The first round begins with a matrix of low rank. At last the model of
// all completed examples is trained. An example without a value gets what the prior says, or its time.
//
// Examples with times, of each of which something was observed, are also tried as if they had none, unless the configuration says what a kernel of
// time is: where much is seen everywhere, the others tell more than the times. The model then has no times.
//
// Values with known errors (Data.Errors) are learned from by the bound on observed values instead, as NewTrainer does, with white
// noise and nothing chosen. Errors: those of Fit; *ConfigError where nothing was observed.
func Complete(ctx context.Context, d Data, cfg Config) (done *Completion, err error) {
	d, err = d.checked()
	if err != nil {
		return nil, err
	}
	cfg, end, err := cfg.keeping(d)
	if err != nil {
		return nil, err
	}
	defer func() {
		var told Report
		err = end(&told, err)
		if done != nil {
			done.Report.Warnings = append(done.Report.Warnings, told.Warnings...)
		}
	}()
	if some, err := checkErrors(d.Errors, d.Source); err != nil {
		return nil, err
	} else if some {
		return completeByBound(ctx, d, cfg)
	}
	rest, present, none, err := d.withoutAbsent()
	if err != nil {
		return nil, err
	}
	c, err := newCompleter(rest, cfg)
	if err != nil {
		return nil, err
	}
	chosen := cfg
	if len(c.incomplete) > 0 {
		if chosen, err = c.learn(ctx, cfg); err != nil {
			return nil, c.tooLittle(err)
		}
	}
	if len(none.examples) > 0 {
		return c.completeAbsent(ctx, cfg, chosen, present, none)
	}
	done = &Completion{Mean: c.matrix(c.y), Variance: c.matrix(c.variance), Kinds: c.kinds}
	done.Check = checkOf(c.kinds, c.check)
	done.Model, done.Report, err = fitWhole(ctx, c.d, chosen)
	if done.Model == nil {
		return nil, err
	}
	done.Report.Missing = c.holes.count()
	if c.how != nil {
		done.Model.selection = &c.how.selection
		done.Report.Searched, done.Report.Forecast = c.how.searched, c.how.forecast
	}
	return done, err
}

// completeAbsent is the rest of Complete where nothing was observed of some examples: the others are completed, by a configuration
// that was chosen.
func (c *completer) completeAbsent(ctx context.Context, cfg, chosen Config, present []int, none absent) (*Completion, error) {
	whole := c.d
	whole.holes = nil
	full := c.full(present, none)
	if c.how != nil && c.d.Times != nil && cfg.Partly == nil {
		cfg.Partly = chosen.kept()
	}
	whole.Times, whole.Sequences, whole.absent = c.times, c.sequences, none.at
	done := &Completion{Kinds: c.kinds}
	a := &absentees{d: whole, full: full, present: present, none: none}
	if err := a.predict(ctx, cfg, done); err != nil {
		return nil, err
	}
	for k, i := range present {
		copy(full.y.Row(i), c.y.Row(k))
		copy(full.variance.Row(i), c.variance.Row(k))
	}
	done.Mean, done.Variance = c.matrix(full.y), c.matrix(full.variance)
	done.Check = checkOf(done.Kinds, c.check)
	done.Report.Missing = full.holes.count()
	return done, nil
}

// tooLittle returns an error, or, where it says that completed data are none, that all examples are the same or too little was observed.
func (c *completer) tooLittle(err error) error {
	if value := (*ValueError)(nil); !errors.As(err, &value) {
		return err
	}
	if c.same() {
		return &ConfigError{Field: "Data", Err: fmt.Errorf("all %d examples are the same where they were observed, expected examples that differ", c.y.Rows)}
	}
	size := len(c.holes.missing)
	return &ConfigError{Field: "Data", Err: fmt.Errorf("%d of %d values were observed, too few to tell how examples differ", size-c.holes.count(), size)}
}

// same reports whether some values were observed in two examples, and all of them are the same there.
func (c *completer) same() (twice bool) {
	first := make([]float64, c.y.Cols)
	for k := range first {
		first[k] = math.NaN()
	}
	for i := range c.y.Rows {
		row := c.y.Row(i)
		for k, missing := range c.holes.of(i) {
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
func completeByBound(ctx context.Context, d Data, cfg Config) (*Completion, error) {
	if cfg.Effort != EffortNone && cfg.Start == nil {
		var err error
		if cfg, err = cfg.checkedOpen(d); err != nil {
			return nil, err
		}
		s := &search{data: d, given: cfg, plan: plans[cfg.Effort]}
		preset := s.whiteNoise()
		if d.Times != nil {
			preset = plainTime.preset(s)
		}
		cfg = filled(cfg, preset)
		cfg.Effort = EffortNone
	}
	step, stop := watcherOf(cfg.Watch).Training("")
	cfg.Training.Progress = step
	defer stop()
	t, report, err := trainKept(ctx, d, cfg, false)
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

// learn chooses the configuration, completes the data with it and returns it, with nothing open.
func (c *completer) learn(ctx context.Context, cfg Config) (Config, error) {
	other, observed, plan := c.withoutTimes(cfg), slices.Clone(c.holes.missing), plans[cfg.Effort]
	chosen, err := c.chosen(ctx, cfg)
	if err == nil && other != nil {
		chosen, err = c.better(ctx, chosen, other, cfg)
	}
	if err != nil {
		return cfg, err
	}
	contest, err := c.contest(ctx, cfg)
	if err != nil {
		return cfg, err
	}
	c.holes.missing = observed
	c.takeBack()
	if contest == nil || contest.modelWins(c.kindsOf()) {
		if err := c.again(ctx, chosen, plan); err != nil {
			return cfg, err
		}
	}
	if contest == nil {
		return chosen, nil
	}
	return chosen, c.settle(ctx, contest, cfg.Seed)
}
