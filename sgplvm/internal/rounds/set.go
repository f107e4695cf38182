// Package rounds completes data of which values are missing (docs/math.md, 22). A completer holds out observed values, chooses settings, and fills in round by round: examples
// in folds, each by a model of all others. It knows what trains a model by an interface.
//
// complete.go has the stages in order, on the completer of completer.go: transform.go what values are learned from, learn.go the choice of settings, times.go the same without times,
// round.go a round, contest.go the comparison with the simplest methods, whole.go examples of which nothing was observed, finish.go the rest. viewset.go and viewcheck.go complete and fit several views
// by the rounds of viewround.go.
package rounds

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A Set is data, checked, as a run works on them, with what it has found out about them.
type Set struct {
	selection.Data
	Run selection.Run // the zero Run: what is done is neither shown nor kept

	Observed field.Source    // what Source was before values were filled in, NaN where they were missing; nil: all were observed
	Outliers []field.Outlier // that were found; they are missing
	searched bool            // for them

	transform *transform                               // of values; nil: none
	beside    func(missing []bool) []completion.Filler // what fills in by other views; nil: there are none
}

// A transform is of the values of a set (docs/math.md, 22.14).
type transform struct {
	links   []work.Link  // of each channel, of whose values the set has t
	natural field.Source // the values themselves
	scale   []float64    // their deviations, by channel
	check   field.TransformCheck
}

// limits returns the least values of the channels; nil where none has a limit.
func (t *transform) limits() (limits []float64) {
	if t == nil || !slices.ContainsFunc(t.links, func(l work.Link) bool { return l.Limited }) {
		return nil
	}
	for _, l := range t.links {
		limits = append(limits, l.Least())
	}
	return limits
}

// A Model is what training has learned.
type Model interface {
	imputer

	// ImputeUnsure is Impute and returns the covariance between the points of which anything is missing, scaled, summed over channels, of which the lower triangle
	// counts; 0×0 where none is needed.
	ImputeUnsure(ctx context.Context, obs field.Observed, o field.InferOptions) (p field.Prediction, cov mat.Matrix, err error)

	// InferTogether returns the posterior of an example's latent variables with its covariance, which is the prior for another view.
	InferTogether(ctx context.Context, obs field.Observed, o field.InferOptions) (field.Latent, error)

	// Settings returns what the model was trained with; ok is false where that is not known.
	Settings() (s training.Settings, ok bool)

	Posterior() *predict.Posterior
}

// A Learner trains models.
type Learner interface {
	// Fit trains a model of data without missing values, shown with doing. What settings leave open is chosen unless their effort is none. The model is nil
	// where nothing was learned.
	Fit(ctx context.Context, d Set, s training.Settings, doing string) (Model, field.Report, error)

	// At returns the model of data at parameters that were trained elsewhere.
	At(ctx context.Context, y *data.Scaled, d Set, s training.Settings, p *bound.Params) (Model, error)
}

// Check looks through the data for what cannot be meant; of outliers that are known already there is no warning. Errors: *field.ConfigError, *field.ValueError, *field.ReadError.
func (d Set) Check() (warnings []string, err error) {
	told := len(d.Outliers)
	if d, err = d.WithoutOutliers(); err != nil {
		return nil, err
	}
	if warnings, err = data.Check(d.Source); err == nil && len(d.Outliers) > told {
		warnings = append(warnings, outlier.Text(d.Outliers))
	}
	return warnings, err
}

// WithoutOutliers returns the data without their outliers, and these. It looks for them once. Errors: *field.ReadError.
func (d Set) WithoutOutliers() (Set, error) {
	if d.searched || d.Motion != nil {
		return d, nil
	}
	var err error
	d.searched = true
	d.Source, d.Outliers, err = outlier.Without(d.Source, d.Grid, d.Times, d.Sequences)
	return d, err
}

// of returns some of the examples, complete, for a model of their own.
func (d Set) of(values field.Source, in []int) Set {
	d.Source, d.Holes, d.Imputed = field.Subset{Examples: values, Numbers: in}, nil, d.Imputed.Of(in)
	d.Times, d.Sequences = data.TimesOf(d.Times, d.Sequences, in)
	return d
}

// Registered returns a film (Film) with its shots found, about examined frames of which are left out (0: all), in memory. Other data are as they are. The frames
// are pixels, row by row: a factor of rows and one of columns, or one of both. Errors: *field.ConfigError, *field.ReadError, *field.ValueError, ctx.Err().
func (d Set) Registered(ctx context.Context, examined int) (Set, error) {
	if !d.Film || d.Motion != nil {
		return d, nil
	}
	frames, err := data.InMemory(ctx, d.Source)
	if err != nil {
		return d, err
	}
	f, err := film.New(ctx, frames, d.Grid, d.Times, d.Sequences, examined)
	if err != nil {
		return d, err
	}
	if d.Observed != nil {
		if f, err = f.Observed(ctx, d.Observed); err != nil {
			return d, err
		}
	}
	registered, other := f.Register(frames)
	if other {
		if registered, err = data.InMemory(ctx, registered); err != nil {
			return d, err
		}
	}
	d.Source, d.Observed, d.Motion = registered, nil, f
	return d, nil
}

