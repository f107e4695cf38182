package bound_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// What leaving out an example changes in its mean and variance against dense formulas without the
// example's rows of Ψ1 and of the data, at any ψ1 that it may be predicted from.
func TestLeaveOut(t *testing.T) {
	for i, shape := range []shape{
		{Examples: 6, Inducing: 6, Latent: 1, Channels: 2, Jitter: 1e-6, Space: []factor{{Points: 5, Dims: 2, Kind: matern32}}},
		{Examples: 6, Inducing: 4, Latent: 2, Channels: 1, Jitter: 1e-6, Time: "matern32", Sequences: 2, TimePart: "matern32", Parts: reference.RBF | reference.Time,
			Space: []factor{{Points: 4, Dims: 1, Kind: matern32}, {Points: 3, Dims: 1, Kind: white}}},
		{Examples: 5, Inducing: 3, Latent: 2, Channels: 2, Jitter: 1e-4, Parts: reference.Linear | reference.Bias, Space: []factor{{Points: 3, Dims: 1, Kind: rbf}, {Points: 4, Dims: 1, Kind: matern12}}},
		{Examples: 4, Inducing: 2, Latent: 1, Channels: 1, Space: []factor{{Points: 90, Dims: 1, Kind: kernel.White}}}, // and several blocks
	} {
		shape.Seed = uint64(i)
		s := subjectOf(t, shape)
		d := reference.NewDense(s.Model)
		n, points, channels := s.Examples(), s.Space.Len(), s.Channels()
		if err := s.evaluator.BeginLeavingOut(t.Context(), s.Params); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(uint64(i), 31))
		psi1 := mat.New(n, s.Params.Z.Rows)
		for k := range psi1.Data {
			psi1.Data[k] = rng.NormFloat64()
		}
		shift, spread := make([]float64, n*channels*points), make([]float64, n*points)
		for from := range min(n, 3) { // in parts
			var examples []int
			for example := from; example < n; example += 3 {
				examples = append(examples, example)
			}
			a, b := s.evaluator.LeaveOut(work.Gather(psi1, examples), examples)
			for k, example := range examples {
				copy(shift[example*channels*points:], a[k*channels*points:(k+1)*channels*points])
				copy(spread[example*points:], b[k*points:(k+1)*points])
			}
		}
		s.evaluator.EndLeavingOut()
		for example := range n {
			wantShift, wantSpread := leftOut(d, example, psi1.Row(example))
			what := fmt.Sprintf("%v: example %d", shape, example)
			compare.Near(t, what+": shift", shift[example*channels*points:(example+1)*channels*points], wantShift, 1e-8) // the dense formulas use inverses
			compare.Near(t, what+": spread", spread[example*points:(example+1)*points], wantSpread, 1e-8)
		}
	}
}

// leftOut returns how far the means at the training points (channels × points) fall and by how much the
// variances (points) rise, for a latent variable with the given ψ1, when the rows of an example are gone.
func leftOut(d *reference.Dense, gone int, psi1 []float64) (shift, spread []float64) {
	mm, points, ms := len(d.Kuu), len(d.Points), len(d.Spots)
	rest := func(i int) bool { return i/points != gone }
	a := reference.NewRows(mm, mm) // A without the example; the spread of Ψ2 around ψ1ψ1ᵀ stays
	for u := range mm {
		for v := range mm {
			a[u][v] = d.Kuu[u][v] + d.Beta*d.Psi2[u][v]
			for i, row := range d.Psi1 {
				if !rest(i) {
					a[u][v] -= d.Beta * row[u] * row[v]
				}
			}
		}
	}
	l := reference.Cholesky(a)
	inverse := reference.Inverse(l)
	alphas := reference.NewRows(len(d.Y), mm)
	for c, y := range d.Y {
		projected := make([]float64, mm)
		for i, row := range d.Psi1 {
			for u := range mm {
				if rest(i) {
					projected[u] += d.Beta * row[u] * y[i]
				}
			}
		}
		alphas[c] = reference.Solve(l, projected)
	}
	shift, spread = make([]float64, len(d.Y)*points), make([]float64, points)
	for j, x := range d.Points {
		k := make([]float64, mm)
		for u := range k {
			k[u] = psi1[u/ms] * reference.SpatialCovariance(d.P, x, d.Spots[u%ms])
		}
		spread[j] = reference.Quadratic(k, inverse, k) - reference.Quadratic(k, d.AInverse, k)
		for c := range d.Y {
			shift[c*points+j] = reference.Inner(k, d.Alpha[c]) - reference.Inner(k, alphas[c])
		}
	}
	return shift, spread
}
