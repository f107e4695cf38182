package points

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A Workspace has all room that filling in takes, for one goroutine at a time. Its methods allocate nothing after their first call.
type Workspace struct {
	m    *Model
	most int // observed values of a channel

	floats int       // numbers that were allocated
	slab   []float64 // for those that follow

	// The example.
	values   []float64 // scaled, n·d_y; NaN where missing
	known    []float64 // and 0 where missing
	seen     [][]int   // observed points of each channel, ascending
	missing  []int     // points at which a channel is missing, ascending
	observed int       // values of all channels
	squares  []float64 // squared standard errors of values, n·d_y
	inexact  bool      // there are any
	at       [1]kernel.Instant
	timed    bool            // at is the example's time
	ctx      context.Context // nil: nothing cancels
	way      Way
	given    []float64 // L⁻¹·C_OM, where covariances of what is missing are asked for
	o        Options
	group    []int // channels alike

	// What L* needs.
	evidence    infer.Evidence
	form        psi.Form
	g1, slack   []float64  // m_ξ
	g           mat.Matrix // m_ξ×m_ξ
	scaled      mat.Matrix // m_ξ×m_ξ
	norms       []float64  // Π m_f
	told        []float64  // what inducing points tell of the prior variance of observed values, whitened, for each τ_i, m_ξ
	optimiser   *infer.Optimiser
	starts      starts
	startCounts []float64 // what the numbers of startScores count, 2·m_ξ + n·d_y
	prior       psi.Normal
	held        held

	latent Latent

	// Moments of q(x).
	moments moments

	refinement refinement
	field      streamField
	drift      drift
	suspects   []bool    // n·d_y
	alone      []float64 // leave-one-out residuals of Foresee, n·d_y
	before     []bool    // before further ones were looked for
	room       room      // for covariances and conditioning
	factor     chol.Factor
	brief      bool // the search for x is
	ready      bool // factor is of C_OO of all channels and moments

	seenVariance float64 // mean of the diagonal of the last C_OO

	result, direct, kept prediction
	local, similar       ownNoise
	distances            []float64  // n_ξ
	apart                mat.Matrix // these and those near some parts, (1+partsTogether)×n_ξ
	measured             bool       // distances are of the example at hand, all points alike
	weights              []float64  // n_ξ
	each                 mat.Matrix // how much values count for them, (1+partsTogether)×n·d_y
	counts               []float64  // n
	parts, ends          []int      // missing points, divided, and where parts end
	surprise             []float64  // of observed values, n·d_y; NaN where missing
	nearby               []float64  // what variances are multiplied by where observed values nearby are surprising, n·d_y
	chi                  float64    // squared Mahalanobis distance of the observed values
	surprised            int        // values that chi is of
}

// NewWorkspace returns room for examples of which at most so many values are observed in a channel; 0: all of them. What it
// takes grows with the square of that number up to the compiled limit of values that are used at once, and where
// the noise is structured.
func (m *Model) NewWorkspace(most int) *Workspace { return m.newWorkspace(most, m.c.Options.Exact) }

// NewNarrowWorkspace is NewWorkspace for examples of which always more values of each channel are observed than are used at once: some near each missing one are.
func (m *Model) NewNarrowWorkspace(most int) *Workspace { return m.newWorkspace(most, 1) }

// NewWideWorkspace returns room for any example and for AddCovariance.
func (m *Model) NewWideWorkspace() *Workspace { return m.newWorkspace(0, m.c.Points) }

// newWorkspace returns room for covariances of so many points at once.
func (m *Model) newWorkspace(most, exact int) *Workspace {
	c := m.c
	if most <= 0 || most > c.Points {
		most = c.Points
	}
	w := &Workspace{m: m, most: most, o: c.Options}
	n, d, k := c.Points, c.Latents, c.Inducing
	w.values, w.known, w.surprise, w.nearby = w.vector(m.values()), w.vector(m.values()), w.vector(m.values()), w.vector(m.values())
	w.seen = make([][]int, c.Channels)
	for i := range w.seen {
		w.seen[i] = make([]int, 0, most)
	}
	w.missing, w.parts, w.group = make([]int, 0, n), make([]int, 0, n), make([]int, 0, c.Channels)
	w.g1, w.slack, w.norms, w.told = w.vector(k), w.vector(k), w.vector(m.features), w.vector(k)
	w.g = w.matrix(k, k)
	if !m.shaped() {
		w.scaled = w.matrix(k, k)
	}
	w.optimiser = infer.NewOptimiser(d)
	w.starts = w.newStarts()
	w.startCounts = w.vector(m.starts.rows.Cols)
	w.latent = Latent{Mu: w.vector(d), S: w.vector(d)}
	w.prior = psi.Normal{Mean: w.vector(d), Variance: w.vector(d)}
	w.SetPrior(nil, nil)
	w.newMoments()
	w.newRoom(exact)
	w.newRefinement()
	w.newField()
	w.newDrift(exact)
	w.alone = w.vector(m.values())
	w.suspects, w.before = make([]bool, m.values()), make([]bool, m.values())
	w.result, w.direct, w.kept = w.newPrediction(), w.newPrediction(), w.newPrediction()
	if m.kept() {
		w.weights, w.counts = w.vector(c.Examples), w.vector(n)
		w.apart, w.each = w.matrix(1+partsTogether, c.Examples), w.matrix(1+partsTogether, m.values())
		w.distances = w.apart.Row(0)
		w.ends = make([]int, 0, n)
		w.local, w.similar = w.newOwnNoise(), w.newOwnNoise()
	}
	return w
}

