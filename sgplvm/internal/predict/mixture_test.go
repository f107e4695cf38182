package predict

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Every component is the prediction for its latent point, and the density of a value is
// the mean of the components' densities.
func TestMixture(t *testing.T) {
	for seed := range uint64(compare.Sizes(40)) {
		shape := samplingShape(50000 + seed)
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 60))
		l := randomLatent(rng, shape.Latent)
		for _, g := range m.samplingGrids(rng)[:2] {
			r, err := m.PredictMixture(l, g, field.MixtureOptions{Components: 7, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			compare.SameBits(t, "latent points", r.X.Data, l.Sample(7, seed).Data)
			mean, values := r.Moments(), mat.Matrix{}
			values = mean.Mean.Clone()
			for i := range values.Data {
				values.Data[i] += rng.NormFloat64() * math.Sqrt(mean.Variance.Data[i])
			}
			want := make([]float64, len(values.Data))
			for k := range r.X.Rows {
				p, err := m.Predict(field.Latent{Mu: r.X.Row(k), S: make([]float64, shape.Latent)}, g)
				if err != nil {
					t.Fatal(err)
				}
				got := r.Component(k)
				compare.Near(t, fmt.Sprintf("%v: mean of component %d", shape, k), got.Mean.Data, p.Mean.Data, 1e-10)
				compare.Near(t, fmt.Sprintf("%v: variance of component %d", shape, k), got.Variance.Data, p.Variance.Data, 1e-10)
				for i, y := range values.Data {
					d, v := y-p.Mean.Data[i], p.Variance.Data[i]
					want[i] += math.Exp(-d*d/(2*v)) / math.Sqrt(2*math.Pi*v) / 7
				}
			}
			for i, v := range want {
				want[i] = math.Log(v)
			}
			compare.Near(t, fmt.Sprintf("%v: density", shape), r.LogDensity(values).Data, want, 1e-9)
		}
	}
}

// Far from all components the density has no sum to speak of, but a logarithm: that of
// the nearest component.
func TestMixtureDensityFar(t *testing.T) {
	m := modelOf(t, reference.Shape{Examples: 4, Inducing: 3, Latent: 2, Channels: 2, Space: []reference.Factor{{Points: 3, Dims: 1, Kind: kernel.Matern32}}})
	r, err := m.PredictMixture(m.PriorLatent(), nil, field.MixtureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.X.Rows != 100 {
		t.Errorf("%d components, want 100", r.X.Rows)
	}
	values := mat.New(3, 2)
	for i := range values.Data {
		values.Data[i] = 1e8
	}
	values.Set(1, 0, math.NaN())
	values.Set(2, 1, math.Inf(1))
	got := r.LogDensity(values)
	best := math.Inf(-1)
	for k := range r.X.Rows {
		p := r.Component(k)
		d, v := 1e8-p.Mean.At(0, 1), p.Variance.At(0, 1)
		best = max(best, -0.5*math.Log(2*math.Pi*v)-d*d/(2*v))
	}
	if d := got.At(0, 1) - best; !(d <= 0 && d >= -math.Log(100)) {
		t.Errorf("log density %v, the nearest component's is %v", got.At(0, 1), best)
	}
	if !math.IsNaN(got.At(1, 0)) || !math.IsInf(got.At(2, 1), -1) {
		t.Errorf("log density %v of NaN, %v of Inf", got.At(1, 0), got.At(2, 1))
	}
}

func TestMixtureErrors(t *testing.T) {
	m := modelOf(t, reference.ResidualShape(52000))
	var config *field.ConfigError
	if _, err := m.PredictMixture(m.PriorLatent(), nil, field.MixtureOptions{Components: -1}); !errors.As(err, &config) || config.Field != "MixtureOptions" {
		t.Errorf("a negative number: %v", err)
	}
	if _, err := m.PredictMixture(field.Latent{}, nil, field.MixtureOptions{}); !errors.As(err, &config) || config.Field != "Latent" {
		t.Errorf("no latent: %v", err)
	}
}
