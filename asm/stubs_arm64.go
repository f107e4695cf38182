//go:build !purego

package asm

// gemmPanelNEON is gemmPanelGeneric with a tile of 6×8 and products that are not
// rounded: for i < m, j < n, n at least 1
//
//	var sum float64
//	for l := range k {
//		sum = math.FMA(a[i/6*stepa+i%6*rsa+l*csa], b[l*ldb+j], sum)
//	}
//	var scaled float64
//	if beta != 0 {
//		scaled = beta * c[i*ldc+j]
//	}
//	c[i*ldc+j] = math.FMA(alpha, sum, scaled)
//
// 24 of the 32 registers hold the sums, 4 a row of B and 4 elements of a column of
// A. Of the tiles that fit (4×12, 6×8, 8×6) this one and its transpose load least
// for a multiplication, and eight columns are whole cache lines of C.
//
//go:noescape
func gemmPanelNEON(k int, alpha float64, a []float64, rsa, csa, stepa int, b []float64, ldb int, beta float64, c []float64, ldc, m, n int)

// dotNEON is dotGeneric in 32 lanes:
//
//	var lane [32]float64
//	for i := range x {
//		lane[i%32] = math.FMA(x[i], y[i], lane[i%32])
//	}
//	for apart := 16; apart > 0; apart /= 2 {
//		for j := range apart {
//			lane[j] += lane[j+apart]
//		}
//	}
//	return lane[0]
//
//go:noescape
func dotNEON(x, y []float64) float64

// sumSquaresNEON is dotNEON(x, x).
//
//go:noescape
func sumSquaresNEON(x []float64) float64

// maxAbsNEON is maxAbsGeneric:
//
//	for _, v := range x {
//		largest = max(largest, math.Abs(v))
//	}
//
//go:noescape
func maxAbsNEON(x []float64) float64

// addScaledNEON is addScaledGeneric with products that are not rounded:
//
//	for i := range dst {
//		dst[i] = math.FMA(alpha, y[i], x[i])
//	}
//
//go:noescape
func addScaledNEON(dst, x []float64, alpha float64, y []float64)

// scaleNEON is scaleGeneric:
//
//	for i := range x {
//		dst[i] = alpha * x[i]
//	}
//
//go:noescape
func scaleNEON(dst []float64, alpha float64, x []float64)

// mulToNEON is mulToGeneric:
//
//	for i := range x {
//		dst[i] = x[i] * y[i]
//	}
//
//go:noescape
func mulToNEON(dst, x, y []float64)

// rotateNEON is rotateGeneric with one product that is not rounded:
//
//	for i := range x {
//		x[i], y[i] = math.FMA(c, x[i], s*y[i]), math.FMA(c, y[i], -(s*x[i]))
//	}
//
//go:noescape
func rotateNEON(x, y []float64, c, s float64)

// rotateRowsNEON is rotateRowsGeneric, for at least one rotation:
//
//	for i := len(c) - 1; i >= 0; i-- {
//		rotateNEON(z[(i+1)*ldz:][:n], z[i*ldz:][:n], c[i], s[i])
//	}
//
//go:noescape
func rotateRowsNEON(z []float64, ldz, n int, c, s []float64)

// axpyRowsNEON is axpyRowsGeneric with products that are not rounded:
//
//	for j := range y {
//		for i, v := range alpha {
//			y[j] = math.FMA(v, a[i*lda+j], y[j])
//		}
//	}
//
//go:noescape
func axpyRowsNEON(alpha *[4]float64, a []float64, lda int, y []float64)

// symvRowsNEON is symvRowsGeneric with products that are not rounded, and
// eight lanes for the sums of a row:
//
//	var lane [4][8]float64
//	for j := range y {
//		for i := range 4 {
//			y[j] = math.FMA(xr[i], a[i*lda+j], y[j])
//			lane[i][j%8] = math.FMA(x[j], a[i*lda+j], lane[i][j%8])
//		}
//	}
//	for i, s := range lane {
//		yr[i] += ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
//	}
//
//go:noescape
func symvRowsNEON(y, x []float64, yr, xr *[4]float64, a []float64, lda int)

// peakNEON runs n rounds of 24 independent multiply-adds of 2 lanes.
func peakNEON(n int)
