package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// spatial are kernels of all kinds by the dimensions of their points: with one length scale,
// with one for each dimension, registered ones, sums, products and periodic ones.
func spatial(t testing.TB) map[int][]kernel.Kernel {
	all := map[int][]kernel.Kernel{}
	scales := []string{1: "(0.7)", 2: "(0.6,1.3)", 3: "(1.2,0.8,0.9)"}
	for d := 1; d <= 3; d++ {
		texts := []string{"white"}
		for _, kind := range simple {
			if kind != kernel.White {
				texts = append(texts, string(kind)+"(1.1)", string(kind)+scales[d])
			}
		}
		texts = append(texts, "0.3*rbf(0.8)+0.7*matern32"+scales[d], "rbf(2)*matern52"+scales[d], "0.9*matern12(2)+0.1*white",
			"matern32(3)*(0.25*quadratic(2)+0.75*rbf(0.5)*matern52(1.5))*matern52(4)")
		if d == 1 {
			texts = append(texts, "periodic(2,0.8)", "rbf(3)*periodic(1.3,1)", "0.4*periodic(1.7,0.9)+0.6*matern52(1)")
		}
		for i, text := range texts {
			k := parsed(t, text)
			k.Variance = 0.5 + 0.1*float64(i)
			all[d] = append(all[d], k)
		}
	}
	return all
}

// rough reports whether a kernel has a kink, or a step, where points coincide.
func rough(k kernel.Kernel) bool {
	for _, term := range k.Terms {
		if rough(term) {
			return true
		}
	}
	return k.Kind == kernel.White || k.Kind == kernel.Matern12 || k.Kind == "oscillator"
}

// A rounding error in r counts r times in exp(−r), and r stays below 20; the error of three
// factors adds up.
func TestMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for d, kernels := range spatial(t) {
		for _, k := range kernels {
			for _, size := range [][2]int{{1, 1}, {5, 3}, {31, 2}, {32, 1}, {33, 40}, {0, 3}, {3, 0}} {
				x, y := normalMatrix(rng, size[0], d), normalMatrix(rng, size[1], d)
				if size[0]*size[1] > 0 {
					copy(y.Row(0), x.Row(size[0]-1)) // points that coincide
				}
				got, want := mat.New(size[0], size[1]), mat.New(size[0], size[1])
				k.Matrix(got, x, y)
				for a := range x.Rows {
					for b := range y.Rows {
						want.Set(a, b, k.Variance*naive(k, x.Row(a), y.Row(b)))
					}
				}
				near(t, fmt.Sprint(k), got.Data, want.Data, 300*epsilon)
				if size[0]*size[1] > 0 && math.Abs(got.At(size[0]-1, 0)-k.Variance) > 4*epsilon*k.Variance {
					t.Errorf("%v: %v where points coincide, want %v", k, got.At(size[0]-1, 0), k.Variance)
				}
			}
		}
	}
}

// Of one view only half is computed: the result is the same, and symmetric.
func TestMatrixOfOneView(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for d, kernels := range spatial(t) {
		for _, k := range kernels {
			x := normalMatrix(rng, 37, d)
			got, want := mat.New(37, 37), mat.New(37, 37)
			k.Matrix(got, x, x)
			k.Matrix(want, x, x.Clone())
			compare.SameBits(t, fmt.Sprint(k), got.Data, want.Data)
		}
	}
}

