package predict

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
)

// Observed is a partly seen example, in the user's units.
type Observed struct {
	// Grid holds the points; nil: the training grid.
	Grid data.Grid

	// Values are the data, n_s*×d_y, point by point in the grid's order. NaN means
	// not observed; channels may miss different points.
	Values mat.Matrix

	// Errors are standard errors of the values that are known beside the noise, in the user's units, n_s*×d_y; those
	// of missing values do not count. 0×0: none are known.
	Errors mat.Matrix

	// Prior is what is known of the latent variables before anything was observed: the
	// distribution N(Mu, diag S), its time, and whether it was Seen, as LatentAt gives them for a
	// time. Its other fields do not count. nil: standard normal at an unknown time.
	Prior *Latent
}

// Latent is the posterior of one example's latent variables, q(x) = N(Mu, diag S).
type Latent struct {
	Mu, S []float64     // d_ξ each
	Bound float64       // L*, a lower bound on the log evidence of the scaled observations
	Noise float64       // the example's noise variance over that of the training data; 0 stands for 1
	Start int           // the training example whose posterior led here; −1: the prior mean
	At    *data.Instant // its time, where it is known

	// Seen says that values of the example itself led to it, as of a training example or after
	// Infer. Calibrated variances concern what is said of a time at which nothing was seen, so
	// those of such an example are not calibrated.
	Seen bool

	// Partly says that it belongs to a model's second posterior, for examples seen in part.
	Partly bool
}

// noise returns Noise, 1 by default.
func (l Latent) noise() float64 {
	if l.Noise > 0 {
		return l.Noise
	}
	return 1
}

// Sample draws from N(Mu, diag S): a row for each of count points, count×d_ξ. The same
// seed gives the same points, and a larger count the same ones first. It panics if count is
// negative or Mu and S have different lengths.
func (l Latent) Sample(count int, seed uint64) mat.Matrix {
	if count < 0 {
		panic(fmt.Sprintf("sgplvm: Latent.Sample: %d points, expected no negative number", count))
	}
	if len(l.S) != len(l.Mu) {
		panic(fmt.Sprintf("sgplvm: Latent.Sample: %d means and %d variances, expected as many", len(l.Mu), len(l.S)))
	}
	rng := rand.New(rand.NewPCG(seed, 0x6c6174656e74))
	x := mat.New(count, len(l.Mu))
	for k := range count {
		for q, mu := range l.Mu {
			x.Row(k)[q] = mu + math.Sqrt(l.S[q])*rng.NormFloat64()
		}
	}
	return x
}

// Prediction is the marginal distribution of the data at a grid's points, in
// the user's units.
type Prediction struct {
	Mean     mat.Matrix // n_s*×d_y
	Variance mat.Matrix // n_s*×d_y, noise included

	// Conditioning says how the observed values of the same example entered beside
	// the latent posterior: "none", "exact", "local" (each missing value given
	// its nearest observed ones), or "film" (each given the errors near it of the frame as its time
	// alone predicts it).
	Conditioning string

	// Noise says which covariance of the noise the prediction has: "white", "parametric"
	// (white and the residual kernel), "learned", or "local" (that of training examples like this
	// one). Of a learned one it is "parametric" at a grid with points that are no training
	// points.
	Noise string

	// Outliers are the observed values that Impute took for missing ones, since they lie far outside what the model can explain
	// by the others; nil: there were none.
	Outliers []outlier.Value
}

// A Slab is a part of many predictions: the marginal distribution of the data, in the
// user's units, for every latent posterior at those points of a grid whose index in the
// first spatial factor is From, …, To−1. In the order of the grid they are
// the points First, First+1, ….
type Slab struct {
	From, To int
	First    int

	// Latent is the first of the latent posteriors that the slab is of: 0, but for a film with motion, of
	// which a slab is a whole frame.
	Latent int

	// Mean and Variance (noise included) hold a matrix for every latent posterior of the slab, a row
	// for each of its points and a column for each channel. The matrices are views:
	// the points of a channel are contiguous, the channels of a point are not.
	Mean, Variance []mat.Matrix
}

