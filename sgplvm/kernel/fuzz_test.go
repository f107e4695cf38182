package kernel_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// drawKernel draws a kernel of points of d dimensions with scales of 10^−most to 10^most, a sum or product of others where deep
// allows it.
func drawKernel(s *fuzz.Source, d, deep, most int) kernel.Kernel {
	kinds := []kernel.Kind{kernel.Matern32, kernel.Matern12, kernel.Matern52, kernel.RBF, kernel.White, kernel.Sum, kernel.Product, kernel.Periodic}
	if d > 1 {
		kinds = kinds[:7]
	}
	k := kernel.Kernel{Kind: kinds[s.IntN(len(kinds))], Variance: 1}
	for deep == 0 && (k.Kind == kernel.Sum || k.Kind == kernel.Product) {
		k.Kind = kinds[s.IntN(5)]
	}
	scale := func() float64 { return math.Pow(10, float64(s.IntN(2*most+1)-most)) * (0.5 + s.Float64()) }
	switch k.Kind {
	case kernel.White:
	case kernel.Sum, kernel.Product:
		for range 2 + s.IntN(2) {
			k.Terms = append(k.Terms, drawKernel(s, d, deep-1, most))
		}
		if left := 1.0; k.Kind == kernel.Sum {
			for i := range k.Terms {
				w := left * (0.2 + 0.6*s.Float64())
				if i+1 == len(k.Terms) {
					w = left
				}
				left -= w
				k.Weights = append(k.Weights, w)
			}
		}
	default:
		k.LengthScale = []float64{scale()}
		for q := 1; q < d && s.IntN(2) == 1 || len(k.LengthScale) > 1 && q < d; q++ {
			k.LengthScale = append(k.LengthScale, scale())
		}
		if n := len(k.LengthScale); n > 1 && n < d {
			k.LengthScale = k.LengthScale[:1]
		}
		k.Period = 0
		if k.Kind == kernel.Periodic {
			k.Period = scale()
		}
	}
	return k
}

// drawPoints draws n points, some of them twice, in the unit 10^most or less.
func drawPoints(s *fuzz.Source, n, d, most int) mat.Matrix {
	x := mat.New(n, d)
	for i := range n {
		from := s.IntN(i + 1)
		for q := range d {
			x.Set(i, q, s.NormFloat64()*math.Pow(10, float64(most)))
			if from < i/2 {
				x.Set(i, q, x.At(from, q))
			}
		}
	}
	return x
}

// FuzzMatrix gives kernels any numbers: whatever Validate takes, the values are numbers, of variances up to 10²⁵⁰.
func FuzzMatrix(f *testing.F) { fuzz.OneOf(f, tryNumbers) }

// visit calls f with all parameters that have a derivative.
func visit(k, grad *kernel.Kernel, f func(value, slope *float64)) {
	for q := range k.LengthScale {
		f(&k.LengthScale[q], &grad.LengthScale[q])
	}
	if k.Kind == kernel.Periodic {
		f(&k.Period, &grad.Period)
	}
	for i := range k.Weights {
		f(&k.Weights[i], &grad.Weights[i])
	}
	for i := range k.Terms {
		visit(&k.Terms[i], &grad.Terms[i], f)
	}
}

func tryNumbers(t *testing.T, s *fuzz.Source) {
	d := 1 + s.IntN(2)
	k := drawKernel(s, d, 1, 3)
	at := s.IntN(6)
	visit(&k, &k, func(value, _ *float64) {
		if at == 0 {
			*value = s.Bits()
		}
		at--
	})
	if at > 0 {
		k.Variance = s.Bits()
	}
	x := drawPoints(s, 1+s.IntN(4), d, 0)
	if s.Bool() {
		if x.Data[0] = s.Bits(); math.IsNaN(x.Data[0]) || math.IsInf(x.Data[0], 0) {
			return
		}
	}
	if k.Validate(d) != nil || k.Variance > 1e250 {
		return
	}
	values := mat.New(x.Rows, x.Rows)
	k.Matrix(values, x, x)
	for i := range x.Rows {
		for j, v := range values.Row(i) {
			if !(v >= 0 && v <= k.Variance*(1+1e-8)) || i == j && !(v >= k.Variance*(1-1e-8)) {
				t.Errorf("%+v of %v and %v: %v", k, x.Row(i), x.Row(j), v)
			}
		}
	}
	usual := true // squares are numbers
	check := func(v float64) { usual = usual && (v == 0 || math.Abs(v) > 1e-100 && math.Abs(v) < 1e100) }
	check(x.At(0, 0))
	check(k.Variance)
	visit(&k, &k, func(value, _ *float64) { check(*value) })
	if d == 1 && usual && k.ValidateTime() == nil {
		again, times := mat.New(x.Rows, x.Rows), make([]float64, x.Rows)
		for i := range times {
			times[i] = x.At(i, 0)
		}
		k.TimeMatrix(again, times, times)
		for i, v := range again.Data {
			if !(math.Abs(float64(v*k.Variance)-values.Data[i]) <= 1e-12*k.Variance) {
				t.Errorf("%+v: in time %v, in space %v", k, v, values.Data[i])
			}
		}
	}
}

// Where squares of length scales, of distances or of both are 0 or infinite, points are alike or have nothing to do with each other; where
// a period fits in too often for phases, values are numbers.
func TestScalesWithoutInverses(t *testing.T) {
	for _, kind := range []kernel.Kind{kernel.Matern12, kernel.Matern32, kernel.Matern52, kernel.RBF} {
		for _, c := range []struct{ length, far, want float64 }{{1e-200, 1, 0}, {1e200, 1, 1}, {1e-200, 1e300, 0}, {1e250, 1e300, 0}} {
			k := kernel.Kernel{Kind: kind, Variance: 2, LengthScale: []float64{c.length}}
			x, got := mat.NewDense(2, 1, []float64{0, c.far}), mat.New(2, 2)
			k.Matrix(got, x, x)
			compare.Near(t, fmt.Sprintf("%s: length scale %v, distance %v", kind, c.length, c.far), got.Data, []float64{2, 2 * c.want, 2 * c.want, 2}, 1e-15)
			grad := k.Clone()
			grad.Zero()
			k.AddGradient(&grad, mat.Matrix{}, got, got, x, x)
			if slope := grad.LengthScale[0]; slope-slope != 0 {
				t.Errorf("%s: length scale %v, distance %v: slope %v", kind, c.length, c.far, slope)
			}
		}
	}
	k, got := kernel.Kernel{Kind: kernel.Periodic, LengthScale: []float64{1}, Period: 1e-300}, make([]float64, 2)
	k.Values(got, []float64{-1e300, 1e300})
	if v := got[0]; !(v > 0 && v <= 1) || got[1] != v {
		t.Errorf("values %v of many periods", got)
	}
}
