package rounds

import (
	"context"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/views"
)

// Views are several views of n examples, with what each has learned by itself (docs/math.md, 27).
type Views struct {
	n        int
	settings training.Settings
	options  Options
	learner  Learner
	views    []*view
	clock    *limit.Clock // of the run
	joint    *limit.Clock // of what all views are trained for now

	completed []completion.Filled // of all that is missing; nil: not yet

	// How long a step of training on all views takes, a completion by them, and training on each view by itself.
	step, completes, own time.Duration
}

// A View is one of them: Rows are the examples that it has; nil: all.
type View struct {
	Name string
	Set  Set
	Rows []int
}

// A view is a View with its values, 0 where they are missing.
type view struct {
	View
	completion.Filled

	alone    Model             // of the view by itself, without times, from values that all views filled in
	settings training.Settings // that it was trained with
	joint    *limit.Clock      // of all views, for its contest
	spent    time.Duration     // of joint
}

// What training on all views takes.
const (
	viewSteps    = 200 // from principal components
	viewFolds    = 4   // in which the models of views are compared
	viewFewer    = 5   // part of the steps of a fold, which go on from the training on all examples
	viewDims     = 20  // latent dimensions at most
	viewInducing = 30  // latent inducing points of a view at most
)

// How many steps those are that measure one, about, and how many examples measure how long one takes to fill in.
const pacedSteps, pacedExamples = 4, 8

// Shares of what is left of a limit: the first model of a view; what all views take together before they are compared; the last models of single views.
const (
	aloneShare, jointShare, fitShare = .1, .5, .7
)

// untimed returns a set of examples of the view, which are complete, without times; what is trained on it is neither shown nor kept, and no limit ends it.
func (w *view) untimed(y mat.Matrix) Set {
	d := w.Set
	d.Run, d.Clock, d.Times, d.Sequences = selection.Run{}, nil, nil, nil
	d.Source = field.NewSource(y.Data, y.Rows, y.Cols/w.Channels, w.Channels)
	return d
}

// components fills in the missing values of all views, of v as a mask says (nil: as it is), by principal components of all side by side.
func (s *Views) components(ctx context.Context, missing []bool, v int) ([]completion.Filled, error) {
	all := make([]views.Incomplete, len(s.views))
	for u, w := range s.views {
		all[u] = views.Incomplete{Filled: w.Filled, Rows: w.Rows}
		if u == v && missing != nil {
			all[u].Holes = &completion.Mask{Size: w.Holes.Size, Missing: missing}
		}
	}
	return views.ByComponents(ctx, s.n, all, s.settings.Seed)
}