// Search returns a search for what settings leave open.
func (d Set) Search(s training.Settings) *selection.Search {
	run, known := d.Run, d.Data
	run.Left, run.After = func() time.Duration { return run.Limit }, d.Motion.CalibrationTime
	if c := d.Clock; c != nil {
		run.Left = c.Search
		run.Forecast = func(took time.Duration) { c.Tell(time.Duration(max(1, c.Searches))*took+c.After, false) }
	}
	known.Errors, known.Motion, known.Clock = nil, nil, nil // no limit ends a candidate, and what is left out is compared as it was learned
	return selection.New(known, s, trainers{}, run)
}

// trainers train candidates, which a clock ends, if there is one.
type trainers struct{ clock *limit.Clock }

func (t trainers) New(d selection.Data, s training.Settings, p *bound.Params) (selection.Trainer, error) {
	d.Clock = t.clock
	return training.New(d.Data, s, p)
}

// A Choice is the outcome of a search.
type Choice struct {
	Settings training.Settings // of which nothing is open
	Report   field.Selection
	Searched time.Duration // it took
}

// Choose chooses what settings leave open by what the data say; with effort none nothing is. Errors: *field.ConfigError, *field.ValueError, *field.ReadError, ctx.Err().
func (d Set) Choose(ctx context.Context, s training.Settings) (*Choice, error) {
	if _, err := data.Check(d.Source); err != nil {
		return nil, err
	}
	s, err := d.Opened(s)
	if err != nil {
		return nil, err
	}
	d.Hide = completion.Hiding(d.Hide)
	c, err := journal.Within(d.Run.Journal, "a search", func() (c Choice, err error) {
		search := d.Search(s)
		c.Settings, c.Searched, err = search.Choose(ctx)
		c.Report = search.Selection
		return c, err
	})
	return &c, err
}

// Opened checks settings some of which are open, and returns them with Factors set where their kernels in space imply them. Errors: *field.ConfigError.
func (d Set) Opened(s training.Settings) (training.Settings, error) {
	n, points, channels := d.Source.Dims()
	if s.Spatial != nil && s.Factors == "" && len(d.Grid) > 1 {
		s.Factors = field.FactorsProduct
		if len(s.Spatial) == 1 {
			s.Factors = field.FactorsJoint
		}
	}
	if r := &s.Residual; r.Kernel.Kind == "" && (r.Rounds > 0 || r.Local == field.On || s.Training.CoarsePoints > 0) {
		r.Kernel = kernel.Kernel{Kind: kernel.Matern32} // which these are about
	}
	if k := s.Residual.Kernel.Kind; k != "" && k != kernel.White && s.Factors == "" {
		s.Factors = field.FactorsJoint // a residual needs it
	}
	grid, err := training.Points(d.Grid, s.Factors)
	if err != nil {
		return s, err
	}
	if err := completion.CheckPatterns(d.Hide, points*channels); err != nil {
		return s, err
	}
	if err := s.Contradiction(d.Times != nil, d.Film, len(grid)); err != nil {
		return s, err
	}
	return s, s.Check(n, grid)
}

// An imputer says what an example has given what was observed of it.
type imputer interface {
	Impute(ctx context.Context, obs field.Observed, o field.InferOptions) (field.Prediction, field.Latent, error)
}

// imputeAt imputes example i, which has values, NaN where they are missing, at the time at[i], for a model with the posterior q; at is nil without times.
func imputeAt(ctx context.Context, m imputer, q *predict.Posterior, values mat.Matrix, at []field.Instant, i int) (p field.Prediction, err error) {
	obs := field.Observed{Values: values}
	if at != nil && q.Params().X.At() != nil {
		if obs.Prior, err = q.PriorAt(at[i]); err != nil {
			return p, err
		}
	}
	p, _, err = m.Impute(ctx, obs, field.InferOptions{KeepOutliers: true})
	if err == nil {
		if j, k, bad := mat.NonFinite(p.Mean); bad {
			err = fmt.Errorf("example %d: predicted %v at point %d, channel %d", i, p.Mean.At(j, k), j, k)
		}
	}
	return p, err
}

// NothingOf returns an example of missing values.
func NothingOf(points, channels int) mat.Matrix {
	y := mat.New(points, channels)
	y.Fill(math.NaN())
	return y
}
