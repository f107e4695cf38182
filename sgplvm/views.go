package sgplvm

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
)

// CompleteViews is [Complete] of several views of the same examples: each is filled in as by itself, and by what a model of all views says, whatever was better
// on values that were held out, for each kind of missing values. Results are in the order of views; one of which nothing was missing has no model. Errors: those of Complete; *ConfigError.
func CompleteViews(ctx context.Context, views []View, cfg Config) ([]*Completion, error) {
	return Run{}.CompleteViews(ctx, views, cfg)
}

// CompleteViews is the function CompleteViews, watched and ended as r says; nothing is kept of it.
func (r Run) CompleteViews(ctx context.Context, views []View, cfg Config) ([]*Completion, error) {
	r.Checkpoints = nil
	s, err := newViewSet(ctx, r, views, cfg)
	if err != nil {
		return nil, err
	}
	all := make([]*Completion, len(views))
	for v, w := range s.views {
		w.set.beside = func(missing []bool) []completion.Filler { return s.fillers(v, missing) }
		if w.holes.Count() == 0 {
			all[v] = &Completion{Mean: mat.NewDense(len(w.y.Data)/w.channels, w.channels, w.y.Data), Variance: mat.New(len(w.y.Data)/w.channels, w.channels)}
			if err := all[v].natural(w.set); err != nil {
				return nil, err
			}
			continue
		}
		own := cfg
		own.Fold, own.Transform = Off, Off
		share := s.clock.Part(1 / float64(len(views)-v))
		w.joint = share.Part(jointShare)
		*w.set.run.clock = *share.Part(1 - jointShare)
		begin, together := time.Now(), time.Duration(s.completions())*s.completes
		w.set.run.clock.Watch = viewTeller{tell: func(took time.Duration) { s.foretell(begin, v, took, together) }}
		done, err := complete(ctx, w.set, own)
		w.set.run.clock.Ended(w.joint)
		var told Report
		if err = w.end(&told, err); err != nil {
			return nil, fmt.Errorf("view %s: %w", w.name, err)
		}
		told.Forecast = 0 // of a part of the run
		done.ended(told)
		all[v] = done
	}
	if last := all[len(all)-1]; last != nil {
		last.Report.Warnings = append(last.Report.Warnings, s.clock.Warnings()...)
	}
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
	s, err := newViewSet(ctx, r, views, cfg)
	if err != nil {
		return nil, nil, err
	}
	return s.fit(ctx, r)
}
