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

// The parts that are drawn have the covariance of PredictCovariance in sum, and with the noise that of PredictDataCovariance; a learned covariance is drawn at the training points, the
// parametric one elsewhere.
func TestSampleParts(t *testing.T) {
	for seed := range uint64(compare.Sizes(60)) {
		shape := samplingShape(40000 + seed)
		ref, rng := shape.Model(t), rand.New(rand.NewPCG(seed, 50))
		if shape.Residual != "" && seed%2 == 0 {
			learned(t, ref, 4)
		}
		m, l := saying(t, ref, Options{}), randomLatent(rng, shape.Latent)
		clear(l.S)
		grids := m.samplingGrids(rng)
		if x := m.grid[0]; len(m.grid) == 1 { // some training points in another order
			some := mat.New((x.Rows+1)/2, x.Cols)
			for i := range some.Rows {
				copy(some.Row(i), x.Row(x.Rows-1-2*i))
			}
			grids = append(grids, field.Grid{some})
		}
		for i, g := range grids {
			_, cov, err := m.PredictCovariance(l, g)
			if err != nil {
				t.Fatal(err)
			}
			_, noisy, err := m.PredictDataCovariance(l, g)
			if err != nil {
				t.Fatal(err)
			}
			s, err := m.projection(g).sampler()
			if err != nil {
				t.Fatal(err)
			}
			unit := math.Pow(m.scaler.Scale[0], -2)
			compare.Near(t, fmt.Sprintf("%v, grid %d", shape, i), partsCovariance(s, l.Mu).Data, scaled(cov[0], unit).Data, 1e-9)
			if shape.Residual != "" {
				a, noise := noiseRoot(t, s), mat.New(cov[0].Rows, cov[0].Rows)
				mat.Add(noise, scaled(noisy[0], unit), -unit, cov[0])
				mat.Mul(noise, -1, a, a.T(), 1)
				compare.Near(t, fmt.Sprintf("%v, grid %d: noise", shape, i), noise.Data, make([]float64, len(noise.Data)), 1e-10)
			}
		}
	}
}
