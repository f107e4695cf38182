//go:build purego || !(amd64 || arm64)

package asm

func gemmPanel(k int, alpha float64, a []float64, rsa, csa, stepa int, b []float64, ldb int, beta float64, c []float64, ldc, m, n int) {
	gemmPanelGeneric(k, alpha, a, rsa, csa, stepa, b, ldb, beta, c, ldc, m, n)
}

func dot(x, y []float64) float64 {
	return dotGeneric(x, y)
}

func sumSquares(x []float64) float64 {
	return sumSquaresGeneric(x)
}

func maxAbs(x []float64) float64 {
	return maxAbsGeneric(x)
}

func addScaled(dst, x []float64, alpha float64, y []float64) {
	addScaledGeneric(dst, x, alpha, y)
}

func scale(dst []float64, alpha float64, x []float64) {
	scaleGeneric(dst, alpha, x)
}

func mulTo(dst, x, y []float64) {
	mulToGeneric(dst, x, y)
}

func rotate(x, y []float64, c, s float64) {
	rotateGeneric(x, y, c, s)
}

func rotateRows(z []float64, ldz, n int, c, s []float64) {
	rotateRowsGeneric(z, ldz, n, c, s)
}

func dotRows(dst *[4]float64, a []float64, lda int, x []float64) {
	dotRowsGeneric(dst, a, lda, x)
}

func axpyRows(alpha *[4]float64, a []float64, lda int, y []float64) {
	axpyRowsGeneric(alpha, a, lda, y)
}

func symvRows(y, x []float64, yr, xr *[4]float64, a []float64, lda int) {
	symvRowsGeneric(y, x, yr, xr, a, lda)
}

func peak(n int) float64 { return peakGeneric(n) }
