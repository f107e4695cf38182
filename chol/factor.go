package chol

import (
	"math"

	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Factor is the Cholesky factor L of a matrix A = L·Lᵀ. The zero value holds
// no matrix and is ready for [Factor.Refactorize]; until that succeeds, and
// after it has failed, every other method panics.
type Factor struct {
	l         mat.Matrix // n×n, zeros above the diagonal
	valid     bool
	work      panels
	rotations []rotation // of Update and Downdate
}

// NotPositiveDefiniteError says that elimination met a pivot that is not a
// positive finite number: the leading block of order Index+1 is not positive
// definite in floating point. After Update and Downdate the matrix is A ± x·xᵀ.
type NotPositiveDefiniteError struct {
	Index int     // row of the pivot, counted from 0
	Pivot float64 // A[i,i] − Σ L[i,j]² over j < i, for i = Index
}

func (e *NotPositiveDefiniteError) Error() string {
	return text.Sprintf("chol: the matrix is not positive definite: pivot %d is %g, not a positive number", e.Index, e.Pivot)
}

// NonFiniteError names the first element of the lower triangle, row by row, or
// of a vector, that is NaN or infinite.
type NonFiniteError struct {
	Row, Col int // counted from 0, Col ≤ Row; Col is 0 for a vector
	Value    float64
}

func (e *NonFiniteError) Error() string {
	return text.Sprintf("chol: element (%d, %d) is %g, not a finite number", e.Row, e.Col, e.Value)
}

// Factorize returns the Cholesky factor of the n×n matrix a, of which it reads
// the lower triangle only. The error is a *[NonFiniteError] or a
// *[NotPositiveDefiniteError]. Storage: n² numbers, and while it is under way half as many
// that other factors use later; work: n³/3 multiplications and additions together.
func Factorize(a mat.Matrix) (*Factor, error) {
	f := new(Factor)
	if err := f.Refactorize(a); err != nil {
		return nil, err
	}
	return f, nil
}

// Refactorize replaces the factor by that of a, as [Factorize] does, in the
// storage that f has if it is large enough. After an error f is unusable until
// a later call succeeds. a must not share elements with f's storage.
func (f *Factor) Refactorize(a mat.Matrix) error { return f.RefactorizeShifted(a, 0) }

// RefactorizeShifted replaces the factor by that of a + shift·I; a itself stays
// as it is. Otherwise it is [Factor.Refactorize].
func (f *Factor) RefactorizeShifted(a mat.Matrix, shift float64) error {
	if a.Rows != a.Cols {
		panic(text.Sprintf("chol: Refactorize: a %d×%d matrix is not square", a.Rows, a.Cols))
	}
	mat.CheckSource("chol: Refactorize", "the matrix", a)
	if mat.Overlap(mat.Vector(f.l.Data[:cap(f.l.Data)]), a) {
		panic(text.Sprintf("chol: Refactorize: the %d×%d matrix overlaps the factor's storage", a.Rows, a.Cols))
	}
	if !a.IsDistinct() {
		a = a.Clone() // the kernels take rows or columns that lie apart
	}
	f.valid = false
	f.resize(a.Rows)
	return f.factorize(a, shift)
}

// RefactorizeInPlace is [Factor.Refactorize] in the storage of a, which becomes the factor, with zeros above its diagonal, and must not be
// written while f is used. The rows of a must be contiguous. After an error what a has is of no use.
func (f *Factor) RefactorizeInPlace(a mat.Matrix) error {
	if a.Rows != a.Cols || a.ColStride != 1 || !a.IsDistinct() {
		panic(text.Sprintf("chol: RefactorizeInPlace: a %d×%d matrix, expected a square one with contiguous rows", a.Rows, a.Cols))
	}
	mat.CheckSource("chol: RefactorizeInPlace", "the matrix", a)
	for i := range a.Rows {
		clear(a.Row(i)[i+1:])
	}
	f.valid, f.l = false, a
	return f.factorize(a, 0)
}

// factorize sets l to the factor of a + shift·I. They may be one matrix: a block of rows is read before it is written, and those that are
// written have been finite.
func (f *Factor) factorize(a mat.Matrix, shift float64) error {
	if !f.work.factorize(f.l, a, shift) {
		// A number that is not finite makes its row's pivot fail, if none
		// fails before. It is the one to be reported.
		if i, j, found := mat.NonFiniteLower(a); found {
			return &NonFiniteError{Row: i, Col: j, Value: a.At(i, j)}
		}
		failed := f.work.pivot
		return &failed
	}
	f.valid = true
	return nil
}

// resize gives f.l the order n and zeros above the diagonal.
func (f *Factor) resize(n int) {
	if f.l.Rows == n && f.l.Data != nil {
		return // nothing is ever written there
	}
	if cap(f.l.Data) < n*n {
		f.l = mat.New(n, n)
		return
	}
	f.l = mat.Matrix{Rows: n, Cols: n, RowStride: n, ColStride: 1, Data: f.l.Data[:n*n]}
	clear(f.l.Data)
}

// Size returns the order n of the matrix.
func (f *Factor) Size() int {
	f.check("Size")
	return f.l.Rows
}

// L returns the n×n lower triangular factor, with zeros above the diagonal. It
// is a view of f's storage: read it, do not write it, and not after the next
// Refactorize.
func (f *Factor) L() mat.Matrix {
	f.check("L")
	return f.l
}

// LogDet returns log|A| = 2·Σ log L[i,i]; 0 for a 0×0 matrix.
func (f *Factor) LogDet() float64 {
	f.check("LogDet")
	var s float64
	for i := range f.l.Rows {
		s += math.Log(f.l.Row(i)[i])
	}
	return 2 * s
}

func (f *Factor) check(op string) {
	if !f.valid {
		panic(text.Sprintf("chol: %s: there is no factor: no matrix was given, or the last one was refused", op))
	}
}
