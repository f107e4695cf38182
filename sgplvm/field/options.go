package field

import "cmp"

// InferOptions steer Infer and Impute. The zero value works.
type InferOptions struct {
	// Candidates is how many of the best starting points are optimised. All training
	// posteriors and the prior are scored. Default 3, of a model that keeps its training residuals 1 where iterations are not given either;
	// it scores the 16 nearest examples then, and has a Bound for noise in blocks of 32.
	Candidates int `json:"candidates,omitzero"`

	// Iterations bounds the L-BFGS steps of each. Default 200; where candidates are not given either and x is refined afterwards, half the latent variables, 6 at least.
	Iterations int `json:"iterations,omitzero"`

	// Conditioning is how Impute uses the observed values beside q(x). Default:
	// ConditionGivenLatent.
	Conditioning Conditioning `json:"conditioning,omitzero"`

	// DegreesOfFreedom makes Impute scale an example's variances as if its values had a
	// multivariate Student distribution with so many degrees of freedom around their mean, given
	// x: pictures whose observed values lie far from what was expected are less sure elsewhere
	// too, most of all near those observed values that all others do not predict (docs/math.md,
	// "Variances that follow the example"). Default: 50 where the model keeps its training
	// residuals, else infinitely many, a Gaussian, for which a negative number stands too.
	DegreesOfFreedom float64 `json:"degreesOfFreedom,omitzero"`

	// LocalBandwidth and LocalStrength are h and ν of a model that keeps its training
	// residuals: how near training examples must be to count for the noise of this one, and
	// how firmly the noise is taken to be that of all (docs/math.md, "Noise with structure in
	// space"). Defaults 0.7 and 1; a negative bandwidth: the noise is that of all.
	LocalBandwidth float64 `json:"localBandwidth,omitzero"`
	LocalStrength  float64 `json:"localStrength,omitzero"`

	// FirstOrder makes Impute predict from q(x) as it is, to first order, without
	// the refinement by generalised least squares.
	FirstOrder bool `json:"firstOrder,omitzero"`

	// Blends make Impute mix what the latent variables say with what training examples like this
	// one say, where the model keeps its training residuals: an example takes the blend with the nearest gap. Blends
	// without a share multiply variances in any model. None: the latent variables and the residuals alone.
	Blends []Blend `json:"blends,omitzero"`

	// KeepOutliers makes Infer and Impute believe all observed values. They otherwise take for missing what is farther from the mean than
	// the values of training examples can be, by the tail of what the model makes of them, and ten standard deviations at least
	// from what it predicts without all such values (Prediction.Outliers).
	KeepOutliers bool `json:"keepOutliers,omitzero"`
}

// Or returns the options with what they leave open from others.
func (o InferOptions) Or(from InferOptions) InferOptions {
	o.Candidates, o.Iterations = cmp.Or(o.Candidates, from.Candidates), cmp.Or(o.Iterations, from.Iterations)
	o.Conditioning, o.DegreesOfFreedom = cmp.Or(o.Conditioning, from.Conditioning), cmp.Or(o.DegreesOfFreedom, from.DegreesOfFreedom)
	o.LocalBandwidth, o.LocalStrength = cmp.Or(o.LocalBandwidth, from.LocalBandwidth), cmp.Or(o.LocalStrength, from.LocalStrength)
	o.FirstOrder, o.KeepOutliers = o.FirstOrder || from.FirstOrder, o.KeepOutliers || from.KeepOutliers
	if o.Blends == nil {
		o.Blends = from.Blends
	}
	return o
}

// Conditioning is how the observed values of an example enter the prediction of its
// missing ones beside q(x), which came from them (docs/math.md, "Conditioning on observed
// values").
type Conditioning string

// The ways of conditioning.
const (
	// Missing and observed values are jointly Gaussian given x, and x is averaged over:
	// the observed values say nothing more about x.
	ConditionGivenLatent Conditioning = ""

	// The Gaussian with the exact moments of missing and observed values under q(x) is
	// conditioned, which uses the observed values twice: Atkinson and Zabaras (2018).
	ConditionMoments Conditioning = "paper"

	// The missing values are predicted from q(x) alone.
	ConditionNone Conditioning = "none"
)

// A Blend says how a model that keeps its training residuals mixes two predictions of what an
// example misses: that of the latent variables, and the direct one, of training examples like it
// (docs/math.md, "A mixture with training examples like it"). The direct prediction takes missing points in parts,
// each with the training examples that are like this one near that part.
type Blend struct {
	// Gap is the distance of missing points from observed ones for which the blend was chosen: its
	// mean, in mean spacings. Of several blends an example takes the one whose Gap and Seen are most like its own.
	Gap float64 `json:"gap,omitzero"`

	// Seen is the share of observed values for which the blend was chosen. 0: any; the gap decides.
	Seen float64 `json:"seen,omitzero"`

	// Share is the weight of the direct prediction, 0 to 1.
	Share float64 `json:"share,omitzero"`

	// Neighbours is the effective number of training examples that the direct prediction takes.
	Neighbours float64 `json:"neighbours,omitzero"`

	// Shrinkage is how far their covariance is drawn to that of all training examples, 0 to 1.
	Shrinkage float64 `json:"shrinkage,omitzero"`

	// Taper is the distance, in mean spacings, over which the covariance of these examples is believed.
	Taper float64 `json:"taper,omitzero"`

	// Reach is how near to a part, in mean spacings, observed values count for likeness: the deviation of a
	// Gaussian. 0: all of them alike.
	Reach float64 `json:"reach,omitzero"`

	// Parts is the number of parts, a power of two.
	Parts int `json:"parts,omitzero"`

	// Inflation is the factor of all variances.
	Inflation float64 `json:"inflation,omitzero"`
}

// SlabOptions say how PredictSlabs works. The zero value works.
type SlabOptions struct {
	// Numbers bounds what a slab takes, results and temporary storage, in numbers of 8
	// bytes. A slab has one row at least. Default 2²⁵.
	Numbers int

	// MeanOnly leaves the variances out.
	MeanOnly bool
}

// MixtureOptions steer PredictMixture. The zero value works.
type MixtureOptions struct {
	Components int    // n_MOG, the number of latent points drawn; 0: 100
	Seed       uint64 // decides which
}

// SampleOptions steer sampling. The zero value draws one field without noise.
type SampleOptions struct {
	Count int    // number of fields; 0: 1
	From  int    // of these the fields From ≤ i < To alone are drawn, with the bits that they have among all
	To    int    // 0: all
	Seed  uint64 // decides everything random
	Noise bool   // add the noise, white and structured, as the data have it
}
