package sgplvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// withStates runs f with all Markov kernels used by their states, and with none.
func withStates(f func(always bool)) {
	defer func(from float64) { statesFrom = from }(statesFrom)
	for _, always := range []bool{true, false} {
		statesFrom = math.Inf(1)
		if always {
			statesFrom = 0
		}
		f(always)
	}
}

var markovKernels = []string{"matern12(2)", "matern32(3)", "matern52(1.5)", "0.3*matern12(1)+0.7*matern52(4)", "matern32(2)*matern12(5)",
	"matern12(3)*matern52(2)*matern32(7)", "0.2*matern32(1)+0.5*matern52(2)*(0.6*matern12(4)+0.4*matern32(9))+0.3*matern12(8)"}

func TestStateSize(t *testing.T) {
	for text, want := range map[string]int{"matern12": 1, "matern32": 2, "matern52": 3, "rbf": 0, "periodic": 0, "rbf*matern12": 0, "matern12+periodic": 0,
		"matern12+matern52": 4, "matern32*matern52": 6, "matern12*(matern32+matern52)*matern32": 10} {
		k, err := ParseTimeKernel(text)
		if err != nil || k.stateSize() != want {
			t.Errorf("%s: %d numbers, want %d; error %v", text, k.stateSize(), want, err)
		}
	}
}

// longSeries are parameters for n irregular times in two sequences, some of them equal, close
// together or far apart.
func longSeries(t testing.TB, text string, n int) *Params {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), 11))
	kernel, err := ParseTimeKernel(text)
	if err != nil {
		t.Fatal(err)
	}
	p := &Params{Mu: mat.New(n, 2), S: mat.New(n, 2), MuBar: mat.New(n, 2), Lambda: mat.New(n, 2), Dynamics: Dynamics{Kernel: kernel}}
	at := -3.
	for i := range n {
		switch rng.IntN(6) {
		case 0:
		case 1:
			at += 1e-7
		case 2:
			at += 10
		default:
			at += rng.Float64()
		}
		p.Dynamics.Times = append(p.Dynamics.Times, at)
		p.Dynamics.Sequences = append(p.Dynamics.Sequences, rng.IntN(2))
		for q := range 2 {
			p.MuBar.Set(i, q, rng.NormFloat64())
			p.Lambda.Set(i, q, math.Exp(2*rng.NormFloat64()))
		}
	}
	return p
}

// timeResult is all that a timePrior computes, for some derivatives of the bound.
func timeResult(t *testing.T, p *Params) (values, slopes []float64) {
	t.Helper()
	prior := newTimePrior(p.Dynamics)
	if err := prior.set(p); err != nil {
		t.Fatal(err)
	}
	grad := p.clone()
	grad.zero()
	rng := rand.New(rand.NewPCG(4, 12))
	for i := range grad.Mu.Data {
		grad.Mu.Data[i], grad.S.Data[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	prior.backward(grad, p)
	slopes = slices.Concat(grad.MuBar.Data, grad.Lambda.Data)
	var add func(k TimeKernel)
	add = func(k TimeKernel) {
		slopes = append(append(slopes, k.LengthScale), k.Weights...)
		for _, term := range k.Terms {
			add(term)
		}
	}
	add(grad.Dynamics.Kernel)
	return slices.Concat(one(prior.kl), p.Mu.Data, p.S.Data), slopes
}

// The states give what the matrices give, derivatives included. Those in the kernel's
// parameters have an error of ε·Λ² in the form with matrices, by Aᵀ·Λ·A with A = I − S·Λ.
func TestStatesAgainstMatrices(t *testing.T) {
	for _, text := range markovKernels {
		for _, n := range []int{1, 2, 7, 60} {
			var values, slopes []float64
			withStates(func(always bool) {
				v, s := timeResult(t, longSeries(t, text, n))
				if always {
					values, slopes = v, s
					return
				}
				for i, want := range v {
					near(t, fmt.Sprintf("%s: %d times: value %d", text, n, i), one(values[i]), one(want), 1e-9)
				}
				for i, want := range s {
					near(t, fmt.Sprintf("%s: %d times: derivative %d", text, n, i), one(slopes[i]), one(want), 1e-9)
				}
			})
		}
	}
}

// R of both forms is the same, and its products are those of the matrix.
func TestRootOfStates(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 13))
	for _, text := range markovKernels {
		p := longSeries(t, text, 40)
		s := p.Dynamics.series()[1]
		n := len(s.times)
		b := normalMatrix(rng, n, 3)
		var products []mat.Matrix
		withStates(func(always bool) {
			r := rootOf(p.Dynamics.Kernel, s.times, 0.1)
			if _, ok := r.(*markovRoot); ok != always {
				t.Errorf("%s: %T", text, r)
			}
			for i, do := range []func(mat.Matrix){r.mul, r.mulT, r.SolveHalf, r.SolveHalfT} {
				c := b.Clone()
				do(c)
				if always {
					products = append(products, c)
				} else {
					near(t, fmt.Sprintf("%s: product %d", text, i), products[i].Data, c.Data, 1e-12)
				}
			}
		})
	}
}

// Everything that is tested of dynamical models holds of their states.
func TestModelsByStates(t *testing.T) {
	withStates(func(always bool) {
		if !always {
			return
		}
		t.Run("definition", TestTimePriorByDefinition)
		t.Run("paths", TestLatentPaths)
		t.Run("errors", TestLatentAtErrors)
		t.Run("start", TestStartDynamics)
		t.Run("whitening", TestWhitening)
		t.Run("prior", TestObservedPrior)
		t.Run("residual", TestDynamicResidual)
	})
}

// Long series and large precisions do no harm; the work is linear, or this would not end.
func TestLongSeries(t *testing.T) {
	const n = 20000
	p := longSeries(t, "0.5*matern32(3)+0.5*matern52(40)", n)
	for i := range p.Lambda.Data {
		p.Lambda.Data[i] *= 1e4
		p.MuBar.Data[i] *= 1e-2
	}
	values, slopes := timeResult(t, p)
	for i, v := range slices.Concat(values, slopes) {
		if v-v != 0 {
			t.Fatalf("number %d is %v", i, v)
		}
	}
	for i, v := range p.S.Data {
		if l := p.Lambda.Data[i]; !(v >= leastLatentVariance && v <= 1/(1+l)*(1+1e-6)+1e-12) {
			t.Errorf("variance %v with a precision of %v", v, l)
		}
	}
	if !(values[0] > 0) {
		t.Errorf("divergence %v", values[0])
	}
}

// One evaluation of a latent dimension with its gradient, in both forms.
func BenchmarkTimePrior(b *testing.B) {
	for _, text := range []string{"matern12(5)", "matern32(5)", "matern52(5)", "matern52(3)*matern32(9)"} {
		for _, n := range []int{40, 80, 160, 320, 960} {
			withStates(func(always bool) {
				p := longSeries(b, text, n)
				p.Dynamics.Sequences = nil
				prior, grad := newTimePrior(p.Dynamics), p.clone()
				b.Run(fmt.Sprintf("%s/%d/states=%v", text, n, always), func(b *testing.B) {
					for b.Loop() {
						if err := prior.set(p); err != nil {
							b.Fatal(err)
						}
						grad.zero()
						prior.backward(grad, p)
					}
					b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*p.MuBar.Cols), "µs/dimension")
				})
			})
		}
	}
}
