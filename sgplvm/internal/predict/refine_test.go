package predict

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// What is filled in from the refined posterior against generalised least squares by hand: slopes of the
// mean by central differences, C point by point, naive inverses.
func TestRefine(t *testing.T) {
	for seed := range uint64(compare.Sizes(40)) {
		shape := reference.RandomShape(15000 + seed)
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 50))
		values := reference.Masked(rng, m.grid.Len(), shape.Channels, 0.4, seed%2 == 0)
		values.Set(0, 0, 0.7)
		obs := field.Observed{Values: m.ref.UserValues(values)}
		l := randomLatent(rng, shape.Latent)
		prior := field.Latent{Mu: make([]float64, shape.Latent), S: work.Ones(shape.Latent)}
		if seed%3 == 0 {
			prior = randomLatent(rng, shape.Latent)
			obs.Prior = &prior
		}
		e, base := m.mustObserveAll(t, obs), m.momentsOf(l)
		got := m.given(t, e, l, field.InferOptions{LocalBandwidth: -1, DegreesOfFreedom: -1})

		d, n := shape.Latent, m.grid.Len()
		meanAt := func(mu []float64) mat.Matrix { return m.mean(e.on, m.momentsOf(field.Latent{Mu: mu, S: l.S})) }
		a, g := m.normalEquations(e, base, slopesOf(meanAt, l.Mu), meanAt(l.Mu))
		for k := range d {
			a[k][k] += 1 / prior.S[k]
			g[k] += (prior.Mu[k] - l.Mu[k]) / prior.S[k]
		}
		inverse := reference.Inverse(reference.Cholesky(a))
		mu := append([]float64{}, l.Mu...)
		for k := range d {
			mu[k] += reference.Inner(inverse[k], g)
		}
		slopes, covariance := slopesOf(meanAt, mu), m.sharedCovariance(e.on, base, 0)
		for i := range n {
			covariance.Set(i, i, covariance.At(i, i)+1/m.params.Noise.Beta)
		}
		for c := range shape.Channels {
			spread, row := mat.New(n, n), reference.NewRows(n, d)
			for i := range n {
				for k := range d {
					row[i][k] = slopes[k].At(i, c)
				}
			}
			for i := range n {
				for j := range n {
					spread.Set(i, j, reference.Quadratic(row[i], inverse, row[j]))
				}
			}
			for _, v := range denseGiven(t, covariance, spread, meanAt(mu), values, c) {
				compare.NearOne(t, shape.String()+": mean", got.Mean.At(v.point, c), v.mean, 1e-6)
				compare.NearOne(t, shape.String()+": variance", got.Variance.At(v.point, c)+1/m.params.Noise.Beta, v.variance, 1e-6)
			}
		}
	}
}

// slopesOf returns the derivatives of a mean in every latent dimension, n×d_y each, by central differences.
func slopesOf(meanAt func(mu []float64) mat.Matrix, mu []float64) []mat.Matrix {
	const h = 1e-5
	var j []mat.Matrix
	for k := range mu {
		up, down := slices.Clone(mu), slices.Clone(mu)
		up[k] += h
		down[k] -= h
		s := meanAt(up)
		mat.Add(s, s, -1, meanAt(down))
		mat.Scale(s, 1/(2*h), s)
		j = append(j, s)
	}
	return j
}

// normalEquations returns what the observed values add to the precision of x and to its shift.
func (m model) normalEquations(e *example, t moments, slopes []mat.Matrix, mean mat.Matrix) (a reference.Rows, g []float64) {
	d := len(slopes)
	a, g = reference.NewRows(d, d), make([]float64, d)
	for c, seen := range e.seen() {
		if len(seen) == 0 {
			continue
		}
		whole, cov := m.sharedCovariance(e.on, t, 0), mat.New(len(seen), len(seen))
		work.Submatrix(cov, whole, seen, seen)
		coo, residual := reference.NewRows(len(seen), len(seen)), make([]float64, len(seen))
		for i, at := range seen {
			copy(coo[i], cov.Row(i))
			coo[i][i] += 1 / m.params.Noise.Beta
			residual[i] = e.values[at*m.channels()+c] - mean.At(at, c)
		}
		inverse := reference.Inverse(reference.Cholesky(coo))
		column := func(k int) []float64 {
			v := make([]float64, len(seen))
			for i, at := range seen {
				v[i] = slopes[k].At(at, c)
			}
			return v
		}
		for k := range d {
			g[k] += reference.Quadratic(column(k), inverse, residual)
			for k2 := range d {
				a[k][k2] += reference.Quadratic(column(k), inverse, column(k2))
			}
		}
	}
	return a, g
}

// With too much observed for one covariance matrix the moments stay.
func TestRefineLeavesAlone(t *testing.T) {
	shape := reference.Shape{Examples: 4, Inducing: 3, Latent: 2, Channels: 2, Space: []reference.Factor{{Points: 8, Dims: 1, Kind: kernel.Matern32}}}
	m := modelOf(t, shape)
	rng := rand.New(rand.NewPCG(3, 50))
	values := reference.Masked(rng, 8, 2, 0, true)
	values.Set(0, 0, math.NaN())
	values.Set(0, 1, math.NaN())
	e, l := m.mustObserve(t, nil, values), randomLatent(rng, 2)
	conditionWith(conditionLimits{exact: 5, group: 4, neighbours: 4}, func() { // without work for conditioning
		got, plain := m.given(t, e, l, field.InferOptions{DegreesOfFreedom: -1}), m.given(t, e, l, field.InferOptions{FirstOrder: true, DegreesOfFreedom: -1})
		compare.SameBits(t, "mean", got.Mean.Data, plain.Mean.Data)
		compare.SameBits(t, "variance", got.Variance.Data, plain.Variance.Data)
	})
}
