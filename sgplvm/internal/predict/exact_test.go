package predict

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Dense formulas, definitions and 50-digit references are held to by covariances as they are, of all examples and all points; variances are made in blocks, and larger grids are projected in parts.
func init() {
	shapeTolerance, partNeighbours, maxExamples = 0, 0, 0
	spreadRows, partNumbers = 3, 100
}

// What is filled in by sums of covariances, by near points, by the heaviest examples and after a brief search is near what is filled in without: in standard deviations, and parts of them.
func TestNearlyExact(t *testing.T) {
	shape := reference.Shape{Examples: 14, Inducing: 5, Latent: 2, Channels: 2, Jitter: 1e-6, Residual: kernel.Matern32, Space: []reference.Factor{{Points: 40, Dims: 2, Kind: kernel.Matern52}}}
	for seed := range uint64(compare.Sizes(12)) {
		shape.Seed = seed
		ref := learned(t, shape.Model(t), 4)
		rng := rand.New(rand.NewPCG(seed, 90))
		obs := field.Observed{Values: ref.UserValues(reference.Masked(rng, 40, 2, 0.5, false))}
		b := anyBlend(rng, 0.5)
		b.Parts, b.Reach = 2, 2
		fill := func(tolerance float64, near, most, candidates int) field.Prediction {
			defer func() { shapeTolerance, partNeighbours, maxExamples = 0, 0, 0 }()
			shapeTolerance, partNeighbours, maxExamples = tolerance, near, most
			p, _, err := keeping(t, ref).Impute(t.Context(), obs, field.InferOptions{Candidates: candidates, Blends: []field.Blend{b}})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		exact := fill(0, 0, 0, 3)
		for name, c := range map[string]struct {
			got  field.Prediction
			most float64
		}{
			"sums": {fill(1e-3, 0, 0, 3), 0.01}, "near points": {fill(0, 14, 0, 3), 0.6}, "heaviest examples": {fill(0, 0, 12, 3), 0.4}, "brief": {fill(0, 0, 0, 0), 0.05},
		} {
			d := apart(t, c.got, exact)
			if !(d < c.most) {
				t.Errorf("seed %d: %s are %g apart, expected less than %g", seed, name, d, c.most)
			}
			if difference(c.got.Mean, exact.Mean) == 0 && mat.NormMax(exact.Variance) > 0 && name != "heaviest examples" {
				t.Errorf("seed %d: %s change nothing", seed, name)
			}
		}
	}
}

// Similar examples tell also where more points are observed than are used at once, of which rooms are smaller.
func TestNearOfMany(t *testing.T) {
	shape := reference.Shape{Examples: 14, Inducing: 5, Latent: 2, Channels: 1, Jitter: 1e-6, Residual: kernel.Matern32, Space: []reference.Factor{{Points: 600, Dims: 2, Kind: kernel.Matern52}}}
	m := keeping(t, learned(t, shape.Model(t), 4))
	rng := rand.New(rand.NewPCG(1, 90))
	obs := field.Observed{Values: m.ref.UserValues(reference.Masked(rng, 600, 1, 0.1, false))}
	fill := func(share float64) (p field.Prediction) {
		defer func() { partNeighbours = 0 }()
		partNeighbours = 40
		conditionWith(conditionLimits{exact: 100, group: 50, neighbours: 60, work: math.Inf(1)}, func() {
			var err error
			if p, _, err = m.Impute(t.Context(), obs, field.InferOptions{Blends: []field.Blend{anyBlend(rng, share)}}); err != nil {
				t.Fatal(err)
			}
		})
		return p
	}
	if with, without := fill(0.5), fill(0); !(mat.NormMax(with.Mean) < 100) || difference(with.Mean, without.Mean) == 0 {
		t.Errorf("means up to %g, %g from those without similar examples", mat.NormMax(with.Mean), difference(with.Mean, without.Mean))
	}
}
