package dynamics

import (
	"fmt"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// without returns the parameters of all examples but one for which the data add to precision and natural
// mean, μ̄ + Λ·μ, of every other example what they did.
func without(p *Params, mu mat.Matrix, gone int) *Params {
	c := &Params{Prior: Prior{Kernel: p.Prior.Kernel}}
	n, d := p.MuBar.Rows-1, p.MuBar.Cols
	c.MuBar, c.Lambda = mat.New(n, d), mat.New(n, d)
	natural := mat.New(n, d)
	for i, r := 0, 0; i <= n; i++ {
		if i == gone {
			continue
		}
		c.Prior.Times = append(c.Prior.Times, p.Prior.Times[i])
		if p.Prior.Sequences != nil {
			c.Prior.Sequences = append(c.Prior.Sequences, p.Prior.Sequences[i])
		}
		for q := range d {
			c.Lambda.Set(r, q, p.Lambda.At(i, q))
			natural.Set(r, q, p.MuBar.At(i, q)+p.Lambda.At(i, q)*mu.At(i, q))
		}
		r++
	}
	for _, s := range c.Prior.sequences() {
		k := covarianceOf(c, s)
		for q := range d { // (I + Λ·K)·μ̄ = natural
			a, v := mat.Identity(len(s.Times)), columnOf(s, natural, q)
			for i, l := range columnOf(s, c.Lambda, q) {
				for j := range s.Times {
					a.Set(i, j, a.At(i, j)+l*k.At(i, j))
				}
			}
			a1, _ := inverse(a)
			muBar := make([]float64, len(v))
			mat.Mul(mat.Vector(muBar), 1, a1, mat.Vector(v), 0)
			s.SetColumn(c.MuBar, q, muBar)
		}
	}
	return c
}

// The cavity of an example is the posterior at its time of the examples without it, or the prior where
// its sequence has no other.
func TestCavities(t *testing.T) {
	for i, text := range allKernels {
		for _, precision := range []float64{0, 1e7} {
			p := few(t, text, true, uint64(i))
			if precision > 0 {
				p.Lambda.Fill(precision)
			}
			mu, s, _ := marginalsOf(t, p)
			mean, variance, err := Cavities(p, mu, s)
			if err != nil {
				t.Fatal(err)
			}
			for e, at := range p.Prior.Instants() {
				wantMean, wantVariance := make([]float64, p.MuBar.Cols), make([]float64, p.MuBar.Cols)
				mat.Vector(wantVariance).Fill(1)
				others := posteriorOf(t, without(p, mu, e))
				if m, v, err := others.Marginals(at.Sequence, one(at.Time)); err == nil {
					wantMean, wantVariance = m.Row(0), v.Row(0)
				}
				name := fmt.Sprintf("%s, precision %v: example %d", text, precision, e)
				compare.Near(t, name+": mean", mean.Row(e), wantMean, 1e-6) // the natural means cancel
				compare.Near(t, name+": variance", variance.Row(e), wantVariance, 1e-6)
			}
		}
	}
}

// Long sequences take the difference 1 − Λ·S, which is the same where it does not cancel.
func TestCavitiesOfLongSequences(t *testing.T) {
	p := few(t, "matern32(2)", false, 4)
	mu, s, _ := marginalsOf(t, p)
	wantMean, wantVariance, err := Cavities(p, mu, s)
	if err != nil {
		t.Fatal(err)
	}
	defer func(n int) { factoredCavities = n }(factoredCavities)
	factoredCavities = 0
	mean, variance, err := Cavities(p, mu, s)
	if err != nil {
		t.Fatal(err)
	}
	compare.Near(t, "mean", mean.Data, wantMean.Data, 1e-10)
	compare.Near(t, "variance", variance.Data, wantVariance.Data, 1e-10)
}
