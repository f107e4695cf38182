package sgplvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// L* with its own gradient, in μ* and S*.
func TestEvidenceGradient(t *testing.T) {
	for seed := range uint64(sizes(40)) {
		shape := randomShape(5000 + seed)
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(seed, 8))
		q := m.mustReady(t)
		e, err := m.observe(q, Observed{Values: m.scaler.unscaled(masked(rng, m.space.Len(), shape.channels, 0.3, false))})
		if err != nil {
			t.Fatal(err)
		}
		if seed%2 == 1 {
			prior := randomLatent(rng, shape.latent)
			e.prior = normalOf(&prior)
		}
		v, scratch := q.mustEvidence(e), q.psi.newScratch()
		l := randomLatent(rng, shape.latent)
		dmu, ds := make([]float64, shape.latent), make([]float64, shape.latent)
		value := v.bound(q.psi, scratch, l.Mu, l.S, dmu, ds)
		f := func() float64 { return v.bound(q.psi, scratch, l.Mu, l.S, nil, nil) }
		if f() != value {
			t.Errorf("%v: L* is %v with its gradient, %v without", shape, value, f())
		}
		checkGradient(t, func(i int) string { return fmt.Sprintf("%v: μ*[%d]", shape, i) }, l.Mu, dmu, f)
		checkGradient(t, func(i int) string { return fmt.Sprintf("%v: S*[%d]", shape, i) }, l.S, ds, f)
	}
}

// An example's own noise: L* with it is the dense one under noise of that multiple and the
// prior's price, no other multiple gives more, its gradient is that of the maximum, and
// predictions are made with it.
func TestOwnNoise(t *testing.T) {
	for seed := range uint64(sizes(40)) {
		shape := randomShape(6000 + seed)
		if seed%2 == 0 {
			shape = residualShape(6000 + seed)
		}
		m := shape.model(t)
		rng := rand.New(rand.NewPCG(seed, 13))
		q := m.mustReady(t)
		values := masked(rng, m.space.Len(), shape.channels, 0.3, false)
		values.Set(0, 0, 2)
		e, err := m.observe(q, Observed{Values: m.scaler.unscaled(values)})
		if err != nil {
			t.Fatal(err)
		}
		v, scratch, l, strength := q.mustEvidence(e), q.psi.newScratch(), randomLatent(rng, shape.latent), 10*rng.Float64()
		dmu, ds := make([]float64, shape.latent), make([]float64, shape.latent)
		value, multiple := v.boundWith(strength, q.psi, scratch, l.Mu, l.S, dmu, ds)

		d := newDense(m)
		with := func(multiple float64) float64 {
			d.p = m.params.clone()
			d.p.Beta /= multiple
			d.p.Residual.Variance *= multiple
			return d.testBound(l, m.space, values) + 0.5*strength*(1-math.Log(multiple)-1/multiple)
		}
		near(t, shape.String()+": L*", one(value), one(with(multiple)), 1e-9)
		for _, other := range []float64{0.5, 0.9, 1.1, 2} {
			if w := with(other * multiple); w > value+1e-9*math.Abs(value) {
				t.Errorf("%v: L* %v with noise %v, %v with %v", shape, value, multiple, w, other*multiple)
			}
		}
		f := func() float64 {
			value, _ := v.boundWith(strength, q.psi, scratch, l.Mu, l.S, nil, nil)
			return value
		}
		checkGradient(t, func(i int) string { return fmt.Sprintf("%v: μ*[%d]", shape, i) }, l.Mu, dmu, f)
		checkGradient(t, func(i int) string { return fmt.Sprintf("%v: S*[%d]", shape, i) }, l.S, ds, f)

		l.Noise = multiple
		p, err := q.conditional(e, l)
		if err != nil {
			t.Fatal(err)
		}
		with(multiple)
		mean, variance := d.conditional(l, m.space, values)
		near(t, shape.String()+": mean", p.Mean.Data, mean.Data, 1e-8)
		near(t, shape.String()+": variance", p.Variance.Data, variance.Data, 1e-8)

		best, err := q.infer(t.Context(), e, InferOptions{NoiseStrength: strength})
		if err != nil {
			t.Fatal(err)
		}
		if again, noise := v.boundWith(strength, q.psi, scratch, best.Mu, best.S, nil, nil); noise != best.Noise || math.Abs(again-best.Bound) > 1e-9*math.Abs(again) || !(best.Bound >= value) {
			t.Errorf("%v: noise %v, bound %v reported; %v and %v there, %v elsewhere", shape, best.Noise, best.Bound, noise, again, value)
		}
	}
}
