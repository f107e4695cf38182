package predict

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// What the latent variables leave unexplained is not the same everywhere: it has a mean and a
// covariance that depend on what the picture looks like. A model that keeps its training residuals
// r_n = y_n − E f(x_n) weighs them by how near the training examples are to the one at hand, on the
// values observed of it (docs/math.md, "Noise with structure in space", "Local"),
//
//	w_n = exp(−½·(d_n² − d²)/(h²·d²)),   d_n² = the mean of (y* − y_n)²,  d² the least of them
//
// and takes for the noise of that example the posterior under a normal inverse Wishart prior
// around 0 and Σ that weighs ν examples: with W = Σ w_n,
//
//	m = Σ w_n·r_n/(W + ν)
//	Σ* = (1 + 1/(W + ν))·[ν·Σ + (Σ w_n·r_n·r_nᵀ − (W + ν)·m·mᵀ)∘C]/(W + ν)
//
// with the taper C, if there is one (Gelman and others, "Bayesian Data Analysis", third
// edition, section 3.6). Without latent variables that is a locally weighted conditional
// Gaussian.

// trainingResiduals are what a model keeps for that.
type trainingResiduals struct {
	r, y mat.Matrix // residuals and values of the training examples in columns, (n_s·d_y)×n_ξ, the channels of a point one below the other

	variance mat.Matrix // of the values that were filled in, as r and y; 0×0: none were
	alike    mat.Matrix // how these vary together, n_s×n_s
}

// ownNoise is the noise of one example at the points of a grid. Its covariance is
// evaluated where it is asked for.
type ownNoise struct {
	on      *projection
	mean    mat.Matrix // m, n*×d_y
	near    mat.Matrix // √(w_n/((W + ν)·d_y))·r_n of the examples that count, channel by channel, in columns; n* rows
	centred bool       // near holds deviations from m
	whole   float64    // 1 + 1/(W + ν)
	prior   float64    // ν/(W + ν)
	white   float64    // β⁻¹

	sigma, taper mat.Matrix // Σ − β⁻¹·I and C, n*×n*

	room   *room      // that of the example, or nil
	unsure []float64  // standard deviations of what was filled in of the examples that count, weighted, n*; nil: nothing was
	alike  mat.Matrix // its correlations, n*×n*
}

// Residuals returns r_n = y_n − E f(x_n) of all training examples, for Options.Residuals:
// n_ξ×(n_s·d_y) in the model's units. y are the training data. Errors: *data.ReadError, ctx.Err().
func (q *Posterior) Residuals(ctx context.Context, y *data.Scaled) (mat.Matrix, error) {
	r := mat.New(y.Examples, y.Size())
	for i := range y.Examples {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if err := y.Read(r.Row(i), i, i+1); err != nil {
			return r, err
		}
	}
	q.addFitted(r, -1)
	return r, nil
}

// addFitted adds alpha·E f(x_n) of all training examples to a, n_ξ×(n_s·d_y).
func (q *Posterior) addFitted(a mat.Matrix, alpha float64) {
	on, psi1 := q.training(), mat.New(a.Rows, q.factors[0].Size())
	q.psi.Psi1(psi1, q.params.Q())
	for c, p := range on.p {
		channel := mat.Matrix{Rows: a.Rows, Cols: p.Rows, RowStride: a.Cols, ColStride: len(on.p), Data: a.Data[c:]}
		mat.Mul(channel, alpha, psi1, p.T(), 1)
	}
}

// keep prepares residuals, n_ξ×(n_s·d_y), for noiseNear.
func (q *Posterior) keep(r mat.Matrix, f *Filled) *trainingResiduals {
	y := r.Clone()
	q.addFitted(y, 1)
	kept := &trainingResiduals{r: r.T().Clone(), y: y.T().Clone()}
	if f != nil {
		kept.variance, kept.alike = f.Variance.T().Clone(), f.Alike
	}
	return kept
}

// noiseNear returns the noise of a partly seen example, given the weights of the training examples, of which those
// above least count. strength is ν.
func (q *Posterior) noiseNear(e *example, weights []float64, strength, least float64) *ownNoise {
	n, channels := e.on.grid.Len(), q.channels()
	var total float64
	rows := e.room.list(len(weights))
	for i, w := range weights {
		total += w
		if w > least {
			rows = append(rows, i)
		}
	}
	all := total + strength
	shares, roots := e.room.vector(len(rows)), e.room.vector(len(rows))
	for k, i := range rows {
		shares[k] = weights[i] / all
		roots[k] = math.Sqrt(shares[k] / float64(channels))
	}
	t := lend[ownNoise](e.room, noiseKind)
	*t = ownNoise{on: e.on, room: e.room, mean: e.room.matrix(n, channels), near: e.room.matrix(n, len(rows)*channels),
		whole: 1 + 1/all, prior: strength / all, white: 1 / q.params.Noise.Beta, sigma: e.on.structured(), taper: e.on.taper}
	kept := q.kept()
	for j, at := range e.on.training {
		for c := range channels {
			from, near := kept.r.Row(at*channels+c), t.near.Row(j)[c*len(rows):]
			var mean float64
			for k, i := range rows {
				mean += shares[k] * from[i]
				near[k] = roots[k] * from[i]
			}
			t.mean.Set(j, c, mean)
		}
	}
	t.setUnsure(kept, rows, shares)
	return t
}

