package sgplvm

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/strict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
)

// settings returns the fields of a configuration on which training depends, as text.
func (c Config) settings() map[string]string {
	c.Start, c.Attributes, c.Partly, c.PartlyReach = nil, nil, nil, 0
	all := map[string]string{}
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		all[v.Type().Field(i).Name] = fmt.Sprintf("%#v", v.Field(i))
	}
	return all
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

// maxConfig is how many bytes a configuration has at most.
const maxConfig = 1 << 20

// ReadConfig reads a Config from JSON, whose fields docs/config.md lists. Unknown fields, fields given twice and
// values of another type are errors, as is anything behind the object. Errors: *ConfigError whose Field is the name in
// JSON, as "residual.rounds"; others for what is no JSON, and those of r.
func ReadConfig(r io.Reader) (Config, error) {
	var cfg Config
	text, err := io.ReadAll(io.LimitReader(r, maxConfig+1))
	switch {
	case err != nil:
	case len(text) > maxConfig:
		err = fmt.Errorf("more than %d bytes, expected a configuration as JSON", maxConfig)
	default:
		if err = strict.Read(text, &cfg); err != nil {
			cfg = Config{}
		}
	}
	return cfg, err
}

// WriteConfig writes a Config as indented JSON that ReadConfig reads.
func WriteConfig(w io.Writer, cfg Config) error {
	text, err := json.MarshalIndent(cfg, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

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
	c.Effort, c.Seed, c.Period, c.Lean, c.Motion, c.Jitter = s.Effort, s.Seed, s.Period, s.Lean, s.Motion, s.Jitter
	c.Factors, c.LatentDims, c.Inducing, c.LatentKernel, c.LatentTime, c.TimeKernel = s.Factors, s.LatentDims, s.Inducing, s.LatentKernel, s.LatentTime, s.TimeKernel
	c.OwnTimeKernels, c.Noise, c.NoiseFloor, c.PartlyReach = s.OwnTimeKernels, s.Noise, s.NoiseFloor, s.PartlyReach
	c.Residual, c.Infer, c.Training, c.Spatial = ResidualConfig(s.Residual), s.Infer, TrainingConfig(s.Training), nil
	for _, k := range s.Spatial {
		c.Spatial = append(c.Spatial, SpatialConfig(k))
	}
	return c
}
