package sgplvm

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Choices, which package field declares.
type (
	Effort  = field.Effort  // how much work goes into choosing what a Config leaves open
	Factors = field.Factors // how the points of a grid of several factors are seen
	Switch  = field.Switch  // on, off or, at its zero value, left to Fit
)

// The efforts, ways of seeing points, and positions of a Switch.
const (
	EffortNormal   = field.EffortNormal   // candidates are tried one stage after the other
	EffortQuick    = field.EffortQuick    // hardly any are: rules that held on other data
	EffortThorough = field.EffortThorough // more candidates, each validated by more held-out examples
	EffortNone     = field.EffortNone     // nothing is tried: what is open takes its plain default
	FactorsProduct = field.FactorsProduct // a kernel for each factor
	FactorsJoint   = field.FactorsJoint   // one kernel over all points together
	Choose         = field.Choose
	On             = field.On
	Off            = field.Off
)

// Config chooses a model and how it is trained. What is left open, at its zero value, Fit chooses by what the
// data say (Select); NewTrainer tries nothing and takes the plain default that each field names. What is
// given stays. As JSON it is the file that reproduces a model: every field but those of Go alone has the
// name of its tag there, kernels are written as kernel.Parse reads them, and "white" fixes a residual that is none.
type Config struct {
	// Effort is how much work Fit may spend on choosing what is left open. Default: normal.
	Effort Effort `json:"effort,omitzero"`

	// Period is that of what repeats itself, in the unit of the times: kernels with it are candidates.
	// Default: nothing does.
	Period float64 `json:"period,omitzero"`

	// Fold says whether Complete learns from a long series of regular times that repeats itself as one example a period. The model is then one of periods.
	// Default: on.
	Fold Switch `json:"fold,omitzero"`

	// Transform says whether Complete may learn from the logarithms of positive values, or the logits of those between 0 and 1. The model is then one of these.
	// Default: on.
	Transform Switch `json:"transform,omitzero"`

	// Lean forbids the model to keep anything of the training data: residuals of examples, or frames.
	Lean bool `json:"lean,omitzero"`

	// KeepOutliers makes Fit and Complete believe all observed values. They otherwise take for missing what Data.Outliers finds.
	KeepOutliers bool `json:"keepOutliers,omitzero"`

	// Factors says how the points of a grid of several factors are seen: "product", a kernel for each, or
	// "joint", one kernel over all points together. Plain default: product.
	Factors Factors `json:"factors,omitzero"`

	// LatentDims is d_ξ, the number of latent dimensions. Plain default: 30, or less if n_ξ or the number of an
	// example's values is at most 30: one less than that.
	LatentDims int `json:"latentDims,omitzero"`

	// Inducing is m_ξ, the number of latent inducing points, at most n_ξ. Plain default:
	// 100, or n_ξ or ten times one more than the number of an example's values if that is less.
	Inducing int `json:"inducing,omitzero"`

	// LatentKernel names the parts of the latent kernel, a sum of different ones of rbf, linear, bias
	// and, for examples with times, time. Plain default: rbf.
	LatentKernel string `json:"latentKernel,omitzero"`

	// LatentTime is the kernel of the latent kernel's time part, where it has one. Plain default: TimeKernel.
	// Length scales and periods that are 0 are found from the data.
	LatentTime kernel.Kernel `json:"latentTime,omitzero"`

	// TimeKernel is the kernel of the latent variables of examples with times. Plain default: Matérn 3/2.
	// Length scales and periods that are 0 are found from the data.
	TimeKernel kernel.Kernel `json:"timeKernel,omitzero"`

	// OwnTimeKernels gives each latent dimension a kernel in time of its own: a sum of what repeats itself with Period, of smooth parts of
	// the form of TimeKernel and of a rough one, with weights that follow from the data. Plain default: off.
	OwnTimeKernels Switch `json:"ownTimeKernels,omitzero"`

	// Motion says whether the motion of a film's contents is measured and taken out. Plain default: on for a film.
	Motion Switch `json:"motion,omitzero"`

	// Spatial has an element for each factor of the grid; nil: the defaults.
	Spatial []SpatialConfig `json:"spatial,omitzero"`

	// Noise is the initial noise variance as a fraction of the data's variance. Plain default: 0.01.
	Noise float64 `json:"noise,omitzero"`

	// NoiseFloor is what the white noise variance, as a fraction of the data's, does not
	// fall below: a structured residual otherwise takes its place. Plain default, and negative: 0.
	NoiseFloor float64 `json:"noiseFloor,omitzero"`

	// Residual is the noise's structured part. Plain default: none, the noise is white.
	Residual ResidualConfig `json:"residual,omitzero"`

	// Infer is what a model's Infer and Impute take where their own options are left open.
	Infer InferOptions `json:"infer,omitzero"`

	// Partly is the configuration of a second model, kept in the first, for examples with times of which
	// something is seen: what predicts whole examples best takes for noise what fills in the rest of one.
	// nil: Fit decides, and without a search there is none.
	Partly *Config `json:"partly,omitzero"`

	// PartlyReach is the distance of missing values from observed ones, its mean in mean spacings of the points, up to which
	// the second model fills in an example: what lies further away is as if nothing was seen. Default: any distance.
	PartlyReach float64 `json:"partlyReach,omitzero"`

	// Jitter is added to the diagonals of the latent kernel matrix and of those of
	// free spatial inducing points, as a fraction of their mean. It is the same for
	// a whole training run. Default 1e-6; negative: none; 0.1 at most.
	Jitter float64 `json:"jitter,omitzero"`

	// Start is a model of the same examples from whose parameters training starts; LatentDims,
	// Inducing, the kernels, Noise and NoiseFloor do not count then, and Factors are the model's where they are open. Default: principal components
	// and what the other fields say. With it nothing is chosen.
	Start *Model `json:"-"`

	// Seed decides everything random: which latent points become inducing points, the start of latent
	// dimensions beyond the data's rank, further starts, coarse points, what validation hides.
	Seed uint64 `json:"seed,omitzero"`

	// Attributes are kept in the model file for the caller, who gives them meaning.
	Attributes map[string]string `json:"-"`

	Training TrainingConfig `json:"training,omitzero"`
}

