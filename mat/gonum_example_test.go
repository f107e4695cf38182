package mat_test

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
)

// general has the form of Gonum's blas64.General, which RawMatrix of its dense matrices returns: rows of Cols numbers, Stride apart.
type general struct {
	Rows, Cols, Stride int
	Data               []float64
}

// A matrix of Gonum and one of this package share their numbers, in both directions: nothing is copied.
func Example_gonum() {
	raw := general{Rows: 2, Cols: 2, Stride: 3, Data: []float64{4, 2, 0, 2, 3, 0}} // of gonum: a.RawMatrix()
	a := mat.Matrix{Rows: raw.Rows, Cols: raw.Cols, RowStride: raw.Stride, ColStride: 1, Data: raw.Data}

	mat.Scale(a, 10, a)
	fmt.Println("there:", raw.Data)

	b := mat.New(2, 2) // back: mat.NewDense(b.Rows, b.Cols, b.Data) of gonum, where b's rows follow one another
	mat.Mul(b, 1, a, a.T(), 0)
	fmt.Println("back:", b.Data)
	// Output:
	// there: [40 20 0 20 30 0]
	// back: [2000 1400 1400 1300]
}
