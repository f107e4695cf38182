package kernel_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

var inTime = []string{"rbf(2)", "matern12(0.5)", "matern32(1e1)", "matern52(3)", "periodic(12,0.8)", "oscillator(2)", "quadratic(1.5)",
	"rbf(2)*periodic(3,1)", "0.25*rbf(2)+0.75*matern32(1)", "matern12(2)*(0.5*rbf(1)+0.5*matern52(4))*rbf(9)", "0.6*oscillator(3)*periodic(5,1)+0.4*quadratic(2)"}

// Values are those of the formulas. The angle of the periodic kernel is wrong by up to
// ε·Δ/p; differences of 1e200 give numbers between 0 and 1.
func TestTimeMatrix(t *testing.T) {
	for _, text := range inTime {
		k := parsed(t, text)
		if err := k.ValidateTime(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		s, u := []float64{0, -3.5, 1e6}, []float64{0, 0.1, 2, -7.25, 1e200}
		got := mat.New(len(s), len(u))
		k.TimeMatrix(got, s, u)
		for i, a := range s {
			for j, b := range u {
				v := got.At(i, j)
				want := naive(k, []float64{a}, []float64{b})
				if !(math.Abs(v-want) <= 1e-14+1e-15*math.Abs(a-b) || math.Abs(b) > 1e9) || !(v >= -1 && v <= 1) {
					t.Errorf("%s: k(%v) = %v, want %v", text, a-b, v, want)
				}
			}
		}
		values, delta := make([]float64, len(s)), make([]float64, len(s))
		for i := range s {
			delta[i] = s[i] - u[2]
		}
		k.Values(values, delta)
		for i, v := range values {
			compare.SameBits(t, text, []float64{v}, []float64{got.At(i, 2)})
		}
	}
}

// In time the variance plays no part, and in one dimension of space the rest is the same.
func TestTimeIsSpace(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, text := range inTime {
		k := parsed(t, text)
		k.Variance = 3
		s, u := normals(rng, 9), normals(rng, 6)
		inTime, inSpace := mat.New(9, 6), mat.New(9, 6)
		k.TimeMatrix(inTime, s, u)
		k.Matrix(inSpace, mat.NewDense(9, 1, s), mat.NewDense(6, 1, u))
		mat.Scale(inTime, 3, inTime)
		near(t, text, inSpace.Data, inTime.Data, 100*epsilon)
	}
}

// The derivatives of Σ g∘k, and of those of a symmetric matrix of which the lower triangle
// is read.
func TestTimeGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, text := range inTime {
		k := parsed(t, text)
		for _, n := range []int{0, 1, 7} {
			delta, g, values := normals(rng, n), normals(rng, n), make([]float64, n)
			grad := zeroed(k)
			k.AddValuesGradient(&grad, g, delta)
			checkSlopes(t, &k, grad, false, func() float64 {
				k.Values(values, delta)
				return mat.Dot(mat.Vector(g), mat.Vector(values))
			})
			m, half, matrix := mat.New(n, n), mat.New(n, n), mat.New(n, n)
			for i := range n {
				for j := range i + 1 {
					m.Set(i, j, rng.NormFloat64())
					m.Set(j, i, m.At(i, j))
					half.Set(i, j, m.At(i, j))
				}
			}
			grad = zeroed(k)
			k.AddTimeMatrixGradient(&grad, half, delta)
			checkSlopes(t, &k, grad, false, func() float64 {
				k.TimeMatrix(matrix, delta, delta)
				return mat.Dot(m, matrix)
			})
		}
	}
}

func TestTimePanics(t *testing.T) {
	rbf, one, two := parsed(t, "rbf(1)"), make([]float64, 1), make([]float64, 2)
	for want, f := range map[string]func(){
		`Values: unknown kind ""`:                  func() { kernel.Kernel{}.Values(one, []float64{1}) },
		`Values: unknown kind "cosine"`:            func() { kernel.Kernel{Kind: "cosine"}.Values(one, []float64{1}) },
		`AddValuesGradient: unknown kind "cosine"`: func() { kernel.Kernel{Kind: "cosine"}.AddValuesGradient(&rbf, one, one) },
		"Values: product kernel of 0 terms":        func() { kernel.Kernel{Kind: kernel.Product}.Values(one, []float64{1}) },
		"rbf kernel with 0 length scales":          func() { kernel.Kernel{Kind: kernel.RBF}.Values(one, []float64{1}) },
		"Values: 1 values for 2 differences":       func() { rbf.Values(one, two) },
		"the result overlaps the differences":      func() { rbf.Values(two, two) },
		"1 derivatives for 2 differences":          func() { rbf.AddValuesGradient(&rbf, one, two) },
		"TimeMatrix: 2×2 matrix for 1 and 2 times": func() { rbf.TimeMatrix(mat.New(2, 2), one, two) },
		"2×1 derivatives for 2 times":              func() { rbf.AddTimeMatrixGradient(&rbf, mat.New(2, 1), two) },
		"Transition: 2×2 matrix for a state of 0":  func() { rbf.Transition(mat.New(2, 2), 1) },
		"Generator: 2×2 matrix for a state of 0":   func() { rbf.Generator(mat.New(2, 2)) },
		"Exponential: 1×1 result and 1×1 room for a 1×1": func() {
			kernel.Exponential(mat.New(1, 1), mat.New(1, 1), 1, mat.New(1, 1))
		},
		`Input: a kernel of kind "rbf" has no`: func() { rbf.Input() },
		"1×1 derivatives for a state of 0":     func() { rbf.AddTransitionGradient(&rbf, mat.New(1, 1), 1) },
		"AddInputGradient: 2 derivatives for":  func() { rbf.AddInputGradient(&rbf, two) },
	} {
		if got := tier.Panic(f); !strings.HasPrefix(got, "kernel: ") || !strings.Contains(got, want) {
			t.Errorf("panic %q, expected one about %q", got, want)
		}
	}
}
