package sgplvm

import (
	"context"
	"io"
	"maps"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/rounds"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
)

// Trainer owns data and a model that is being trained on them. Only one goroutine may use it at a
// time; the models that it gives are their own.
type Trainer struct {
	// Progress, if not nil, is called after every step and reports whether to go on.
	Progress func(Progress) bool

	inner  *training.Trainer
	config Config  // complete
	given  *Config // what it was made with; nil where that cannot be written down
}

// NewTrainer checks data (see [Data.Check]) and configuration and sets up training at its starting point.
// What is odd about the data is among Report's warnings. Errors: *ConfigError, *ValueError, *ReadError.
func NewTrainer(d Data, cfg Config) (*Trainer, error) {
	set, err := d.set()
	if err != nil {
		return nil, err
	}
	return trainerOf(set, cfg)
}

// trainerOf is NewTrainer of the data of a run.
func trainerOf(d rounds.Set, cfg Config) (*Trainer, error) {
	var start *bound.Params
	var given *Config
	if m := cfg.Start; m != nil {
		start, cfg.Start = m.posterior.Params().Clone(), nil
		if cfg.Factors == "" && len(start.Space) == 1 {
			cfg.Factors = FactorsJoint // if the grid has several
		}
	} else if cfg.hasText() {
		given = cfg.kept()
	}
	inner, err := training.New(d.Data.Data, cfg.open(), start)
	if err != nil {
		return nil, err
	}
	cfg = cfg.having(inner.Settings())
	cfg.Attributes = maps.Clone(cfg.Attributes)
	return &Trainer{inner: inner, config: cfg, given: given}, nil
}

// Fit goes on training to the end: the steps that Config asks for, then, unless Config says otherwise,
// the calibration of variances at a time. When ctx ends or Progress stops it, the trainer keeps the best
// parameters found, and a further Fit goes on. Errors: *ConfigError, *FactorizationError, *ReadError,
// ctx.Err(); a calibration that fails leaves what was trained.
func (t *Trainer) Fit(ctx context.Context) (Report, error) {
	t.inner.Progress = t.Progress
	return t.inner.Fit(ctx)
}

// Step goes on with training by one phase, a run of the optimiser or what comes between, and reports
// whether there is more to do. Errors: as Fit's.
func (t *Trainer) Step(ctx context.Context) (more bool, err error) {
	t.inner.Progress = t.Progress
	return t.inner.Step(ctx)
}

// Report tells how training went so far.
func (t *Trainer) Report() Report { return t.inner.Report() }

// Model returns the model as training has left it. Errors: *FactorizationError, *ReadError.
func (t *Trainer) Model() (*Model, error) {
	q, err := t.inner.Posterior()
	if err != nil {
		return nil, err
	}
	m := newModel(q, t.inner.Film(), t.config.Seed, t.config.Attributes, nil)
	m.config, m.phases = t.given, t.Report().Phases
	return m, nil
}

// Calibrate compares what the model says of every training example from the others
// (LeaveOneOut) with the example itself and calibrates the variances that models give
// at a time by it (docs/math.md, "Calibration"): point by point by the ratio of the mean squares that were
// found to those expected, in how they grow from what is well known to what is not, and by
// how large errors are at some times. The model file keeps that. Means stay as they are. When it
// fails, an earlier calibration stays. Errors: as LeaveOneOut's.
func (t *Trainer) Calibrate(ctx context.Context) error { return t.inner.Calibrate(ctx) }

// LeaveOneOut predicts every training example of a model with a dynamical prior from all
// others, kernels and latent posteriors of the others as they are, at the training points: it
// calls body with mean and variance (noise included, calibrated after Calibrate) in the
// user's units, n_s×d_y each, which belong to body until it returns. The latent posterior at an
// example's time without its own part of it is the cavity of expectation propagation (Minka 2001).
// Errors: *ConfigError for data with missing values or known errors, a structured residual, free spatial inducing points or
// independent examples, of which nothing is known when they are not seen; *ReadError, ctx.Err() and
// those of body.
func (t *Trainer) LeaveOneOut(ctx context.Context, body func(example int, mean, variance mat.Matrix) error) error {
	return t.inner.LeaveOneOut(ctx, body)
}

// LeftOutDensities returns, for every training example, the mean negative log density (nats a
// value, in the user's units) of its values as LeaveOneOut predicts them from all others, with
// calibrated variances after Calibrate. It is what to compare models
// of the same examples by where whole examples are to be predicted: the bound also counts how well
// the values of an example predict one another. Errors: as LeaveOneOut's.
func (t *Trainer) LeftOutDensities(ctx context.Context) ([]float64, error) {
	return t.inner.LeftOutDensities(ctx)
}

// Complete fills in what is missing of the training examples: it calls body with every example
// that misses values, in order, and the distribution of all its values given those that were observed, in the user's
// units, n_s×d_y each, noise included. Where examples have times, what the others say of the time is known beside the
// observed values. Errors: *ReadError, *FactorizationError, ctx.Err() and those of body.
func (t *Trainer) Complete(ctx context.Context, o InferOptions, body func(example int, p Prediction) error) error {
	return t.inner.Complete(ctx, o, body)
}

// Checkpoint writes all that training goes on from, but for data and configuration: a trainer of the
// same data and configuration that resumes it goes on to the same bits. Between two steps, or after an
// interruption.
func (t *Trainer) Checkpoint(w io.Writer) error { return t.inner.Checkpoint(w, t.config.settings()) }

// Resume makes the trainer go on from where a trainer of the same data and configuration was at its
// Checkpoint. Errors change nothing: *FileError for what is not such a checkpoint, or one of other data
// or settings; *ReadError.
func (t *Trainer) Resume(r io.Reader) error { return t.inner.Resume(r, t.config.settings()) }
