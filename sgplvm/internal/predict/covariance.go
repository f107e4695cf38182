package predict

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// PredictCovariance returns the mean (n_s*×d_y) and, for every channel, the
// covariance (n_s*×n_s*) of f, the data without noise of either kind, white or
// structured, at the points of a grid (nil: the training grid), in the user's
// units. PredictDataCovariance has the noise too. Both form the full matrices. Where
// Predict calibrates variances, covariances are multiplied by the same ratio's root at either
// point. A grid that is not the training grid has at most 16384 points. Errors: *field.ConfigError.
func (q *Posterior) PredictCovariance(l field.Latent, g field.Grid) (mean mat.Matrix, cov []mat.Matrix, err error) {
	return q.covariances(l, g, false)
}

// PredictDataCovariance is PredictCovariance of the data: of f and all of the noise.
// Its diagonal is the variance that Predict returns.
func (q *Posterior) PredictDataCovariance(l field.Latent, g field.Grid) (mean mat.Matrix, cov []mat.Matrix, err error) {
	return q.covariances(l, g, true)
}

func (q *Posterior) covariances(l field.Latent, g field.Grid, withNoise bool) (mean mat.Matrix, cov []mat.Matrix, err error) {
	if err := q.checkArguments(l, g); err != nil {
		return mat.Matrix{}, nil, err
	}
	if n := g.Len(); g != nil && n > maxTogether && n > q.grid.Len() {
		return mat.Matrix{}, nil, &field.ConfigError{Field: "Grid", Err: fmt.Errorf("%d points, expected at most %d: a covariance of all of them takes %.3g GB", n, maxTogether, 8e-9*float64(n)*float64(n))}
	}
	on := q.projection(g)
	t := q.momentsOf(l)
	mean = q.mean(on, t)
	shared := make([]mat.Matrix, q.versions())
	for v := range shared {
		shared[v] = q.sharedCovariance(on, t, v)
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
			mat.Add(k, k, s*s, noise)
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

// sharedCovariance returns the covariance of f between all points, without the term of the latent uncertainty, which differs between
// channels, for a version of the mask of the training data:
//
//	ψ0·K − Φ·diag(h)·Φᵀ
func (q *Posterior) sharedCovariance(on *projection, t moments, version int) mat.Matrix {
	n, h := on.grid.Len(), t.h.Row(version)
	cov, phi := mat.New(n, n), on.features().phi
	if len(phi.Factors) == 1 {
		right := phi.Factors[0].Clone()
		mat.ScaleCols(right, right, h)
		mat.MulSym(cov, -1, right, phi.Factors[0].T(), 0)
	} else {
		mat.Parallel(n, func(i int) {
			row := rowOf(phi.Factors, i, on.dims)
			for j, v := range h {
				row[j] *= -v
			}
			phi.Mul(mat.Vector(cov.Row(i)), mat.Vector(row), nil)
		})
	}
	kernels := make([]mat.Matrix, len(on.dims))
	for f, k := range on.kss {
		kernels[f] = k()
	}
	for i := range n {
		asm.Axpy(t.psi0, rowOf(kernels, i, on.dims)[:i+1], cov.Row(i)[:i+1])
	}
	mat.MirrorLower(cov)
	return cov
}

// rowOf returns the row of ⊗A_f that belongs to point i of a grid with so many points in each factor.
func rowOf(factors []mat.Matrix, i int, dims []int) []float64 {
	index, rows := make([]int, len(dims)), make([][]float64, len(dims))
	data.Split(index, i, dims)
	for f, a := range factors {
		rows[f] = a.Row(index[f])
	}
	return kronprod.Vectors(rows...)
}
