package dynamics_test

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// power draws 10^k, k from −most to most.
func power(s *fuzz.Source, most int) float64 { return math.Pow(10, float64(s.IntN(2*most+1)-most)) }

// drawKernel draws a kernel in time with scales of 10^−most to 10^most, a sum or product of others where deep allows it.
func drawKernel(s *fuzz.Source, deep, most int) kernel.Kernel {
	kinds := []kernel.Kind{kernel.Matern32, kernel.Matern12, kernel.Matern52, kernel.RBF, kernel.Periodic, kernel.Sum, kernel.Product}
	if deep == 0 {
		kinds = kinds[:5]
	}
	k := kernel.Kernel{Kind: kinds[s.IntN(len(kinds))]}
	switch k.Kind {
	case kernel.Sum, kernel.Product:
		for range 2 {
			k.Terms = append(k.Terms, drawKernel(s, deep-1, most))
		}
		if k.Kind == kernel.Sum {
			w := 0.1 + 0.8*s.Float64()
			k.Weights = []float64{w, 1 - w}
		}
		return k
	case kernel.Periodic:
		k.Period = power(s, most) * (1 + s.Float64())
		k.LengthScale = []float64{0.5 + s.Float64()}
		return k
	}
	k.LengthScale = []float64{power(s, most) * (1 + s.Float64())}
	return k
}

// draw draws a prior and q(X): times with gaps of 10^−most to 10^most, in no order, some of them equal.
func draw(s *fuzz.Source, most int) *dynamics.Params {
	n, d, sequences := 1+s.IntN(12), 1+s.IntN(2), 1+s.IntN(3)
	p := &dynamics.Params{Prior: dynamics.Prior{Kernel: drawKernel(s, 2, most)}, MuBar: mat.New(n, d), Lambda: mat.New(n, d)}
	at := 0.0
	for range n {
		if s.IntN(4) != 0 {
			at += power(s, most) * (0.5 + s.Float64())
		}
		p.Prior.Times = append(p.Prior.Times, at)
		if sequences > 1 {
			p.Prior.Sequences = append(p.Prior.Sequences, s.IntN(sequences))
		}
	}
	for i, j := range s.Perm(n) {
		p.Prior.Times[i], p.Prior.Times[j] = p.Prior.Times[j], p.Prior.Times[i]
	}
	for i := range p.MuBar.Data {
		p.MuBar.Data[i], p.Lambda.Data[i] = s.NormFloat64(), power(s, 2*most)*(0.5+s.Float64())
	}
	return p
}

// FuzzPaths tries the law below.
func FuzzPaths(f *testing.F) { fuzz.OneOf(f, tryNumbers) }

// Numbers that are not usable are refused; all others give numbers or an error, no NaN.
func tryNumbers(t *testing.T, s *fuzz.Source) {
	p, bad, usable := draw(s, 1), s.Bits(), false
	n, d := p.MuBar.Rows, p.MuBar.Cols
	i := s.IntN(n)
	switch s.IntN(4) {
	case 0:
		p.MuBar.Row(i)[0], usable = bad, bad-bad == 0
	case 1:
		p.Lambda.Row(i)[0], usable = bad, bad > 0 && !math.IsInf(bad, 1)
	case 2:
		p.Prior.Times[i], usable = bad, math.Abs(bad) <= 1e300
	case 3:
		k := &p.Prior.Kernel
		for len(k.Terms) > 0 {
			k = &k.Terms[0]
		}
		k.LengthScale[0], usable = bad, bad > 0 && !math.IsInf(bad, 1)
	}
	if err := p.Validate(n, d); usable != (err == nil) {
		t.Fatalf("%v with the number %v: error %v", p, bad, err)
	}
	if !usable {
		return
	}
	states := s.Bool()
	dynamics.WithStates(states, func() {
		mu, variance := mat.New(n, d), mat.New(n, d)
		kl, err := dynamics.NewEvaluator(p.Prior).Marginals(p, mu, variance)
		if err != nil {
			return
		}
		if _, _, bad := mat.NonFinite(mu); bad || math.IsNaN(kl) {
			t.Errorf("%v, states %v, with %v: means %v, divergence %v", p, states, bad, mu, kl)
		}
		for _, v := range variance.Data {
			if !(v > 0 && v < 1+1e-9) {
				t.Errorf("%v, states %v, with %v: variances %v", p, states, bad, variance)
			}
		}
		q, err := dynamics.NewPosterior(p)
		if err != nil {
			return
		}
		at := data.Instants(p.Prior.Times, p.Prior.Sequences)[0]
		if _, _, err := q.Marginals(at.Sequence, []float64{at.Time, bad}); (err == nil) != (math.Abs(bad) <= 1e300) {
			t.Errorf("the posterior at time %v: error %v", bad, err)
		}
	})
}
