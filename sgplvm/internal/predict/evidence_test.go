package predict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// checkSlopes compares derivatives of L* in the mean and the variance of l with differences.
func checkSlopes(t *testing.T, what string, v *infer.Evidence, l field.Latent) {
	t.Helper()
	dmu, ds := make([]float64, len(l.Mu)), make([]float64, len(l.Mu))
	value, _ := v.At(new(psi.Scratch), l.Mu, l.S, dmu, ds)
	if alone := boundAt(v, l); alone != value {
		t.Errorf("%s: L* is %v with its derivatives, %v without", what, value, alone)
	}
	name := func(i int) string {
		return fmt.Sprintf("%s: %s[%d]", what, []string{"μ*", "S*"}[i/len(l.Mu)], i%len(l.Mu))
	}
	compare.CheckGradient(t, name, compare.Pointers(l.Mu, l.S), slices.Concat(dmu, ds), func() float64 { return boundAt(v, l) })
}

// L* with its own derivatives, under the standard normal prior and another, at a time and none, and for noise
// of all kinds.
func TestEvidenceGradient(t *testing.T) {
	for seed := range uint64(compare.Sizes(40)) {
		shape := samplingShape(5000 + seed)
		if seed%4 == 3 {
			shape = reference.TimeShape(5000 + seed)
		}
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 8))
		obs := field.Observed{Values: m.ref.UserValues(reference.Masked(rng, m.grid.Len(), shape.Channels, 0.3, false))}
		if seed%2 == 1 {
			prior := randomLatent(rng, shape.Latent)
			if m.times != nil && seed%8 != 7 {
				prior.At = &m.times[0]
			}
			obs.Prior = &prior
		}
		e := m.mustObserveAll(t, obs)
		checkSlopes(t, shape.String(), mustEvidence(t, e), randomLatent(rng, shape.Latent))
	}
}

// An example's own noise: L* with it is the dense one under noise of that multiple and the prior's price,
// no other multiple gives more, its derivatives are those of the maximum, and predictions are made with it.
func TestOwnNoise(t *testing.T) {
	for seed := range uint64(compare.Sizes(40)) {
		shape := reference.RandomShape(6000 + seed)
		if seed%2 == 0 {
			shape = reference.ResidualShape(6000 + seed)
		}
		m := modelOf(t, shape)
		rng := rand.New(rand.NewPCG(seed, 13))
		values := reference.Masked(rng, m.grid.Len(), shape.Channels, 0.3, false)
		values.Set(0, 0, 2)
		e := m.mustObserve(t, nil, values)
		l, strength := randomLatent(rng, shape.Latent), 0.1+10*rng.Float64()
		options := m.pointOptions(field.InferOptions{Candidates: 3, Iterations: 200, NoiseStrength: strength}, scoredStarts)
		e.w.SetOptions(&options)
		v := mustEvidence(t, e)
		value, multiple := v.At(new(psi.Scratch), l.Mu, l.S, nil, nil)

		d := reference.NewDense(m.ref)
		with := func(multiple float64) float64 {
			d.P = m.ref.Params.Clone()
			d.P.Noise.Beta /= multiple
			d.P.Noise.Residual.Variance *= multiple
			return d.TestBound(l.Mu, l.S, nil, m.grid, values) + 0.5*strength*(1-math.Log(multiple)-1/multiple)
		}
		compare.NearOne(t, shape.String()+": L*", value, with(multiple), 1e-9)
		for _, other := range []float64{0.5, 0.9, 1.1, 2} {
			if w := with(other * multiple); w > value+1e-9*math.Abs(value) {
				t.Errorf("%v: L* %v with noise %v, %v with %v", shape, value, multiple, w, other*multiple)
			}
		}
		checkSlopes(t, shape.String(), v, l)

		own := l
		own.Noise = multiple
		p := m.conditional(t, e, own, field.InferOptions{})
		with(multiple)
		mean, variance := d.Conditional(l.Mu, l.S, nil, m.grid, values)
		compare.Near(t, shape.String()+": mean", p.Mean.Data, mean.Data, 1e-8) // a small multiple makes C_OO less well conditioned
		compare.Near(t, shape.String()+": variance", p.Variance.Data, variance.Data, 1e-8)

		e.w.SetOptions(&options)
		if err := e.w.Infer(); err != nil {
			t.Fatal(err)
		}
		best := e.w.Latent()
		again, noise := v.At(new(psi.Scratch), best.Mu, best.S, nil, nil)
		if noise != best.Noise || math.Abs(again-best.Bound) > 1e-9*math.Abs(again) || !(best.Bound >= value) {
			t.Errorf("%v: noise %v, bound %v reported; %v and %v there, %v elsewhere", shape, best.Noise, best.Bound, noise, again, value)
		}
	}
}