// setUnsure sets what was filled in of some training examples, which have these shares.
func (t *ownNoise) setUnsure(kept *trainingResiduals, rows []int, shares []float64) {
	if kept.variance.Rows == 0 {
		return
	}
	on, channels := t.on.training, t.mean.Cols
	t.unsure, t.alike = t.room.vector(len(on)), t.room.atPoints(on, kept.alike)
	for j, at := range on {
		var sum float64
		for c := range channels {
			variance := kept.variance.Row(at*channels + c)
			for k, i := range rows {
				sum += float64(shares[k] * variance[i])
			}
		}
		t.unsure[j] = math.Sqrt(sum / float64(channels))
	}
}

// addUnsure adds the covariance of that between two lists of points to c.
func (t *ownNoise) addUnsure(c mat.Matrix, a, b []int) {
	if t.unsure == nil {
		return
	}
	for i, k := range a {
		row, alike := c.Row(i), t.alike.Row(k)
		for j, l := range b {
			row[j] += float64(t.unsure[k] * t.unsure[l] * alike[l])
		}
	}
}

// atPoints returns a matrix of the training points, or lends it at some of them.
func (r *room) atPoints(points []int, a mat.Matrix) mat.Matrix {
	for k, i := range points {
		if i != k || len(points) != a.Rows {
			some := r.result(len(points), len(points))
			work.Submatrix(some, a, points, points)
			return some
		}
	}
	return a
}

// far returns d_n², n_ξ, the mean squared distance of the training examples from one that was seen in part, in the model's units. It is found once.
func (q *Posterior) far(e *example) []float64 {
	if e.far == nil {
		e.far = q.distances(e, nil)[0]
	}
	return e.far
}

// distances returns d_n² as far does, for each of some lists, n* each, that say how much every point counts; nil: all alike.
func (q *Posterior) distances(e *example, counts ...[]float64) [][]float64 {
	kept, channels := q.kept(), q.channels()
	all, total, squares := e.room.rows(len(counts)), e.room.vector(len(counts)), e.room.written(kept.y.Cols)
	for range counts {
		all = append(all, e.room.vector(kept.y.Cols))
	}
	for c, seen := range e.seen {
		for _, i := range seen {
			value := e.values.At(i, c)
			for k, y := range kept.y.Row(e.on.training[i]*channels + c) {
				squares[k] = (value - y) * (value - y)
			}
			for l, of := range counts {
				weight := 1.0
				if of != nil {
					weight = of[i]
				}
				if weight < 1e-9 {
					continue
				}
				total[l] += weight
				asm.Axpy(weight, squares, all[l])
			}
		}
	}
	for l, count := range total {
		for k := range all[l] {
			all[l][k] /= count
		}
	}
	return all
}

// weights returns w_n for squared distances and the bandwidth h.
func (q *Posterior) weights(r *room, distances []float64, bandwidth float64) []float64 {
	w := r.vector(len(distances))
	infer.Weights(w, distances, bandwidth, 1/q.params.Noise.Beta)
	return w
}

// covariance returns Σ* − β⁻¹·I between two lists of points.
func (t *ownNoise) covariance(a, b []int) mat.Matrix {
	c := t.room.result(len(a), len(b))
	near, mean := t.room.gather(t.near, a), t.room.gather(t.mean, a)
	share, same := 1/float64(mean.Cols), work.SameList(a, b)
	if same {
		mat.Syrk(c, 1, near, 0)
		if !t.centred {
			mat.Syrk(c, -share, mean, 1)
		}
	} else {
		mat.Mul(c, 1, near, t.room.gather(t.near, b).T(), 0)
		if !t.centred {
			mat.Mul(c, -share, mean, t.room.gather(t.mean, b).T(), 1)
		}
	}
	t.addUnsure(c, a, b)
	for i, k := range a {
		row, taper, sigma, to := c.Row(i), t.taper.Row(k), t.sigma.Row(k), b
		if same { // the lower triangle
			to = b[:i+1]
		}
		for j, l := range to {
			row[j] = t.whole * (float64(row[j]*taper[l]) + float64(t.prior*sigma[l]))
			if k == l {
				row[j] += (t.whole*t.prior - 1) * t.white
			}
		}
	}
	if same {
		mat.MirrorLower(c)
	}
	return c
}

// variance returns covariance's diagonal at point i.
func (t *ownNoise) variance(i int) float64 {
	mean := t.mean.Row(i)
	own := asm.SumSquares(t.near.Row(i))
	if !t.centred {
		own -= asm.SumSquares(mean) / float64(len(mean))
	}
	if t.unsure != nil {
		own += t.unsure[i] * t.unsure[i]
	}
	return t.whole*(own+t.prior*t.sigma.At(i, i)) + (t.whole*t.prior-1)*t.white
}
