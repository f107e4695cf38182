package points

import (
	"slices"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// A Latent is the posterior of an example's latent variables, N(Mu, diag S). The slices are the workspace's until its next call.
type Latent struct {
	Mu, S []float64 // d_ξ each
	Bound float64   // L*, a lower bound on the log evidence of the scaled values
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
	psi0    float64
	own     *ownNoise // the example's own noise, or nil
	degrees float64   // of freedom; 0: infinitely many
	latent  bool      // latent variables count
	refined bool      // by refine

	of     psi.Moments
	shares [][]float64 // ω_j of each version of the mask: what q(U) leaves of the prior variance of each feature
	share  []float64   // of the version in use
	roots  []float64   // of these
	tau    []float64   // diag T_0ᵀΨ2T_0
	rotate mat.Matrix

	amounts []float64 // of Σ and each shape, in the covariance of f given x
}

// atPoints are numbers at points, of which sums of products are covariances: residuals of training examples, and rows of F.
type atPoints struct{ residuals, fitted mat.Matrix } // a column for each point

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
	joint             []float64 // of values of several channels that are judged together
	cross             []float64 // C_OM of a block

	near, nearMissing     []float64 // residuals of training examples at observed points and at a block
	fitted, fittedMissing []float64 // rows of F there
	seen                  atPoints  // of the observed ones
	rows                  []float64 // noiseRows×most
	gathered              []float64 // coordinates of points, dimensions×most

	po                   []float64 // L⁻¹·P_O of each channel, or L⁻¹·P_O·M, or slopes, most×m_ξ
	residual             []float64 // L⁻¹·(y_O − mean_O) of each channel
	z, solved, precision []float64 // of observed values
	explained, totals    []float64 // of a block
	left                 []float64 // together×m_ξ
	block, near512       []int     // missing points, and observed ones near them
	sorted               []float64 // of work.Least
	merged               []int     // of sort
	judged               []int     // observed values
	columns              []int     // of rows of covariances, of a fast model
	terms                []term    // that these add up
	pairs                []float64 // a row of a table, n
	reach                []float64
}

// ownNoise is the noise of one example by training examples like it: what is left of them by the latent variables (docs/math.md, section
// 16.3), or, where it is wide, they themselves, less their mean m (14.4). Its covariance without white noise is
//
//	whole·[(Σ_k near_k·near_kᵀ + g·R·g)∘C + prior·Σ] + (whole·prior − 1)·β⁻¹·I
//
// with the deviations g and the correlations R of what was filled in of those examples,
// and with F∘C′ + Σ in place of Σ where it is wide. Where it is not, near_k are less so much of the mean that, with weights w_k that add up to less than 1,
// Σ_k near_k·near_kᵀ is Σ_k w_k·r_k·r_kᵀ − m·mᵀ.
type ownNoise struct {
	mean          mat.Matrix // m, n×d_y
	rows          []int      // training examples that count
	roots, shares []float64  // of their weights
	variance      []float64  // the diagonal of Σ_k near_k·near_kᵀ, n
	whole, prior  float64
	less          float64 // how often the mean is taken off residuals

	wide        bool
	taper       *points // coordinates of C
	taperFactor float64
	imputed     []float64 // standard deviations of what was filled in of those examples, weighted, n; nothing was: nil
}

// refinement is what refine works in.
type refinement struct {
	jacobian, moved  mat.Matrix // m_ξ×d_ξ; moved: M, of which M·Mᵀ replaces Ψ2 − ψ1ψ1ᵀ
	precision, solve mat.Matrix // d_ξ×d_ξ
	shift            mat.Matrix // d_ξ×1
	rows             []float64  // P_c times the Jacobian, and then P_c·M, of each channel, n×d_ξ
	means            []float64  // P_c·ψ1, n
	mean             []float64  // d_ξ
	factor           chol.Factor
}

// of returns the c-th channel's part of rows.
func (r *refinement) of(c int) mat.Matrix {
	n, d := len(r.means), len(r.mean)
	return view(r.rows[c*n*d:], n, d)
}

// partsTogether is for how many parts distances are measured at once: training examples are read that often less.
const partsTogether = 4

// noiseTogether is how many observed points' noise is correlated in L* where few are: what one finds of x by blocks, refine corrects by all of them.
const noiseTogether = 32

// held is what L* has of which values were observed, whatever they are: the next example often misses the same ones. It is kept where all channels
// that have any have the same ones.
type held struct {
	valid  bool
	seen   [][]int   // observed points of each channel
	po     []float64 // P_O of each channel, whitened
	g0     float64
	traces []float64 // tr Σ_OO⁻¹·T_r of the shapes
	roots  []float64 // of what each value counts where the noise is white and values have errors of their own
	gap    float64   // that of a blend; NaN: not measured yet

	// Of Σ_OO, where the noise is structured: of blocks of so many points.
	noise      []chol.Factor
	together   int
	structured bool
}

func (h *held) holds(seen [][]int) bool {
	if !h.valid {
		return false
	}
	for c := range seen {
		if !slices.Equal(h.seen[c], seen[c]) {
			return false
		}
	}
	return true
}

// unmeasured reports whether the gap is not known. Without validity it is that of another example.
func (h *held) unmeasured() bool { return !h.valid || h.gap != h.gap }

func (h *held) keep(seen [][]int) {
	h.valid = true
	for c := range seen {
		h.seen[c] = append(h.seen[c][:0], seen[c]...)
	}
}

// whiten overwrites rows of observed points with L⁻¹ times them.
func (h *held) whiten(rows mat.Matrix) {
	if len(h.roots) > 0 {
		mat.ScaleRows(rows, h.roots, rows)
	}
	if !h.structured {
		return
	}
	for k, from := 0, 0; from < rows.Rows; k, from = k+1, from+h.together {
		h.noise[k].SolveHalf(rows.Slice(from, min(from+h.together, rows.Rows), 0, rows.Cols))
	}
}

// predictions returns the place-th room for P_O.
func (h *held) predictions(place, count, seen, inducing int) mat.Matrix {
	return view(h.po[place*len(h.po)/count:], seen, inducing)
}

// untold returns what inducing points do not tell of the prior variance.
func (t *moments) untold() float64 {
	v := t.psi0
	for _, tau := range t.tau {
		v -= tau
	}
	return max(0, v)
}

// A term is a table of pairs of points, and how often covariances have it.
type term struct {
	of     *Table
	amount float64
}

// A streamField is what earlier examples of a stream say of the part in time of f at the present one, beyond what the training examples say
// (docs/math.md, section 23, "Streams"): Σ_j √w_j·ρ_cj·b_j of channel c, with features b_j of the spatial kernel, the variances w_j that
// the training examples leave of them at that time, and ρ_cj ~ N(mean, variance), N(0, 1) where nothing is known.
type streamField struct {
	active         bool
	apart          bool      // channels have different variances
	mean, variance []float64 // of ρ, d_y·J; after Complete given the example
	roots          []float64 // √w_j
	at             []float64 // what the field adds to the values, n·d_y
	factors        []float64 // J
	kappa          mat.Matrix
}