func TestMatrixValues(t *testing.T) {
	one := func(v float64) []float64 { return []float64{v} }
	for _, c := range []struct {
		kind     kernel.Kind
		variance float64
		scale    []float64
		x, y     []float64
		want     float64
	}{
		{kernel.Matern12, 2, one(1), one(0), one(1), 2 * math.Exp(-1)},
		{kernel.Matern32, 2, one(1), one(0), one(1), 2 * 0.4833577245965077},
		{kernel.Matern52, 2, one(1), one(0), one(1), 2 * 0.5239941088318203},
		{kernel.RBF, 2, one(1), one(0), one(1), 2 * 0.6065306597126334},
		{kernel.White, 2, nil, one(1), one(1), 2},
		{kernel.White, 2, nil, one(0), one(math.Copysign(0, -1)), 2},
		{kernel.White, 2, nil, one(1), one(1 + epsilon), 0},
		{kernel.White, 2, nil, []float64{1, 2}, []float64{1, 3}, 0},
		{kernel.RBF, 1, one(2), []float64{0, 0}, []float64{6, 8}, math.Exp(-12.5)},
		{kernel.RBF, 1, []float64{2, 4}, []float64{0, 0}, []float64{6, 8}, math.Exp(-6.5)},
		{kernel.Matern12, 1, []float64{2, 4}, []float64{1, 1}, []float64{7, 17}, math.Exp(-5)},
	} {
		k := kernel.Kernel{Kind: c.kind, Variance: c.variance, LengthScale: c.scale}
		got := mat.New(1, 1)
		k.Matrix(got, mat.NewDense(1, len(c.x), c.x), mat.NewDense(1, len(c.y), c.y))
		near(t, fmt.Sprint(k, c.x, c.y), got.Data, one(c.want), 4*epsilon)
	}
}

// Points so far apart that the square of their distance overflows have no covariance, and
// no slope.
func TestFar(t *testing.T) {
	for _, kind := range simple {
		k := kernel.Kernel{Kind: kind, Variance: 2}
		if kind != kernel.White {
			k.LengthScale = []float64{0.5}
		}
		if kind == "quadratic" {
			continue // falls as r^−2
		}
		for _, far := range []float64{1e3, 1e100, 1e154, 1e200, math.MaxFloat64} {
			x, y := mat.Vector([]float64{-far}), mat.Vector([]float64{far})
			got, dy, grad := mat.New(1, 1), mat.New(1, 1), zeroed(k)
			k.Matrix(got, x, y)
			if far < math.MaxFloat64 { // here x − y overflows
				k.AddGradient(&grad, dy, mat.Vector([]float64{1}), got, x, y)
			}
			near(t, fmt.Sprintf("%s at distance %g", kind, 2*far), append(numbers(grad), got.Data[0], dy.Data[0]), make([]float64, 3+len(k.LengthScale)), 0)
		}
	}
}

// The derivatives of Σ g∘K, at points of which some coincide.
func TestGradient(t *testing.T) {
	defer kernel.SetBlockWork(kernel.SetBlockWork(50))
	rng := rand.New(rand.NewPCG(3, 1))
	for d, kernels := range spatial(t) {
		for _, k := range kernels {
			for _, size := range [][2]int{{1, 1}, {4, 3}, {40, 2}} {
				x, y, g := normalMatrix(rng, size[0], d), normalMatrix(rng, size[1], d), normalMatrix(rng, size[0], size[1])
				if !rough(k) {
					copy(y.Row(0), x.Row(0))
				}
				values := mat.New(size[0], size[1])
				f := func() float64 {
					k.Matrix(values, x, y)
					return mat.Dot(g, values)
				}
				f()
				grad, dy := zeroed(k), mat.New(y.Rows, d)
				k.AddGradient(&grad, dy, g, values, x, y)
				checkSlopes(t, &k, grad, true, f)
				for i := range y.Data {
					checkSlope(t, fmt.Sprint(k, ": y ", i), &y.Data[i], dy.Data[i], f)
				}
				// Without room for dy the sums are formed in another order.
				again := zeroed(k)
				f()
				k.AddGradient(&again, mat.Matrix{}, g, values, x, y)
				near(t, fmt.Sprint(k, ": without dy"), numbers(again), numbers(grad), 1e-13*float64(size[0]*size[1]))
				// A gradient is added to what is there.
				k.AddGradient(&again, mat.Matrix{}, g, values, x, y)
				for i, v := range numbers(grad) {
					near(t, fmt.Sprint(k, ": added"), numbers(again)[i:i+1], []float64{2 * v}, 1e-13*float64(size[0]*size[1]))
				}
			}
		}
	}
}

