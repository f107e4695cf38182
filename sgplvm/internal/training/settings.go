// Package training has what a training is told: the settings that decide it, their plain defaults, and the lengths of the parts of its schedule.
package training

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Settings are those of sgplvm.Config that decide a training and its model, by the same names. At its zero value a setting is open.
type Settings struct {
	Effort                         field.Effort
	Seed                           uint64
	Period                         float64
	Lean                           bool
	Factors                        field.Factors
	LatentDims, Inducing           int
	LatentKernel                   string
	LatentTime, TimeKernel         kernel.Kernel
	OwnTimeKernels, Motion         field.Switch
	Spatial                        []Spatial
	Noise, NoiseFloor, PartlyReach float64
	Jitter                         float64
	Residual                       Residual
	Infer                          field.InferOptions
	Partly                         *Settings
	Training                       Training
}

// Spatial is the covariance along one factor of the grid: sgplvm.SpatialConfig.
type Spatial struct {
	Kernel   kernel.Kernel
	Inducing mat.Matrix
}

// Residual is the structured part of the noise: sgplvm.ResidualConfig.
type Residual struct {
	Kernel   kernel.Kernel
	Rounds   int
	Steps    int
	Strength float64
	Taper    float64
	Local    field.Switch
}

// Training says how: sgplvm.TrainingConfig.
type Training struct {
	Iterations   int
	Warmup       int
	Joint        bool
	HoldSpace    bool
	CoarsePoints int
	Uncalibrated bool
}

// Plain defaults.
const (
	StartNoise       = 0.01 // the share of the data's variance that is noise as training starts
	Iterations       = 400  // at most
	ResidualSteps    = 30   // of a round that learns the covariance of the noise
	ResidualStrength = 10   // the weight of its prior, in examples
)

// The schedule, as measured (docs/measurements.md).
const (
	LatentSteps  = 20 // of a round of the alternating schedule, with the spatial kernels held
	JointSteps   = 3  // the others of a round, everything free
	AdaptSteps   = 20 // of the latent side at all points, after training at some
	CoarseRounds = 2  // of the schedule at all points of several factors then, at most
)

// ShortWarmup returns the number of steps with the noise held, for short trainings: more would leave hardly any for the noise and the kernels in space.
func ShortWarmup(steps int) int { return max(1, steps/6) }

// Or returns c with what it leaves open from other settings.
func (c Settings) Or(from Settings) Settings {
	orKernel := func(k, other kernel.Kernel) kernel.Kernel {
		if k.Kind == "" {
			return other.Clone()
		}
		return k
	}
	c.Factors = cmp.Or(c.Factors, from.Factors)
	c.LatentDims, c.Inducing = cmp.Or(c.LatentDims, from.LatentDims), cmp.Or(c.Inducing, from.Inducing)
	c.LatentKernel = cmp.Or(c.LatentKernel, from.LatentKernel)
	c.LatentTime, c.TimeKernel = orKernel(c.LatentTime, from.LatentTime), orKernel(c.TimeKernel, from.TimeKernel)
	c.OwnTimeKernels = cmp.Or(c.OwnTimeKernels, from.OwnTimeKernels)
	if c.Spatial == nil {
		c.Spatial = from.Spatial
	}
	c.Noise, c.NoiseFloor = noiseAbove(c.Noise, c.NoiseFloor, from)
	r, o := &c.Residual, from.Residual
	r.Kernel, r.Rounds = orKernel(r.Kernel, o.Kernel), cmp.Or(r.Rounds, o.Rounds)
	r.Steps, r.Strength, r.Taper, r.Local = cmp.Or(r.Steps, o.Steps), cmp.Or(r.Strength, o.Strength), cmp.Or(r.Taper, o.Taper), cmp.Or(r.Local, o.Local)
	c.Training.Iterations = cmp.Or(c.Training.Iterations, from.Training.Iterations)
	if c.Training.Warmup == 0 && from.Training.Warmup > 0 {
		c.Training.Warmup = ShortWarmup(c.Training.Iterations)
	}
	c.Training.CoarsePoints = cmp.Or(c.Training.CoarsePoints, from.Training.CoarsePoints)
	return c
}

// noiseAbove returns the initial noise and its floor. One that is 0 comes from other settings, and gives way so that the floor is lower.
func noiseAbove(noise, floor float64, from Settings) (float64, float64) {
	n, f := cmp.Or(noise, from.Noise), cmp.Or(floor, from.NoiseFloor)
	if f <= 0 || f < cmp.Or(n, StartNoise) {
		return n, f
	}
	switch {
	case noise == 0:
		n = min(2*f, (1+f)/2)
	case floor == 0:
		f = n / 2
	}
	return n, f
}

// String returns settings as JSON, or as Go prints them if JSON cannot hold their numbers: the same for those that train the same model.
func (c Settings) String() string {
	c.Effort = field.EffortNone
	b, err := json.Marshal(c)
	if err != nil {
		type plain Settings
		return fmt.Sprintf("%+v", plain(c))
	}
	return string(b)
}
