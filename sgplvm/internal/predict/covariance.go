package predict

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// PredictCovariance returns the mean (n_s*×d_y) and, for every channel, the
// covariance (n_s*×n_s*) of f, the data without noise of either kind, white or
// structured, at the points of a grid (nil: the training grid), in the user's
// units. PredictDataCovariance has the noise too. Both form the full matrices. Where
// Predict calibrates variances, covariances are multiplied by the same ratio's root at either
// point. A grid that is not the training grid has at most 16384 points. Errors: *data.ConfigError.
func (q *Posterior) PredictCovariance(l Latent, g data.Grid) (mean mat.Matrix, cov []mat.Matrix, err error) {
	return q.covariances(l, g, false)
}

// PredictDataCovariance is PredictCovariance of the data: of f and all of the noise.
// Its diagonal is the variance that Predict returns.
func (q *Posterior) PredictDataCovariance(l Latent, g data.Grid) (mean mat.Matrix, cov []mat.Matrix, err error) {
	return q.covariances(l, g, true)
}

func (q *Posterior) covariances(l Latent, g data.Grid, withNoise bool) (mean mat.Matrix, cov []mat.Matrix, err error) {
	if err := q.checkArguments(l, g); err != nil {
		return mat.Matrix{}, nil, err
	}
	if n := g.Len(); g != nil && n > mostTogether && n > q.grid.Len() {
		return mat.Matrix{}, nil, &data.ConfigError{Field: "Grid", Err: fmt.Errorf("%d points, expected at most %d: a covariance of all of them takes %.3g GB", n, mostTogether, 8e-9*float64(n)*float64(n))}
	}
	on := q.projection(g)
	t := q.momentsOf(l)
	t.setTerms(on)
	mean = q.mean(on, t)
	all := make([]int, on.grid.Len())
	for i := range all {
		all[i] = i
	}
	shared := make([]mat.Matrix, q.versions())
	for v := range shared {
		shared[v] = q.sharedCovariance(on, t, v, all, all)
	}
	rescaling := q.rescaling(g, l)
	var noise mat.Matrix
	if withNoise {
		noise = q.noise(on)
	}
	for c, s := range q.scaler.Scale {
		k := shared[q.version[c]].Clone()
		spread := mat.New(k.Rows, t.spread.Cols)
		mat.Mul(spread, 1, on.p[c], t.spread, 0)
		mat.Mul(k, 1, spread, on.p[c].T(), 1)
		mat.Scale(k, s*s, k)
		if withNoise {
			mat.Add(k, k, l.noise()*s*s, noise)
		}
		if rescaling != nil {
			rescaling.covariance(k, c)
		}
		cov = append(cov, k)
	}
	for i := range mean.Rows {
		for c := range mean.Cols {
			mean.Set(i, c, q.scaler.Mean[c]+q.scaler.Scale[c]*mean.At(i, c))
		}
	}
	return mean, cov, nil
}

// covariance rescales the covariance of channel c between all points, n_s*×n_s*.
func (r *rescaling) covariance(k mat.Matrix, c int) {
	for i := range k.Rows {
		row := k.Row(i)
		for j := range row {
			row[j] *= r.root.At(i, c) * r.root.At(j, c)
		}
	}
}

// sharedCovariance returns the covariance of f between two lists of grid
// points, without the term of the latent uncertainty, which differs between
// channels, for a version of the mask of the training data:
//
//	ψ0·K(a, b) − Φ_a·diag(h)·Φ_bᵀ
func (q *Posterior) sharedCovariance(on *projection, t moments, version int, a, b []int) mat.Matrix {
	if t.noiseAlone() {
		return t.room.matrix(len(a), len(b))
	}
	cov := t.room.result(len(a), len(b))
	on.priorCovariance(t.room, cov, t.psi0, a, b)
	t.subtractExplained(on, cov, version, a, b)
	return cov
}

// subtractExplained subtracts Φ_a·diag(h)·Φ_bᵀ from cov, len(a)×len(b), of version v of the mask.
func (t *moments) subtractExplained(on *projection, cov mat.Matrix, v int, a, b []int) {
	if len(on.dims) > 1 {
		on.subtractByPairs(t.room, cov, t.terms[v], a, b)
		return
	}
	same, phi := work.SameList(a, b), on.features().phi.Factors[0]
	step := max(1, featureNumbers/max(1, len(a), len(b)))
	for from := 0; from < phi.Cols; from += step {
		to := min(from+step, phi.Cols)
		columns := phi.Slice(0, phi.Rows, from, to)
		left, right := t.room.gather(columns, a), t.room.gather(columns, b)
		mat.ScaleCols(right, right, t.h[v][from:to])
		if same {
			mat.MulSym(cov, -1, right, left.T(), 1)
		} else {
			mat.Mul(cov, -1, left, right.T(), 1)
		}
	}
	if same {
		mat.MirrorLower(cov)
	}
}

// priorCovariance sets cov to psi0·K(a, b).
func (on *projection) priorCovariance(r *room, cov mat.Matrix, psi0 float64, a, b []int) {
	p := lend[priorRows](r, priorKind)
	*p = priorRows{on, cov, psi0, r.split(a, on.dims), r.split(b, on.dims)}
	mat.Run(min(rowBlocks, len(a)), p)
}

// priorRows are those of ψ0·K between points, block by block.
type priorRows struct {
	on     *projection
	to     mat.Matrix
	psi0   float64
	ia, ib [][]int // indices of either in each factor
}

// Do sets those of a block.
func (p *priorRows) Do(b int) {
	from, to := work.Block(b, min(rowBlocks, p.to.Rows), p.to.Rows)
	for i := from; i < to; i++ {
		row := p.to.Row(i)
		for j := range row {
			row[j] = p.psi0
		}
		for f, k := range p.on.kss {
			values := k().Row(p.ia[f][i])
			for j, l := range p.ib[f] {
				row[j] *= values[l]
			}
		}
	}
}

// dataCovariance is sharedCovariance of the data without the white noise: with the
// structured part.
func (q *Posterior) dataCovariance(on *projection, t moments, version int, a, b []int) mat.Matrix {
	cov := q.sharedCovariance(on, t, version, a, b)
	switch {
	case t.own != nil:
		mat.Add(cov, cov, t.noise, t.own.covariance(a, b))
	case on.structured != nil:
		for i, k := range a {
			row, noise := cov.Row(i), on.structured().Row(k)
			for j, l := range b {
				row[j] += t.noise * noise[l]
			}
		}
	}
	return cov
}
