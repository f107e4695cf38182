package fuzz_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

// inRows is the matrix that plain slices mean.
func inRows(m, n int, data []float64, ld int) mat.Matrix {
	return mat.Matrix{Rows: m, Cols: n, RowStride: ld, ColStride: 1, Data: data}
}

// plain is the naive library on plain slices.
func plain() fuzz.Slices {
	refuses := func(a mat.Matrix) bool { _, _, found := mat.NonFinite(a); return found }
	return fuzz.Slices{
		Mul: func(m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
			naiveMul(inRows(m, n, c, ldc), alpha, inRows(m, k, a, lda), inRows(k, n, b, ldb), beta)
		},
		SolveLower: func(n, k int, l []float64, ldl int, b []float64, ldb int) {
			naive().SolveLower(inRows(n, n, l, ldl), inRows(n, k, b, ldb))
		},
		SolveUpper: func(n, k int, u []float64, ldu int, b []float64, ldb int) {
			naive().SolveUpper(inRows(n, n, u, ldu), inRows(n, k, b, ldb))
		},
		Cholesky: func(n int, a []float64, lda int) int {
			m := inRows(n, n, a, lda)
			l, failed := naive().Cholesky(m)
			if failed == n {
				lowerOf(m, l)
			}
			return failed
		},
		Eig: func(n int, a []float64, lda int, w []float64) bool {
			m := inRows(n, n, a, lda)
			values, v, err := naive().Eig(m)
			if err == nil {
				copy(w, values)
				mat.Copy(m, v)
			}
			return err == nil
		},
		Solve: func(n, k int, a []float64, lda int, b []float64, ldb int) bool {
			x, err := naive().Solve(inRows(n, n, a, lda), inRows(n, k, b, ldb))
			mat.Copy(inRows(n, k, b, ldb), x)
			return err == nil
		},
		LU: func(m, n int, a []float64, lda int, p []int) bool {
			whole := inRows(m, n, a, lda)
			rows, l, u, err := naive().LU(whole)
			copy(p, rows)
			for i := range m {
				for j := range n {
					if i > j {
						whole.Set(i, j, l.At(i, j))
					} else {
						whole.Set(i, j, u.At(i, j))
					}
				}
			}
			return err == nil
		},
		QR: func(m, n int, a []float64, lda int, q []float64, ldq int, r []float64, ldr int) bool {
			whole := inRows(m, n, a, lda)
			if refuses(whole) {
				return false
			}
			x, y := naiveQR(whole)
			mat.Copy(inRows(m, n, q, ldq), x)
			mat.Copy(inRows(n, n, r, ldr), y)
			return true
		},
		SVD: func(m, n int, a []float64, lda int, u []float64, ldu int, s []float64, v []float64, ldv int) bool {
			whole := inRows(m, n, a, lda)
			if refuses(whole) {
				return false
			}
			x, values, y := fuzz.NaiveSVD(whole)
			copy(s, values)
			mat.Copy(inRows(m, len(s), u, ldu), x)
			mat.Copy(inRows(n, len(s), v, ldv), y)
			return true
		},
	}
}

// Plain slices keep the laws, and one that writes a number behind a row breaks one.
func TestSlices(t *testing.T) {
	fuzz.Test(t, plain().Library(), fuzz.Options{Draws: 10})
	x := plain()
	solve := x.Solve
	x.Solve = func(n, k int, a []float64, lda int, b []float64, ldb int) bool {
		ok := solve(n, k, a, lda, b, ldb)
		if n > 1 {
			b[k] = 0
		}
		return ok
	}
	if fuzz.LawNamed("general solve: residual").Try(x.Library(), fuzz.Options{Draws: 20}).Failure == nil {
		t.Error("a number behind a row is overwritten and no law is broken")
	}
}
