package sgplvm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Latent means start as principal component scores of unit variance, the strongest first.
func TestStart(t *testing.T) {
	const n = 30
	rng := rand.New(rand.NewPCG(6, 50))
	y, scores, directions := mat.New(n*8, 1), mat.New(n, 2), normals(2, 8, 1, 9).Y
	for i := range n {
		scores.Set(i, 0, 5*rng.NormFloat64())
		scores.Set(i, 1, rng.NormFloat64())
		for j := range 8 {
			y.Set(i*8+j, 0, 3+scores.At(i, 0)*directions.Data[j]+scores.At(i, 1)*directions.Data[8+j])
		}
	}
	p := newTestTrainer(t, Data{Examples: n, Y: y, Grid: Grid{line(8)}}, Config{LatentDims: 4, Inducing: 10}).inner.Params()
	variance := func(q int) (v float64) {
		for i := range n {
			v += p.X.Mu.At(i, q) * p.X.Mu.At(i, q) / n
		}
		return v
	}
	compare.Near(t, "variances of the scores", []float64{variance(0), variance(1)}, []float64{1, 1}, 1e-9)
	if variance(2) > 1e-3 || variance(3) > 1e-3 || variance(2) == 0 {
		t.Errorf("dimensions beyond the rank have variances %g and %g", variance(2), variance(3))
	}
	// The first score is a linear function of the two that made the data, nearly the first one alone.
	var cross, own, mean float64
	for i := range n {
		mean += scores.At(i, 0) / n
	}
	for i := range n {
		d := scores.At(i, 0) - mean
		cross += p.X.Mu.At(i, 0) * d
		own += d * d
	}
	if r := math.Abs(cross) / math.Sqrt(own*n*variance(0)); r < 0.95 {
		t.Errorf("correlation %g of the first score with the strongest source", r)
	}
	l := p.Latent.Parts[0].(*psi.RBF).LengthScale
	if !(l[0] < l[1] && l[1] < l[2] && l[2] == l[3]) {
		t.Errorf("length scales %v, expected longer ones for weaker components", l)
	}
	for k := range p.Z.Rows { // each one a latent mean, and all different
		found := 0
		for i := range n {
			if slices.Equal(p.Z.Row(k), p.X.Mu.Row(i)) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("inducing point %d equals %d latent means", k, found)
		}
	}
}

// A model that has joined the factors of its grid to one takes grids of several factors for what they are, in any resolution.
func TestGridStaysAGrid(t *testing.T) {
	ctx := context.Background()
	cfg := Config{Effort: EffortNone, Factors: FactorsJoint, LatentDims: 2, Residual: ResidualConfig{Kernel: kernel.Kernel{Kind: kernel.Matern32}}, Training: steps(8)}
	m, _, err := Fit(ctx, bumps(12, 6, 5, 2), cfg)
	if err != nil {
		t.Fatal(err)
	}
	finer := Grid{mat.NewDense(3, 1, []float64{0, 0.5, 2}), mat.NewDense(2, 2, []float64{1, 9, 4, 9}).Slice(0, 2, 0, 1)}
	points := Grid{mat.NewDense(6, 2, []float64{0, 1, 0, 4, 0.5, 1, 0.5, 4, 2, 1, 2, 4})}
	l := m.TrainingLatent(3)
	said := func(g Grid) map[string]any { return answers(t, predictions(m, l, g), inferences(m, g)) }
	if d := diff(said(finer), said(points)); d != "" {
		t.Error(d)
	}
	for name, g := range map[string]Grid{
		"other dimensions": {line(2), mat.New(3, 2)}, "three factors": {line(2), line(2), line(2)}, "no points": {line(2), mat.New(0, 1)},
		"a NaN point": {line(2), mat.NewDense(1, 1, []float64{math.NaN()})},
	} {
		var refused *ConfigError
		if _, err := m.Predict(l, g); !errors.As(err, &refused) || refused.Field != "Grid" {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
