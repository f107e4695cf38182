package sgplvm

import (
	"fmt"
	"maps"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Config chooses a model and how it is trained. The zero value works.
type Config struct {
	// LatentDims is d_ξ, the number of latent dimensions. Default: 30, or n_ξ−1 if
	// that is less.
	LatentDims int

	// Inducing is m_ξ, the number of latent inducing points, at most n_ξ. Default:
	// 100, or n_ξ if that is less.
	Inducing int

	// LatentKernel names the parts of the latent kernel, a sum of different ones of rbf, linear, bias
	// and, for examples with times, time. Default: rbf.
	LatentKernel string

	// LatentTime is the kernel of the latent kernel's time part, where it has one. Default: TimeKernel.
	// Length scales and periods that are 0 are found from the data.
	LatentTime kernel.Kernel

	// TimeKernel is the kernel of the latent variables of examples with times. Default: Matérn 3/2.
	// Length scales and periods that are 0 are found from the data.
	TimeKernel kernel.Kernel

	// Spatial has an element for each factor of the grid; nil: the defaults.
	Spatial []SpatialConfig

	// Noise is the initial noise variance as a fraction of the data's variance.
	// Default 0.01.
	Noise float64

	// NoiseFloor is what the white noise variance, as a fraction of the data's, does not
	// fall below: a structured residual otherwise takes its place. Default 0.
	NoiseFloor float64

	// Residual is the noise's structured part. Default: none, the noise is white.
	Residual ResidualConfig

	// Jitter is added to the diagonals of the latent kernel matrix and of those of
	// free spatial inducing points, as a fraction of their mean. It is the same for
	// a whole training run. Default 1e-6; negative: none; 0.1 at most.
	Jitter float64

	// Start is a model of the same examples from whose parameters training starts; LatentDims,
	// Inducing, the kernels, Noise and NoiseFloor do not count then. Default: principal components
	// and what the other fields say.
	Start *Model

	// Seed decides everything random: which latent points become inducing points, the start of latent
	// dimensions beyond the data's rank, further starts, coarse points.
	Seed uint64

	// Attributes are kept in the model file for the caller, who gives them meaning.
	Attributes map[string]string

	Training TrainingConfig
}

// SpatialConfig chooses the covariance along one factor of the grid.
type SpatialConfig struct {
	// Kernel is the covariance function. Default: Matérn 3/2, variance 1, one length scale per
	// dimension, twice the mean spacing of the points. Only the product of all variances is
	// identified; the spatial ones stay as given.
	Kernel kernel.Kernel

	// Inducing are the initial inducing points, m_f×d_f, which training moves. Default: none, the
	// inducing points are the data points and stay there (tied).
	Inducing mat.Matrix
}

// ResidualConfig chooses the structured part of the noise: what one example has in space that the
// latent variables do not explain. Only for one spatial factor without free inducing points.
type ResidualConfig struct {
	// Kernel is its covariance function. Without a variance it starts with that of the noise, without
	// length scales with two spacings. Default: none.
	Kernel kernel.Kernel

	// Rounds is how often, after all else, the covariance of the noise in space is
	// learned freely and the latent side adapted to it: each time Σ becomes the posterior
	// mean under an inverse Wishart prior that is centred on the parametric Σ, and
	// 30 steps with everything else in space held follow. They come on top of
	// Iterations. What is learned are the training points;
	// predictions at grids with others take the parametric Σ. Default 0.
	Rounds int

	// Strength is the weight of that prior, in examples. Default 10.
	Strength float64

	// Taper is the distance, in mean spacings of the points along each dimension, over
	// which those rounds believe what examples say of two points together: ℓ of
	// exp(−‖x − x′‖²/ℓ²). Default 2.6·n_ξ^(1/6), since more examples tell chance from
	// what is there further away: 5 for 50 of them, 8 for 1000. Negative: any distance.
	Taper float64

	// Local makes a model whose noise was learned in Rounds keep what
	// training leaves unexplained of every example, in its file too: Impute then takes for the
	// noise of a picture that of training pictures like it.
	Local bool
}

// TrainingConfig says how a model is trained. The zero value works.
type TrainingConfig struct {
	// Iterations is the number of L-BFGS steps in all, but for those that further
	// starts and the recovery from a collapse add. Default 400.
	Iterations int

	// Warmup is at most how many of them come first with the noise and the spatial
	// kernels held, so that the latent variables find structure before anything
	// can be explained as noise; they are cheap. Default: three quarters. Negative:
	// none.
	Warmup int

	// Joint frees all parameters in every step after the warm-up. Default: alternating, some steps with
	// all free and some, which are cheaper, with the spatial kernels held, in turn.
	Joint bool

	// HoldSpace leaves the spatial kernels, free spatial inducing points and a structured
	// residual as they are. A step costs the latent side only then.
	HoldSpace bool

	// Restarts is the number of starts. Each takes a tenth of Iterations with noise and
	// space held, and training goes on from the one with the highest bound. Start 0
	// is the one of a single start, the others differ from it at random. Default 1.
	Restarts int

	// CoarsePoints, where a model with a structured residual has more points than that, makes all of
	// this begin on a random subset of so many of them: at all points only the latent side
	// adapts, in 20 steps, with noise and space held, before the residual's rounds.
	// Default 0: training takes all points.
	CoarsePoints int

	// Truncate allows phases that hold the spatial kernels to leave spatial components
	// out of their matrix products, as many as lower the bound by no more than this
	// for each number of the data when the phase begins (nats). What comes out is still a
	// lower bound, and PhaseReport says how far truncation lowers it at most. Default 0:
	// nothing is left out.
	Truncate float64

	// Uncalibrated leaves the variances at a time as the model has them. Fit otherwise calibrates those
	// of a model whose examples have times and can be left out (Trainer.Calibrate).
	Uncalibrated bool

	// Progress, if not nil, is called after every step and reports whether to go on.
	Progress func(Progress) bool
}

// completed returns the configuration for n examples and a grid with defaults filled in, all of it
// copied, or what is wrong with it.
func (c Config) completed(n int, grid Grid) (Config, error) {
	if err := c.check(n, grid); err != nil {
		return c, err
	}
	if c.LatentDims == 0 {
		c.LatentDims = max(1, min(30, n-1))
	}
	if c.Inducing == 0 {
		c.Inducing = min(100, n)
	}
	if c.LatentKernel == "" {
		c.LatentKernel = "rbf"
	}
	if c.Noise == 0 {
		c.Noise = 0.01
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
	c.Attributes = maps.Clone(c.Attributes)
	if c.Residual.Strength == 0 {
		c.Residual.Strength = 10
	}
	c.Residual.Kernel = c.Residual.Kernel.Clone()
	c.Spatial = c.spatial(grid)
	c.Training.complete()
	return c, nil
}

// spatial returns kernels and inducing points of all factors with the defaults.
func (c Config) spatial(grid Grid) []SpatialConfig {
	all := make([]SpatialConfig, len(grid))
	for f, x := range grid {
		if c.Spatial != nil {
			all[f] = SpatialConfig{c.Spatial[f].Kernel.Clone(), c.Spatial[f].Inducing.Clone()}
		}
		k := &all[f].Kernel
		if k.Kind == "" {
			k.Kind = kernel.Matern32
		}
		if k.Variance == 0 {
			k.Variance = 1
		}
		completeScales(k, x)
	}
	return all
}

// completeScales gives a kernel at points x (n×d) that has no length scales two spacings.
func completeScales(k *kernel.Kernel, x mat.Matrix) {
	switch k.Kind {
	case kernel.White, kernel.Sum, kernel.Product:
		for i := range k.Terms {
			completeScales(&k.Terms[i], x)
		}
	default:
		if len(k.LengthScale) == 0 {
			k.LengthScale = twoSpacings(x)
		}
	}
}

// twoSpacings returns twice the mean spacing of points (n×d) in each dimension.
func twoSpacings(x mat.Matrix) []float64 {
	l := work.Spacing(x)
	for q := range l {
		l[q] *= 2
	}
	return l
}

// complete fills in the defaults.
func (o *TrainingConfig) complete() {
	if o.Iterations == 0 {
		o.Iterations = 400
	}
	o.Restarts = max(o.Restarts, 1)
	switch {
	case o.Warmup < 0:
		o.Warmup = 0
	case o.Warmup == 0:
		o.Warmup = o.Iterations * 3 / 4
	}
	o.Warmup = min(o.Warmup, o.Iterations)
}

// check refuses what cannot be used for n examples on a grid.
func (c Config) check(n int, grid Grid) error {
	refuse := func(field, format string, args ...any) error {
		return &ConfigError{Field: field, Err: fmt.Errorf(format, args...)}
	}
	switch {
	case c.LatentDims < 0:
		return refuse("LatentDims", "%d latent dimensions, expected at least 1", c.LatentDims)
	case c.Inducing < 0 || c.Inducing > n:
		return refuse("Inducing", "%d latent inducing points, expected 1 to %d, the number of examples", c.Inducing, n)
	case c.Noise < 0 || c.Noise >= 1 || math.IsNaN(c.Noise):
		return refuse("Noise", "initial noise fraction %v, expected between 0 and 1", c.Noise)
	case math.IsNaN(c.Jitter) || c.Jitter > 0.1:
		return refuse("Jitter", "jitter %v, expected at most 0.1", c.Jitter)
	case !(c.NoiseFloor >= 0 && c.NoiseFloor < 1):
		return refuse("NoiseFloor", "noise floor %v, expected at least 0 and less than the initial noise", c.NoiseFloor)
	case c.Spatial != nil && len(c.Spatial) != len(grid):
		return refuse("Spatial", "%d kernels for %d spatial factors", len(c.Spatial), len(grid))
	}
	if _, err := psi.Parse(c.LatentKernel); c.LatentKernel != "" && err != nil {
		return &ConfigError{Field: "LatentKernel", Err: err}
	}
	for f, s := range c.Spatial {
		if s.Kernel.Kind == kernel.White && s.Inducing.Rows > 0 {
			return refuse("Spatial", "spatial factor %d: a white kernel knows nothing between points, so its inducing points cannot be free", f)
		}
	}
	if err := c.Residual.check(); err != nil {
		return err
	}
	return c.Training.check()
}

func (c ResidualConfig) check() error {
	switch {
	case c.Rounds < 0:
		return &ConfigError{Field: "Residual.Rounds", Err: fmt.Errorf("%d rounds, expected 0 or more", c.Rounds)}
	case !(c.Strength >= 0) || math.IsInf(c.Strength, 0):
		return &ConfigError{Field: "Residual.Strength", Err: fmt.Errorf("a prior as strong as %v examples, expected a finite number, 0 or more", c.Strength)}
	case math.IsNaN(c.Taper) || math.IsInf(c.Taper, 0):
		return &ConfigError{Field: "Residual.Taper", Err: fmt.Errorf("a taper of %v, expected a finite distance", c.Taper)}
	}
	return nil
}

func (o TrainingConfig) check() error {
	switch {
	case o.Iterations < 0:
		return &ConfigError{Field: "Training.Iterations", Err: fmt.Errorf("%d iterations, expected at least 1", o.Iterations)}
	case o.Restarts < 0:
		return &ConfigError{Field: "Training.Restarts", Err: fmt.Errorf("%d starts, expected at least 1", o.Restarts)}
	case o.CoarsePoints < 0:
		return &ConfigError{Field: "Training.CoarsePoints", Err: fmt.Errorf("%d points, expected 0 or more", o.CoarsePoints)}
	case !(o.Truncate >= 0) || math.IsInf(o.Truncate, 0):
		return &ConfigError{Field: "Training.Truncate", Err: fmt.Errorf("truncation by %v for each number, expected a finite number, 0 or more", o.Truncate)}
	}
	return nil
}

// ParseLatentKernel checks a sum of parts of a latent kernel, as Config.LatentKernel takes it, and
// returns it in the usual order.
func ParseLatentKernel(s string) (string, error) {
	names, err := psi.Parse(s)
	return names.String(), err
}