// Numbers is how many numbers the room has.
func (w *Workspace) Numbers() int { return w.floats }

// slabNumbers is how many numbers are allocated together: few pieces of memory are soon there, and what is small shares pages.
const slabNumbers = 1 << 16

// vector returns room for n numbers, from a slab where it is small. Each begins a line of the cache.
//
//go:noinline
func (w *Workspace) vector(n int) []float64 {
	const line = 8
	w.floats += n
	size := (n + line - 1) / line * line
	if size > slabNumbers/4 {
		return make([]float64, n)
	}
	if size > len(w.slab) {
		w.slab = make([]float64, slabNumbers)
	}
	v := w.slab[:n:n]
	w.slab = w.slab[size:]
	return v
}

func (w *Workspace) matrix(r, c int) mat.Matrix { return mat.NewDense(r, c, w.vector(r*c)) }

func (w *Workspace) newPrediction() prediction {
	return prediction{w.matrix(w.m.c.Points, w.m.c.Channels), w.matrix(w.m.c.Points, w.m.c.Channels)}
}

// SetPrior sets what is known of the latent variables of the next examples before their values are, N(mean, diag variance); nil:
// standard normal. It panics where lengths are wrong or a variance is not positive.
func (w *Workspace) SetPrior(mean, variance []float64) {
	for q := range w.prior.Mean {
		w.prior.Mean[q], w.prior.Variance[q] = 0, 1
	}
	w.prior.Precision = mat.Matrix{}
	if mean == nil && variance == nil {
		return
	}
	if len(mean) != len(w.prior.Mean) || len(variance) != len(w.prior.Mean) {
		panic("points: SetPrior: means and variances of the wrong number")
	}
	for _, v := range variance {
		if !(v > 0) || math.IsInf(v, 0) || math.IsInf(1/v, 0) {
			panic("points: SetPrior: a variance that is not positive")
		}
	}
	copy(w.prior.Mean, mean)
	copy(w.prior.Variance, variance)
}

// SetPriorPrecision makes the prior that SetPrior set N(mean, precision⁻¹), of which that had the diagonal of the covariance. It keeps precision, d_ξ×d_ξ, of which
// logDet is the logarithm of the determinant.
func (w *Workspace) SetPriorPrecision(precision mat.Matrix, logDet float64) {
	w.prior.Precision, w.prior.LogDet = precision, logDet
}

// Latent returns the latent posterior of the last example.
func (w *Workspace) Latent() Latent { return w.latent }

// SetLatent gives the example a latent posterior in place of Infer's.
func (w *Workspace) SetLatent(mu, s []float64) {
	copy(w.latent.Mu, mu)
	copy(w.latent.S, s)
	w.held.valid = false
}

// Observed returns how many values of the example were observed, of all channels.
func (w *Workspace) Observed() int { return w.observed }

// Most returns how many values of a channel may be observed.
func (w *Workspace) Most() int { return w.most }

func (w *Workspace) newStarts() starts {
	c := w.m.c
	return starts{all: make([]int, c.Examples), best: make([]candidate, 0, c.Options.Candidates+1), mu: w.vector(c.Latents), s: w.vector(c.Latents)}
}

func (w *Workspace) newMoments() {
	k := w.m.c.Inducing
	t := &w.moments
	t.of.Psi1, t.of.Spread = w.matrix(k, 1), w.matrix(k, k)
	for range max(len(w.m.taken), w.m.Features()/max(1, w.m.features)) {
		t.shares = append(t.shares, w.vector(w.m.features))
	}
	t.roots, t.tau = w.vector(w.m.features), w.vector(k)
	if w.m.shaped() {
		t.amounts = w.vector(len(w.m.shares))
	} else {
		t.rotate = w.matrix(k, k)
	}
}

