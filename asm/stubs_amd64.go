//go:build !purego

package asm

// gemmPanelAVX512 is gemmPanelGeneric with a tile of 8×24 and products that are
// not rounded: for i < m, j < n, n at least 1
//
//	var sum float64
//	for l := range k {
//		sum = math.FMA(a[i/8*stepa+i%8*rsa+l*csa], b[l*ldb+j], sum)
//	}
//	var scaled float64
//	if beta != 0 {
//		scaled = beta * c[i*ldc+j]
//	}
//	c[i*ldc+j] = math.FMA(alpha, sum, scaled)
//
//go:noescape
func gemmPanelAVX512(k int, alpha float64, a []float64, rsa, csa, stepa int, b []float64, ldb int, beta float64, c []float64, ldc, m, n int)

// dotAVX512 is dotGeneric in 32 lanes:
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
func dotAVX512(x, y []float64) float64

// sumSquaresAVX512 is dotAVX512(x, x).
//
//go:noescape
func sumSquaresAVX512(x []float64) float64

// maxAbsAVX512 is maxAbsGeneric:
//
//	for _, v := range x {
//		largest = max(largest, math.Abs(v))
//	}
//
//go:noescape
func maxAbsAVX512(x []float64) float64

// addScaledAVX512 is addScaledGeneric with products that are not rounded:
//
//	for i := range dst {
//		dst[i] = math.FMA(alpha, y[i], x[i])
//	}
//
//go:noescape
func addScaledAVX512(dst, x []float64, alpha float64, y []float64)

// scaleAVX512 is scaleGeneric:
//
//	for i := range x {
//		dst[i] = alpha * x[i]
//	}
//
//go:noescape
func scaleAVX512(dst []float64, alpha float64, x []float64)

// mulToAVX512 is mulToGeneric:
//
//	for i := range x {
//		dst[i] = x[i] * y[i]
//	}
//
//go:noescape
func mulToAVX512(dst, x, y []float64)

// rotateAVX512 is rotateGeneric with one product that is not rounded:
//
//	for i := range x {
//		x[i], y[i] = math.FMA(c, x[i], s*y[i]), math.FMA(c, y[i], -(s*x[i]))
//	}
//
//go:noescape
func rotateAVX512(x, y []float64, c, s float64)

// rotateRowsAVX512 is rotateRowsGeneric, for at least one rotation and n ≤ 32:
//
//	for i := len(c) - 1; i >= 0; i-- {
//		rotateAVX512(z[(i+1)*ldz:][:n], z[i*ldz:][:n], c[i], s[i])
//	}
//
//go:noescape
func rotateRowsAVX512(z []float64, ldz, n int, c, s []float64)

// dotRowsAVX512 is dotRowsGeneric:
//
//	for i := range dst {
//		dst[i] = dotAVX512(x, a[i*lda:])
//	}
//
//go:noescape
func dotRowsAVX512(dst *[4]float64, a []float64, lda int, x []float64)

// axpyRowsAVX512 is axpyRowsGeneric with products that are not rounded:
//
//	for j := range y {
//		for i, v := range alpha {
//			y[j] = math.FMA(v, a[i*lda+j], y[j])
//		}
//	}
//
//go:noescape
func axpyRowsAVX512(alpha *[4]float64, a []float64, lda int, y []float64)

// symvRowsAVX512 is symvRowsGeneric with products that are not rounded, and
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
func symvRowsAVX512(y, x []float64, yr, xr *[4]float64, a []float64, lda int)

// peakAVX512 runs n rounds of 24 independent multiply-adds of 8 lanes.
func peakAVX512(n int)

// gemmPanelAVX2 is gemmPanelAVX512 with a tile of 4×12.
//
//go:noescape
func gemmPanelAVX2(k int, alpha float64, a []float64, rsa, csa, stepa int, b []float64, ldb int, beta float64, c []float64, ldc, m, n int)

// dotAVX2 is dotGeneric in 32 lanes:
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
func dotAVX2(x, y []float64) float64

// sumSquaresAVX2 is dotAVX2(x, x).
//
//go:noescape
func sumSquaresAVX2(x []float64) float64

// maxAbsAVX2 is maxAbsGeneric:
//
//	for _, v := range x {
//		largest = max(largest, math.Abs(v))
//	}
//
//go:noescape
func maxAbsAVX2(x []float64) float64

// addScaledAVX2 is addScaledGeneric with products that are not rounded:
//
//	for i := range dst {
//		dst[i] = math.FMA(alpha, y[i], x[i])
//	}
//
//go:noescape
func addScaledAVX2(dst, x []float64, alpha float64, y []float64)

// scaleAVX2 is scaleGeneric:
//
//	for i := range x {
//		dst[i] = alpha * x[i]
//	}
//
//go:noescape
func scaleAVX2(dst []float64, alpha float64, x []float64)

// mulToAVX2 is mulToGeneric:
//
//	for i := range x {
//		dst[i] = x[i] * y[i]
//	}
//
//go:noescape
func mulToAVX2(dst, x, y []float64)

// rotateAVX2 is rotateGeneric with one product that is not rounded:
//
//	for i := range x {
//		x[i], y[i] = math.FMA(c, x[i], s*y[i]), math.FMA(c, y[i], -(s*x[i]))
//	}
//
//go:noescape
func rotateAVX2(x, y []float64, c, s float64)

// rotateRowsAVX2 is rotateRowsGeneric, for at least one rotation:
//
//	for i := len(c) - 1; i >= 0; i-- {
//		rotateAVX2(z[(i+1)*ldz:][:n], z[i*ldz:][:n], c[i], s[i])
//	}
//
//go:noescape
func rotateRowsAVX2(z []float64, ldz, n int, c, s []float64)

// axpyRowsAVX2 is axpyRowsGeneric with products that are not rounded:
//
//	for j := range y {
//		for i, v := range alpha {
//			y[j] = math.FMA(v, a[i*lda+j], y[j])
//		}
//	}
//
//go:noescape
func axpyRowsAVX2(alpha *[4]float64, a []float64, lda int, y []float64)

// symvRowsAVX2 is symvRowsGeneric with products that are not rounded, and
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
func symvRowsAVX2(y, x []float64, yr, xr *[4]float64, a []float64, lda int)

// peakAVX2 runs n rounds of 12 independent multiply-adds of 4 lanes.
func peakAVX2(n int)
