package sgplvm

import (
	"context"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/rounds"
)

// A Completion is examples some of whose values were missing, filled in by what the others say.
type Completion struct {
	// Mean and Variance are (n_ξ·n_s)×d_y, rows as those of Data.Y, in the user's units, noise included.
	// Observed values are as they were, with variance 0.
	Mean, Variance mat.Matrix

	Model  *Model // of the completed examples; nil: it would fill in nothing (Run.Values)
	Report Report // of its training

	// Check tells how well observed values were filled in that were hidden from all that bore on them, the way others are missing: errors of
	// the kinds of missing values, as many of each as are missing. Kinds tells it of each.
	Check FillCheck
	Kinds []FillCheck

	// Transforms names, by channel, what the model was learned from in place of values: "identity", "log", "logit" or "log(y + 0.3)", and " above 0" where the least value, 0 here, stands for all
	// that is below it; nil: the values. The model is then one of these. TransformCheck says why.
	Transforms     []string
	TransformCheck TransformCheck

	// Period is how many steps of a long series that repeats itself were an example of the model; 0: the examples are the data's.
	Period int

	learnable []int     // where the model has learned from some of the examples of which something was observed, all of these; nil: it has from all
	at        []Instant // of the examples; nil without times
}

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
	if cfg.Effort != EffortNone && cfg.Start == nil {
		if set, err = set.InOrder(); err != nil {
			return nil, err
		}
	}
	o := cfg.options()
	o.Values = r.Values
	return complete(ctx, set, cfg, o)
}

// ended adds what the end of a run tells.
func (c *Completion) ended(told Report) {
	c.Report.Forecast = told.Forecast
	c.Report.Warnings = append(c.Report.Warnings, told.Warnings...)
}

// complete is Complete within a run.
func complete(ctx context.Context, d rounds.Set, cfg Config, o rounds.Options) (*Completion, error) {
	if some, err := data.CheckErrors(d.Errors, d.Source); err != nil {
		return nil, err
	} else if some {
		done, err := completeByBound(ctx, d, cfg)
		if done != nil {
			outlier.Report(&done.Report, d.Outliers)
		}
		return done, err
	}
	d.Errors = nil // of which there are none
	c, err := rounds.Complete(ctx, d, cfg.open(), o, learner{cfg})
	return completionOf(c), err
}

// completionOf returns what rounds have come to, nil for nil.
func completionOf(c *rounds.Completion) *Completion {
	if c == nil {
		return nil
	}
	done := &Completion{Mean: c.Mean, Variance: c.Variance, Report: c.Report, Check: c.Check, Kinds: c.Kinds, Transforms: c.Transforms, TransformCheck: c.TransformCheck,
		Period: c.Period, learnable: c.Learnable, at: c.At}
	if c.Model != nil {
		done.Model = c.Model.(learned).Model
		if c.Selection != nil {
			done.Model.selection = c.Selection
		}
	}
	return done
}

// completeByBound is Complete by the bound on observed values.
func completeByBound(ctx context.Context, d rounds.Set, cfg Config) (*Completion, error) {
	if cfg.Effort != EffortNone && cfg.Start == nil {
		s, err := d.Opened(cfg.open())
		if err != nil {
			return nil, err
		}
		cfg = cfg.having(d.Search(s).White())
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
