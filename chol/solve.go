package chol

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Solve overwrites the n×k matrix b with A⁻¹·b.
func (f *Factor) Solve(b mat.Matrix) {
	f.fits("Solve", b)
	mat.SolveLower(f.l, b)
	mat.SolveUpper(f.l.T(), b)
}

// SolveHalf overwrites the n×k matrix b with L⁻¹·b. Columns with covariance A
// become columns with covariance I.
func (f *Factor) SolveHalf(b mat.Matrix) {
	f.fits("SolveHalf", b)
	mat.SolveLower(f.l, b)
}

// SolveHalfT overwrites the n×k matrix b with L⁻ᵀ·b. Columns with covariance I
// become columns with covariance A⁻¹.
func (f *Factor) SolveHalfT(b mat.Matrix) {
	f.fits("SolveHalfT", b)
	mat.SolveUpper(f.l.T(), b)
}

// MulHalf overwrites the n×k matrix b with L·b. Columns with covariance I
// become columns with covariance A.
func (f *Factor) MulHalf(b mat.Matrix) {
	f.fits("MulHalf", b)
	mat.MulLower(f.l, b)
}

// fits panics unless there is a factor, b has its number of rows, and the two
// do not share elements.
func (f *Factor) fits(op string, b mat.Matrix) {
	f.check(op)
	if b.Rows != f.l.Rows {
		panic(fmt.Sprintf("chol: %s: factor %d×%d and matrix %d×%d do not fit", op, f.l.Rows, f.l.Cols, b.Rows, b.Cols))
	}
	if mat.Overlap(b, f.l) {
		panic(fmt.Sprintf("chol: %s: the %d×%d matrix overlaps the factor's storage", op, b.Rows, b.Cols))
	}
}
