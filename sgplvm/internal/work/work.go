// Package work holds small helpers with slices and matrices that several rooms of the model
// share: storage that is used again, rows by index, division of work by shape.
package work

import (
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Grown returns n numbers in the storage of v where they fit; their values are arbitrary.
//
//go:noinline
func Grown(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n)
	}
	return v[:n]
}

// Zeros is Grown with zeros.
func Zeros(v []float64, n int) []float64 {
	v = Grown(v, n)
	clear(v)
	return v
}

// Ones returns n ones.
func Ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// Sum adds up v in order.
func Sum(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x
	}
	return s
}

// Resize makes a an r×c matrix, in its own storage if that is large enough.
func Resize(a *mat.Matrix, r, c int) {
	if a.Rows == r && a.Cols == c {
		return
	}
	if cap(a.Data) < r*c {
		*a = mat.New(r, c)
		return
	}
	*a = mat.NewDense(r, c, a.Data[:r*c])
}

// Block returns where block b of count nearly equal blocks of n begins and ends.
func Block(b, count, n int) (from, to int) { return b * n / count, (b + 1) * n / count }

// blockRows is about how many rows of a few numbers are worth a part of their own.
const blockRows = 1 << 12

// EachRow calls body with every row from 0 to n−1, several of them at a time where there are many; what it does must belong to that row.
func EachRow(n int, body func(i int)) {
	count := (n + blockRows - 1) / blockRows
	mat.Parallel(count, func(b int) {
		for i, to := Block(b, count, n); i < to; i++ {
			body(i)
		}
	})
}

// Gather returns the given rows of a.
func Gather(a mat.Matrix, rows []int) mat.Matrix {
	g := mat.New(len(rows), a.Cols)
	GatherTo(g, a, rows)
	return g
}

// GatherTo sets dst to the given rows of a.
func GatherTo(dst, a mat.Matrix, rows []int) {
	for k, i := range rows {
		copy(dst.Row(k), a.Row(i))
	}
}

// Submatrix sets dst, len(a)×len(b), to the elements of k in the rows a and the columns b.
func Submatrix(dst, k mat.Matrix, a, b []int) {
	for i, at := range a {
		to, row := dst.Row(i), k.Row(at)
		for j, l := range b {
			to[j] = row[l]
		}
	}
}

// Column returns a copy of column q of a.
func Column(a mat.Matrix, q int) []float64 { return a.Slice(0, a.Rows, q, q+1).Clone().Data }

// ColumnSquares returns the sum of squares of every column.
func ColumnSquares(a mat.Matrix) []float64 {
	sums := make([]float64, a.Cols)
	AddColumnSquares(sums, a)
	return sums
}

// AddColumnSquares adds the sum of squares of every column to sums.
func AddColumnSquares(sums []float64, a mat.Matrix) {
	for k := range a.Rows {
		for i, v := range a.Row(k) {
			sums[i] += v * v
		}
	}
}

// AddToAll adds v to every element.
func AddToAll(dst mat.Matrix, v float64) {
	for i := range dst.Rows {
		row := dst.Row(i)
		for j := range row {
			row[j] += v
		}
	}
}

// Equal reports whether a and b have the same shape and elements, or are the same memory.
func Equal(a, b mat.Matrix) bool {
	if a.Rows != b.Rows || a.Cols != b.Cols {
		return false
	}
	if len(a.Data) > 0 && len(b.Data) > 0 && &a.Data[0] == &b.Data[0] && a.RowStride == b.RowStride && a.ColStride == b.ColStride {
		return true
	}
	for i := range a.Rows {
		row := a.Row(i)
		if b.ColStride == 1 {
			if !slices.Equal(row, b.Row(i)) {
				return false
			}
			continue
		}
		for j, v := range row {
			if v != b.At(i, j) {
				return false
			}
		}
	}
	return true
}

// SameView reports whether a and b are one view of the same numbers.
func SameView(a, b mat.Matrix) bool {
	return len(a.Data) > 0 && len(b.Data) > 0 && &a.Data[0] == &b.Data[0] &&
		a.Rows == b.Rows && a.Cols == b.Cols && a.RowStride == b.RowStride && a.ColStride == b.ColStride
}

// AllBut returns the numbers below n that are not in an ascending list.
func AllBut(n int, list []int) (rest []int) {
	for i := range n {
		if _, found := slices.BinarySearch(list, i); !found {
			rest = append(rest, i)
		}
	}
	return rest
}

// Stacked returns the rows of two matrices.
func Stacked(a, b mat.Matrix) mat.Matrix {
	c := mat.New(a.Rows+b.Rows, a.Cols)
	mat.Copy(c.Slice(0, a.Rows, 0, a.Cols), a)
	mat.Copy(c.Slice(a.Rows, c.Rows, 0, a.Cols), b)
	return c
}
