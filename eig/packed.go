package eig

import "github.com/seed-08962ecc/kronfield/asm"

// depthTogether is how deep one step of mulPacked is. Tests change it.
var depthTogether = 320

// roundUp returns n, or the next multiple of the columns of a register tile.
func roundUp(n int) int {
	_, nr := asm.Tile()
	return (n + nr - 1) / nr * nr
}

// packRow stores row number at of a matrix of so many rows that lies in panels as wide as a register tile.
func packRow(dst []float64, at, rows int, row []float64) {
	_, nr := asm.Tile()
	full := len(row) / nr
	if full > 0 {
		asm.CopyRows(dst[at*nr:], nr*rows, row, nr, full, nr, 0)
	}
	if rest := row[full*nr:]; len(rest) > 0 {
		copy(dst[full*nr*rows+at*nr:], rest)
	}
}

// mulPacked sets C = alpha·A·B + beta·C, C m×n and A m×k with rows lda and ldc apart, for a B in such panels. It is
// what mat.Mul does of one part, without packing.
func mulPacked(c []float64, ldc int, alpha float64, a []float64, lda int, b []float64, beta float64, m, n, k int) {
	mr, nr := asm.Tile()
	for l := 0; l == 0 || l < k; l += depthTogether {
		for j := 0; j < n; j += nr {
			asm.GemmPanel(min(depthTogether, k-l), alpha, a[l:], lda, 1, mr*lda, b[j*k+l*nr:], nr, beta, c[j:], ldc, m, min(nr, n-j))
		}
		beta = 1
	}
}
