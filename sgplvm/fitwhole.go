package sgplvm

import (
	"context"
	"errors"
	"time"
)

// fitWhole is Fit of data without holes.
func fitWhole(ctx context.Context, d Data, cfg Config) (*Model, Report, error) {
	begin := time.Now()
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
