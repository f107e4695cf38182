package baseline

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// spaceTime is a structure of which only what predicts is kept.
type spaceTime struct {
	kinds         [axesCount]kernel.Kind
	coordinates   [axesCount][]float64
	length        [axesCount]float64
	spectra       [axesCount]eig.Spectrum
	signal, noise float64
	channels      int
	weights       mat.Matrix // values in the eigenbasis over d, n×(d_y·n_s)
	inverse       mat.Matrix // 1/d, n×n_s
}

// posterior returns the regression at θ; it takes the structure's storage over.
func (s *structure) posterior(theta []float64) (*spaceTime, error) {
	if _, err := s.solve(theta, false); err != nil {
		return nil, err
	}
	n, channels, points := s.shape()
	p := &spaceTime{s.kinds, s.coordinates, s.length, s.spectra, math.Exp(theta[logSignal]), math.Exp(theta[logNoise]) + minNoise, channels,
		mat.NewDense(n, channels*points, s.z.Data), mat.New(n, points)}
	values := s.spatialValues()
	mat.Parallel(n, func(i int) {
		row := p.inverse.Row(i)
		for k, v := range values {
			row[k] = 1 / (p.signal*s.spectra[timeAxis].Values[i]*v + p.noise)
		}
	})
	return p, nil
}

// projection returns the correlations of coordinates of an axis with those in training
// times Q, and their squares.
func (p *spaceTime) projection(f int, x []float64) (q, squares mat.Matrix) {
	q, squares = mat.New(len(x), len(p.coordinates[f])), mat.New(len(x), len(p.coordinates[f]))
	mat.Mul(q, 1, correlations(p.kinds[f], x, p.coordinates[f], p.length[f]), p.spectra[f].Vectors, 0)
	mat.MulElem(squares, q, q)
	return q, squares
}

// predict has the mean σ²(F_t ⊗ F_rows ⊗ F_columns)·z/d with F = k_*Q of each axis, and the
// variance σ² − σ⁴(F∘F)(1/d) + τ, a product of the same form.
func (p *spaceTime) predict(ctx context.Context, times []float64, height, width, rows int, body func(from, to int, mean, variance []float64) error) error {
	nr, nc := len(p.coordinates[rowAxis]), len(p.coordinates[columnAxis])
	inTime, inTime2 := p.projection(timeAxis, times)
	inRows, inRows2 := p.projection(rowAxis, centres(nr, height))
	inColumns, inColumns2 := p.projection(columnAxis, centres(nc, width))
	// along contracts time and columns.
	along := func(planes int, scale float64, t, weights, columns mat.Matrix) kronprod.Tensor {
		coarse := kronprod.NewTensor(planes, nr, nc)
		mat.Mul(mat.NewDense(len(times), planes/len(times)*nr*nc, coarse.Data), scale, t, weights, 0)
		wide := kronprod.NewTensor(planes, nr, width)
		kronprod.MulMode(wide, columns, coarse, 2)
		return wide
	}
	planes := len(times) * p.channels
	mean := along(planes, p.signal, inTime, p.weights, inColumns)
	explained := along(len(times), p.signal*p.signal, inTime2, p.inverse, inColumns2)
	size := rows * width
	mu, gain, variance := make([]float64, planes*size), make([]float64, len(times)*size), make([]float64, planes*size)
	for from := 0; from < height; from += rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+rows, height)
		n := (to - from) * width
		kronprod.MulMode(kronprod.Shaped(mu, planes, to-from, width), inRows.Slice(from, to, 0, nr), mean, 1)
		kronprod.MulMode(kronprod.Shaped(gain, len(times), to-from, width), inRows2.Slice(from, to, 0, nr), explained, 1)
		mat.Parallel(planes, func(k int) {
			g, v := gain[k/p.channels*n:][:n], variance[k*n:][:n]
			for j := range v {
				v[j] = max(p.signal-g[j], 0) + p.noise
			}
		})
		if err := body(from, to, mu[:planes*n], variance[:planes*n]); err != nil {
			return err
		}
	}
	return nil
}
