package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
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

// New returns a trainer of data with settings, of which it fills in the defaults, at given parameters, which it takes over; nil: at those of Start.
// Errors: *field.ConfigError, *field.ValueError, *field.ReadError.
func New(d Data, cfg Settings, params *bound.Params) (*Trainer, error) {
	var err error
	if d.Grid, err = Points(d.Grid, cfg.Factors); err != nil {
		return nil, err
	}
	if err := cfg.Contradiction(d.Times != nil, d.Film, len(d.Grid)); err != nil {
		return nil, err
	}
	n, _, channels := d.Source.Dims()
	if d.Motion != nil {
		if cfg.Lean {
			return nil, &field.ConfigError{Field: "Lean", Err: errors.New("with a registered film, whose frames the file would keep, expected one of the two")}
		}
		if err := d.Motion.Fits(d.Grid, channels, data.Instants(d.Times, d.Sequences)); err != nil {
			return nil, &field.ConfigError{Field: "Film", Err: err}
		}
	}
	if cfg, err = cfg.Complete(n, d.Grid, channels); err != nil {
		return nil, err
	}
	warnings, err := data.Check(d.Source)
	if err != nil {
		return nil, err
	}
	y, err := data.NewScaled(d.Source)
	if err != nil {
		return nil, err
	}
	some, err := data.CheckErrors(d.Errors, d.Source)
	if err != nil {
		return nil, err
	}
	if some {
		y.Errors = d.Errors
	}
	if y.Holes() {
		if err := cfg.AboutHoles(d.Motion != nil); err != nil {
			return nil, err
		}
	}
	name := "Start"
	if params == nil {
		name = "Config"
		if params, err = Start(y, d.Grid, d.Times, d.Sequences, cfg); err != nil {
			return nil, err
		}
	}
	t, err := At(y, d, cfg, name, params)
	if err == nil {
		t.warnings = warnings
	}
	return t, err
}

// At returns a trainer of scaled data with complete settings that starts from params, which it takes over; name is what they are
// called in errors. The rest is checked.
func At(y *data.Scaled, d Data, cfg Settings, name string, params *bound.Params) (*Trainer, error) {
	if params.X.Mu.Rows != y.Examples {
		return nil, &field.ConfigError{Field: name, Err: fmt.Errorf("latent variables of %d examples, expected %d", params.X.Mu.Rows, y.Examples)}
	}
	if err := params.Validate(d.Grid); err != nil {
		return nil, &field.ConfigError{Field: name, Err: err}
	}
	if d.Times == nil != (params.X.Paths == nil) || d.Times != nil && !slices.Equal(data.Instants(d.Times, d.Sequences), params.X.At()) {
		return nil, &field.ConfigError{Field: name, Err: errors.New("latent variables of examples at other times, expected those of the data")}
	}
	t := &Trainer{data: d, config: cfg, evaluator: bound.NewEvaluator(y, d.Grid, cfg.Jitter), params: params}
	if err := t.begin(); err != nil {
		return nil, &field.ConfigError{Field: name, Err: err}
	}
	return t, nil
}

// Fit is that of sgplvm.Trainer.
func (t *Trainer) Fit(ctx context.Context) (field.Report, error) {
	for {
		more, err := t.Step(ctx)
		if err != nil || !more {
			return t.Report(), err
		}
	}
}

// Step is that of sgplvm.Trainer.
func (t *Trainer) Step(ctx context.Context) (more bool, err error) {
	t.watch.start()
	defer t.watch.stop()
	t.stopped = false
	switch t.state.Stage {
	case stageEnd:
		return false, nil
	case stageCoarse:
		err = t.advanceCoarse(ctx)
	case stageFinish:
		err = t.finish(ctx)
	default:
		err = t.advance(ctx)
		t.adopt()
	}
	return err == nil && !t.stopped && t.state.Stage != stageEnd, err
}

// adopt makes the best parameters so far those of the trainer.
func (t *Trainer) adopt() {
	if best := t.state.Best; best != nil {
		t.replace(best)
	}
}

// replace sets the parameters, and forgets what belonged to others.
func (t *Trainer) replace(p *bound.Params) {
	if p != t.params {
		t.params, t.alpha, t.totals, t.base, t.calibration, t.film, t.residuals = p, nil, nil, nil, nil, nil, mat.Matrix{}
	}
}

