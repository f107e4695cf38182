package chol

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
)

// narrow is the number of columns up to which they are solved for one after the
// other. Each of them takes what memory delivers of L; more are worth the packing
// that blocks need. Tests change it.
var narrow = 4

// Solve overwrites the n×k matrix b with A⁻¹·b.
func (f *Factor) Solve(b mat.Matrix) {
	f.fits("chol: Solve", b)
	f.forward(b)
	f.backward(b)
}

// SolveHalf overwrites the n×k matrix b with L⁻¹·b. Columns with covariance A
// become columns with covariance I.
func (f *Factor) SolveHalf(b mat.Matrix) {
	f.fits("chol: SolveHalf", b)
	f.forward(b)
}

// SolveHalfT overwrites the n×k matrix b with L⁻ᵀ·b. Columns with covariance I
// become columns with covariance A⁻¹.
func (f *Factor) SolveHalfT(b mat.Matrix) {
	f.fits("chol: SolveHalfT", b)
	f.backward(b)
}

// forward overwrites b with L⁻¹·b.
func (f *Factor) forward(b mat.Matrix) {
	if b.Cols > narrow {
		mat.SolveLower(f.l, b)
		return
	}
	eachColumn(b, func(x []float64) {
		for i := range x {
			row := f.l.Row(i)
			x[i] = (x[i] - asm.Dot(row[:i], x)) / row[i]
		}
	})
}

// backward overwrites b with L⁻ᵀ·b.
func (f *Factor) backward(b mat.Matrix) {
	if b.Cols > narrow {
		mat.SolveUpper(f.l.T(), b)
		return
	}
	eachColumn(b, func(x []float64) {
		for i := len(x) - 1; i >= 0; i-- {
			row := f.l.Row(i)
			x[i] /= row[i]
			asm.Axpy(-x[i], row[:i], x)
		}
	})
}

// eachColumn calls do with every column of b, as a slice that becomes the column.
func eachColumn(b mat.Matrix, do func(x []float64)) {
	if b.Rows == 0 {
		return
	}
	if b.RowStride == 1 || b.Rows == 1 {
		for j := range b.Cols {
			do(b.Data[j*b.ColStride : j*b.ColStride+b.Rows])
		}
		return
	}
	buffer := mat.Borrow(b.Rows)
	x := *buffer
	for j := range b.Cols {
		for i := range x {
			x[i] = b.Data[i*b.RowStride+j*b.ColStride]
		}
		do(x)
		for i, v := range x {
			b.Data[i*b.RowStride+j*b.ColStride] = v
		}
	}
	mat.GiveBack(buffer)
}

// MulHalf overwrites the n×k matrix b with L·b. Columns with covariance I
// become columns with covariance A.
func (f *Factor) MulHalf(b mat.Matrix) {
	f.fits("chol: MulHalf", b)
	mat.MulLower(f.l, b)
}

// fits panics unless there is a factor, b has its number of rows and can be written,
// and the two do not share elements. op is like "chol: Solve".
func (f *Factor) fits(op string, b mat.Matrix) {
	f.check(op[len("chol: "):])
	if b.Rows != f.l.Rows {
		panic(text.Sprintf("%s: factor %d×%d and matrix %d×%d do not fit", op, f.l.Rows, f.l.Cols, b.Rows, b.Cols))
	}
	mat.CheckDestination(op, "overwritten", b)
	if mat.Overlap(b, f.l) {
		panic(text.Sprintf("%s: the %d×%d matrix overlaps the factor's storage", op, b.Rows, b.Cols))
	}
}
