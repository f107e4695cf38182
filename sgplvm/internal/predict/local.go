package sgplvm

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Local residuals. What the latent variables leave unexplained is not the same
// everywhere: it has a mean and a covariance that depend on what the picture looks like. A
// model that keeps its training residuals r_n = y_n − E f(x_n) weighs them by how near the
// training examples are to the one at hand, on the values observed of it,
//
//	w_n = exp(−½·(d_n² − d²)/(h²·d²)),   d_n² = the mean of (y* − y_n)²,  d² the least of them
//
// and takes for the noise of that example the posterior under a normal inverse Wishart prior
// around 0 and Σ that weighs ν examples: with W = Σ w_n,
//
//	m = Σ w_n·r_n/(W + ν)
//	Σ* = (1 + 1/(W + ν))·[ν·Σ + (Σ w_n·r_n·r_nᵀ − (W + ν)·m·mᵀ)∘C]/(W + ν)
//
// with the taper C, if there is one
// (Gelman and others, "Bayesian Data Analysis", third edition, section 3.6). Without latent
// variables that is a locally weighted conditional Gaussian.

// trainingResiduals are what a model keeps for that.
type trainingResiduals struct {
	r, y mat.Matrix // residuals and values of the training examples in columns, (n_s·d_y)×n_ξ, the channels of a point one below the other
}

// localNoise is the noise of one example at the points of a grid. Its covariance is
// evaluated where it is asked for.
type localNoise struct {
	on    *projection
	mean  mat.Matrix // m, n*×d_y
	near  mat.Matrix // √(w_n/((W + ν)·d_y))·r_n of the examples that count, channel by channel, in columns; n* rows
	whole float64    // 1 + 1/(W + ν)
	prior float64    // ν/(W + ν)
	white float64    // β⁻¹
}

// residuals returns r_n of all training examples at p, n_ξ×(n_s·d_y).
func (b *problem) residuals(q *posterior, on *projection) (mat.Matrix, error) {
	r := mat.New(b.y.examples, b.y.size())
	if err := b.y.read(r.Data, 0, b.y.examples); err != nil {
		return r, err
	}
	q.addFitted(r, -1, on)
	return r, nil
}

// addFitted adds alpha·E f(x_n) of all training examples to a, n_ξ×(n_s·d_y).
func (q *posterior) addFitted(a mat.Matrix, alpha float64, on *projection) {
	for c, p := range on.p {
		channel := mat.Matrix{Rows: a.Rows, Cols: p.Rows, RowStride: a.Cols, ColStride: len(on.p), Data: a.Data[c:]}
		mat.Mul(channel, alpha, q.factors[0].psi1, p.T(), 1)
	}
}

// keepResiduals makes a model with training data and a learned covariance of the noise
// keep its residuals. The caller holds the mutex.
func (m *Model) keepResiduals() error {
	if err := m.ensureAlpha(); err != nil {
		return err
	}
	q, err := newPosterior(m.params, m.space, *m.alpha, m.jitter)
	if err != nil {
		return err
	}
	if m.residuals, err = m.problem.residuals(q, q.project(m.space)); err == nil {
		q.useResiduals(m.residuals, m.space)
		m.posterior = q
	}
	return err
}

// useResiduals gives the posterior what localNoise needs.
func (q *posterior) useResiduals(r mat.Matrix, space Grid) {
	on := q.project(space)
	q.grids = append(q.grids, on)
	y := r.Clone()
	q.addFitted(y, 1, on)
	q.kept = &trainingResiduals{r: r.T().Clone(), y: y.T().Clone()}
}

