package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

var markov = []string{"matern12(2)", "matern32(3)", "matern52(1.5)", "0.3*matern12(1)+0.7*matern52(4)", "matern32(2)*matern12(5)",
	"matern12(3)*matern52(2)*matern32(7)", "0.2*matern32(1)+0.5*matern52(2)*(0.6*matern12(4)+0.4*matern32(9))+0.3*matern12(8)",
	"oscillator(2)", "0.5*oscillator(3)*matern32(2)+0.5*matern12(4)"}

func TestStateSize(t *testing.T) {
	for text, want := range map[string]int{"matern12": 1, "matern32": 2, "matern52": 3, "rbf": 0, "periodic": 0, "white": 0, "quadratic": 0, "oscillator": 2,
		"rbf*matern12": 0, "matern12+periodic": 0, "matern12+matern52": 4, "matern32*matern52": 6, "matern12*(matern32+matern52)*matern32": 10} {
		if got := parsed(t, text).StateSize(); got != want {
			t.Errorf("%s: %d numbers, want %d", text, got, want)
		}
	}
	if got := (kernel.Kernel{}).StateSize(); got != 0 {
		t.Errorf("no kernel: %d numbers", got)
	}
}

// hᵀ·A(Δ)·b is the covariance, and A(Δ+Δ′) = A(Δ)·A(Δ′).
func TestStatesAgainstCovariance(t *testing.T) {
	for _, text := range markov {
		k := parsed(t, text)
		n := k.StateSize()
		h, b := mat.NewDense(1, n, k.Output()), mat.NewDense(n, 1, k.Input())
		a, twice, square := mat.New(n, n), mat.New(n, n), mat.New(n, n)
		for _, delta := range []float64{0, 1e-12, 1e-3, 0.3, 2, 17, 300, 1e5, 1e300, math.Inf(1)} {
			k.Transition(a, delta)
			state, got, want := mat.New(n, 1), mat.New(1, 1), make([]float64, 1)
			mat.Mul(state, 1, a, b, 0)
			mat.Mul(got, 1, h, state, 0)
			if !math.IsInf(delta, 1) {
				k.Values(want, []float64{delta})
			}
			// exponential errs by about ε·σ, and the kernel is below that there.
			near(t, fmt.Sprintf("%s: k(%g)", text, delta), got.Data, want, 100*epsilon)
			k.Transition(twice, 2*delta)
			mat.Mul(square, 1, a, a, 0)
			near(t, fmt.Sprintf("%s: A(2·%g)", text, delta), square.Data, twice.Data, 1e-12)
		}
	}
}

// A(Δ) is the exponential of the generator, times Δ.
func TestGenerator(t *testing.T) {
	for _, text := range markov {
		k := parsed(t, text)
		n := k.StateSize()
		g, a, want := mat.New(n, n), mat.New(n, n), mat.New(n, n)
		k.Generator(g)
		for _, delta := range []float64{0, 1e-12, 1e-3, 0.3, 2, 17, 300, 1e5, 1e300, math.Inf(1)} {
			kernel.Exponential(a, g, delta, mat.New(2*n, n))
			k.Transition(want, delta)
			near(t, fmt.Sprintf("%s: exp(%g·G)", text, delta), a.Data, want.Data, 1e-12)
		}
	}
}

// The closed form of a Matérn's transition is the exponential of its matrix.
func TestExponential(t *testing.T) {
	for size := 1; size <= 3; size++ {
		for _, sigma := range []float64{0, 1e-300, 1e-8, 0.1, 0.5, 1, 3, 10, 40, 700, 1e10, 1e300, math.Inf(1)} {
			closed, general := kernel.MaternSystem(size, sigma)
			near(t, fmt.Sprintf("Matérn of %d numbers, σ = %g", size, sigma), general.Data, closed.Data, 1e-13)
		}
	}
}

func TestStateGradients(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, text := range markov {
		k := parsed(t, text)
		n := k.StateSize()
		a := mat.New(n, n)
		for _, delta := range []float64{0, 1e-3, 0.7, 5, 1e6, math.Inf(1)} {
			g, grad := normalMatrix(rng, n, n), zeroed(k)
			k.AddTransitionGradient(&grad, g, delta)
			checkSlopes(t, &k, grad, false, func() float64 {
				k.Transition(a, delta)
				return mat.Dot(g, a)
			})
		}
		g, grad := normals(rng, n), zeroed(k)
		k.AddInputGradient(&grad, g)
		checkSlopes(t, &k, grad, false, func() float64 { return mat.Dot(mat.Vector(g), mat.Vector(k.Input())) })
	}
}

// What Input returns belongs to the caller.
func TestInputIsACopy(t *testing.T) {
	k := parsed(t, "matern52(1)")
	k.Input()[0] = 7
	compare.SameBits(t, "b", k.Input(), []float64{1, 0, -1. / 3})
}