// SlabOptions say how PredictSlabs works. The zero value works.
type SlabOptions struct {
	// Numbers bounds what a slab takes, results and temporary storage, in numbers of 8
	// bytes. A slab has one row at least. Default 2²⁵.
	Numbers int

	// MeanOnly leaves the variances out.
	MeanOnly bool
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

// A Blend says how a model that keeps its training residuals mixes two predictions of what an example misses.
type Blend = points.Blend

// InferOptions steer Infer and Impute. The zero value works.
type InferOptions struct {
	// Candidates is how many of the best starting points are optimised. All training
	// posteriors and the prior are scored. Default 3; where neither these nor iterations are given, a model that keeps its
	// training residuals takes 1, with 6 iterations, since x is refined afterwards, scores the 16 nearest examples, and has a Bound for noise in blocks of 32 points.
	Candidates int `json:"candidates,omitzero"`

	// Iterations bounds the L-BFGS steps of each. Default 200.
	Iterations int `json:"iterations,omitzero"`

	// NoiseStrength says how firmly the noise of the example is taken to be that of the
	// training data: as if this many further values had been observed with it. What one
	// example has that others do not varies, most of all after training on few. 0 stands for
	// infinitely many, the noise is fixed.
	NoiseStrength float64 `json:"noiseStrength,omitzero"`

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

func (o InferOptions) bandwidth() float64 { return cmp.Or(o.LocalBandwidth, 0.7) }
func (o InferOptions) strength() float64  { return cmp.Or(o.LocalStrength, 1) }

// degrees returns the degrees of freedom, 0 for infinitely many. kept says whether the model keeps its
// training residuals.
func (o InferOptions) degrees(kept bool) float64 {
	if o.DegreesOfFreedom == 0 && kept {
		return 50
	}
	return max(0, o.DegreesOfFreedom)
}

// Or returns the options with what they leave open from others.
func (o InferOptions) Or(from InferOptions) InferOptions {
	o.Candidates, o.Iterations = cmp.Or(o.Candidates, from.Candidates), cmp.Or(o.Iterations, from.Iterations)
	o.NoiseStrength, o.Conditioning = cmp.Or(o.NoiseStrength, from.NoiseStrength), cmp.Or(o.Conditioning, from.Conditioning)
	o.DegreesOfFreedom = cmp.Or(o.DegreesOfFreedom, from.DegreesOfFreedom)
	o.LocalBandwidth, o.LocalStrength = cmp.Or(o.LocalBandwidth, from.LocalBandwidth), cmp.Or(o.LocalStrength, from.LocalStrength)
	o.FirstOrder, o.KeepOutliers = o.FirstOrder || from.FirstOrder, o.KeepOutliers || from.KeepOutliers
	if o.Blends == nil {
		o.Blends = from.Blends
	}
	return o
}

// Check returns what is wrong with the options. Errors: *ConfigError.
func (o InferOptions) Check() error {
	_, err := o.complete()
	return err
}

// complete checks the options and fills in defaults. Errors: *data.ConfigError.
func (o InferOptions) complete() (InferOptions, error) {
	refuse := func(format string, args ...any) (InferOptions, error) {
		return o, &data.ConfigError{Field: "InferOptions", Err: fmt.Errorf(format, args...)}
	}
	switch {
	case o.Candidates < 0 || o.Iterations < 0:
		return refuse("Candidates %d, Iterations %d, expected no negative number", o.Candidates, o.Iterations)
	case o.Conditioning != ConditionGivenLatent && o.Conditioning != ConditionMoments && o.Conditioning != ConditionNone:
		return refuse("Conditioning %q, expected nothing, %q or %q", string(o.Conditioning), ConditionMoments, ConditionNone)
	case !(o.LocalStrength >= 0) || math.IsInf(o.LocalStrength, 0) || math.IsNaN(o.LocalBandwidth) || math.IsInf(o.LocalBandwidth, 0):
		return refuse("LocalBandwidth %v, LocalStrength %v, expected finite numbers, the strength 0 or more", o.LocalBandwidth, o.LocalStrength)
	case math.IsNaN(o.DegreesOfFreedom) || math.IsInf(o.DegreesOfFreedom, 0):
		return refuse("DegreesOfFreedom %v, expected a finite number", o.DegreesOfFreedom)
	case !(o.NoiseStrength >= 0):
		return refuse("NoiseStrength %v, expected 0 or more", o.NoiseStrength)
	}
	if why := points.CheckBlends(o.Blends); why != "" {
		return refuse("%s", why)
	}
	if o.Candidates == 0 {
		o.Candidates = 3
	}
	if o.Iterations == 0 {
		o.Iterations = 200
	}
	if o.NoiseStrength == 0 {
		o.NoiseStrength = math.Inf(1)
	}
	return o, nil
}

// CopyLatent makes to a copy of l, in its storage.
func CopyLatent(to *Latent, l Latent) {
	l.Mu, l.S, l.At = append(to.Mu[:0], l.Mu...), append(to.S[:0], l.S...), copiedTime(to.At, l.At)
	*to = l
}

// copiedTime returns a copy of a time, in the storage of to where that is any.
func copiedTime(to, at *data.Instant) *data.Instant {
	if at == nil {
		return nil
	}
	if to == nil {
		to = new(data.Instant)
	}
	*to = *at
	return to
}

// CopyPrediction makes to a copy of p, in its storage where that is as large, and apart from observed values.
func CopyPrediction(to *Prediction, p Prediction, values mat.Matrix) {
	mean, variance := apartFrom(to.Mean, values, p.Mean.Rows, p.Mean.Cols), apartFrom(to.Variance, values, p.Variance.Rows, p.Variance.Cols)
	mat.Copy(mean, p.Mean)
	mat.Copy(variance, p.Variance)
	p.Mean, p.Variance = mean, variance
	p.Outliers = append(to.Outliers[:0], p.Outliers...)
	*to = p
}

// apartFrom is Sized of a matrix apart from the observed values.
func apartFrom(a, values mat.Matrix, rows, cols int) mat.Matrix {
	if mat.Overlap(a, values) {
		a = mat.Matrix{}
	}
	return Sized(a, rows, cols)
}

// Sized returns a matrix without gaps of some size, a where it is one.
func Sized(a mat.Matrix, rows, cols int) mat.Matrix {
	if a.Rows != rows || a.Cols != cols || a.RowStride != cols || a.ColStride != 1 {
		return mat.New(rows, cols)
	}
	return a
}
