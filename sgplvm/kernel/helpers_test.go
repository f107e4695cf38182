package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

const epsilon = 0x1p-52

// oscillator is the damped oscillator exp(−r)·cos r, Markov with two numbers: a caller's own
// state space.
type oscillator struct{}

func (oscillator) Values(r2 []float64, variance float64) {
	for j, v := range r2 {
		r := math.Sqrt(v)
		r2[j] = variance * math.Exp(-r) * math.Cos(r)
	}
}

func (oscillator) Slopes(r2 []float64, variance float64) {
	for j, v := range r2 {
		r2[j] = 0
		if r := math.Sqrt(v); r > 0 {
			r2[j] = variance * math.Exp(-r) * (math.Cos(r) + math.Sin(r)) / r
		}
	}
}

func (oscillator) System() (rate float64, f, b []float64) {
	return 1, []float64{-1, -1, 1, -1}, []float64{1, 0}
}

func init() { kernel.Register("oscillator", oscillator{}) }

// simple are the kinds of one function that the tests use; they register two of them.
var simple = []kernel.Kind{kernel.Matern12, kernel.Matern32, kernel.Matern52, kernel.RBF, kernel.White, "oscillator", "quadratic"}

// naive is the covariance function by its formula, for points x and y, of unit variance.
func naive(k kernel.Kernel, x, y []float64) float64 {
	var r2 float64
	for q := range x {
		l := 1.
		if n := len(k.LengthScale); n > 0 {
			l = k.LengthScale[min(q, n-1)]
		}
		r2 += math.Pow((x[q]-y[q])/l, 2)
	}
	r := math.Sqrt(r2)
	switch k.Kind {
	case kernel.Matern12:
		return math.Exp(-r)
	case kernel.Matern32:
		return (1 + math.Sqrt(3)*r) * math.Exp(-math.Sqrt(3)*r)
	case kernel.Matern52:
		return (1 + math.Sqrt(5)*r + 5*r2/3) * math.Exp(-math.Sqrt(5)*r)
	case kernel.RBF:
		return math.Exp(-r2 / 2)
	case "quadratic":
		return 1 / (1 + r2/2)
	case "oscillator":
		return math.Exp(-r) * math.Cos(r)
	case kernel.White:
		if r2 == 0 {
			return 1
		}
		return 0
	case kernel.Periodic:
		return math.Exp(-2 * math.Pow(math.Sin(math.Pi*(x[0]-y[0])/k.Period)/k.LengthScale[0], 2))
	case kernel.Sum:
		var v float64
		for i, term := range k.Terms {
			v += k.Weights[i] * naive(term, x, y)
		}
		return v
	case kernel.Product:
		v := 1.
		for _, term := range k.Terms {
			v *= naive(term, x, y)
		}
		return v
	}
	panic("unknown kind " + k.Kind)
}

// parameters are pointers to all parameters that count, with names.
func parameters(k *kernel.Kernel, inSpace bool) (names []string, values []*float64) {
	if inSpace {
		names, values = append(names, "variance"), append(values, &k.Variance)
	}
	var add func(k *kernel.Kernel)
	add = func(k *kernel.Kernel) {
		for i := range k.LengthScale {
			names, values = append(names, fmt.Sprintf("%s: length scale %d", k.Kind, i)), append(values, &k.LengthScale[i])
		}
		if k.Kind == kernel.Periodic {
			names, values = append(names, "period"), append(values, &k.Period)
		}
		for i := range k.Weights {
			names, values = append(names, fmt.Sprint("weight ", i)), append(values, &k.Weights[i])
		}
		for i := range k.Terms {
			add(&k.Terms[i])
		}
	}
	add(k)
	return names, values
}

// numbers are the values of all parameters.
func numbers(k kernel.Kernel) (v []float64) {
	_, pointers := parameters(&k, true)
	for _, p := range pointers {
		v = append(v, *p)
	}
	return v
}

// checkSlopes compares grad with central differences of f in the parameters of k. With
// steps of h = 1e-5 the differences err by h² and by ε/h times the value.
func checkSlopes(t *testing.T, k *kernel.Kernel, grad kernel.Kernel, inSpace bool, f func() float64) {
	t.Helper()
	names, values := parameters(k, inSpace)
	_, slopes := parameters(&grad, inSpace)
	for i, p := range values {
		checkSlope(t, fmt.Sprintf("%v: %s", k, names[i]), p, *slopes[i], f)
	}
}

func checkSlope(t *testing.T, name string, p *float64, got float64, f func() float64) {
	t.Helper()
	value, at := f(), *p
	h := 1e-5 * max(1, math.Abs(at))
	*p = at + h
	high := f()
	*p = at - h
	low := f()
	*p = at
	if want := (high - low) / (2 * h); !(math.Abs(want-got) <= 1e-6*max(1, math.Abs(got))+1e-10*math.Abs(value)) {
		t.Errorf("%s: derivative %v, differences give %v", name, got, want)
	}
}

func zeroed(k kernel.Kernel) kernel.Kernel {
	k = k.Clone()
	k.Zero()
	return k
}

func parsed(t testing.TB, text string) kernel.Kernel {
	t.Helper()
	k, err := kernel.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func normals(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

func normalMatrix(rng *rand.Rand, r, c int) mat.Matrix {
	return mat.NewDense(r, c, normals(rng, r*c))
}

// near fails unless got is want up to tolerance·max(1, |want|).
func near(t testing.TB, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tolerance*max(1, math.Abs(w))) {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], w)
			return
		}
	}
}
