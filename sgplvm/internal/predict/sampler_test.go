package predict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// expanded writes an operator out.
func expanded(o kronprod.Operator) mat.Matrix {
	a := mat.New(o.Rows(), o.Cols())
	o.Mul(a, mat.Identity(o.Cols()), nil)
	return a
}

// noiseRoot writes Σ^½ out.
func noiseRoot(t *testing.T, s *sampler) mat.Matrix {
	t.Helper()
	o, err := s.noise()
	if err != nil {
		t.Fatal(err)
	}
	return expanded(o)
}

// partsCovariance is the covariance of one channel that the parts of a draw have in sum.
func partsCovariance(s *sampler, mu []float64) mat.Matrix {
	at, n := s.q.certain(mat.NewDense(1, len(mu), mu), nil), s.on.grid.Len()
	sum, whole, known := mat.New(n, n), expanded(s.whole), expanded(s.known)
	mat.Mul(sum, at.k0[0]-at.q0[0], whole, whole.T(), 0)
	for _, o := range s.rest {
		a := expanded(o)
		mat.Mul(sum, at.q0[0], a, a.T(), 1)
	}
	weighted, left := mat.New(known.Rows, known.Cols), mat.New(1, known.Cols)
	mat.Mul(left, 1, at.tau, s.q.left()[0], 0)
	mat.ScaleCols(weighted, known, left.Data)
	mat.Mul(sum, 1, weighted, known.T(), 1)
	return sum
}

// Of a kernel matrix without full numerical rank only the modes that rounding has left
// alone are used; the rest is drawn from the prior, to λ0·β·minMode of its variance.
func TestSampleSingularKernel(t *testing.T) {
	shape := reference.Shape{Examples: 4, Inducing: 4, Latent: 2, Channels: 1, Space: []reference.Factor{{Points: 40, Dims: 1, Kind: kernel.RBF}}}
	ref := shape.Model(t)
	ref.Params.Space[0].Kernel.LengthScale = one(10)
	m := saying(t, ref, Options{})
	l := randomLatent(rand.New(rand.NewPCG(1, 54)), 2)
	clear(l.S)
	between := m.grid[0].Clone()
	for i := range between.Data {
		between.Data[i] += 0.4
	}
	for _, g := range []field.Grid{m.grid, {between}} {
		s, err := m.projection(g).sampler()
		if err != nil {
			t.Fatal(err)
		}
		_, cov, err := m.PredictCovariance(l, g)
		if err != nil {
			t.Fatal(err)
		}
		compare.Near(t, "covariance", partsCovariance(s, l.Mu).Data, scaled(cov[0], math.Pow(m.scaler.Scale[0], -2)).Data, 1e-9)
	}
}

// The parts that are drawn have the covariance of PredictCovariance in sum; the noise
// has Σ.
func TestSampleParts(t *testing.T) {
	for seed := range uint64(compare.Sizes(60)) {
		shape := samplingShape(40000 + seed)
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 50))
		l := randomLatent(rng, shape.Latent)
		clear(l.S)
		for i, g := range m.samplingGrids(rng) {
			_, cov, err := m.PredictCovariance(l, g)
			if err != nil {
				t.Fatal(err)
			}
			on := m.projection(g)
			s, err := on.sampler()
			if err != nil {
				t.Fatal(err)
			}
			compare.Near(t, fmt.Sprintf("%v, grid %d", shape, i), partsCovariance(s, l.Mu).Data, scaled(cov[0], math.Pow(m.scaler.Scale[0], -2)).Data, 1e-9)
			if shape.Residual != "" {
				a, noise := noiseRoot(t, s), m.noise(on)
				mat.Mul(noise, -1, a, a.T(), 1)
				compare.Near(t, fmt.Sprintf("%v, grid %d: noise", shape, i), noise.Data, make([]float64, len(noise.Data)), 1e-12)
			}
		}
	}
}

// A learned covariance of the noise, which is known at training points alone, is drawn on
// all of them, and on some in another order; the parametric one elsewhere.
func TestSampleLearnedNoise(t *testing.T) {
	for seed := range uint64(compare.Sizes(20)) {
		shape := reference.ResidualShape(46000 + seed)
		m := saying(t, learned(t, shape.Model(t), 4), Options{})
		l := randomLatent(rand.New(rand.NewPCG(seed, 55)), shape.Latent)
		clear(l.S)
		x := m.grid[0]
		some := mat.New((x.Rows+1)/2, x.Cols)
		for i := range some.Rows {
			copy(some.Row(i), x.Row(x.Rows-1-2*i))
		}
		for _, g := range []field.Grid{m.grid, {some}, m.ref.RandomGrid(rand.New(rand.NewPCG(seed, 56)))} {
			s, err := m.projection(g).sampler()
			if err != nil {
				t.Fatal(err)
			}
			_, f, err := m.PredictCovariance(l, g)
			if err != nil {
				t.Fatal(err)
			}
			_, y, err := m.PredictDataCovariance(l, g)
			if err != nil {
				t.Fatal(err)
			}
			unit := math.Pow(m.scaler.Scale[0], -2)
			compare.Near(t, shape.String(), partsCovariance(s, l.Mu).Data, scaled(f[0], unit).Data, 1e-9)
			noise := mat.New(g.Len(), g.Len())
			mat.Add(noise, scaled(y[0], unit), -unit, f[0])
			a := noiseRoot(t, s)
			mat.Mul(noise, -1, a, a.T(), 1)
			compare.Near(t, shape.String()+": noise", noise.Data, make([]float64, len(noise.Data)), 1e-10)
		}
	}
}
