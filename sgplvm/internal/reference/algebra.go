package reference

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Rows is a matrix as a list of rows.
type Rows = [][]float64

// NewRows returns an n×m matrix of zeros.
func NewRows(n, m int) Rows {
	a := make(Rows, n)
	for i := range a {
		a[i] = make([]float64, m)
	}
	return a
}

// Cholesky returns the lower factor of a positive definite matrix, NaN where it is not definite.
func Cholesky(a Rows) Rows {
	l := NewRows(len(a), len(a))
	for i := range a {
		for j := range i + 1 {
			v := a[i][j]
			for k := range j {
				v -= float64(l[i][k] * l[j][k])
			}
			if i == j {
				l[i][i] = math.Sqrt(v)
			} else {
				l[i][j] = v / l[j][j]
			}
		}
	}
	return l
}

// LogDet returns log|a| for the lower factor l of a.
func LogDet(l Rows) float64 {
	var s float64
	for i := range l {
		s += 2 * math.Log(l[i][i])
	}
	return s
}

// forward returns l⁻¹·b; b itself without a factor.
func forward(l Rows, b []float64) []float64 {
	x := append([]float64(nil), b...)
	for i, row := range l {
		for k := range i {
			x[i] -= float64(row[k] * x[k])
		}
		x[i] /= row[i]
	}
	return x
}

// Solve returns a⁻¹·b for the lower factor l of a.
func Solve(l Rows, b []float64) []float64 {
	x := forward(l, b)
	for i := len(x) - 1; i >= 0; i-- {
		for k := i + 1; k < len(x); k++ {
			x[i] -= float64(l[k][i] * x[k])
		}
		x[i] /= l[i][i]
	}
	return x
}

// Inverse returns a⁻¹ for the lower factor l of a.
func Inverse(l Rows) Rows {
	inverse := NewRows(len(l), len(l))
	for j := range l {
		e := make([]float64, len(l))
		e[j] = 1
		for i, v := range Solve(l, e) {
			inverse[i][j] = v
		}
	}
	return inverse
}

// Inner returns aᵀ·b.
func Inner(a, b []float64) float64 {
	var s float64
	for i, v := range a {
		s += float64(v * b[i])
	}
	return s
}

// Quadratic returns aᵀ·m·b.
func Quadratic(a []float64, m Rows, b []float64) float64 {
	var s float64
	for i, v := range a {
		s += float64(v * Inner(m[i], b))
	}
	return s
}

// Trace returns tr(a·b) for symmetric matrices.
func Trace(a, b Rows) float64 {
	var s float64
	for i := range a {
		s += Inner(a[i], b[i])
	}
	return s
}

// Kronecker returns a ⊗ b.
func Kronecker(a, b mat.Matrix) mat.Matrix {
	k := mat.New(a.Rows*b.Rows, a.Cols*b.Cols)
	for i := range k.Rows {
		for j := range k.Cols {
			k.Set(i, j, a.At(i/b.Rows, j/b.Cols)*b.At(i%b.Rows, j%b.Cols))
		}
	}
	return k
}
