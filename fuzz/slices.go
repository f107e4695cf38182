package fuzz

import (
	"errors"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Slices are the operations of a library on plain slices: element (i, j) of a matrix is a[i*lda+j], and lda is at least the
// number of columns. What is nil is not judged. [Slices.Library] makes it a [Library]: the laws then give these functions slices
// with gaps at the ends of rows, of which none may change, and copies of what does not lie in rows.
type Slices struct {
	// Mul sets c = alpha·a·b + beta·c for a m×k, b k×n, c m×n.
	Mul func(m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int)
	// SolveLower and SolveUpper overwrite b, n×k, with t⁻¹·b.
	SolveLower, SolveUpper func(n, k int, t []float64, ldt int, b []float64, ldb int)
	// Cholesky overwrites the lower triangle of a with its factor and returns n, or the index of the first pivot that is not
	// positive, or [NotTold].
	Cholesky func(n int, a []float64, lda int) (failed int)
	// Eig writes ascending eigenvalues of a, of which it reads the lower triangle, to w, and overwrites a with orthonormal
	// eigenvectors in columns; false: refused.
	Eig func(n int, a []float64, lda int, w []float64) bool
	// Solve overwrites b, n×k, with a⁻¹·b, and a with anything; false: refused.
	Solve func(n, k int, a []float64, lda int, b []float64, ldb int) bool
	// LU overwrites a, m×n, with its factors, the unit diagonal of L not stored, and p with the row of a that became row i;
	// false: refused.
	LU func(m, n int, a []float64, lda int, p []int) bool
	// QR writes q, m×n with orthonormal columns, and r, n×n, for m ≥ n; false: refused.
	QR func(m, n int, a []float64, lda int, q []float64, ldq int, r []float64, ldr int) bool
	// SVD writes u, m×k, s, of length k, descending, and v, n×k, k = min(m, n); false: refused.
	SVD func(m, n int, a []float64, lda int, u []float64, ldu int, s []float64, v []float64, ldv int) bool
}

var errRefused = errors.New("refused")

// rows is a matrix that lies in rows, as plain slices need it.
type rows struct {
	Guarded
	from mat.Matrix
}

// inRows copies m to rows with a gap of three canaries behind each.
func inRows(m mat.Matrix) rows { return rows{Guard(m, Layout{Offset: 2, Gap: 3}), m} }

// back copies the rows to where they came from. A gap that was overwritten breaks the law.
func (r rows) back() {
	r.intact()
	mat.Copy(r.from, r.Matrix)
}

func (r rows) intact() { broken(r.Check()) }

// Library returns the operations in the form that laws ask for.
func (x Slices) Library() Library {
	var l Library
	if x.Mul != nil {
		l.Mul = func(dst mat.Matrix, alpha float64, a, b mat.Matrix, beta float64) {
			ra, rb, rc := inRows(a), inRows(b), inRows(dst)
			in := watch(ra.Guarded, rb.Guarded)
			x.Mul(dst.Rows, dst.Cols, a.Cols, alpha, ra.Data, ra.RowStride, rb.Data, rb.RowStride, beta, rc.Data, rc.RowStride)
			broken(in.kept())
			rc.back()
		}
	}
	solve := func(f func(n, k int, t []float64, ldt int, b []float64, ldb int)) func(t, b mat.Matrix) {
		if f == nil {
			return nil
		}
		return func(t, b mat.Matrix) {
			rt, rb := inRows(t), inRows(b)
			in := watch(rt.Guarded)
			f(b.Rows, b.Cols, rt.Data, rt.RowStride, rb.Data, rb.RowStride)
			broken(in.kept())
			rb.back()
		}
	}
	l.SolveLower, l.SolveUpper = solve(x.SolveLower), solve(x.SolveUpper)
	if x.Cholesky != nil {
		l.Cholesky = func(a mat.Matrix) (mat.Matrix, int) {
			r := inRows(a)
			failed := x.Cholesky(a.Rows, r.Data, r.RowStride)
			r.intact()
			return r.Matrix, failed
		}
	}
	if x.Eig != nil {
		l.Eig = func(a mat.Matrix) ([]float64, mat.Matrix, error) {
			r, w := inRows(a), make([]float64, a.Rows)
			if !x.Eig(a.Rows, r.Data, r.RowStride, w) {
				return nil, mat.Matrix{}, errRefused
			}
			r.intact()
			return w, r.Matrix, nil
		}
	}
	x.general(&l)
	return l
}

// general adds the operations on general matrices.
func (x Slices) general(l *Library) {
	if x.Solve != nil {
		l.Solve = func(a, b mat.Matrix) (mat.Matrix, error) {
			ra, rb := inRows(a), inRows(b)
			ok := x.Solve(a.Rows, b.Cols, ra.Data, ra.RowStride, rb.Data, rb.RowStride)
			ra.intact()
			rb.intact()
			if !ok {
				return mat.Matrix{}, errRefused
			}
			return rb.Matrix, nil
		}
	}
	if x.LU != nil {
		l.LU = func(a mat.Matrix) ([]int, mat.Matrix, mat.Matrix, error) {
			r, p, k := inRows(a), make([]int, a.Rows), min(a.Rows, a.Cols)
			ok := x.LU(a.Rows, a.Cols, r.Data, r.RowStride, p)
			r.intact()
			if !ok {
				return nil, mat.Matrix{}, mat.Matrix{}, errRefused
			}
			lower := fill(a.Rows, k, func(i, j int) float64 { return side(i, j, r.At(i, j), 1, 0) })
			upper := fill(k, a.Cols, func(i, j int) float64 { return side(i, j, 0, r.At(i, j), r.At(i, j)) })
			return p, lower, upper, nil
		}
	}
	if x.QR != nil {
		l.QR = func(a mat.Matrix) (mat.Matrix, mat.Matrix, error) {
			ra, q, r := inRows(a), inRows(mat.New(a.Rows, a.Cols)), inRows(mat.New(a.Cols, a.Cols))
			ok := x.QR(a.Rows, a.Cols, ra.Data, ra.RowStride, q.Data, q.RowStride, r.Data, r.RowStride)
			return q.Matrix, r.Matrix, refusal(ok, ra, q, r)
		}
	}
	if x.SVD != nil {
		l.SVD = func(a mat.Matrix) (mat.Matrix, []float64, mat.Matrix, error) {
			k := min(a.Rows, a.Cols)
			ra, u, v, s := inRows(a), inRows(mat.New(a.Rows, k)), inRows(mat.New(a.Cols, k)), make([]float64, k)
			ok := x.SVD(a.Rows, a.Cols, ra.Data, ra.RowStride, u.Data, u.RowStride, s, v.Data, v.RowStride)
			return u.Matrix, s, v.Matrix, refusal(ok, ra, u, v)
		}
	}
}

// refusal checks the gaps of all and returns an error unless ok.
func refusal(ok bool, all ...rows) error {
	for _, r := range all {
		r.intact()
	}
	if !ok {
		return errRefused
	}
	return nil
}

// TellsNoPivot makes a factorisation that reports success alone one for Library.Cholesky: what it refuses is [NotTold].
func TellsNoPivot(factor func(a mat.Matrix) (l mat.Matrix, ok bool)) func(a mat.Matrix) (mat.Matrix, int) {
	return func(a mat.Matrix) (mat.Matrix, int) {
		l, ok := factor(a)
		if !ok {
			return l, NotTold
		}
		return l, a.Rows
	}
}
