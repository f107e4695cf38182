package sgplvm

import (
	"context"
	"fmt"
	"slices"
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

// A View is one of several kinds of data of the same examples, with points, channels and units of its own: sea temperature beside chlorophyll, a field beside
// a table.
type View struct {
	Name string
	Data Data

	// Rows are the numbers of the examples that Data has, in their order, each at most once; views share examples of one number. nil: 0, 1, 2, …
	Rows []int

	// Attributes are kept in the view's model for the caller, as Config.Attributes.
	Attributes map[string]string
}

// latentOfOthers returns what all views but v say of the latent variables of an example: the posterior given one view is the prior for the next (docs/math.md, 27). It
// is nil where nothing was seen.
func latentOfOthers(ctx context.Context, models []*Model, seen []Observed, v int, o InferOptions) (*Latent, error) {
	var prior *Latent
	for u, m := range models {
		if u == v || !anySeen(seen[u]) {
			continue
		}
		obs := seen[u]
		obs.Prior = prior
		obs.Grid = m.on(obs.Grid)
		l, err := m.posterior.InferTogether(ctx, obs, m.inferOptions(o))
		if err != nil {
			return nil, err
		}
		prior = &Latent{Mu: l.Mu, S: l.S, Precision: l.Precision}
	}
	return prior, nil
}

// checkViews refuses views that do not fit.
func checkViews(views []View) error {
	refuse := func(format string, args ...any) error {
		return &ConfigError{Field: "Views", Err: fmt.Errorf(format, args...)}
	}
	if len(views) < 2 {
		return refuse("%d views, expected at least two", len(views))
	}
	names := map[string]bool{}
	for _, v := range views {
		if v.Name == "" || names[v.Name] {
			return refuse("a view named %q, expected different names", v.Name)
		}
		names[v.Name] = true
		if v.Data.Source == nil {
			return refuse("view %s has no data", v.Name)
		}
		n, _, _ := v.Data.Source.Dims()
		if v.Rows != nil && len(v.Rows) != n {
			return refuse("view %s: numbers of %d examples, expected %d", v.Name, len(v.Rows), n)
		}
		if rows := slices.Sorted(slices.Values(v.Rows)); len(rows) > 0 && (rows[0] < 0 || len(slices.Compact(rows)) < n) {
			return refuse("view %s: a number of an example that is negative or there twice, expected each once", v.Name)
		}
		if v.Data.Film || v.Data.Errors != nil {
			return refuse("view %s: a film, or values with known errors, expected data without", v.Name)
		}
	}
	return nil
}

// viewOf returns the values of a matrix, an example a row, as the source of n_s points.
func viewOf(y mat.Matrix, channels int) Source {
	return NewSource(y.Data, y.Rows, y.Cols/channels, channels)
}
