package edge

import (
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// A Latent is the posterior of an example's latent variables, N(Mu, diag S). The slices are the workspace's until its next call.
type Latent struct {
	Mu, S []float64 // d_ξ each
	Bound float64   // L*, a lower bound on the log evidence of the scaled values
	Noise float64   // the example's noise variance over that of the training data
	Start int       // the training example whose posterior led here; −1: the prior mean
}

// A prediction has means and variances of all values in the model's units, n×d_y.
type prediction struct{ mean, variance mat.Matrix }

// starts are where the optimisation of q(x) may begin.
type starts struct {
	all   []int       // training examples, the nearest first where these alone are tried
	best  []candidate // by L*, the best first
	mu, s []float64   // of the run under way
}

type candidate struct {
	example int // −1: the prior
	bound   float64
}

// moments are what a latent posterior contributes to a prediction (docs/math.md, sections 13 and 23).
type moments struct {
	noise   float64 // the example's noise variance over that of the training data
	psi0    float64
	own     *ownNoise // the example's own noise, or nil
	degrees float64   // of freedom; 0: infinitely many
	latent  bool      // latent variables count
	refined bool      // by refine

	of     psi.Moments
	share  []float64 // ω_j: what q(U) leaves of the prior variance of each feature
	roots  []float64 // of these
	tau    []float64 // diag T_0ᵀΨ2T_0
	rotate mat.Matrix

	amounts []float64 // of Σ and each shape, in the covariance of f given x
}

// room is what covariances and conditioning work in.
type room struct {
	diagonal []float64    // n
	spread   []float64    // together
	spreads  []float64    // together×m_ξ
	row      []float64    // features, or training examples
	modes    [2][]float64 // features or points, of several factors

	step              int       // features that are taken at once
	observed, missing []float64 // features of observed points and of a block of missing ones
	coo               []float64 // C_OO, then L⁻¹ of its factor
	cross             []float64 // C_OM of a block

	near, nearMissing  []float64 // residuals of training examples at observed points and at a block
	noise, wide, taper []float64 // noiseRows×most, of the noise's covariance
	other              []float64 // noiseRows×most
	rows               []float64 // noiseRows×m_ξ
	gathered           []float64 // coordinates of points, dimensions×most
	levels             ofLevels

	po                        []float64 // L⁻¹·P_O of each channel, or L⁻¹·P_O·M, most×m_ξ
	residual                  []float64 // L⁻¹·(y_O − mean_O) of each channel
	z, solved, precision      []float64 // of observed values
	explained, nearby, totals []float64 // of a block
	left                      []float64 // together×m_ξ
	block, near512            []int     // missing points, and observed ones near them
	order                     []int
	reach                     []float64
}

// ownNoise is the noise of one example by training examples like it: what is left of them by the latent variables (docs/math.md, section
// 16.3), or, centred, they themselves (14.4). Its covariance without white noise is
//
//	whole·[(Σ_k near_k·near_kᵀ − m·mᵀ + g·R·g)∘C + prior·Σ] + (whole·prior − 1)·β⁻¹·I
//
// with the deviations g and the correlations R of what was filled in of those examples,
// without m·mᵀ where it is centred, and with F∘C′ + Σ in place of Σ where it is wide.
type ownNoise struct {
	mean          mat.Matrix // m, n×d_y
	rows          []int      // training examples that count
	roots, shares []float64  // of their weights
	variance      []float64  // of the diagonal of Σ_k near_k·near_kᵀ − m·mᵀ, n
	whole, prior  float64

	centred, wide bool
	taper         *points // coordinates of C
	taperFactor   float64
	wideFactor    float64   // of C′; 0: any distance
	unsure        []float64 // standard deviations of what was filled in of those examples, weighted, n; nothing was: nil
}

// refinement is what refine works in.
type refinement struct {
	jacobian, moved  mat.Matrix // m_ξ×d_ξ; moved: M, of which M·Mᵀ replaces Ψ2 − ψ1ψ1ᵀ
	precision, solve mat.Matrix // d_ξ×d_ξ
	shift            mat.Matrix // d_ξ×1
	slope            []float64  // |O|×d_ξ
	mean             []float64  // d_ξ
	factor           chol.Factor
}
