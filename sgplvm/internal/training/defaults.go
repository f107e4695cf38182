package training

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Complete returns the settings for n examples of some channels on a grid with defaults filled in, all of it
// copied, or what is wrong with it.
func (c Settings) Complete(n int, grid field.Grid, channels int) (Settings, error) {
	if err := c.Check(n, grid); err != nil {
		return c, err
	}
	if c.LatentDims == 0 {
		c.LatentDims = max(1, min(30, n-1, grid.Len()*channels-1))
	}
	if c.Inducing == 0 {
		c.Inducing = min(100, n, 10*(grid.Len()*channels+1)) // few values, as of a table, ask for few
	}
	if c.LatentKernel == "" {
		c.LatentKernel = "rbf"
	}
	if c.Noise == 0 {
		c.Noise = StartNoise
	}
	if c.TimeKernel.Kind == "" {
		c.TimeKernel.Kind = kernel.Matern32
	}
	if c.LatentTime.Kind == "" {
		c.LatentTime = kernel.Kernel{}
	}
	switch {
	case c.Jitter < 0:
		c.Jitter = 0
	case c.Jitter == 0:
		c.Jitter = 1e-6
	}
	c.LatentTime, c.TimeKernel = c.LatentTime.Clone(), c.TimeKernel.Clone()
	c.NoiseFloor = max(0, c.NoiseFloor)
	c.Residual.complete()
	c.Spatial = c.spatial(grid)
	c.Training.complete()
	return c, nil
}

// spatial returns kernels and inducing points of all factors with the defaults.
func (c Settings) spatial(grid field.Grid) []Spatial {
	all := make([]Spatial, len(grid))
	for f, x := range grid {
		if c.Spatial != nil {
			all[f] = Spatial{c.Spatial[f].Kernel.Clone(), c.Spatial[f].Inducing.Clone()}
		}
		k := &all[f].Kernel
		if k.Kind == "" {
			k.Kind = kernel.Matern32
			if grid.Len() == 1 { // a table, which has no space
				k.Kind = kernel.White
			}
		}
		if k.Variance == 0 {
			k.Variance = 1
		}
		completeScales(k, x)
	}
	return all
}

// completeScales gives a kernel at points x (n×d) that has no length scales two spacings, and a sum without
// weights equal ones.
func completeScales(k *kernel.Kernel, x mat.Matrix) {
	for i := range k.Terms {
		completeScales(&k.Terms[i], x)
	}
	switch k.Kind {
	case kernel.White, kernel.Product:
	case kernel.Sum:
		if k.Weights == nil {
			*k = k.Complete(0, 0)
		}
	case kernel.Periodic: // whose length scale is one of the sine
		if len(k.LengthScale) == 0 {
			k.LengthScale = []float64{1}
		}
	default:
		if len(k.LengthScale) == 0 {
			k.LengthScale = work.TwoSpacings(x)
		}
	}
}

// complete fills in the defaults.
func (c *Residual) complete() {
	c.Kernel = c.Kernel.Clone()
	if c.Kernel.Kind == kernel.White {
		c.Kernel = kernel.Kernel{}
	}
	if c.Strength == 0 {
		c.Strength = ResidualStrength
	}
	if c.Steps == 0 {
		c.Steps = ResidualSteps
	}
	c.Rounds = max(0, c.Rounds)
	if c.Local == field.Choose {
		c.Local = field.Off
	}
}

// complete fills in the defaults.
func (o *Training) complete() {
	if o.Iterations == 0 {
		o.Iterations = Iterations
	}
	o.CoarsePoints = max(o.CoarsePoints, 0)
	switch {
	case o.Warmup < 0:
		o.Warmup = 0
	case o.Warmup == 0:
		o.Warmup = o.Iterations * 3 / 4
	}
	o.Warmup = min(o.Warmup, o.Iterations)
}

// maxLatentDims is far beyond use: it keeps a slip from asking for all memory.
const maxLatentDims = 1024

// Check refuses what cannot be used for n examples on a grid.
func (c Settings) Check(n int, grid field.Grid) error {
	refuse := func(name, format string, args ...any) error {
		return &field.ConfigError{Field: name, Err: fmt.Errorf(format, args...)}
	}
	switch {
	case c.LatentDims < 0:
		return refuse("LatentDims", "%d latent dimensions, expected at least 1", c.LatentDims)
	case c.LatentDims > maxLatentDims:
		return refuse("LatentDims", "%d latent dimensions, expected at most %d", c.LatentDims, maxLatentDims)
	case c.Inducing < 0 || c.Inducing > n:
		return refuse("Inducing", "%d latent inducing points, expected 1 to %d, the number of examples", c.Inducing, n)
	case c.Noise < 0 || c.Noise >= 1 || math.IsNaN(c.Noise):
		return refuse("Noise", "initial noise fraction %v, expected between 0 and 1", c.Noise)
	case math.IsNaN(c.Jitter) || c.Jitter > 0.1:
		return refuse("Jitter", "jitter %v, expected at most 0.1", c.Jitter)
	case !(c.NoiseFloor < 1):
		return refuse("NoiseFloor", "noise floor %v, expected less than the initial noise", c.NoiseFloor)
	case c.Residual.Steps < 0:
		return refuse("Residual.Steps", "%d steps, expected at least 1", c.Residual.Steps)
	case !(c.Residual.Strength >= 0) || math.IsInf(c.Residual.Strength, 0):
		return refuse("Residual.Strength", "a prior as strong as %v examples, expected a finite number, 0 or more", c.Residual.Strength)
	case math.IsNaN(c.Residual.Taper) || math.IsInf(c.Residual.Taper, 0):
		return refuse("Residual.Taper", "a taper of %v, expected a finite distance", c.Residual.Taper)
	case c.Training.Iterations < 0:
		return refuse("Training.Iterations", "%d iterations, expected at least 1", c.Training.Iterations)
	case c.Spatial != nil && len(c.Spatial) != len(grid):
		return refuse("Spatial", "%d kernels for %d spatial factors", len(c.Spatial), len(grid))
	}
	if _, err := psi.Parse(c.LatentKernel); c.LatentKernel != "" && err != nil {
		return &field.ConfigError{Field: "LatentKernel", Err: err}
	}
	for f, s := range c.Spatial {
		if s.Kernel.Kind == kernel.White && s.Inducing.Rows > 0 {
			return refuse("Spatial", "spatial factor %d: a white kernel knows nothing between points, so its inducing points cannot be free", f)
		}
	}
	return nil
}

// largestJoint is how many points one factor that was made of several has at most: it needs several matrices of
// their square, of 2 GiB each.
const largestJoint = 1 << 14

// Points returns a grid, whose rows are contiguous, as Factors says: joint ones are one factor of all points, in the same
// order.
func Points(grid field.Grid, f field.Factors) (field.Grid, error) {
	if f != field.FactorsJoint || len(grid) < 2 {
		return grid, nil
	}
	if n := grid.Len(); n > largestJoint {
		return nil, &field.ConfigError{Field: "Factors", Err: fmt.Errorf("joint for a grid of %d points, expected at most %d (larger ones take product)", n, largestJoint)}
	}
	return field.Grid{data.Joined(grid)}, nil
}
