package sgplvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
)

// kernelCases are all kinds in one to three dimensions, isotropic and with a
// length scale for each dimension.
func kernelCases(rng *rand.Rand) (kernels []Kernel, dims []int) {
	for _, kind := range KernelKinds {
		for d := 1; d <= 3; d++ {
			for _, scales := range []int{0, 1, d} {
				if (kind == White) != (scales == 0) {
					continue
				}
				k := Kernel{Kind: kind, Variance: 0.5 + rng.Float64()}
				for range scales {
					k.LengthScale = append(k.LengthScale, 0.5+rng.Float64())
				}
				kernels, dims = append(kernels, k), append(dims, d)
			}
		}
	}
	return kernels, dims
}

func normalMatrix(rng *rand.Rand, r, c int) mat.Matrix {
	m := mat.New(r, c)
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	return m
}

func TestKernelMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	kernels, dims := kernelCases(rng)
	for i, k := range kernels {
		for _, size := range [][2]int{{1, 1}, {5, 3}, {31, 2}, {32, 1}, {33, 40}} {
			x, y := normalMatrix(rng, size[0], dims[i]), normalMatrix(rng, size[1], dims[i])
			copy(y.Row(0), x.Row(size[0]-1)) // points that coincide
			got, want := mat.New(size[0], size[1]), mat.New(size[0], size[1])
			k.Matrix(got, x, y)
			for a := range x.Rows {
				for b := range y.Rows {
					want.Set(a, b, covarianceOf(k, x.Row(a), y.Row(b)))
				}
			}
			// A rounding error in r counts r times in exp(−r), and r stays below 20.
			near(t, fmt.Sprint(k), got.Data, want.Data, 100*0x1p-52)
			if got.At(size[0]-1, 0) != k.Variance {
				t.Errorf("%v: %v where points coincide", k, got.At(size[0]-1, 0))
			}
		}
	}
}

func TestKernelValues(t *testing.T) {
	for _, c := range []struct {
		kernel Kernel
		x, y   []float64
		want   float64
	}{
		{Kernel{Matern12, 2, one(1)}, one(0), one(1), 2 * math.Exp(-1)},
		{Kernel{Matern32, 2, one(1)}, one(0), one(1), 2 * 0.4833577245965077},
		{Kernel{Matern52, 2, one(1)}, one(0), one(1), 2 * 0.5239941088318203},
		{Kernel{RBF, 2, one(1)}, one(0), one(1), 2 * 0.6065306597126334},
		{Kernel{White, 2, nil}, one(1), one(1), 2},
		{Kernel{White, 2, nil}, one(0), one(math.Copysign(0, -1)), 2},
		{Kernel{White, 2, nil}, one(1), one(1 + 0x1p-52), 0},
		{Kernel{White, 2, nil}, []float64{1, 2}, []float64{1, 3}, 0},
		{Kernel{RBF, 1, one(2)}, []float64{0, 0}, []float64{6, 8}, math.Exp(-12.5)},
		{Kernel{RBF, 1, []float64{2, 4}}, []float64{0, 0}, []float64{6, 8}, math.Exp(-6.5)},
		{Kernel{Matern12, 1, []float64{2, 4}}, []float64{1, 1}, []float64{7, 17}, math.Exp(-5)},
	} {
		got := mat.New(1, 1)
		c.kernel.Matrix(got, mat.NewDense(1, len(c.x), c.x), mat.NewDense(1, len(c.y), c.y))
		near(t, fmt.Sprint(c.kernel, c.x, c.y), got.Data, one(c.want), 4*0x1p-52)
	}
}

// Points so far apart that the square of their distance overflows have no
// covariance, and no slope.
func TestKernelFar(t *testing.T) {
	for _, kind := range KernelKinds {
		k := Kernel{Kind: kind, Variance: 2}
		if kind != White {
			k.LengthScale = one(0.5)
		}
		for _, x := range []float64{1e3, 1e100, 1e154, 1e200, math.MaxFloat64} {
			got := mat.New(1, 1)
			k.Matrix(got, mat.Vector(one(-x)), mat.Vector(one(x)))
			if got.Data[0] != 0 {
				t.Errorf("%s: covariance %v at distance %g", kind, got.Data[0], 2*x)
			}
		}
	}
}

// A kernel matrix has no negative eigenvalue beyond the rounding of its entries.
func TestKernelDefinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	kernels, dims := kernelCases(rng)
	for i, k := range kernels {
		x := normalMatrix(rng, 12, dims[i])
		gram := mat.New(12, 12)
		k.Matrix(gram, x, x)
		s, err := eig.Sym(gram)
		if err != nil {
			t.Fatal(err)
		}
		if low := s.Values[0]; !(low >= -12*12*0x1p-52*k.Variance) {
			t.Errorf("%v: eigenvalue %v", k, low)
		}
	}
}

