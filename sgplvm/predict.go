package sgplvm

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Prediction is the marginal distribution of the data at a grid's points, in
// the user's units.
type Prediction struct {
	Mean     mat.Matrix // n_s*×d_y
	Variance mat.Matrix // n_s*×d_y, noise included

	// Conditioning says how the observed values of the same example entered beside
	// the latent posterior: "none", "exact", or "local" (each missing value given
	// its nearest observed ones).
	Conditioning string

	// Noise says which covariance of the noise the prediction has: "white", "parametric"
	// (white and Residual), "learned", or "local" (that of training examples like this
	// one). Of a learned one it is "parametric" at a grid with points that are no training
	// points.
	Noise string
}

// Predict returns mean and variance of the data at the points of a grid (nil:
// the training grid) for a latent posterior. They are the exact first two
// moments for uncertain latent variables. Errors: *ConfigError.
func (m *Model) Predict(l Latent, g Grid) (Prediction, error) {
	q, on, err := m.prepare(l, g)
	if err != nil {
		return Prediction{}, err
	}
	t := q.momentsOf(l)
	p := q.marginal(on, t)
	p.Conditioning = "none"
	m.toUserUnits(p, t.noise)
	if m.calibration != nil && l.At != nil {
		m.calibration.apply(p.Variance, m.calibration.at(on.grid), 0, m.calibration.unrest.at(*l.At, q.params.Dynamics.Instants(), -1))
	}
	return p, nil
}

// PredictCovariance returns the mean (n_s*×d_y) and, for every channel, the
// covariance (n_s*×n_s*) of f, the data without noise of either kind, white or
// structured, at the points of a grid (nil: the training grid), in the user's
// units. PredictDataCovariance has the noise too. Both form the full matrices.
func (m *Model) PredictCovariance(l Latent, g Grid) (mean mat.Matrix, cov []mat.Matrix, err error) {
	q, on, err := m.prepare(l, g)
	if err != nil {
		return mat.Matrix{}, nil, err
	}
	t := q.momentsOf(l)
	mean = q.mean(on, t)
	all := make([]int, on.grid.Len())
	for i := range all {
		all[i] = i
	}
	shared := q.sharedCovariance(on, t, all, all)
	for c, s := range m.scaler.Scale {
		k := shared.Clone()
		spread := mat.New(k.Rows, t.spread.Cols)
		mat.Mul(spread, 1, on.p[c], t.spread, 0)
		mat.Mul(k, 1, spread, on.p[c].T(), 1)
		mat.Scale(k, s*s, k)
		cov = append(cov, k)
	}
	for i := range mean.Rows {
		for c := range mean.Cols {
			mean.Set(i, c, m.scaler.Mean[c]+m.scaler.Scale[c]*mean.At(i, c))
		}
	}
	return mean, cov, nil
}

// PredictDataCovariance is PredictCovariance of the data: of f and all of the noise.
// Its diagonal is the variance that Predict returns.
func (m *Model) PredictDataCovariance(l Latent, g Grid) (mean mat.Matrix, cov []mat.Matrix, err error) {
	if mean, cov, err = m.PredictCovariance(l, g); err != nil {
		return mean, cov, err
	}
	q, on, err := m.prepare(l, g)
	if err != nil {
		return mat.Matrix{}, nil, err
	}
	noise := q.noise(on)
	for c, s := range m.scaler.Scale {
		mat.Add(cov[c], cov[c], l.noise()*s*s, noise)
	}
	return mean, cov, nil
}

// prepare checks the arguments of a prediction.
func (m *Model) prepare(l Latent, g Grid) (*posterior, *projection, error) {
	if g == nil {
		g = m.space
	}
	if err := m.checkGrid(g); err != nil {
		return nil, nil, err
	}
	if err := m.checkLatent(l); err != nil {
		return nil, nil, &ConfigError{Field: "Latent", Err: err}
	}
	q, err := m.ready()
	if err != nil {
		return nil, nil, err
	}
	return q, m.at(q, g), nil
}

func (m *Model) checkLatent(l Latent) error {
	if d := m.params.Mu.Cols; len(l.Mu) != d || len(l.S) != d {
		return fmt.Errorf("%d means and %d variances, expected %d latent dimensions", len(l.Mu), len(l.S), d)
	}
	for i, v := range l.S {
		if !(v >= 0) || math.IsInf(v, 0) || l.Mu[i]-l.Mu[i] != 0 {
			return fmt.Errorf("dimension %d: mean %v, variance %v, expected finite numbers and no negative variance", i, l.Mu[i], v)
		}
	}
	return nil
}