// addImputationErrors adds to the white noise the errors of values that were filled in, on average, where no covariance was learned
// that has it: they lie closer to what the model says than what was missing.
func (t *Trainer) addImputationErrors() {
	u := t.data.Imputed.Covariance
	if u.Rows == 0 || t.params.Noise.Learned() || t.state.Widened {
		return
	}
	var trace float64
	for i := range u.Rows {
		trace += u.At(i, i)
	}
	p := t.params.Clone()
	p.Noise.Beta = 1 / (1/p.Noise.Beta + trace/float64(u.Rows))
	t.replace(p)
	t.state.Widened = true
}

// refitPaths finds the kernels in time of single latent dimensions again where training has taken these.
func (t *Trainer) refitPaths() error {
	if t.config.OwnTimeKernels != field.On || t.state.Refitted {
		return nil
	}
	p := t.params.Clone()
	if err := p.X.Paths.Refit(t.config.TimeKernel, p.X.Mu, t.config.Period); err != nil {
		return err
	}
	if _, err := dynamics.NewEvaluator(p.X.Paths.Prior).Marginals(p.X.Paths, p.X.Mu, p.X.S); err != nil {
		return err
	}
	t.replace(p)
	t.state.Refitted = true
	return nil
}

// Finish does what comes after the last step, at the parameters as they are.
func (t *Trainer) Finish(ctx context.Context) error {
	t.state.Stage = stageFinish
	return t.finish(ctx)
}

// finish does what comes after the last step.
func (t *Trainer) finish(ctx context.Context) error {
	if err := t.refitPaths(); err != nil {
		return err
	}
	t.addImputationErrors()
	if !t.config.Training.Uncalibrated && t.CanLeaveOut() == nil && t.calibration == nil {
		if err := t.Calibrate(ctx); err != nil {
			return err
		}
	}
	if t.data.Motion != nil && t.film == nil && !t.config.Training.Uncalibrated && t.CanLeaveOut() == nil {
		if err := t.CalibrateFilm(ctx); err != nil || t.stopped {
			return err
		}
	}
	if t.config.Residual.Local == field.On && t.params.Noise.Learned() && t.residuals.Rows == 0 {
		q, err := t.posterior(ctx)
		if err != nil {
			return err
		}
		residuals, err := q.Residuals(ctx, t.evaluator.Data())
		if err != nil {
			return err
		}
		t.residuals = residuals
	}
	t.state.Stage = stageEnd
	return nil
}

// Report tells how training went so far.
func (t *Trainer) Report() field.Report {
	r := t.state.Result
	r.Phases, r.Warnings = slices.Clone(r.Phases), slices.Clone(r.Warnings)
	if p := t.state.Phase; p.Steps > 0 {
		r.Phases = append(r.Phases, p)
		r.Iterations += p.Steps
		r.Evaluations += p.Evaluations
	}
	r.Bound, r.Missing = t.state.BestBound, t.evaluator.Data().Missing
	if t.coarse != nil {
		earlier := t.coarse.Report()
		if t.state.Best == nil {
			r.Bound = earlier.Bound
		}
		follow(&r, earlier)
	}
	r.Warnings = append(r.Warnings, t.warnings...)
	snr, again := t.params.Noise.Beta, ""
	if r.Collapses > 0 {
		again = fmt.Sprintf(" although training went back %d times to hold a smaller noise for longer", r.Collapses)
	}
	switch {
	case snr < collapsedRatio:
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"the model explains the data as noise (signal-to-noise ratio %.2f), so that it predicts hardly more than their mean%s; a longer warm-up, a smaller initial noise or more latent dimensions may help", snr, again))
	case r.Collapses > 0:
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"the model began to explain the data as noise; training went back %d times to hold a smaller noise for longer; a longer warm-up or a smaller initial noise avoids that", r.Collapses))
	}
	return r
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

// Scales returns the standard deviations of the channels.
func (t *Trainer) Scales() []float64 { return t.evaluator.Data().Scaler.Scale }

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
var errNotLeftOut = errors.New("leaving examples out needs a dynamical prior, white noise and spatial factors whose inducing points are their data points")

// CanLeaveOut returns nil where examples can be left out.
func (t *Trainer) CanLeaveOut() error {
	p := t.params
	ok := p.X.Paths != nil && !p.Noise.Structured()
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