func (w *Workspace) newRoom(exact int) {
	c, k := w.m.c, w.m.c.Inducing
	n, e := c.Points, min(w.most, exact)
	if e < w.most {
		e = max(e, min(w.most, c.Options.Neighbours))
	}
	r, whole := &w.room, e
	if w.m.structured() {
		whole = w.most // Σ_OO is factored whole
	}
	judged := 0
	if len(c.Time.Systems) > 0 { // Foresee
		judged = w.mostJudged(exact)
		r.judged = make([]int, 0, max(n, c.Judged()))
		if c.groups() < c.Channels {
			r.joint = w.vector(judged * judged)
		}
	}
	places, block, wider := max(n, judged), min(together, n), max(e, min(together, n))
	r.diagonal, r.spread, r.spreads = w.vector(n), w.vector(block), w.vector(min(together, places)*k)
	r.row = w.vector(max(w.m.features, c.Examples, w.m.values()))
	if len(w.m.b) > 0 {
		size := w.largestMode()
		r.modes[0], r.modes[1] = w.vector(size), w.vector(size)
	}
	// Of the model: sums are in an order that does not depend on the room.
	r.step = min(w.m.features, max(64, featureNumbers/max(n, together)))
	var others int // features of all factors but the first
	if len(w.m.b) > 0 {
		others = w.m.features / w.m.sizes[0]
	}
	r.observed, r.missing = w.vector(max(whole*max(r.step, others), judged*judged)), w.vector(block*max(r.step, others))
	r.coo = w.vector(max(whole*whole, judged*judged))
	r.po, r.residual = w.vector(c.Channels*whole*max(k, c.Latents)), w.vector(c.Channels*w.most)
	r.z, r.solved, r.precision = w.vector(max(e, judged)), w.vector(max(e, judged)), w.vector(e)
	r.explained, r.totals, r.left = w.vector(block), w.vector(block), w.vector(block*max(k, c.Latents))
	r.block, r.merged, r.near512, r.sorted, r.reach = make([]int, 0, places), make([]int, places), make([]int, 0, n), w.vector(max(places, c.Examples)), w.vector(n)
	if m := w.m; m.shaped() {
		wider = n
		r.columns, r.terms = make([]int, 0, n), make([]term, 0, 1+len(c.Shapes))
		half := min(e, (n+1)/2)
		r.cross = w.vector(half * (n - half))
	}
	gathered := wider
	if c.Options.PartNeighbours > 0 {
		gathered = max(wider, w.most) // nearestToAny
	}
	r.gathered, r.rows = w.vector(w.dimensions()*gathered), w.vector(noiseRows*wider)
	r.pairs = w.vector(places)
	if !w.m.shaped() {
		r.cross = w.vector(e * block)
	}
	if w.m.kept() {
		depth, rank := w.m.maxExamples()*c.Channels, len(w.m.fitted)
		if w.m.shaped() {
			r.near, r.fitted = w.vector(n*depth), w.vector(n*rank)
		} else {
			r.near, r.fitted = w.vector(e*depth), w.vector(e*rank)
			r.nearMissing, r.fittedMissing = w.vector(block*depth), w.vector(block*rank)
		}
	}
	w.held.po, w.held.traces = w.vector(c.Channels*w.most*k), w.vector(1+len(c.Shapes)) // L* has all observed values
	w.held.structured = w.m.structured()
	w.setTogether()
	blocks := 1
	if w.m.shaped() {
		blocks = (w.most + noiseTogether - 1) / noiseTogether
	}
	w.held.noise = make([]chol.Factor, blocks)
	w.held.seen = make([][]int, c.Channels)
	for i := range w.held.seen {
		w.held.seen[i] = make([]int, 0, w.most)
	}
}

// mostJudged returns how many observed values are judged together at most, of so many that are used at once of a channel.
func (w *Workspace) mostJudged(exact int) int {
	return min(w.most, exact) * w.m.c.Channels / w.m.c.groups()
}

func (w *Workspace) dimensions() int { return len(w.m.c.Spacings) }

// largestMode returns the most numbers that a vector of all features has on its way to all points, or back.
func (w *Workspace) largestMode() int {
	largest := max(w.m.features, w.m.c.Points)
	size := w.m.features
	for f, n := range w.m.dims {
		size = size / w.m.sizes[f] * n
		largest = max(largest, size)
	}
	size = w.m.c.Points
	for f, n := range w.m.dims {
		size = size / n * w.m.sizes[f]
		largest = max(largest, size)
	}
	return largest
}

func (w *Workspace) newOwnNoise() ownNoise {
	c := w.m.c
	o := ownNoise{mean: w.matrix(c.Points, c.Channels), variance: w.vector(c.Points), rows: make([]int, 0, c.Examples), roots: w.vector(c.Examples), shares: w.vector(c.Examples)}
	if c.Filled.rows > 0 {
		o.imputed = w.vector(c.Points)
	}
	return o
}

func (w *Workspace) newRefinement() {
	c, r := w.m.c, &w.refinement
	d := c.Latents
	r.jacobian, r.moved = w.matrix(c.Inducing, d), w.matrix(c.Inducing, d)
	r.precision, r.solve, r.shift = w.matrix(d, d), w.matrix(d, d), w.matrix(d, 1)
	r.mean, r.means, r.rows = w.vector(d), w.vector(c.Points), w.vector(c.Channels*c.Points*d)
}

func (w *Workspace) newField() {
	n := w.m.Features()
	if n == 0 {
		return
	}
	w.field = streamField{mean: w.vector(n), variance: w.vector(n), roots: w.vector(w.m.features), at: w.vector(w.m.values()), factors: w.vector(w.m.features), kappa: w.matrix(1, w.m.c.Inducing)}
}
