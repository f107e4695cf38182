package predict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A roomCase is a model with examples of one kind that are filled in one after the other.
type roomCase struct {
	model
	name  string
	obs   field.Observed
	o     field.InferOptions
	limit conditionLimits // of conditioning
	at    field.Latent    // for predictions
}

// roomCases returns one of each kind.
func roomCases(t *testing.T, seed uint64) []roomCase {
	t.Helper()
	rng, plain := rand.New(rand.NewPCG(seed, 31)), modelOf(t, reference.RandomShape(46000+seed))
	for k := uint64(1); plain.grid.Len() < 3; k++ {
		plain = modelOf(t, reference.RandomShape(46000+seed+1000*k))
	}
	product := modelOf(t, reference.Shape{Examples: 4, Inducing: 3, Latent: 2, Channels: 2, Space: []reference.Factor{
		{Points: 4, Dims: 1, Kind: kernel.Matern32}, {Points: 3, Dims: 1, Kind: kernel.RBF}, {Points: 2, Dims: 2, Kind: kernel.RBF}}})
	kept, obs, _ := blendCase(t, 900+seed)
	holed := reference.RandomShape(47000 + seed).Model(t)
	hide(holed, rng)
	timed := modelOf(t, reference.TimeShape(seed)).calibrated(t, rng)
	prior := randomLatent(rng, len(timed.TrainingLatent(0).Mu))
	prior.At = &data.Instant{Sequence: timed.times[0].Sequence, Time: 1.3}
	other := plain.ref.RandomGrid(rng)
	errors := mat.New(plain.grid.Len(), plain.channels())
	for i := range errors.Data {
		errors.Data[i] = 0.1 * float64(i%3)
	}
	two := []field.Blend{anyBlend(rng, 0.2), anyBlend(rng, 0.7)}
	return []roomCase{
		{name: "plain", model: plain},
		{name: "other degrees of freedom", model: plain, o: field.InferOptions{DegreesOfFreedom: 5}},
		{name: "errors known", model: plain, obs: field.Observed{Errors: errors}},
		{name: "other points", model: plain, obs: field.Observed{Grid: other}},
		{name: "as the paper", model: plain, o: field.InferOptions{Conditioning: field.ConditionMoments}},
		{name: "latent variables alone", model: product, o: field.InferOptions{Conditioning: field.ConditionNone}},
		{name: "product", model: product},
		{name: "product, groups", model: product, limit: conditionLimits{exact: 2, group: 3, neighbours: 4, work: 1e12}},
		{name: "residuals kept", model: kept, obs: obs},
		{name: "mixture", model: kept, obs: obs, o: field.InferOptions{Blends: two}},
		{name: "examples alone", model: kept, obs: obs, o: field.InferOptions{Blends: []field.Blend{anyBlend(rng, 1)}}},
		{name: "learned from holes", model: learnedFrom(t, holed)},
		{name: "calibrated in time", model: timed, obs: field.Observed{Prior: &prior}, at: prior},
	}
}

// each calls body for every case and some examples of it.
func (c roomCase) each(t *testing.T, rng *rand.Rand, body func(c roomCase, what string)) {
	t.Helper()
	if c.at.Mu == nil {
		c.at = c.TrainingLatent(0)
	}
	if c.limit.exact == 0 {
		c.limit = conditioning
	}
	conditionWith(c.limit, func() {
		for k := range 8 {
			values := reference.Masked(rng, c.or(c.obs.Grid).Len(), c.channels(), 0.1+0.1*float64(k), false)
			c.obs.Values = c.ref.UserValues(values)
			body(c, fmt.Sprintf("%s, example %d", c.name, k))
		}
	})
}

// What is filled in or predicted in a room, one example after the other in the same storage, has the bits of what is made in storage of its own.
func TestRooms(t *testing.T) {
	for seed := range uint64(compare.Sizes(10)) {
		for _, c := range roomCases(t, seed) {
			var p, predicted field.Prediction
			var l field.Latent
			c.each(t, rand.New(rand.NewPCG(seed, 32)), func(m roomCase, what string) {
				what = fmt.Sprintf("seed %d, %s", seed, what)
				m.o.Candidates = 3 // a search that is not brief
				inferred, err := m.Infer(t.Context(), m.obs, m.o)
				if err != nil {
					t.Fatal(what, err)
				}
				want, err := m.ImputeGiven(t.Context(), m.obs, inferred, m.o)
				if err != nil {
					t.Fatal(what, err)
				}
				if err := m.ImputeTo(t.Context(), &p, &l, m.obs, m.o); err != nil {
					t.Fatal(what, err)
				}
				compare.SameBits(t, what+": latent variables", slices.Concat(l.Mu, l.S), slices.Concat(inferred.Mu, inferred.S))
				compare.SameBits(t, what+": predicted", slices.Concat(p.Mean.Data, p.Variance.Data), slices.Concat(want.Mean.Data, want.Variance.Data))
				if l.Bound != inferred.Bound || l.Start != inferred.Start || p.Conditioning != want.Conditioning || p.Noise != want.Noise {
					t.Errorf("%s: %v and %v, want %v and %v", what, l, p, inferred, want)
				}
				if prior := m.obs.Prior; (l.At != nil) != (prior != nil) || prior != nil && (l.At == prior.At || *l.At != *prior.At) {
					t.Errorf("%s: the time %v of the result is not a copy of that of the prior", what, l.At)
				}
				m.obs.Values = p.Mean // a result may be what is filled in next
				observed := p.Mean.Clone()
				if err := m.ImputeTo(t.Context(), &p, &l, m.obs, m.o); err != nil {
					t.Fatal(what, err)
				}
				compare.SameBits(t, what+": observed values", p.Mean.Data, observed.Data)

				moments := m.momentsOf(m.at)
				own := m.uncalibrated(m.projection(m.obs.Grid), moments)
				if inflation, ok := m.inflation(m.at); ok {
					m.calibrate(own.Variance, m.obs.Grid, inflation)
				}
				if err := m.PredictTo(&predicted, m.at, m.obs.Grid); err != nil {
					t.Fatal(what, err)
				}
				compare.SameBits(t, what+": of the latent variables", slices.Concat(predicted.Mean.Data, predicted.Variance.Data), slices.Concat(own.Mean.Data, own.Variance.Data))
			})
		}
	}
}

// Examples that are filled in one after the other, of whatever kind, allocate nothing, once the rooms are large enough, and nor do predictions.
func TestImputeAllocations(t *testing.T) {
	if tier.Raced {
		t.Skip("pools lose what they keep")
	}
	for seed := range uint64(compare.Sizes(2)) {
		for _, c := range roomCases(t, 950+seed) {
			var p, predicted field.Prediction
			var l field.Latent
			c.each(t, rand.New(rand.NewPCG(seed, 33)), func(m roomCase, what string) {
				run := func() {
					if err := m.ImputeTo(t.Context(), &p, &l, m.obs, m.o); err != nil {
						t.Fatal(what, err)
					}
				}
				predict := func() {
					if err := m.PredictTo(&predicted, m.at, m.obs.Grid); err != nil {
						t.Fatal(what, err)
					}
				}
				for range 2 {
					run()
					predict()
				}
				if n := testing.AllocsPerRun(3, run); n != 0 {
					t.Errorf("seed %d, %s: %v allocations, want none", seed, what, n)
				}
				if n := testing.AllocsPerRun(3, predict); n != 0 {
					t.Errorf("seed %d, %s: a prediction makes %v allocations, want none", seed, what, n)
				}
			})
		}
	}
}
