package training

import (
	"context"
	"errors"
	"math"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
)

// Data are what a trainer learns from.
type Data struct {
	Source    field.Source // of the values, NaN where they are missing
	Errors    field.Source // standard errors of values that are known beside the noise; nil: none are
	Grid      field.Grid
	Times     []float64 // nil: examples have none
	Sequences []int
	Film      bool              // examples are frames
	Motion    *film.Film        // of the frames, taken out of Source; nil: none was
	Imputed   completion.Errors // of values that were filled in
	Clock     *limit.Clock      // of the run; nil: none
}

// A Trainer owns data and parameters that are being trained on them: sgplvm.Trainer.
type Trainer struct {
	// Progress, if not nil, is called after every step and reports whether to go on.
	Progress func(field.Progress) bool

	data      Data
	config    Settings // complete
	evaluator *bound.Evaluator

	state       trainerState
	coordinates bound.Coordinates // but for what is free
	stopped     bool              // by Progress
	coarse      *Trainer          // on some of the points, while the state is stageCoarse
	warnings    []string          // about the data

	params      *bound.Params // what training has come to
	alpha       *kronprod.Tensor
	totals      []float64          // beside alpha, of complete data
	base        *predict.Posterior // what params and alpha predict, uncalibrated and without residuals
	calibration *predict.Calibration
	residuals   mat.Matrix // of the training examples, n_ξ×(n_s·d_y); 0×0 where they are not kept
	film        *film.Film // calibrated; nil before, and where the data are no film

	watch    stopwatch
	forecast forecast
	of       *Trainer // at all points, which goes on with what this one learns of some; nil: there is none
}

// replace sets the parameters, and forgets what belonged to others.
func (t *Trainer) replace(p *bound.Params) {
	if p != t.params {
		t.params, t.alpha, t.totals, t.base, t.calibration, t.film, t.residuals = p, nil, nil, nil, nil, nil, mat.Matrix{}
	}
}

// known returns what a model knows beside the parameters.
func (t *Trainer) known() predict.Options {
	o := predict.Options{Calibration: t.calibration, Residuals: t.residuals}
	if u := t.data.Imputed; u.Variance.Rows > 0 && t.residuals.Rows > 0 {
		v, scale := u.Variance.Clone(), t.evaluator.Data().Scaler.Scale
		for i := range v.Rows {
			for k, row := 0, v.Row(i); k < len(row); k++ {
				s := scale[k%len(scale)]
				row[k] /= s * s
			}
		}
		o.Filled = predict.NewFilled(v, u.Covariance)
	}
	return o
}

// Posterior returns what the trainer's parameters predict, with all that is known beside them. Errors: *field.FactorizationError, *field.ReadError.
func (t *Trainer) Posterior() (*predict.Posterior, error) {
	q, err := t.posterior(context.Background())
	if err != nil {
		return nil, err
	}
	return q.With(t.known())
}

// Params returns the parameters to which training has come.
func (t *Trainer) Params() *bound.Params { return t.params }

// Settings returns those of the training, complete.
func (t *Trainer) Settings() Settings { return t.config }

// Stopped reports whether Progress has stopped training.
func (t *Trainer) Stopped() bool { return t.stopped }

// Film returns the film that the trainer's models put motion back with; nil where they are of no film.
func (t *Trainer) Film() *film.Film {
	if t.film == nil && t.data.Motion != nil {
		return t.data.Motion
	}
	return t.film
}

// posterior returns what the trainer's parameters predict, uncalibrated and without residuals.
func (t *Trainer) posterior(ctx context.Context) (*predict.Posterior, error) {
	if t.base != nil {
		return t.base, nil
	}
	var o predict.Options
	if t.evaluator.Holes() {
		var err error
		if o.Incomplete, err = t.incomplete(ctx); err != nil {
			return nil, err
		}
	} else if t.alpha == nil {
		alpha, err := t.evaluator.Alpha(ctx, t.params)
		if err != nil {
			return nil, err
		}
		t.alpha, t.totals, o.Spectra = &alpha, t.evaluator.Totals(t.params), t.evaluator.Spectra()
	}
	o.Totals = t.totals
	q, err := predict.New(t.params, t.data.Grid, t.evaluator.Data().Scaler, *t.alpha, t.config.Jitter, o)
	if err == nil {
		t.base = q
	}
	return q, err
}

// incomplete returns q(U) where data have holes; α is set beside it.
func (t *Trainer) incomplete(ctx context.Context) (*bound.Incomplete, error) {
	q, alpha, err := t.evaluator.Incomplete(ctx, t.params)
	if err != nil {
		return nil, err
	}
	t.alpha = &alpha
	return q, nil
}

// errNotLeftOut is the reason why LeaveOneOut refuses a model.
var errNotLeftOut = errors.New("leaving examples out needs complete data without known errors, a dynamical prior, white noise and spatial factors whose inducing points are their data points")

// CanLeaveOut returns nil where examples can be left out.
func (t *Trainer) CanLeaveOut() error {
	p := t.params
	ok := p.X.Paths != nil && !p.Noise.Structured() && !t.evaluator.Holes()
	for f := range p.Space {
		ok = ok && p.Space[f].Tied()
	}
	if !ok {
		return &field.ConfigError{Field: "LeaveOneOut", Err: errNotLeftOut}
	}
	return nil
}

// scale is what tolerances of the bound are relative to: its size, or the number
// of data where that is larger, as near 0.
func (t *Trainer) scale() float64 { return max(math.Abs(t.state.Bound), t.size()) }

// size returns the number of data.
func (t *Trainer) size() float64 {
	y := t.evaluator.Data()
	return float64(y.Examples*y.Size() - y.Missing)
}

// terminates reports whether a status of the optimiser means that a phase ended by itself.
func terminates(status string) bool {
	return status == lbfgs.GradientConverged.String() || status == lbfgs.Stalled.String()
}

// free returns the optimiser's coordinates of some groups.
func (t *Trainer) free(g bound.Group) bound.Coordinates {
	c := t.coordinates
	c.Free = g
	return c
}

// fell reports a collapse that is to be recovered from.
func (t *Trainer) fell(low bool) bool { return low && t.state.Result.Collapses < maxCollapses }
