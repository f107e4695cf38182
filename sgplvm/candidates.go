package sgplvm

import (
	"maps"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
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

// complete returns the configuration with settings in which nothing is open, all of it copied.
func (c Config) complete(s training.Settings) Config {
	c = c.having(s)
	c.Jitter, c.Attributes = s.Jitter, maps.Clone(c.Attributes)
	return c
}

// learned returns what a trainer learns from of the set.
func (d trainingSet) learned() training.Data {
	return training.Data{Source: d.Source, Errors: d.Errors, Grid: d.Grid, Times: d.Times, Sequences: d.Sequences, Film: d.Film,
		Motion: d.film, Imputed: d.imputationErrors, Clock: d.run.clock}
}

// candidates returns what model selection knows of the set.
func (d trainingSet) candidates() selection.Data {
	c := selection.Data{Data: d.learned(), Hide: d.Hide, Holes: d.holes, Guessed: d.guessed, Absent: d.absent}
	c.Errors, c.Motion, c.Clock = nil, nil, nil // no limit ends a candidate, and what is left out is compared as it was learned
	return c
}

// trainers train candidates, which a clock ends, if there is one.
type trainers struct{ clock *limit.Clock }

func (t trainers) New(d selection.Data, s training.Settings, p *bound.Params) (selection.Trainer, error) {
	d.Clock = t.clock
	return training.New(d.Data, s, p)
}
