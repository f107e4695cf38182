package predict

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Many goroutines share a posterior, on more grids than it keeps, and get the bits
// that one would get alone.
func TestConcurrently(t *testing.T) {
	shape := reference.Shape{Examples: 5, Inducing: 4, Latent: 2, Channels: 2, Time: "matern32", Sequences: 1, TimePart: "rbf", Parts: reference.RBF | reference.Time, Jitter: 1e-6,
		Space: []reference.Factor{{Points: 5, Dims: 1, Kind: kernel.Matern32}, {Points: 4, Dims: 1, Inducing: 3, Kind: kernel.RBF}}}
	ref := shape.Model(t)
	fresh := func() model { return saying(t, ref, Options{}).calibrated(t, rand.New(rand.NewPCG(2, 2))) }
	rng := rand.New(rand.NewPCG(1, 33))
	grids := []field.Grid{nil, ref.RandomGrid(rng), ref.RandomGrid(rng), ref.RandomGrid(rng)}
	values := ref.UserValues(reference.Masked(rng, 20, 2, 0.5, false))
	predict := func(m model, i int) []float64 {
		at, err := m.LatentAt(0, one(1.7))
		if err != nil {
			t.Error(err)
			return nil
		}
		p, err := m.Predict(at[0], grids[i%4])
		if err != nil {
			t.Error(err)
		}
		drawn, err := m.Sample(t.Context(), at[0], grids[i%4], field.SampleOptions{Seed: uint64(i % 4)})
		if err != nil {
			t.Error(err)
		}
		filled, found, err := m.Impute(t.Context(), field.Observed{Values: values, Prior: &at[0]}, field.InferOptions{})
		if err != nil {
			t.Error(err)
		}
		return slices.Concat(p.Mean.Data, p.Variance.Data, drawn.Y[0].Data, filled.Mean.Data, filled.Variance.Data, found.Mu, found.S, m.TrainingLatent(i%4).Mu)
	}
	var want [4][]float64
	for i := range want {
		want[i] = predict(fresh(), i)
	}
	shared := fresh()
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() { compare.SameBits(t, fmt.Sprintf("goroutine %d", i), predict(shared, i), want[i%4]) })
	}
	group.Wait()
}

func TestPredictErrors(t *testing.T) {
	m := modelOf(t, reference.Shape{Examples: 3, Inducing: 2, Latent: 2, Channels: 1, Space: []reference.Factor{{Points: 3, Dims: 2, Kind: kernel.RBF}}})
	good := field.Latent{Mu: []float64{0, 1}, S: []float64{0, 1}}
	grid := func(i, j int, v float64) field.Grid {
		x := m.grid[0].Clone()
		x.Set(i, j, v)
		return field.Grid{x}
	}
	for name, c := range map[string]struct {
		l     field.Latent
		g     field.Grid
		field string
	}{
		"a short mean":        {field.Latent{Mu: one(1), S: good.S}, nil, "Latent"},
		"a long variance":     {field.Latent{Mu: good.Mu, S: work.Ones(3)}, nil, "Latent"},
		"nothing":             {field.Latent{}, nil, "Latent"},
		"a NaN mean":          {field.Latent{Mu: []float64{0, math.NaN()}, S: good.S}, nil, "Latent"},
		"an infinite mean":    {field.Latent{Mu: []float64{math.Inf(1), 0}, S: good.S}, nil, "Latent"},
		"a NaN variance":      {field.Latent{Mu: good.Mu, S: []float64{1, math.NaN()}}, nil, "Latent"},
		"a negative variance": {field.Latent{Mu: good.Mu, S: []float64{1, -1e-9}}, nil, "Latent"},
		"infinite variance":   {field.Latent{Mu: good.Mu, S: []float64{1, math.Inf(1)}}, nil, "Latent"},
		"a NaN time":          {field.Latent{Mu: good.Mu, S: good.S, At: &data.Instant{Time: math.NaN()}}, nil, "Latent"},
		"too many factors":    {good, field.Grid{m.grid[0], m.grid[0]}, "Grid"},
		"no factor":           {good, field.Grid{}, "Grid"},
		"one dimension":       {good, field.Grid{mat.New(3, 1)}, "Grid"},
		"no points":           {good, field.Grid{mat.New(0, 2)}, "Grid"},
		"a NaN coordinate":    {good, grid(2, 1, math.NaN()), "Grid"},
		"Inf coordinate":      {good, grid(0, 0, math.Inf(-1)), "Grid"},
	} {
		for method, ask := range map[string]func() error{
			"Predict":               func() error { _, err := m.Predict(c.l, c.g); return err },
			"PredictCovariance":     func() error { _, _, err := m.PredictCovariance(c.l, c.g); return err },
			"PredictDataCovariance": func() error { _, _, err := m.PredictDataCovariance(c.l, c.g); return err },
			"PredictMixture":        func() error { _, err := m.PredictMixture(c.l, c.g, field.MixtureOptions{}); return err },
			"Sample":                func() error { _, err := m.Sample(t.Context(), c.l, c.g, field.SampleOptions{}); return err },
		} {
			var config *field.ConfigError
			if err := ask(); !errors.As(err, &config) || config.Field != c.field {
				t.Errorf("%s: %s: error %v, expected one about %s", name, method, err, c.field)
			}
		}
	}
	if p, err := m.Predict(good, grid(0, 0, 1e200)); err != nil || p.Mean.Data[0] != m.scaler.Mean[0] {
		t.Errorf("a point far away: mean %v, error %v, expected the prior's", p.Mean.Data, err)
	}
}
