package sgplvm

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
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
