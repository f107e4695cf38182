package sgplvm

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// The refined posterior against generalised least squares by hand: slopes of the
// mean by central differences, C point by point, naive inverses.
func TestRefine(t *testing.T) {
	for seed := range uint64(sizes(40)) {
		shape := randomShape(15000 + seed)
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(seed, 50))
		values := masked(rng, m.space.Len(), shape.channels, 0.4, seed%2 == 0)
		values.Set(0, 0, 0.7)
		q, e := m.mustObserve(t, nil, values)
		l := randomLatent(rng, shape.latent)
		prior := &normal{mean: make([]float64, shape.latent), variance: ones(shape.latent)}
		if seed%3 == 0 {
			own := randomLatent(rng, shape.latent)
			e.prior = normalOf(&own)
			prior = e.prior
		}
		base := q.momentsOf(l)
		got, err := q.refine(e, l, base)
		if err != nil {
			t.Fatal(err)
		}

		d, n := shape.latent, m.space.Len()
		meanAt := func(mu []float64) mat.Matrix { return q.mean(e.on, q.momentsOf(Latent{Mu: mu, S: l.S})) }
		slopesAt := func(mu []float64) []mat.Matrix { // per latent dimension, n×d_y
			const h = 1e-5
			var j []mat.Matrix
			for k := range d {
				up, down := append([]float64{}, mu...), append([]float64{}, mu...)
				up[k] += h
				down[k] -= h
				s := meanAt(up)
				mat.Add(s, s, -1, meanAt(down))
				mat.Scale(s, 1/(2*h), s)
				j = append(j, s)
			}
			return j
		}
		slopes, mean := slopesAt(l.Mu), meanAt(l.Mu)
		a, g := newRows(d, d), make([]float64, d)
		for k := range d {
			a[k][k] = 1 / prior.variance[k]
			g[k] = (prior.mean[k] - l.Mu[k]) / prior.variance[k]
		}
		for c, seen := range e.seen {
			if len(seen) == 0 {
				continue
			}
			coo := q.sharedCovariance(e.on, base, seen, append([]int{}, seen...))
			r := newRows(len(seen), len(seen))
			for i := range r {
				for j := range r {
					r[i][j] = coo.At(i, j)
				}
				r[i][i] += 1 / m.params.Beta
			}
			inverse := inverseOf(choleskyOf(r))
			column := func(k int) []float64 {
				v := make([]float64, len(seen))
				for i, at := range seen {
					v[i] = slopes[k].At(at, c)
				}
				return v
			}
			residual := make([]float64, len(seen))
			for i, at := range seen {
				residual[i] = e.values.At(at, c) - mean.At(at, c)
			}
			for k := range d {
				g[k] += quadraticForm(column(k), inverse, residual)
				for k2 := range d {
					a[k][k2] += quadraticForm(column(k), inverse, column(k2))
				}
			}
		}
		inverse := inverseOf(choleskyOf(a))
		mu := append([]float64{}, l.Mu...)
		for k := range d {
			mu[k] += inner(inverse[k], g)
		}
		near(t, shape.String()+": mean", q.mean(e.on, got).Data, meanAt(mu).Data, 1e-6)

		slopes = slopesAt(mu)
		for c := range shape.channels {
			spread := mat.New(n, got.spread.Cols)
			mat.Mul(spread, 1, e.on.p[c], got.spread, 0)
			for i := range n {
				row := make([]float64, d)
				for k := range d {
					row[k] = slopes[k].At(i, c)
				}
				near(t, shape.String()+": variance", one(mat.Dot(spread.Slice(i, i+1, 0, spread.Cols), e.on.p[c].Slice(i, i+1, 0, spread.Cols))),
					one(quadraticForm(row, inverse, row)), 1e-6)
			}
		}
	}
}

// With nothing observed, or too much for one covariance matrix, the moments stay.
func TestRefineLeavesAlone(t *testing.T) {
	shape := modelShape{examples: 4, inducing: 3, latent: 2, channels: 2, space: []factorShape{{points: 6, dims: 1, kind: Matern32}}}
	m := shape.model(t)
	rng := rand.New(rand.NewPCG(3, 50))
	for _, c := range []struct {
		share float64
		exact int
	}{{1, 100}, {0, 5}} {
		q, e := m.mustObserve(t, nil, masked(rng, 6, 2, c.share, true))
		l := randomLatent(rng, 2)
		base := q.momentsOf(l)
		conditionWith(conditionLimits{exact: c.exact}, func() {
			got, err := q.refine(e, l, base)
			if err != nil {
				t.Fatal(err)
			}
			if &got.psi1.Data[0] != &base.psi1.Data[0] {
				t.Errorf("%+v: the moments were refined", c)
			}
		})
	}
}
