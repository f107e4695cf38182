package sgplvm

import (
	"context"
	"maps"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
)

// open returns the settings of a configuration that model selection knows.
func (c Config) open() training.Settings {
	s := training.Settings{Effort: c.Effort, Seed: c.Seed, Period: c.Period, Lean: c.Lean, Factors: c.Factors, LatentDims: c.LatentDims, Inducing: c.Inducing,
		LatentKernel: c.LatentKernel, LatentTime: c.LatentTime, TimeKernel: c.TimeKernel, OwnTimeKernels: c.OwnTimeKernels, Motion: c.Motion, Jitter: c.Jitter,
		Noise: c.Noise, NoiseFloor: c.NoiseFloor, PartlyReach: c.PartlyReach, Residual: training.Residual(c.Residual), Infer: c.Infer, Training: training.Training(c.Training)}
	for _, k := range c.Spatial {
		s.Spatial = append(s.Spatial, training.Spatial(k))
	}
	if c.Partly != nil {
		second := c.Partly.open()
		s.Partly = &second
	}
	return s
}

// having returns the configuration with settings that were chosen.
func (c Config) having(s training.Settings) Config {
	if c.Partly == nil && s.Partly != nil {
		c.Partly = c.having(*s.Partly).kept()
	}
	c.Factors, c.LatentDims, c.Inducing, c.LatentKernel, c.LatentTime, c.TimeKernel = s.Factors, s.LatentDims, s.Inducing, s.LatentKernel, s.LatentTime, s.TimeKernel
	c.OwnTimeKernels, c.Noise, c.NoiseFloor, c.PartlyReach = s.OwnTimeKernels, s.Noise, s.NoiseFloor, s.PartlyReach
	c.Residual, c.Infer, c.Training, c.Spatial = ResidualConfig(s.Residual), s.Infer, TrainingConfig(s.Training), nil
	for _, k := range s.Spatial {
		c.Spatial = append(c.Spatial, SpatialConfig(k))
	}
	return c
}

// or returns the configuration with what it leaves open from settings.
func (c Config) or(s training.Settings) Config { return c.having(c.open().Or(s)) }

// completed returns the configuration for n examples of some channels on a grid with defaults filled in, all of it
// copied, or what is wrong with it.
func (c Config) completed(n int, grid Grid, channels int) (Config, error) {
	s, err := c.open().Complete(n, grid, channels)
	if err != nil {
		return c, err
	}
	c = c.having(s)
	c.Jitter, c.Attributes = s.Jitter, maps.Clone(c.Attributes)
	return c, nil
}

// candidates returns what model selection knows of the set.
func (d trainingSet) candidates() selection.Data {
	return selection.Data{Source: d.Source, Grid: d.Grid, Times: d.Times, Sequences: d.Sequences, Film: d.Film, Hide: d.Hide,
		Holes: d.holes, Guessed: d.guessed, Absent: d.absent, Errors: d.imputationErrors}
}

// trainers train candidates: the given configuration with other settings.
type trainers struct {
	given Config
	run   Run // of the trainings
}

func (t trainers) New(d selection.Data, s training.Settings, p *bound.Params) (selection.Trainer, error) {
	set := trainingSet{run: t.run, imputationErrors: d.Errors}
	set.Source, set.Grid, set.Times, set.Sequences, set.Film = d.Source, d.Grid, d.Times, d.Sequences, d.Film
	one, err := trainerAt(set, t.given.having(s), p)
	return candidate{one}, err
}

// A candidate is a Trainer as model selection knows it.
type candidate struct{ t *Trainer }

func (c candidate) Params() *bound.Params { return c.t.params }
func (c candidate) Scales() []float64     { return c.t.evaluator.Data().Scaler.Scale }
func (c candidate) CanLeaveOut() error    { return c.t.canLeaveOut() }

func (c candidate) Fit(ctx context.Context) error {
	_, err := c.t.Fit(ctx)
	return err
}

func (c candidate) Posterior() (*predict.Posterior, error) {
	m, err := c.t.Model()
	if err != nil {
		return nil, err
	}
	return m.posterior, nil
}

func (c candidate) LeaveOut(ctx context.Context, body func(example int, residual, variance mat.Matrix)) error {
	return c.t.leftUnexplained(ctx, every, body)
}

func (c candidate) Evaluate(ctx context.Context, by float64, moved, free bound.Group) error {
	at, grad, to := c.t.params.Clone(), c.t.params.Clone(), c.t.free(moved)
	x := make([]float64, to.Count(at))
	to.Pack(x, at)
	for i := range x {
		x[i] += by
	}
	to.Unpack(at, x)
	_, err := c.t.evaluator.Evaluate(ctx, at, grad, free)
	return err
}

func (c candidate) EvaluateDense(ctx context.Context) error {
	p, x := c.t.params.Clone(), c.t.data.Grid[0]
	p.Noise.Covariance = mat.New(x.Rows, x.Rows)
	c.t.params.Noise.Matrix(p.Noise.Covariance, x)
	_, err := c.t.evaluator.Bound(ctx, p)
	return err
}
