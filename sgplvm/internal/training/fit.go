package training

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
)

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
