package rounds

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/views"
)

// samePlaces is the name of what atPlaces does in a contest.
const samePlaces = "a regression on other views at the same places"

// atPlaces fills in view v by regression on the others at the same places: what that leaves of its values is completed as a view of its own (docs/math.md, 27). Missing values
// of the other views are filled in. Errors: those of Complete and of views.AtPlaces.
func (s *Views) atPlaces(ctx context.Context, v int, filled []completion.Filled) (mean, variance mat.Matrix, err error) {
	all, grids := make([]views.Incomplete, len(s.views)), make([]field.Grid, len(s.views))
	for u, w := range s.views {
		all[u], grids[u] = views.Incomplete{Filled: filled[u], Rows: w.Rows}, w.Set.Grid
	}
	by, err := views.AtPlaces(v, all, grids)
	if err != nil {
		return mean, variance, err
	}
	rest := filled[v].Y.Clone()
	mat.Add(rest, rest, -1, by)
	for k, missing := range filled[v].Holes.Missing {
		if missing {
			rest.Data[k] = math.NaN()
		}
	}
	w, o := s.views[v], s.settings
	d := w.untimed(rest)
	d.Times, d.Sequences, d.Clock = w.Set.Times, w.Set.Sequences, limit.New(0)
	d.beside, d.transform, d.Outliers = nil, nil, nil // what is left is in no other units, and no value of it was taken out
	if o.Effort != field.EffortNone {
		o.Effort = field.EffortQuick
	}
	done, err := Complete(ctx, d, o, s.options, s.learner)
	if err != nil {
		return mean, variance, err
	}
	mean, variance = mat.NewDense(rest.Rows, rest.Cols, done.Mean.Data), mat.NewDense(rest.Rows, rest.Cols, done.Variance.Data)
	mat.Add(mean, mean, 1, by)
	return mean, variance, nil
}
