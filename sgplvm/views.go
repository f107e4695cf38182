package sgplvm

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/rounds"
)

// CompleteViews is [Complete] of several views of the same examples: each is filled in as by itself, by what a model of all views says, and by regression on the others at the
// same places, whatever was better on values that were held out, for each kind of missing values. Results are in the order of views; one of which nothing was missing has no model. Errors: those of Complete; *ConfigError.
func CompleteViews(ctx context.Context, views []View, cfg Config) ([]*Completion, error) {
	return Run{}.CompleteViews(ctx, views, cfg)
}

// CompleteViews is the function CompleteViews, watched and ended as r says; nothing is kept of it.
func (r Run) CompleteViews(ctx context.Context, views []View, cfg Config) ([]*Completion, error) {
	r.Checkpoints = nil
	s, ends, clock, err := r.beginViews(ctx, views, cfg)
	if err != nil {
		return nil, err
	}
	all := make([]*Completion, len(views))
	for v, given := range views {
		done, err := s.Complete(ctx, v)
		if all[v] = completionOf(done); err == nil && all[v].Model == nil {
			continue // of which nothing was missing
		}
		var told Report
		if err = ends[v](&told, err); err != nil {
			return nil, fmt.Errorf("view %s: %w", given.Name, err)
		}
		told.Forecast = 0 // of a part of the run
		all[v].ended(told)
	}
	all[len(all)-1].Report.Warnings = append(all[len(all)-1].Report.Warnings, clock.Warnings()...)
	return all, nil
}

// FitViews learns a model of several views, and of each by itself. Missing values are filled in first. Times do not count. For each view the model of all and that
// of the view are compared on examples left out of training, and the better is used (Checks). The reports are those of each view by itself, with its warnings and outliers.
// Errors: those of CompleteViews.
func FitViews(ctx context.Context, views []View, cfg Config) (*MultiView, []Report, error) {
	return Run{}.FitViews(ctx, views, cfg)
}

// FitViews is the function FitViews, watched and ended as r says; nothing is kept of it.
func (r Run) FitViews(ctx context.Context, views []View, cfg Config) (*MultiView, []Report, error) {
	r.Checkpoints, cfg.Transform = nil, Off // models are of the data as they are
	s, _, clock, err := r.beginViews(ctx, views, cfg)
	if err != nil {
		return nil, nil, err
	}
	var reports []Report
	m := new(MultiView)
	models, checks, err := s.Fit(ctx, func(v int, part *limit.Clock) (rounds.Model, error) {
		w, own := views[v], cfg
		w.Data.Times, w.Data.Sequences, own.Attributes, r.clock = nil, nil, w.Attributes, part
		alone, report, err := r.Fit(ctx, w.Data, own)
		if err != nil {
			return nil, fmt.Errorf("view %s: %w", w.Name, err)
		}
		reports, m.views = append(reports, report), append(m.views, modelView{name: w.Name, alone: alone})
		return learned{alone}, nil
	})
	if models == nil {
		return nil, nil, err
	}
	for v, c := range checks {
		w := &m.views[v]
		w.model, w.check = models[v].(learned).Model, c
		w.model.attributes = views[v].Attributes
	}
	reports[0].Warnings = append(reports[0].Warnings, clock.Warnings()...)
	return m, reports, err
}

// beginViews begins a run on each view, which ends end, and trains each view by itself.
func (r Run) beginViews(ctx context.Context, given []View, cfg Config) (s *rounds.Views, ends []func(*Report, error) error, clock *limit.Clock, err error) {
	if err := checkViews(given); err != nil {
		return nil, nil, nil, err
	}
	clock = r.newClock()
	var sets []rounds.View
	for _, g := range given {
		set, end, err := r.begin(g.Data, cfg)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("view %s: %w", g.Name, err)
		}
		sets, ends = append(sets, rounds.View{Name: g.Name, Set: set, Rows: g.Rows}), append(ends, end)
	}
	o := cfg.options()
	cfg.Fold, cfg.Transform = Off, Off // of the models
	s, err = rounds.NewViews(ctx, clock, sets, cfg.open(), o, learner{cfg})
	return s, ends, clock, err
}
