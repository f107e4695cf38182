package predict

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// Predictions and mixtures are those of the whole grid when it is projected in parts, with noise of any kind and
// calibrated variances, also where the training points come in an order of their own.
func TestParts(t *testing.T) {
	defer func(n int) { partNumbers = n }(partNumbers)
	whole := partNumbers
	for seed := range uint64(compare.Sizes(40)) {
		shape := reference.RandomShape(46000 + seed)
		if seed%2 == 1 {
			shape = reference.ResidualShape(46000 + seed)
		}
		if seed%3 == 2 {
			shape.Time, shape.Sequences, shape.TimePart = "matern32", 1, "rbf"
		}
		ref := shape.Model(t)
		if seed%4 == 3 {
			learned(t, ref, 3)
		}
		m, rng := saying(t, ref, Options{}), rand.New(rand.NewPCG(seed, 61))
		l := randomLatent(rng, shape.Latent)
		if shape.Time != "" {
			m = m.calibrated(t, rng)
			l.At = &data.Instant{Time: 0.3}
		}
		g := m.ref.RandomGrid(rng)
		if seed%8 == 3 { // some of the training points, backwards
			x := mat.New(m.grid[0].Rows, m.grid[0].Cols)
			for i := range x.Rows {
				copy(x.Row(i), m.grid[0].Row(x.Rows-1-i))
			}
			g = field.Grid{x}
		}
		partNumbers = whole
		want, err := m.Predict(l, g)
		if err != nil {
			t.Fatal(err)
		}
		mixture, err := m.PredictMixture(l, g, field.MixtureOptions{Components: 3})
		if err != nil {
			t.Fatal(err)
		}
		partNumbers = 1 + int(seed%3)*m.numbersPerRow(g.Len()/g[0].Rows)
		got, err := m.Predict(l, g)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := m.PredictMixture(l, g, field.MixtureOptions{Components: 3})
		if err != nil {
			t.Fatal(err)
		}
		ofMixture, ofParts := mixture.Moments(), parts.Moments()
		for _, c := range []struct {
			what      string
			got, want mat.Matrix
		}{
			{"mean", got.Mean, want.Mean}, {"variance", got.Variance, want.Variance},
			{"mixture's mean", ofParts.Mean, ofMixture.Mean}, {"mixture's variance", ofParts.Variance, ofMixture.Variance},
		} {
			if d := difference(c.got, c.want); !(d <= 1e-11*(1+mat.NormMax(c.want))) { // sums of at most 50 terms in another order
				t.Errorf("%v: %s is off by %g", shape, c.what, d)
			}
		}
		if got.Noise != want.Noise {
			t.Errorf("%v: noise %s, want %s", shape, got.Noise, want.Noise)
		}
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
