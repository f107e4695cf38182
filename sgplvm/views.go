package sgplvm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
)

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

// CompleteViews is [Complete] of several views of the same examples: each is filled in as by itself, and by what a model of all views says, whatever was better
// on values that were held out, for each kind of missing values. Results are in the order of views. Errors: those of Complete; *ConfigError.
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
		own := cfg
		own.Fold = Off
		if all[v], err = complete(ctx, w.set, own); err != nil {
			return nil, fmt.Errorf("view %s: %w", w.name, err)
		}
	}
	return all, nil
}

// MultiView is a model of several views of the same examples, each a [Model]; they share the latent variables. It does not change, and any number of goroutines may use it.
type MultiView struct {
	views []modelView
}

// A modelView is a view of a model.
type modelView struct {
	name         string
	model, alone *Model // with the latent variables of all views, and of the view by itself
	check        ViewCheck
}

// FitViews learns a model of several views, and of each by itself. Missing values are filled in first. Times do not count. For each view the model of all and that
// of the view are compared on examples left out of training, and the better is used (Checks). Errors: those of CompleteViews.
func FitViews(ctx context.Context, views []View, cfg Config) (*MultiView, error) {
	return Run{}.FitViews(ctx, views, cfg)
}

// FitViews is the function FitViews, watched and ended as r says; nothing is kept of it.
func (r Run) FitViews(ctx context.Context, views []View, cfg Config) (*MultiView, error) {
	s, err := newViewSet(ctx, r, views, cfg)
	if err != nil {
		return nil, err
	}
	return s.fit(ctx, r)
}

// Names returns the names of the views.
func (m *MultiView) Names() (names []string) {
	for _, v := range m.views {
		names = append(names, v.name)
	}
	return names
}

// Checks tell of each view how well it was predicted on examples left out of training.
func (m *MultiView) Checks() (all []ViewCheck) {
	for _, v := range m.views {
		all = append(all, v.check)
	}
	return all
}

// View returns the model of the view of that name, with the latent variables of all views; nil where there is none.
func (m *MultiView) View(name string) *Model {
	if i := slices.Index(m.Names(), name); i >= 0 {
		return m.views[i].model
	}
	return nil
}

// Impute returns the distribution of all values of an example in each view, given what was observed of it in any: seen has the views in order, each at the points of its
// Grid (nil: the training grid); an element without values is a view of which nothing was observed. Errors: those of Model.Impute.
func (m *MultiView) Impute(ctx context.Context, seen []Observed, o InferOptions) ([]Prediction, error) {
	if len(seen) != len(m.views) {
		panic(fmt.Sprintf("sgplvm: an example of %d views, expected %d", len(seen), len(m.views)))
	}
	models, all, filled := make([]*Model, len(seen)), make([]Prediction, len(seen)), slices.Clone(seen)
	for v, w := range m.views {
		models[v] = w.model
		if filled[v].Values.Rows == 0 {
			grid := seen[v].Grid
			if grid == nil {
				grid = w.model.Grid()
			}
			filled[v].Values = nothingOf(grid.Len(), w.model.Channels())
		}
	}
	for v, w := range m.views {
		own, by, use := filled[v], w.model, w.check.FromOther
		if anySeen(own) {
			use = w.check.Together
		}
		var err error
		if use {
			own.Prior, err = latentOfOthers(ctx, models, filled, v, o)
		}
		if own.Prior == nil {
			by = w.alone
		}
		if err == nil {
			all[v], _, err = by.Impute(ctx, own, o)
		}
		if err != nil {
			return nil, fmt.Errorf("view %s: %w", w.name, err)
		}
	}
	return all, nil
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

// check refuses views that do not fit.
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
		if v.Data.Film || v.Data.Errors != nil {
			return refuse("view %s: a film, or values with known errors, expected data without", v.Name)
		}
	}
	return nil
}

// errAlone reports views that have no example in common.
var errAlone = errors.New("no example is in two views, expected some that are")

// viewOf returns the values of a matrix, an example a row, as the source of n_s points.
func viewOf(y mat.Matrix, channels int) Source {
	return NewSource(y.Data, y.Rows, y.Cols/channels, channels)
}
