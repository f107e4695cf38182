package field

import (
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Instant is a time in a sequence: the label Sequence and the Time.
type Instant = kernel.Instant

// Observed is a partly seen example, in the user's units.
type Observed struct {
	// Grid holds the points; nil: the training grid.
	Grid Grid

	// Values are the data, n_s*×d_y, point by point in the grid's order. NaN means
	// not observed; channels may miss different
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
	Mu, S []float64 // d_ξ each

	// Precision is, in a prior whose variables are correlated, the inverse of their covariance, d_ξ×d_ξ, of which S has the diagonal; 0×0: they are independent.
	Precision mat.Matrix

	Bound float64  // L*, a lower bound on the log evidence of the scaled observations
	Start int      // the training example whose posterior led here; −1: the prior mean
	At    *Instant // its time, where it is known

	// Seen says that values of the example itself led to it, as of a training example or after
	// Infer. Calibrated variances concern what is said of a time at which nothing was seen, so
	// those of such an example are not calibrated.
	Seen bool

	// Partly says that it belongs to a model's second posterior, for examples seen in part.
	Partly bool
}

// Sample draws from N(Mu, diag S): a row for each of count points, count×d_ξ. The same
// seed gives the same points, and a larger count the same ones first. It panics if count is
// negative or Mu and S have different lengths.
func (l Latent) Sample(count int, seed uint64) mat.Matrix {
	if count < 0 {
		panic(text.Sprintf("sgplvm: Latent.Sample: %d points, expected no negative number", count))
	}
	if len(l.S) != len(l.Mu) {
		panic(text.Sprintf("sgplvm: Latent.Sample: %d means and %d variances, expected as many", len(l.Mu), len(l.S)))
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
	//
	Noise string

	// Outliers are the observed values that Impute took for missing ones, since they lie far outside what the model can explain
	// by the others; nil: there were none.
	Outliers []Outlier
}

// An Outlier is an observed value that lies far outside what is expected in its place.
type Outlier struct {
	Example, Point, Channel int // from 0
	Value                   float64
	Score                   float64 // its distance from what is expected, in standard deviations
}

// String names the value, its place and its score.
func (v Outlier) String() string {
	return text.Sprintf("%.6g of example %d, point %d, channel %d (%.3g standard deviations away)", v.Value, v.Example, v.Point, v.Channel, v.Score)
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

// Samples are fields drawn from a model, in the user's units.
type Samples struct {
	X mat.Matrix   // count×d_ξ: the latent point of each
	Y []mat.Matrix // count of n_s*×d_y
}

// A SampledFrame is a field of a film that was drawn: number Frame of draw Draw, both from 0, and the mean of
// what could have been drawn, n_s*×d_y each, in the user's units.
type SampledFrame struct {
	Draw, Frame  int
	Values, Mean mat.Matrix
}
