package kronprod_test

import (
	"math"
	"runtime"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// shapes lists products of 0 to 4 factors: square, wide, tall, 1×1, and with no
// rows or no columns.
var shapes = [][][2]int{
	{},
	{{1, 1}},
	{{5, 3}},
	{{0, 4}},
	{{4, 0}},
	{{2, 3}, {4, 2}},
	{{3, 3}, {1, 1}},
	{{1, 4}, {3, 1}},
	{{0, 3}, {2, 2}},
	{{3, 2}, {2, 0}},
	{{2, 2}, {3, 3}, {4, 4}},
	{{5, 2}, {1, 3}, {2, 4}},
	{{2, 3}, {0, 0}, {3, 2}},
	{{7, 9}, {2, 1}, {1, 6}},
	{{2, 3}, {3, 2}, {1, 1}, {2, 4}},
	{{3, 1}, {2, 5}, {4, 3}, {1, 2}},
}

// orders lists the factors of square products.
var orders = [][]int{{}, {1}, {6}, {0, 3}, {3, 4}, {1, 5, 1}, {2, 3, 4}, {4, 3, 2}, {2, 3, 2, 3}}

func operator(shape [][2]int, factor func(r, c int) mat.Matrix) kronprod.Operator {
	var o kronprod.Operator
	for _, s := range shape {
		o.Factors = append(o.Factors, factor(s[0], s[1]))
	}
	return o
}

// definite draws a product of positive definite matrices of condition 100.
func definite(s *fuzz.Source, order []int) kronprod.Operator {
	var o kronprod.Operator
	for _, n := range order {
		o.Factors = append(o.Factors, fuzz.WithSpectrum(s, "", fuzz.Spectrum(s, fuzz.Geometric, n, 100)).A)
	}
	return o
}

func dense(o kronprod.Operator) mat.Matrix { return fuzz.NaiveKron(o.Factors...) }

func naiveMul(a, b mat.Matrix) mat.Matrix { return fuzz.NaiveMul(1, a, b, 0, mat.Matrix{}) }

// mul is o·x in fresh storage.
func mul(o kronprod.Operator, x mat.Matrix) mat.Matrix {
	dst := mat.New(o.Rows(), x.Cols)
	o.Mul(dst, x, nil)
	return dst
}

// difference returns max|a − b|; a NaN in either makes it NaN.
func difference(a, b mat.Matrix) float64 {
	d := mat.New(a.Rows, a.Cols)
	mat.Add(d, a, -1, b)
	return mat.NormMax(d)
}

// atEveryWidth calls f at several GOMAXPROCS.
func atEveryWidth(f func(procs int)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, p := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(p)
		f(p)
	}
}

// bits names the first number in which got and want differ in any bit.
func bits(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	for i, w := range want {
		if math.Float64bits(got[i]) != math.Float64bits(w) {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], w)
			return
		}
	}
}