// toUserUnits scales a prediction of the model's f to the user's data, white noise of
// the given multiple of the training data's included.
func (m *Model) toUserUnits(p Prediction, noise float64) {
	for c, s := range m.scaler.Scale {
		for i := range p.Mean.Rows {
			p.Mean.Set(i, c, m.scaler.Mean[c]+s*p.Mean.At(i, c))
			p.Variance.Set(i, c, s*s*(p.Variance.At(i, c)+noise/m.params.Beta))
		}
	}
}

// moments are what a latent posterior contributes to a prediction.
type moments struct {
	local   *localNoise    // the example's own noise, or nil
	freedom float64        // degrees of freedom of the data around the mean; 0: infinitely many
	noise   float64        // the example's noise variance over that of the training data
	psi0    float64        // ψ0
	psi1    mat.Matrix     // ψ1, m_ξ×1
	spread  mat.Matrix     // Ψ2 − ψ1ψ1ᵀ, m_ξ×m_ξ
	factors []*chol.Factor // of C_OO for each channel, where refine has made them
	h       []float64      // κ_j·Σ_i λ0_i/d_ij·(T_0ᵀΨ2T_0)_ii, one for each joint spatial index
}

// noise returns Noise, 1 by default.
func (l Latent) noise() float64 {
	if l.Noise > 0 {
		return l.Noise
	}
	return 1
}

func (q *posterior) momentsOf(l Latent) moments {
	t, tau := q.latentMoments(l)
	t.h = make([]float64, q.latentTimesSpace.Cols)
	mat.Mul(mat.NewDense(1, len(t.h), t.h), 1, tau, q.latentTimesSpace, 0)
	return t
}

// latentMoments returns the moments without h, and diag T_0ᵀΨ2T_0 (1×m_ξ), of which h is a
// combination of weights.
func (q *posterior) latentMoments(l Latent) (t moments, tau mat.Matrix) {
	d, m := len(l.Mu), q.factors[0].size()
	t = moments{noise: l.noise(), psi1: mat.New(m, 1), spread: mat.New(m, m)}
	mu, s := mat.NewDense(1, d, l.Mu), mat.NewDense(1, d, l.S)
	t.psi0 = q.params.Latent.psi0(mu, s)
	q.psi.psi1(t.psi1.T(), mu, s)
	scratch := q.psi.newScratch()
	q.psi.psi2Example(scratch, l.Mu, l.S)
	mat.MirrorLower(scratch.e)
	mat.Copy(t.spread, scratch.e)
	mat.Mul(t.spread, -1, t.psi1, t.psi1.T(), 1)
	if kappa := q.params.kappa(l.At); kappa != nil { // the spread stays as it is
		asm.Axpy(1, kappa, t.psi1.Data)
		mat.Copy(scratch.e, t.spread)
		mat.Mul(scratch.e, 1, t.psi1, t.psi1.T(), 1)
	}

	t0 := q.factors[0].coord
	rotated := mat.New(m, m)
	mat.Mul(rotated, 1, scratch.e, t0, 0)
	mat.MulElem(rotated, rotated, t0)
	tau = mat.New(1, m)
	for i := range m {
		asm.Axpy(1, rotated.Row(i), tau.Data)
	}
	return t, tau
}

// certain is what latent points without uncertainty contribute to predictions.
type certain struct {
	psi1 mat.Matrix // rows ψ1, count×m_ξ
	tau  mat.Matrix // rows (T_0ᵀ·ψ1)∘², count×m_ξ
	k0   []float64  // k(x, x)
	q0   []float64  // Σ τ_i, the part of k0 that the inducing points determine
}

// certain evaluates the latent kernel at the rows of x, count×d_ξ, and one time.
func (q *posterior) certain(x mat.Matrix, at *Instant) certain {
	count, m := x.Rows, q.factors[0].size()
	t := certain{psi1: mat.New(count, m), tau: mat.New(count, m), k0: make([]float64, count), q0: make([]float64, count)}
	zero := mat.New(count, x.Cols)
	q.psi.psi1(t.psi1, x, zero)
	q.params.addKappa(t.psi1, at)
	mat.Mul(t.tau, 1, t.psi1, q.factors[0].coord, 0)
	mat.MulElem(t.tau, t.tau, t.tau)
	for k := range count {
		t.k0[k] = q.params.Latent.psi0(x.Slice(k, k+1, 0, x.Cols), zero.Slice(k, k+1, 0, x.Cols))
		for _, v := range t.tau.Row(k) {
			t.q0[k] += v
		}
	}
	return t
}

// mean returns P_c·ψ1 for every channel, n_s*×d_y.
func (q *posterior) mean(on *projection, t moments) mat.Matrix {
	mean := mat.New(on.grid.Len(), len(on.p))
	for c, p := range on.p {
		mat.Mul(mean.Slice(0, mean.Rows, c, c+1), 1, p, t.psi1, 0)
	}
	if t.local != nil {
		mat.Add(mean, mean, 1, t.local.mean)
	}
	return mean
}

