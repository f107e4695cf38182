package kronprod

import (
	"fmt"
	"strings"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Operator is the Kronecker product A₁ ⊗ A₂ ⊗ … of its factors, of any number
// and any shapes; of no factors it is the number 1. Row (i₁, i₂, …) of it, the
// last index fastest, and column (j₁, j₂, …) hold A₁[i₁,j₁]·A₂[i₂,j₂]·….
type Operator struct{ Factors []mat.Matrix }

// Of returns the Kronecker product of the factors, which it shares.
func Of(factors ...mat.Matrix) Operator { return Operator{Factors: factors} }

// Rows returns the number of rows, the product of the factors'.
func (o Operator) Rows() int { return o.count("rows", func(a mat.Matrix) int { return a.Rows }) }

// Cols returns the number of columns, the product of the factors'.
func (o Operator) Cols() int { return o.count("columns", func(a mat.Matrix) int { return a.Cols }) }

// count returns the product of one dimension of the factors.
func (o Operator) count(name string, of func(a mat.Matrix) int) int {
	dims := make([]int, 0, 8)
	for _, a := range o.Factors {
		dims = append(dims, of(a))
	}
	n, ok := size(dims)
	if !ok {
		panic(fmt.Sprintf("kronprod: %s has more %s than an int can count", o.shape(), name))
	}
	return n
}

// T returns the transposed operator, a product of transposed views.
func (o Operator) T() Operator {
	t := Operator{Factors: make([]mat.Matrix, len(o.Factors))}
	for i, a := range o.Factors {
		t.Factors[i] = a.T()
	}
	return t
}

// Trace returns the trace, the product of the factors' traces; every factor
// must be square.
func (o Operator) Trace() float64 {
	t := 1.0
	for _, a := range o.Factors {
		t *= mat.Trace(a)
	}
	return t
}

// Diag returns the diagonal, the Kronecker product of the factors' diagonals;
// every factor must be square.
func (o Operator) Diag() []float64 {
	o.square("Diag")
	diagonals := make([][]float64, len(o.Factors))
	for f, a := range o.Factors {
		diagonals[f] = a.Diag().Clone().Data
	}
	return Vectors(diagonals...)
}

func (o Operator) square(op string) {
	for _, a := range o.Factors {
		if a.Rows != a.Cols {
			panic(fmt.Sprintf("kronprod: %s: the factors of %s are not all square", op, o.shape()))
		}
	}
}

// shape is like "3×2 ⊗ 4×4".
func (o Operator) shape() string {
	var s []string
	for _, a := range o.Factors {
		s = append(s, fmt.Sprintf("%d×%d", a.Rows, a.Cols))
	}
	return strings.Join(s, " ⊗ ")
}
