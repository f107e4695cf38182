package predict

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

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

// What needs all covariances of a grid says how many points it takes.
func TestTooManyPoints(t *testing.T) {
	m := modelOf(t, reference.ResidualShape(3))
	defer func(n int) { maxDrawn = n }(maxDrawn)
	maxDrawn = maxTogether
	g := field.Grid{mat.New(maxTogether+1, m.grid[0].Cols)}
	l := m.PriorLatent()
	_, _, covariance := m.PredictCovariance(l, g)
	_, sample := m.Sample(t.Context(), l, g, field.SampleOptions{})
	_, infer := m.Infer(t.Context(), field.Observed{Grid: g, Values: missing(g.Len(), m.channels())}, field.InferOptions{})
	for what, err := range map[string]error{"a covariance of all of them takes 2.15 GB": covariance, "samples at": sample, "an example at": infer} {
		var refused *field.ConfigError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), fmt.Sprintf("%d points", g.Len())) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
