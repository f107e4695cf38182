package sgplvm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
)

// Trainer owns data and a model that is being trained on them. Only one goroutine may use it at a
// time; the models that it gives are their own.
type Trainer struct {
	// Progress, if not nil, is called after every step and reports whether to go on.
	Progress func(Progress) bool

	data      trainingSet
	given     *Config           // what it was made with; nil where that cannot be written down
	config    Config            // the same, complete
	settings  map[string]string // of the configuration as it was given
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

// NewTrainer checks data (see [Data.Check]) and configuration and sets up training at its starting point.
// What is odd about the data is among Report's warnings. Errors: *ConfigError, *ValueError, *ReadError.
func NewTrainer(d Data, cfg Config) (*Trainer, error) { return trainerOf(trainingSet{Data: d}, cfg) }

// trainerOf is NewTrainer of the data of a run.
func trainerOf(d trainingSet, cfg Config) (*Trainer, error) {
	if cfg.Start == nil {
		return trainerAt(d, cfg, nil)
	}
	start := cfg.Start.posterior.Params().Clone()
	if cfg.Factors == "" && len(start.Space) == 1 {
		cfg.Factors = FactorsJoint // if the grid has several
	}
	cfg.Start = nil
	return trainerAt(d, cfg, start)
}

// trainerAt is NewTrainer from given parameters, which it takes over; nil: from those of start.
func trainerAt(d trainingSet, cfg Config, params *bound.Params) (*Trainer, error) {
	d, err := d.checked()
	if err != nil {
		return nil, err
	}
	if d.Grid, err = training.Points(d.Grid, cfg.Factors); err != nil {
		return nil, err
	}
	if err := cfg.open().Contradiction(d.Times != nil, d.Film, len(d.Grid)); err != nil {
		return nil, err
	}
	n, _, channels := d.Source.Dims()
	if d.film != nil {
		if cfg.Lean {
			return nil, &ConfigError{Field: "Lean", Err: errors.New("with a registered film, whose frames the file would keep, expected one of the two")}
		}
		if err := d.film.Fits(d.Grid, channels, data.Instants(d.Times, d.Sequences)); err != nil {
			return nil, &ConfigError{Field: "Film", Err: err}
		}
	}
	given := cfg
	if cfg, err = cfg.completed(n, d.Grid, channels); err != nil {
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
	some, err := checkErrors(d.Errors, d.Source)
	if err != nil {
		return nil, err
	}
	if some {
		y.Errors = d.Errors
	}
	if y.Holes() {
		if err := cfg.open().AboutHoles(d.film != nil); err != nil {
			return nil, err
		}
	}
	field, fresh := "Start", params == nil
	if fresh {
		field = "Config"
		if params, err = training.Start(y, d.Grid, d.Times, d.Sequences, cfg.open()); err != nil {
			return nil, err
		}
	}
	t, err := newTrainer(y, d, cfg, field, params)
	if err != nil {
		return nil, err
	}
	if fresh && given.hasText() {
		t.given = given.kept()
	}
	t.warnings = warnings
	return t, nil
}

// newTrainer returns a trainer that starts from params, which it takes over; field is what they are
// called in errors. The rest is checked.
func newTrainer(y *data.Scaled, d trainingSet, cfg Config, field string, params *bound.Params) (*Trainer, error) {
	if params.X.Mu.Rows != y.Examples {
		return nil, &ConfigError{Field: field, Err: fmt.Errorf("latent variables of %d examples, expected %d", params.X.Mu.Rows, y.Examples)}
	}
	if err := params.Validate(d.Grid); err != nil {
		return nil, &ConfigError{Field: field, Err: err}
	}
	if d.Times == nil != (params.X.Paths == nil) || d.Times != nil && !slices.Equal(data.Instants(d.Times, d.Sequences), params.X.At()) {
		return nil, &ConfigError{Field: field, Err: errors.New("latent variables of examples at other times, expected those of the data")}
	}
	t := &Trainer{data: d, config: cfg, settings: cfg.settings(), evaluator: bound.NewEvaluator(y, d.Grid, cfg.Jitter), params: params}
	if err := t.begin(); err != nil {
		return nil, &ConfigError{Field: field, Err: err}
	}
	return t, nil
}

// Fit goes on training to the end: the steps that Config asks for, then, unless Config says otherwise,
// the calibration of variances at a time. When ctx ends or Progress stops it, the trainer keeps the best
// parameters found, and a further Fit goes on. Errors: *ConfigError, *FactorizationError, *ReadError,
// ctx.Err(); a calibration that fails leaves what was trained.
func (t *Trainer) Fit(ctx context.Context) (Report, error) {
	for {
		more, err := t.Step(ctx)
		if err != nil || !more {
			return t.Report(), err
		}
	}
}

// Step goes on with training by one phase, a run of the optimiser or what comes between, and reports
// whether there is more to do. Errors: as Fit's.
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
	u := t.data.imputationErrors.Covariance
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
	if t.config.OwnTimeKernels != On || t.state.Refitted {
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

// finish does what comes after the last step.
func (t *Trainer) finish(ctx context.Context) error {
	if err := t.refitPaths(); err != nil {
		return err
	}
	t.addImputationErrors()
	if !t.config.Training.Uncalibrated && t.canLeaveOut() == nil && t.calibration == nil {
		if err := t.Calibrate(ctx); err != nil {
			return err
		}
	}
	if t.data.film != nil && t.film == nil && !t.config.Training.Uncalibrated && t.canLeaveOut() == nil {
		if err := t.calibrateFilm(ctx); err != nil || t.stopped {
			return err
		}
	}
	if t.config.Residual.Local == On && t.params.Noise.Learned() && t.residuals.Rows == 0 {
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
func (t *Trainer) Report() Report {
	r := t.state.Result.clone()
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
		r.follow(earlier)
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
	if u := t.data.imputationErrors; u.Variance.Rows > 0 && t.residuals.Rows > 0 {
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

// Model returns the model as training has left it. Errors: *FactorizationError, *ReadError.
func (t *Trainer) Model() (*Model, error) {
	q, err := t.posterior(context.Background())
	if err != nil {
		return nil, err
	}
	if q, err = q.With(t.known()); err != nil {
		return nil, err
	}
	m := newModel(q, t.moving(), t.config.Seed, t.config.Attributes, nil)
	m.config, m.phases = t.given, t.Report().Phases
	return m, nil
}

// hasText reports whether JSON has all of a configuration on which training depends: it has no inducing points, no
// variances of kernels and no infinite numbers.
func (c Config) hasText() bool {
	if _, err := json.Marshal(c.kept()); err != nil {
		return false
	}
	for _, s := range c.Spatial {
		if s.Inducing.Rows > 0 || s.Kernel.Variance != 0 && s.Kernel.Variance != 1 {
			return false
		}
	}
	v := c.Residual.Kernel.Variance
	return v == 0 || v == training.ResidualShare
}

// kept returns what a model's file keeps of a configuration.
func (c Config) kept() *Config {
	c.Effort, c.Start, c.Attributes = EffortNone, nil, nil
	c.LatentTime, c.TimeKernel, c.Residual.Kernel = c.LatentTime.Clone(), c.TimeKernel.Clone(), c.Residual.Kernel.Clone()
	spatial := slices.Clone(c.Spatial)
	for f := range spatial {
		spatial[f] = SpatialConfig{Kernel: spatial[f].Kernel.Clone()}
	}
	c.Spatial = spatial
	if c.Partly != nil {
		c.Partly = c.Partly.kept()
	}
	return &c
}

// moving returns the film that the trainer's models put motion back with; nil where they are of no film.
func (t *Trainer) moving() *film.Film {
	if t.film == nil && t.data.film != nil {
		return t.data.film
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

// canLeaveOut returns nil where examples can be left out.
func (t *Trainer) canLeaveOut() error {
	p := t.params
	ok := p.X.Paths != nil && !p.Noise.Structured()
	for f := range p.Space {
		ok = ok && p.Space[f].Tied()
	}
	if !ok {
		return &ConfigError{Field: "LeaveOneOut", Err: errNotLeftOut}
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