// noiseNear returns the noise of a partly seen example. bandwidth is h and strength ν.
func (q *posterior) noiseNear(e *example, bandwidth, strength float64) *localNoise {
	weights := q.nearness(e, bandwidth)
	n, channels := e.on.grid.Len(), q.channels()
	var total float64
	var rows []int
	for i, w := range weights {
		total += w
		if w > 1e-6 {
			rows = append(rows, i)
		}
	}
	all := total + strength
	shares, roots := make([]float64, len(rows)), make([]float64, len(rows))
	for k, i := range rows {
		shares[k] = weights[i] / all
		roots[k] = math.Sqrt(shares[k] / float64(channels))
	}
	t := &localNoise{on: e.on, mean: mat.New(n, channels), near: mat.New(n, len(rows)*channels),
		whole: 1 + 1/all, prior: strength / all, white: 1 / q.params.Beta}
	for j, at := range e.on.training {
		for c := range channels {
			from, near := q.kept.r.Row(at*channels+c), t.near.Row(j)[c*len(rows):]
			var mean float64
			for k, i := range rows {
				mean += shares[k] * from[i]
				near[k] = roots[k] * from[i]
			}
			t.mean.Set(j, c, mean)
		}
	}
	return t
}

// covariance returns Σ* − β⁻¹·I between two lists of points.
func (t *localNoise) covariance(a, b []int) mat.Matrix {
	c := mat.New(len(a), len(b))
	near, mean := gather(t.near, a), gather(t.mean, a)
	share := 1 / float64(mean.Cols)
	if sameList(a, b) {
		mat.Syrk(c, 1, near, 0)
		mat.Syrk(c, -share, mean, 1)
		mat.MirrorLower(c)
	} else {
		mat.Mul(c, 1, near, gather(t.near, b).T(), 0)
		mat.Mul(c, -share, mean, gather(t.mean, b).T(), 1)
	}
	for i, k := range a {
		row, taper, sigma := c.Row(i), t.on.taper.Row(k), t.on.residual().Row(k)
		for j, l := range b {
			row[j] = t.whole * (float64(row[j]*taper[l]) + float64(t.prior*sigma[l]))
			if k == l {
				row[j] += (t.whole*t.prior - 1) * t.white
			}
		}
	}
	return c
}

// variance returns covariance's diagonal at point i.
func (t *localNoise) variance(i int) float64 {
	mean := t.mean.Row(i)
	own := asm.SumSquares(t.near.Row(i)) - asm.SumSquares(mean)/float64(len(mean))
	return t.whole*(own+t.prior*t.on.residual().At(i, i)) + (t.whole*t.prior-1)*t.white
}

// sameList reports whether two lists are one.
func sameList(a, b []int) bool { return len(a) > 0 && len(a) == len(b) && &a[0] == &b[0] }

// nearness returns the weights of the training examples.
func (q *posterior) nearness(e *example, bandwidth float64) []float64 {
	channels := q.channels()
	d2 := make([]float64, q.kept.y.Cols)
	var count float64
	for c, seen := range e.seen {
		count += float64(len(seen))
		for _, i := range seen {
			value := e.values.At(i, c)
			for k, y := range q.kept.y.Row(e.on.training[i]*channels + c) {
				d2[k] += (value - y) * (value - y)
			}
		}
	}
	for k := range d2 {
		d2[k] /= count
	}
	least := slices.Min(d2)
	scale := bandwidth * bandwidth * max(least, 1/q.params.Beta)
	for k, v := range d2 {
		d2[k] = math.Exp(-0.5 * (v - least) / scale)
	}
	return d2
}

// validateResiduals checks residuals read from a file.
func (m *Model) validateResiduals() error {
	if r := m.residuals; r.Rows > 0 && (m.params.Covariance.Rows == 0 || r.Rows != m.params.Mu.Rows || r.Cols != m.space.Len()*m.channels) {
		return fmt.Errorf("residuals are %d×%d beside a noise covariance of order %d, expected %d×%d beside one of order %d",
			r.Rows, r.Cols, m.params.Covariance.Rows, m.params.Mu.Rows, m.space.Len()*m.channels, m.space.Len())
	}
	return nil
}
