package chol

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
)

// narrow is the number of columns up to which they are solved for by rows of L, each
// read once from where it is; more are worth the packing that blocks need. Tests
// change it.
var narrow = 4

// Rows of L are taken four at a time, and of these so many columns that they stay in the
// nearest cache while all right-hand sides meet them. Tests change the latter.
const group = 4

var strip = 512

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
	inRows(b, func(x mat.Matrix) {
		for i := 0; i < x.Cols; i += group {
			f.forwardGroup(x, i, min(i+group, x.Cols))
		}
	})
}

// forwardGroup finishes columns i to to of x, the rows of which are right-hand sides: what is before
// is finished.
func (f *Factor) forwardGroup(x mat.Matrix, i, to int) {
	var sums [group]float64
	ld := f.l.RowStride
	for j := 0; j < i; j += strip {
		w := min(strip, i-j)
		for c := range x.Rows {
			row := x.Row(c)
			asm.DotRows(sums[:to-i], f.l.Data[i*ld+j:], ld, row[j:j+w])
			for r := i; r < to; r++ {
				row[r] -= sums[r-i]
			}
		}
	}
	for c := range x.Rows {
		row := x.Row(c)
		for r := i; r < to; r++ {
			l := f.l.Row(r)
			for j := i; j < r; j++ {
				row[r] -= float64(l[j] * row[j])
			}
			row[r] /= l[r]
		}
	}
}

// backward overwrites b with L⁻ᵀ·b.
func (f *Factor) backward(b mat.Matrix) {
	if b.Cols > narrow {
		mat.SolveUpper(f.l.T(), b)
		return
	}
	inRows(b, func(x mat.Matrix) {
		for i := (x.Cols - 1) / group * group; i >= 0; i -= group {
			f.backwardGroup(x, i, min(i+group, x.Cols))
		}
	})
}

// backwardGroup finishes columns i to to of x, the rows of which are right-hand sides, and subtracts
// what they contribute from those before: what is behind is finished and subtracted.
func (f *Factor) backwardGroup(x mat.Matrix, i, to int) {
	var factors [group]float64
	ld := f.l.RowStride
	for c := range x.Rows {
		row := x.Row(c)
		for r := to - 1; r >= i; r-- {
			l := f.l.Row(r)
			row[r] /= l[r]
			for j := i; j < r; j++ {
				row[j] -= float64(row[r] * l[j])
			}
		}
	}
	for j := 0; j < i; j += strip {
		w := min(strip, i-j)
		for c := range x.Rows {
			row := x.Row(c)
			for r := i; r < to; r++ {
				factors[r-i] = -row[r]
			}
			asm.AxpyRows(factors[:to-i], f.l.Data[i*ld+j:], ld, row[j:j+w])
		}
	}
}

// inRows calls do with bᵀ in contiguous rows, which become the columns of b.
func inRows(b mat.Matrix, do func(x mat.Matrix)) {
	if b.Rows == 0 || b.Cols == 0 {
		return
	}
	if b.RowStride == 1 && (b.ColStride >= b.Rows || b.Cols == 1) {
		do(mat.Matrix{Rows: b.Cols, Cols: b.Rows, RowStride: max(b.ColStride, b.Rows), ColStride: 1, Data: b.Data})
		return
	}
	buffer := mat.Borrow(b.Rows * b.Cols)
	x := mat.NewDense(b.Cols, b.Rows, *buffer)
	mat.Copy(x, b.T())
	do(x)
	mat.Copy(b, x.T())
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