// exp(−r) has a kink where points coincide: no direction is preferred there.
func TestKinkHasNoSlope(t *testing.T) {
	k := kernel.Kernel{Kind: kernel.Matern12, Variance: 1.5, LengthScale: []float64{0.7}}
	x := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	values, g, dy := mat.New(2, 2), mat.New(2, 2), mat.New(2, 2)
	k.Matrix(values, x, x)
	for i := range 2 {
		g.Set(i, i, 1) // coincident pairs alone
	}
	grad := zeroed(k)
	k.AddGradient(&grad, dy, g, values, x, x)
	if grad.LengthScale[0] != 0 || mat.NormMax(dy) != 0 || grad.Variance != 2 {
		t.Errorf("gradient %+v, in the points %v", grad, dy.Data)
	}
}

// A kernel that cannot be used says why, by the name of its kind; wrong shapes are named.
func TestSpacePanics(t *testing.T) {
	x, y, none := mat.New(3, 2), mat.New(4, 2), mat.Matrix{}
	dst := mat.New(3, 4)
	rbf := kernel.Kernel{Kind: kernel.RBF, Variance: 1, LengthScale: []float64{1}}
	matrix := func(k kernel.Kernel) func() { return func() { k.Matrix(dst, x, y) } }
	for want, f := range map[string]func(){
		`Matrix: unknown kind ""`:                       matrix(kernel.Kernel{}),
		`Matrix: unknown kind "cosine"`:                 matrix(kernel.Kernel{Kind: kernel.Product, Terms: []kernel.Kernel{rbf, {Kind: "cosine"}}}),
		`AddGradient: unknown kind "cosine"`:            func() { k := kernel.Kernel{Kind: "cosine"}; g := k; k.AddGradient(&g, none, dst, dst, x, y) },
		"Matrix: sum kernel of 0 terms":                 matrix(kernel.Kernel{Kind: kernel.Sum}),
		"sum kernel of 2 terms and 0 weights":           matrix(kernel.Kernel{Kind: kernel.Sum, Terms: []kernel.Kernel{rbf, rbf}}),
		"periodic kernel with 1 length scales for poin": matrix(kernel.Kernel{Kind: kernel.Periodic, Period: 1, LengthScale: []float64{1}}),
		"rbf kernel with 3 length scales for points of": matrix(kernel.Kernel{Kind: kernel.RBF, LengthScale: make([]float64, 3)}),
		"matern52 kernel with 0 length scales":          matrix(kernel.Kernel{Kind: kernel.Matern52}),
		"result 4×3 for points 3×2 and 4×2":             func() { rbf.Matrix(mat.New(4, 3), x, y) },
		"points 3×2 and 4×1 of different dimensions":    func() { rbf.Matrix(dst, x, mat.New(4, 1)) },
		"the result overlaps the points":                func() { rbf.Matrix(x.Slice(0, 2, 0, 2), x.Slice(0, 2, 0, 2), y.Slice(0, 2, 0, 2)) },
		"derivatives 3×4 for points 4×2 and 3×2":        func() { rbf.AddGradient(&rbf, none, dst, dst, y, x) },
		"values 4×3 for points 3×2 and 4×2":             func() { rbf.AddGradient(&rbf, none, dst, mat.New(4, 3), x, y) },
		"derivatives 3×2 in points 4×2":                 func() { rbf.AddGradient(&rbf, x, dst, dst, x, y) },
	} {
		if got := tier.Panic(f); !strings.HasPrefix(got, "kernel: ") || !strings.Contains(got, want) {
			t.Errorf("panic %q, expected one about %q", got, want)
		}
	}
}