// marginal returns mean and variance of the data at every point, without the white
// noise, in the model's units:
// Atkinson and Zabaras (2018), predictive moments, with the last term that an
// uncertain latent variable adds exactly.
func (q *posterior) marginal(on *projection, t moments) Prediction {
	n := on.grid.Len()
	p := Prediction{Mean: q.mean(on, t), Variance: mat.New(n, len(on.p)), Noise: q.noiseOf(on, t)}
	explained := q.explained(on, t)
	prior := t.psi0 * q.spatialVariance()
	for c, pc := range on.p {
		blocks := (n + spreadRows - 1) / spreadRows
		mat.Parallel(blocks, func(b int) {
			from, to := blockRange(b, blocks, n)
			rows := pc.Slice(from, to, 0, pc.Cols)
			buffer := mat.Borrow(rows.Rows * rows.Cols)
			spread := mat.NewDense(rows.Rows, rows.Cols, *buffer)
			mat.Mul(spread, 1, rows, t.spread, 0)
			for i := from; i < to; i++ {
				p.Variance.Set(i, c, max(0, prior+q.residualVariance(on, t, i)-explained[i]+asm.Dot(spread.Row(i-from), rows.Row(i-from))))
			}
			mat.GiveBack(buffer)
		})
	}
	return p
}

// spreadRows is how many points' variances are computed together, in storage that
// caches hold. Tests lower it.
var spreadRows = 1024

// noiseOf returns Prediction.Noise.
func (q *posterior) noiseOf(on *projection, t moments) string {
	switch {
	case !q.params.structured():
		return "white"
	case t.local != nil:
		return "local"
	case on.training != nil:
		return "learned"
	}
	return "parametric"
}

// residualVariance is the variance of the noise's structured part at a grid point.
func (q *posterior) residualVariance(on *projection, t moments, i int) float64 {
	switch {
	case !q.params.structured():
		return 0
	case t.local != nil:
		return t.noise * t.local.variance(i)
	case on.training == nil:
		return t.noise * q.params.Residual.Variance
	}
	return t.noise * on.residual().At(i, i)
}

// noise returns Σ at a grid's points, n_s*×n_s*.
func (q *posterior) noise(on *projection) mat.Matrix {
	n := on.grid.Len()
	sigma := mat.New(n, n)
	if q.params.structured() {
		mat.Copy(sigma, on.residual())
	}
	for i := range n {
		sigma.Row(i)[i] += 1 / q.params.Beta
	}
	return sigma
}

// dataCovariance is sharedCovariance of the data without the white noise: with the
// structured part.
func (q *posterior) dataCovariance(on *projection, t moments, a, b []int) mat.Matrix {
	cov := q.sharedCovariance(on, t, a, b)
	switch {
	case t.local != nil:
		mat.Add(cov, cov, t.noise, t.local.covariance(a, b))
	case q.params.structured():
		for i, k := range a {
			row, residual := cov.Row(i), on.residual().Row(k)
			for j, l := range b {
				row[j] += t.noise * residual[l]
			}
		}
	}
	return cov
}

// explained returns (Φ∘Φ)·h, what the inducing points take off the prior
// variance, at every point.
func (q *posterior) explained(on *projection, t moments) []float64 {
	h := kronprod.Shaped(t.h, spatialDims(q)...)
	return on.squared.MulTensor(make([]float64, on.grid.Len()), h, nil).Data
}

func spatialDims(q *posterior) []int {
	var dims []int
	for _, s := range q.factors[1:] {
		dims = append(dims, s.size())
	}
	return dims
}

// sharedCovariance returns the covariance of f between two lists of grid
// points, without the term of the latent uncertainty, which differs between
// channels:
//
//	ψ0·K(a, b) − Φ_a·diag(h)·Φ_bᵀ
func (q *posterior) sharedCovariance(on *projection, t moments, a, b []int) mat.Matrix {
	cov := mat.New(len(a), len(b))
	dims := gridDims(on.grid)
	kss := make([]mat.Matrix, len(dims))
	for f, k := range on.kss {
		kss[f] = k()
	}
	ia, ib := splitAll(a, dims), splitAll(b, dims)
	mat.Parallel(min(rowBlocks, len(a)), func(block int) {
		from, to := blockRange(block, min(rowBlocks, len(a)), len(a))
		for i := from; i < to; i++ {
			row := cov.Row(i)
			for j := range row {
				row[j] = t.psi0
			}
			for f, k := range kss {
				values := k.Row(ia[f][i])
				for j, l := range ib[f] {
					row[j] *= values[l]
				}
			}
		}
	})
	same := sameList(a, b)
	columns := len(t.h)
	step := max(1, featureNumbers/max(len(a), len(b)))
	for j0 := 0; j0 < columns; j0 += step {
		j1 := min(j0+step, columns)
		right := on.features(b, j0, j1, spatialDims(q))
		left := right
		if !same {
			left = on.features(a, j0, j1, spatialDims(q))
		}
		scaled := mat.New(left.Rows, left.Cols)
		mat.ScaleCols(scaled, left, t.h[j0:j1])
		if same {
			mat.MulSym(cov, -1, scaled, right.T(), 1)
		} else {
			mat.Mul(cov, -1, scaled, right.T(), 1)
		}
	}
	if same {
		mat.MirrorLower(cov)
	}
	return cov
}

