package sgplvm

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

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
