package predict

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// The refined posterior against generalised least squares by hand: slopes of the
// mean by central differences, C point by point, naive inverses.
func TestRefine(t *testing.T) {
	for seed := range uint64(compare.Sizes(40)) {
		shape := reference.RandomShape(15000 + seed)
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 50))
		values := reference.Masked(rng, m.grid.Len(), shape.Channels, 0.4, seed%2 == 0)
		values.Set(0, 0, 0.7)
		e := m.mustObserve(t, nil, values)
		l := randomLatent(rng, shape.Latent)
		prior := &psi.Normal{Mean: make([]float64, shape.Latent), Variance: work.Ones(shape.Latent)}
		if seed%3 == 0 {
			own := randomLatent(rng, shape.Latent)
			e.setPrior(&own)
			prior = e.prior.normal
		}
		base := m.momentsOf(l)
		base.setTerms(e.on)
		got, err := m.refine(e, l, base)
		if err != nil {
			t.Fatal(err)
		}

		d := shape.Latent
		meanAt := func(mu []float64) mat.Matrix { return m.mean(e.on, m.momentsOf(Latent{Mu: mu, S: l.S})) }
		a, g := m.normalEquations(e, base, slopesOf(meanAt, l.Mu), meanAt(l.Mu))
		for k := range d {
			a[k][k] += 1 / prior.Variance[k]
			g[k] += (prior.Mean[k] - l.Mu[k]) / prior.Variance[k]
		}
		inverse := reference.Inverse(reference.Cholesky(a))
		mu := append([]float64{}, l.Mu...)
		for k := range d {
			mu[k] += reference.Inner(inverse[k], g)
		}
		compare.Near(t, shape.String()+": mean", m.mean(e.on, got).Data, meanAt(mu).Data, 1e-6)

		slopes, n := slopesOf(meanAt, mu), m.grid.Len()
		for c := range shape.Channels {
			spread := mat.New(n, got.spread.Cols)
			mat.Mul(spread, 1, e.on.p[c], got.spread, 0)
			for i := range n {
				row := make([]float64, d)
				for k := range d {
					row[k] = slopes[k].At(i, c)
				}
				compare.Near(t, shape.String()+": variance", one(mat.Dot(spread.Slice(i, i+1, 0, spread.Cols), e.on.p[c].Slice(i, i+1, 0, spread.Cols))),
					one(reference.Quadratic(row, inverse, row)), 1e-6)
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
	for c, seen := range e.seen {
		if len(seen) == 0 {
			continue
		}
		cov := m.sharedCovariance(e.on, t, 0, seen, slices.Clone(seen))
		coo, residual := reference.NewRows(len(seen), len(seen)), make([]float64, len(seen))
		for i, at := range seen {
			copy(coo[i], cov.Row(i))
			coo[i][i] += 1 / m.params.Noise.Beta
			residual[i] = e.values.At(at, c) - mean.At(at, c)
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

// With nothing observed, or too much for one covariance matrix, the moments stay.
func TestRefineLeavesAlone(t *testing.T) {
	shape := reference.Shape{Examples: 4, Inducing: 3, Latent: 2, Channels: 2, Space: []reference.Factor{{Points: 6, Dims: 1, Kind: kernel.Matern32}}}
	m := modelOf(t, shape)
	rng := rand.New(rand.NewPCG(3, 50))
	for _, c := range []struct {
		share float64
		exact int
	}{{1, 100}, {0, 5}} {
		e := m.mustObserve(t, nil, reference.Masked(rng, 6, 2, c.share, true))
		l := randomLatent(rng, 2)
		base := m.momentsOf(l)
		base.setTerms(e.on)
		conditionWith(conditionLimits{exact: c.exact}, func() {
			got, err := m.refine(e, l, base)
			if err != nil {
				t.Fatal(err)
			}
			if &got.psi1.Data[0] != &base.psi1.Data[0] {
				t.Errorf("%+v: the moments were refined", c)
			}
		})
	}
}
