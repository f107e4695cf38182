package dynamics_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
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

// marginals evaluates q(X).
func marginals(t *testing.T, p *dynamics.Params) (mu, s mat.Matrix, kl float64) {
	t.Helper()
	mu, s = mat.New(p.MuBar.Rows, p.MuBar.Cols), mat.New(p.MuBar.Rows, p.MuBar.Cols)
	kl, err := dynamics.NewEvaluator(p.Prior).Marginals(p, mu, s)
	if err != nil {
		t.Fatal(err)
	}
	return mu, s, kl
}

// FuzzPaths tries one of the laws below.
func FuzzPaths(f *testing.F) { fuzz.OneOf(f, tryDefinition, tryGradient, tryPosterior, tryNumbers) }

// Means, variances and divergence, by states and without, are those of full matrices over all examples:
// with B = I + Λ^½·K·Λ^½ and V = B⁻¹·Λ^½·K the variances are diag(K − K·Λ^½·V).
func tryDefinition(t *testing.T, s *fuzz.Source) {
	p := draw(s, 2)
	n, d := p.MuBar.Rows, p.MuBar.Cols
	own := p.Prior.Kernel
	own.Variance = 1
	all := p.Prior.Instants()
	k := reference.NewRows(n, n)
	for i, a := range all {
		for j, b := range all {
			if a.Sequence == b.Sequence {
				k[i][j] = reference.Covariance(own, []float64{a.Time}, []float64{b.Time})
			}
		}
	}
	wantMu, wantS, kl := mat.New(n, d), mat.New(n, d), 0.0
	for q := range d {
		b, muBar := reference.NewRows(n, n), make([]float64, n)
		root := func(i int) float64 { return math.Sqrt(p.Lambda.At(i, q)) }
		for i := range n {
			muBar[i] = p.MuBar.At(i, q)
			for j := range n {
				b[i][j] = root(i) * k[i][j] * root(j)
			}
			b[i][i]++
		}
		factor := reference.Cholesky(b)
		for i := range n {
			right := make([]float64, n)
			for j := range n {
				right[j] = root(j) * k[j][i]
			}
			wantMu.Set(i, q, reference.Inner(k[i], muBar))
			wantS.Set(i, q, k[i][i]-reference.Inner(right, reference.Solve(factor, right)))
			kl += 0.5 * (muBar[i]*wantMu.At(i, q) - p.Lambda.At(i, q)*wantS.At(i, q))
		}
		kl += 0.5 * reference.LogDet(factor)
	}
	for _, states := range []bool{true, false} {
		dynamics.WithStates(states, func() {
			mu, variance, divergence := marginals(t, p)
			what := fmt.Sprintf("%v, states %v: ", p.Prior.Kernel, states)
			compare.Near(t, what+"means", mu.Data, wantMu.Data, 1e-9)
			compare.Near(t, what+"variances", variance.Data, wantS.Data, 1e-9)
			// A variance has an error of some ε, which its precision multiplies.
			compare.NearOne(t, what+"divergence", divergence, kl, 1e-9*max(1, mat.NormMax(p.Lambda)*1e-3))
		})
	}
}

// The gradient along a direction of all parameters is that of differences, and it has the same bits at any GOMAXPROCS.
func tryGradient(t *testing.T, s *fuzz.Source) {
	p, states := draw(s, 0), s.Bool()
	n, d := p.MuBar.Rows, p.MuBar.Cols
	dmu, ds := fuzz.Normal(s, n, d), fuzz.Normal(s, n, d)
	dynamics.WithStates(states, func() {
		evaluator, grad := dynamics.NewEvaluator(p.Prior), p.Clone()
		value := func() float64 {
			mu, variance, kl := marginals(t, p)
			return mat.Dot(dmu, mu) + mat.Dot(ds, variance) - kl
		}
		at := value()
		var first []float64
		compare.AtEveryWidth(func(procs int) {
			if _, err := evaluator.Marginals(p, mat.New(n, d), mat.New(n, d)); err != nil {
				t.Fatal(err)
			}
			evaluator.Backward(grad, p, dmu, ds)
			var all []float64
			p.Visit(grad, nil, func(_, slope []float64, _ bool) { all = append(all, slope...) })
			if first == nil {
				first = all
			}
			compare.SameBits(t, fmt.Sprint("GOMAXPROCS ", procs), all, first)
		})
		var direction []float64
		slope, size := 0.0, 0.0
		p.Visit(grad, nil, func(value, slopes []float64, _ bool) {
			for i := range value {
				direction = append(direction, s.NormFloat64())
				by := direction[len(direction)-1] * slopes[i]
				slope, size = slope+by, size+math.Abs(by)
			}
		})
		start := p.Clone()
		moved := func(h float64) float64 {
			*p = *start.Clone()
			k := 0
			p.Visit(p, nil, func(value, _ []float64, _ bool) {
				for i := range value {
					value[i] += h * direction[k]
					k++
				}
			})
			return value()
		}
		const h = 1e-4 // a period counts many times over
		got := (8*(moved(h)-moved(-h)) - (moved(2*h) - moved(-2*h))) / (12 * h)
		if most := 1e-7 * (size + math.Abs(at) + 1); !(math.Abs(got-slope) <= most) {
			t.Errorf("%v, states %v: derivative %v, differences give %v, want them within %.3g", start.Prior.Kernel, states, slope, got, most)
		}
	})
}

// The posterior at any times is the same by states and without; at the examples it is q(X), and far away the prior.
func tryPosterior(t *testing.T, s *fuzz.Source) {
	p := draw(s, 1)
	var mean, variance [2]mat.Matrix
	labels := []int{0}
	if p.Prior.Sequences != nil {
		labels = slices.Compact(slices.Sorted(slices.Values(p.Prior.Sequences)))
	}
	label := labels[s.IntN(len(labels))]
	times := []float64{-1e9}
	for range s.IntN(5) {
		times = append(times, power(s, 1)*s.NormFloat64())
	}
	var own []int
	for i, at := range p.Prior.Instants() {
		if at.Sequence == label {
			own, times = append(own, i), append(times, at.Time)
		}
	}
	mu, v, _ := marginals(t, p)
	for form := range mean {
		dynamics.WithStates(form == 1, func() {
			q, err := dynamics.NewPosterior(p)
			if err == nil {
				mean[form], variance[form], err = q.Marginals(label, times)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	}
	what := fmt.Sprint(p.Prior.Kernel)
	compare.Near(t, what+": means of both forms", mean[1].Data, mean[0].Data, 1e-9)
	compare.Near(t, what+": variances of both forms", variance[1].Data, variance[0].Data, 1e-9)
	for k, i := range own {
		at := len(times) - len(own) + k
		compare.Near(t, what+": mean at an example", mean[0].Row(at), mu.Row(i), 1e-9)
		compare.Near(t, what+": variance at an example", variance[0].Row(at), v.Row(i), 1e-9)
	}
}

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