// SpatialConfig chooses the covariance along one factor of the grid.
type SpatialConfig struct {
	// Kernel is the covariance function. Default: Matérn 3/2, variance 1, one length scale per
	// dimension, twice the mean spacing of the points; of a table, whose grid is a single point, white. Only the product of all variances is
	// identified; the spatial ones stay as given.
	Kernel kernel.Kernel `json:"kernel,omitzero"`

	// Inducing are the initial inducing points, m_f×d_f, which training moves. Default: none, the
	// inducing points are the data points and stay there (tied).
	Inducing mat.Matrix `json:"-"`
}

// ResidualConfig chooses the structured part of the noise: what one example has in space that the
// latent variables do not explain. Only for one spatial factor without free inducing points.
type ResidualConfig struct {
	// Kernel is its covariance function. Without a variance it starts with a twentieth of the data's, without
	// length scales with two spacings. Plain default, and kind white: none.
	Kernel kernel.Kernel `json:"kernel,omitzero"`

	// Rounds is how often, after all else, the covariance of the noise in space is
	// learned freely and the latent side adapted to it: each time Σ becomes the posterior
	// mean under an inverse Wishart prior that is centred on the parametric Σ, and
	// Steps with everything else in space held follow. They come on top of
	// Iterations. What is learned are the training points;
	// predictions at grids with others take the parametric Σ. Plain default, and negative: 0.
	Rounds int `json:"rounds,omitzero"`

	// Steps is how long the latent side adapts in each of these rounds. Default 30.
	Steps int `json:"steps,omitzero"`

	// Strength is the weight of that prior, in examples. Default 10.
	Strength float64 `json:"strength,omitzero"`

	// Taper is the distance, in mean spacings of the points along each dimension, over
	// which those rounds believe what examples say of two points together: ℓ of
	// exp(−‖x − x′‖²/ℓ²). Default 2.6·n_ξ^(1/6), since more examples tell chance from
	// what is there further away: 5 for 50 of them, 8 for 1000. Negative: any distance.
	Taper float64 `json:"taper,omitzero"`

	// Local makes a model whose noise was learned in Rounds keep what
	// training leaves unexplained of every example, in its file too: Impute then takes for the
	// noise of a picture that of training pictures like it. Plain default: off.
	Local Switch `json:"local,omitzero"`
}

// TrainingConfig says how a model is trained. The zero value works.
type TrainingConfig struct {
	// Iterations is the number of L-BFGS steps in all, but for those that further
	// starts and the recovery from a collapse add. Default 400.
	Iterations int `json:"iterations,omitzero"`

	// Warmup is at most how many of them come first with the noise and the spatial
	// kernels held, so that the latent variables find structure before anything
	// can be explained as noise; they are cheap. Default: three quarters, where a search chooses in examples without times a sixth. Negative:
	// none.
	Warmup int `json:"warmup,omitzero"`

	// Joint frees all parameters in every step after the warm-up. Default: alternating, some steps with
	// all free and some, which are cheaper, with the spatial kernels held, in turn.
	Joint bool `json:"joint,omitzero"`

	// HoldSpace leaves the spatial kernels, free spatial inducing points and a structured
	// residual as they are. A step costs the latent side only then.
	HoldSpace bool `json:"holdSpace,omitzero"`

	// CoarsePoints, where a model with a structured residual has more points than that, makes all of
	// this begin on a random subset of at most so many of them, with their mirror images: at all points only the latent side
	// adapts, in 20 steps, with noise and space held, before the residual's rounds. Of complete data on a grid of several factors
	// it begins on every second, third, … point along each, so many at most, and goes on at all points for two rounds or an eighth of the steps.
	// Plain default, and negative: training takes all points.
	CoarsePoints int `json:"coarsePoints,omitzero"`

	// Uncalibrated leaves the variances at a time as the model has them. Fit otherwise calibrates those
	// of a model whose examples have times and can be left out (Trainer.Calibrate).
	Uncalibrated bool `json:"uncalibrated,omitzero"`
}
