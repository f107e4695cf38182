package points

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Starting points are scored by what L* is there, for values some of which are missing and some inexact, at a known time or none.
func TestScoreStarts(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 9))
		c := contents(seed, false)
		if seed%2 > 0 {
			c.Time = Time{Variance: 0.5, Part: "matern32(2)", Inducing: []float64{0, 1, 2}, Labels: make([]float64, 3)}
		}
		m := New(c)
		m.setStarts()
		w, values, squares := m.NewWorkspace(0), make([]float64, m.values()), make([]float64, m.values())
		for k := range values {
			if values[k], squares[k] = rng.NormFloat64(), rng.Float64(); rng.Float64() < 0.3 {
				values[k] = math.NaN()
			}
		}
		if seed%2 > 0 {
			w.SetTime(&kernel.Instant{Time: 0.3})
		}
		if seed%3 > 0 {
			squares = nil
		}
		w.ObserveInexact(values, squares)
		if err := w.setEvidence(); err != nil {
			t.Fatal(err)
		}
		got := make([]float64, c.Examples)
		score := func() { w.scoreStarts(got) }
		score()
		for n, v := range got {
			mu, s := m.mu.Slice(n, n+1, 0, c.Latents), m.s.Slice(n, n+1, 0, c.Latents)
			want := w.evidence.At(&w.optimiser.Scratch, mu.Data[:c.Latents], s.Data[:c.Latents], nil, nil)
			if got := w.evidence.Constant + v - psi.KL(mu, s, nil); !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
				t.Errorf("seed %d: start %d has the score %v, want %v", seed, n, got, want)
			}
		}
		if n := testing.AllocsPerRun(10, score); n > 0 && !tier.Raced {
			t.Errorf("seed %d: %v allocations", seed, n)
		}
	}
}