// featureNumbers bounds the size of one block of features. Tests lower it.
var featureNumbers = 1 << 21

// features returns columns j0 ≤ j < j1 of the rows of Φ = Φ_1 ⊗ Φ_2 ⊗ … that
// belong to the given grid points.
func (on *projection) features(points []int, j0, j1 int, sizes []int) mat.Matrix {
	dims := gridDims(on.grid)
	phi := mat.New(len(points), j1-j0)
	if len(dims) == 1 {
		for k, i := range points {
			copy(phi.Row(k), on.phi.Factors[0].Row(i)[j0:j1])
		}
		return phi
	}
	mat.Parallel(min(rowBlocks, len(points)), func(block int) {
		from, to := blockRange(block, min(rowBlocks, len(points)), len(points))
		ip, ij := make([]int, len(dims)), make([]int, len(dims))
		for k := from; k < to; k++ {
			split(ip, points[k], dims)
			row := phi.Row(k)
			for j := j0; j < j1; j++ {
				split(ij, j, sizes)
				v := 1.0
				for f, m := range sizes {
					v *= on.phi.Factors[f].Data[ip[f]*m+ij[f]]
				}
				row[j-j0] = v
			}
		}
	})
	return phi
}

// split writes the index of each factor of a joint index, the last the fastest.
func split(index []int, joint int, dims []int) {
	for f := len(dims) - 1; f >= 0; f-- {
		index[f] = joint % dims[f]
		joint /= dims[f]
	}
}

// splitAll returns the indices of every factor of some joint indices.
func splitAll(joint []int, dims []int) [][]int {
	index, all := make([]int, len(dims)), make([][]int, len(dims))
	for _, j := range joint {
		split(index, j, dims)
		for f, i := range index {
			all[f] = append(all[f], i)
		}
	}
	return all
}

// Impute infers a partly seen example's latent variables and returns the
// distribution of the data at all points of its grid given what was observed:
// an observed value is its own mean, with variance 0; a missing one is
// predicted from q(x) and, as InferOptions.Conditioning says, from the residuals
// of the observed ones. Variances at a time that Calibrate has seen to are calibrated as far as
// the observed values leave open what the time alone did (calibrateseen.go). Errors:
// *ConfigError, *ValueError, ctx.Err().
func (m *Model) Impute(ctx context.Context, obs Observed, o InferOptions) (Prediction, Latent, error) {
	q, err := m.ready()
	if err != nil {
		return Prediction{}, Latent{}, err
	}
	e, err := m.observe(q, obs)
	if err != nil {
		return Prediction{}, Latent{}, err
	}
	l, err := q.infer(ctx, e, o)
	if err != nil {
		return Prediction{}, Latent{}, err
	}
	t := q.momentsOf(l)
	t.freedom = max(0, o.Freedom)
	if o.Freedom == 0 && q.kept != nil {
		t.freedom = 50
	}
	if q.kept != nil && e.on.training != nil && e.observed() && o.LocalBandwidth >= 0 && o.Conditioning == ConditionGivenLatent {
		t.local = q.noiseNear(e, cmp.Or(o.LocalBandwidth, 0.7), cmp.Or(o.LocalStrength, 1))
	}
	if !o.FirstOrder && o.Conditioning == ConditionGivenLatent {
		if t, err = q.refine(e, l, t); err != nil {
			return Prediction{}, Latent{}, err
		}
	}
	p, err := q.conditionalOn(e, t, o.Conditioning)
	if err != nil {
		return Prediction{}, Latent{}, err
	}
	m.toUserUnits(p, t.noise)
	m.calibrateSeen(q, e, p)
	for c, seen := range e.seen {
		for _, i := range seen {
			p.Mean.Set(i, c, obs.Values.At(i, c))
			p.Variance.Set(i, c, 0)
		}
	}
	return p, l, nil
}
