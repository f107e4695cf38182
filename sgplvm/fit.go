package sgplvm

import (
	"context"
	"errors"
	"time"
)

// Fit learns the best model that it knows for data: it chooses what cfg leaves open (Select), and trains
// afresh with that; of data with missing values it is the model of Complete, or with EffortNone that of NewTrainer. When ctx ends or Progress stops training, the model is the best one found so
// far and the error, if any, is ctx.Err(). The model is nil only where nothing was learned; where an
// error came after training (in the calibration of variances, say) it is there beside the error.
// Errors: those of Select, NewTrainer, Trainer.Fit and Trainer.Model.
func Fit(ctx context.Context, d Data, cfg Config) (*Model, Report, error) {
	begin := time.Now()
	if cfg.Effort != EffortNone && cfg.Start == nil {
		if holes, err := d.incomplete(); err != nil {
			return nil, Report{}, err
		} else if holes {
			return fitIncomplete(ctx, d, cfg)
		}
	}
	d, err := registeredFor(ctx, d, cfg)
	if err != nil {
		return nil, Report{}, err
	}
	var how *search
	if cfg.Effort != EffortNone && cfg.Start == nil {
		if cfg, how, err = choose(ctx, d, cfg); err != nil {
			return nil, Report{}, err
		}
	}
	searched := time.Since(begin)
	m, report, err := fitOne(ctx, d, cfg, "")
	if how != nil {
		report.Searched, report.Forecast = searched, how.forecast
		if m != nil {
			m.selection = &how.selection
		}
	}
	if err != nil || cfg.Partly == nil {
		return m, report, err
	}
	second := *cfg.Partly
	second.Watch, second.Training.Progress = cfg.Watch, cfg.Training.Progress
	partly, _, err := fitOne(ctx, d, second, "for examples seen in part: ")
	if partly != nil && err == nil {
		m.partly = partly
	}
	return m, report, err
}

// fitOne trains a model with a configuration in which nothing is open; doing is what its steps are shown with.
func fitOne(ctx context.Context, d Data, cfg Config, doing string) (*Model, Report, error) {
	if cfg.Training.Progress == nil {
		step, stop := watcherOf(cfg.Watch).Training(doing)
		defer stop()
		cfg.Training.Progress = step
	}
	t, err := NewTrainer(d, cfg)
	if err != nil {
		return nil, Report{}, err
	}
	report, err := t.Fit(ctx)
	if err != nil && report.Iterations == 0 {
		return nil, report, err
	}
	m, failure := t.Model()
	if failure != nil {
		return nil, report, errors.Join(err, failure)
	}
	return m, report, err
}

// fitIncomplete is Fit of data with missing values or known errors.
func fitIncomplete(ctx context.Context, d Data, cfg Config) (*Model, Report, error) {
	warnings, err := d.Check()
	if err != nil {
		return nil, Report{}, err
	}
	c, err := Complete(ctx, d, cfg)
	if c == nil {
		return nil, Report{}, err
	}
	c.Report.Warnings = append(warnings, c.Report.Warnings...)
	return c.Model, c.Report, err
}
