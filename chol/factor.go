package chol

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// leaf is the order up to which a diagonal block is factored row by row. Tests
// change it so that the recursion runs on small matrices.
var leaf = 32

// Factor is the Cholesky factor L of a matrix A = L·Lᵀ. The zero value holds
// no matrix and is ready for [Factor.Refactorize]; until that succeeds, and
// after it has failed, every other method panics.
type Factor struct {
	l     mat.Matrix // n×n, zeros above the diagonal
	valid bool
}

// NotPositiveDefiniteError says that elimination met a pivot that is not a
// positive finite number: the leading block of order Index+1 is not positive
// definite in floating point.
type NotPositiveDefiniteError struct {
	Index int     // row of the pivot, counted from 0
	Pivot float64 // A[i,i] − Σ L[i,j]² over j < i, for i = Index
}

func (e *NotPositiveDefiniteError) Error() string {
	return fmt.Sprintf("chol: the matrix is not positive definite: pivot %d is %g, not a positive number", e.Index, e.Pivot)
}

// NonFiniteError names the first element of the lower triangle, row by row,
// that is NaN or infinite.
type NonFiniteError struct {
	Row, Col int // counted from 0, Col ≤ Row
	Value    float64
}

func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("chol: element (%d, %d) of the matrix is %g, not a finite number", e.Row, e.Col, e.Value)
}

// Factorize returns the Cholesky factor of the n×n matrix a, of which it reads
// the lower triangle only. The error is a *[NonFiniteError] or a
// *[NotPositiveDefiniteError]. Storage: n² numbers; work: n³/3 multiplications
// and additions together.
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
		panic(fmt.Sprintf("chol: Refactorize: a %d×%d matrix is not square", a.Rows, a.Cols))
	}
	if mat.Overlap(mat.Vector(f.l.Data[:cap(f.l.Data)]), a) {
		panic(fmt.Sprintf("chol: Refactorize: the %d×%d matrix overlaps the factor's storage", a.Rows, a.Cols))
	}
	f.valid = false
	if i, j, found := mat.NonFiniteLower(a); found {
		return &NonFiniteError{Row: i, Col: j, Value: a.At(i, j)}
	}
	f.load(a, shift)
	if i, pivot, ok := factor(f.l, 0); !ok {
		return &NotPositiveDefiniteError{Index: i, Pivot: pivot}
	}
	f.valid = true
	return nil
}

// load copies the lower triangle of a + shift·I into f.l, with zeros above.
func (f *Factor) load(a mat.Matrix, shift float64) {
	n := a.Rows
	if cap(f.l.Data) < n*n {
		f.l = mat.New(n, n)
	}
	f.l = mat.Matrix{Rows: n, Cols: n, RowStride: n, ColStride: 1, Data: f.l.Data[:n*n]}
	for i := range n {
		row := f.l.Row(i)
		if a.ColStride == 1 {
			copy(row[:i+1], a.Data[i*a.RowStride:])
		} else {
			for j := range i + 1 {
				row[j] = a.Data[i*a.RowStride+j*a.ColStride]
			}
		}
		row[i] += shift
		clear(row[i+1:])
	}
}

// factor overwrites the lower triangle of a with its Cholesky factor. first is
// the index of a's first row in the whole matrix. Where a pivot fails it
// returns its index and value.
func factor(a mat.Matrix, first int) (index int, pivot float64, ok bool) {
	n := a.Rows
	if n <= leaf {
		return factorRows(a, first)
	}
	h := (n/2 + leaf - 1) / leaf * leaf
	a11, a21, a22 := a.Slice(0, h, 0, h), a.Slice(h, n, 0, h), a.Slice(h, n, h, n)
	if index, pivot, ok = factor(a11, first); !ok {
		return index, pivot, false
	}
	mat.SolveLower(a11, a21.T()) // L₁₁·L₂₁ᵀ = A₂₁ᵀ
	mat.Syrk(a22, -1, a21, 1)
	return factor(a22, first+h)
}

// factorRows is factor without blocks: row by row, each element one inner
// product of finished rows.
func factorRows(a mat.Matrix, first int) (index int, pivot float64, ok bool) {
	for i := range a.Rows {
		row := a.Row(i)
		for j := range i {
			above := a.Row(j)
			row[j] = (row[j] - asm.Dot(row[:j], above[:j])) / above[j]
		}
		p := row[i] - asm.Dot(row[:i], row[:i])
		if !(p > 0) || p > math.MaxFloat64 {
			return first + i, p, false
		}
		row[i] = math.Sqrt(p)
	}
	return 0, 0, true
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
		panic(fmt.Sprintf("chol: %s: there is no factor: no matrix was given, or the last one was refused", op))
	}
}