// The derivatives of Σ g∘K, at points of which some coincide.
func TestKernelGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	kernels, dims := kernelCases(rng)
	for i, k := range kernels {
		for _, size := range [][2]int{{1, 1}, {4, 3}, {40, 2}} {
			x, y, g := normalMatrix(rng, size[0], dims[i]), normalMatrix(rng, size[1], dims[i]), normalMatrix(rng, size[0], size[1])
			coincident := k.Kind != White && k.Kind != Matern12
			if coincident {
				copy(y.Row(0), x.Row(0))
			}
			values := mat.New(size[0], size[1])
			f := func() float64 {
				k.Matrix(values, x, y)
				return mat.Dot(g, values)
			}
			f()
			grad, dy := k.clone(), mat.New(y.Rows, y.Cols)
			grad.Variance = 0
			clear(grad.LengthScale)
			k.addGradient(&grad, dy, g, values, x, y)
			variance := one(k.Variance)
			checkGradient(t, func(int) string { return fmt.Sprint(k, ": variance") }, variance, one(grad.Variance), func() float64 {
				k.Variance = variance[0]
				return f()
			})
			k.Variance = variance[0]
			checkGradient(t, func(i int) string { return fmt.Sprint(k, ": length scale ", i) }, k.LengthScale, grad.LengthScale, f)
			if k.Kind != White {
				checkGradient(t, func(i int) string { return fmt.Sprint(k, ": y ", i) }, y.Data, dy.Data, f)
			}
			// Without room for dy only the kernel's own derivatives are formed, in
			// another order where there is one length scale.
			again := k.clone()
			again.Variance = 0
			clear(again.LengthScale)
			k.Matrix(values, x, y)
			k.addGradient(&again, mat.Matrix{}, g, values, x, y)
			for i, want := range append(grad.LengthScale, grad.Variance) {
				if got := append(again.LengthScale, again.Variance)[i]; math.Abs(got-want) > 1e-13*float64(size[0]*size[1])*(1+math.Abs(want)) {
					t.Errorf("%v: derivative %d is %v alone, %v together with the others", k, i, got, want)
				}
			}
		}
	}
}

// exp(−r) has a kink where points coincide: no direction is preferred there.
func TestKinkHasNoSlope(t *testing.T) {
	k := Kernel{Matern12, 1.5, one(0.7)}
	x := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	values, g, dy := mat.New(2, 2), mat.New(2, 2), mat.New(2, 2)
	k.Matrix(values, x, x)
	for i := range 2 {
		g.Set(i, i, 1) // coincident pairs alone
	}
	grad := Kernel{LengthScale: one(0)}
	k.addGradient(&grad, dy, g, values, x, x)
	if grad.LengthScale[0] != 0 || mat.NormMax(dy) != 0 || grad.Variance != 2 {
		t.Errorf("gradient %+v, in the points %v", grad, dy.Data)
	}
}

func TestKernelSameBitsAtAnyWidth(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	kernels, dims := kernelCases(rng)
	for i, k := range kernels {
		x, y, g := normalMatrix(rng, 70, dims[i]), normalMatrix(rng, 20, dims[i]), normalMatrix(rng, 70, 20)
		var want []float64
		atEveryWidth(func(procs int) {
			values, grad, dy := mat.New(70, 20), k.clone(), mat.New(20, dims[i])
			k.Matrix(values, x, y)
			k.addGradient(&grad, dy, g, values, x, y)
			got := append(append(append([]float64{grad.Variance}, grad.LengthScale...), values.Data...), dy.Data...)
			if want == nil {
				want = got
			}
			sameBits(t, fmt.Sprintf("%v at GOMAXPROCS %d", k, procs), got, want)
		})
	}
}

func TestKernelValidate(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		kernel Kernel
		want   string // in the message; "": none
	}{
		{Kernel{RBF, 1, one(1)}, ""},
		{Kernel{Matern12, 1e-300, []float64{1, 2}}, ""},
		{Kernel{White, 1, nil}, ""},
		{Kernel{"cosine", 1, one(1)}, `"cosine"`},
		{Kernel{"", 1, one(1)}, `""`},
		{Kernel{RBF, 0, one(1)}, "variance 0"},
		{Kernel{RBF, -1, one(1)}, "variance -1"},
		{Kernel{RBF, nan, one(1)}, "variance NaN"},
		{Kernel{RBF, inf, one(1)}, "variance +Inf"},
		{Kernel{White, 1, one(1)}, "1 length scales"},
		{Kernel{Matern32, 1, nil}, "0 length scales for 2 dimensions"},
		{Kernel{Matern32, 1, []float64{1, 1, 1}}, "3 length scales for 2 dimensions"},
		{Kernel{Matern32, 1, []float64{1, 0}}, "length scale 0 of dimension 1"},
		{Kernel{Matern52, 1, one(nan)}, "length scale NaN of dimension 0"},
		{Kernel{Matern52, 1, one(inf)}, "length scale +Inf of dimension 0"},
	} {
		switch err := c.kernel.validate(2); {
		case c.want == "" && err != nil:
			t.Errorf("%v: %v", c.kernel, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v: error %v, expected one about %s", c.kernel, err, c.want)
		}
	}
}
