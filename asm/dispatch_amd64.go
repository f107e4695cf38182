//go:build !purego

package asm

func gemmPanel(k int, alpha float64, a []float64, rsa, csa, stepa int, b []float64, ldb int, beta float64, c []float64, ldc, m, n int) {
	switch active {
	case avx512:
		gemmPanelAVX512(k, alpha, a, rsa, csa, stepa, b, ldb, beta, c, ldc, m, n)
	case avx2:
		gemmPanelAVX2(k, alpha, a, rsa, csa, stepa, b, ldb, beta, c, ldc, m, n)
	default:
		gemmPanelGeneric(k, alpha, a, rsa, csa, stepa, b, ldb, beta, c, ldc, m, n)
	}
}

func dot(x, y []float64) float64 {
	switch active {
	case avx512:
		return dotAVX512(x, y)
	case avx2:
		return dotAVX2(x, y)
	default:
		return dotGeneric(x, y)
	}
}

func sumSquares(x []float64) float64 {
	switch active {
	case avx512:
		return sumSquaresAVX512(x)
	case avx2:
		return sumSquaresAVX2(x)
	default:
		return sumSquaresGeneric(x)
	}
}

func maxAbs(x []float64) float64 {
	switch active {
	case avx512:
		return maxAbsAVX512(x)
	case avx2:
		return maxAbsAVX2(x)
	default:
		return maxAbsGeneric(x)
	}
}

func addScaled(dst, x []float64, alpha float64, y []float64) {
	switch active {
	case avx512:
		addScaledAVX512(dst, x, alpha, y)
	case avx2:
		addScaledAVX2(dst, x, alpha, y)
	default:
		addScaledGeneric(dst, x, alpha, y)
	}
}

func scale(dst []float64, alpha float64, x []float64) {
	switch active {
	case avx512:
		scaleAVX512(dst, alpha, x)
	case avx2:
		scaleAVX2(dst, alpha, x)
	default:
		scaleGeneric(dst, alpha, x)
	}
}

func mulTo(dst, x, y []float64) {
	switch active {
	case avx512:
		mulToAVX512(dst, x, y)
	case avx2:
		mulToAVX2(dst, x, y)
	default:
		mulToGeneric(dst, x, y)
	}
}

func rotate(x, y []float64, c, s float64) {
	switch active {
	case avx512:
		rotateAVX512(x, y, c, s)
	case avx2:
		rotateAVX2(x, y, c, s)
	default:
		rotateGeneric(x, y, c, s)
	}
}

func rotateRows(z []float64, ldz, n int, c, s []float64) {
	switch active {
	case avx512:
		rotateRowsAVX512(z, ldz, n, c, s)
	case avx2:
		rotateRowsAVX2(z, ldz, n, c, s)
	default:
		rotateRowsGeneric(z, ldz, n, c, s)
	}
}

// On AVX2 a Dot for each row: the 32 lanes of one row take half of the registers.
func dotRows(dst *[4]float64, a []float64, lda int, x []float64) {
	switch active {
	case avx512:
		dotRowsAVX512(dst, a, lda, x)
	case avx2:
		for i := range dst {
			dst[i] = dotAVX2(x, a[i*lda:])
		}
	default:
		dotRowsGeneric(dst, a, lda, x)
	}
}

func axpyRows(alpha *[4]float64, a []float64, lda int, y []float64) {
	switch active {
	case avx512:
		axpyRowsAVX512(alpha, a, lda, y)
	case avx2:
		axpyRowsAVX2(alpha, a, lda, y)
	default:
		axpyRowsGeneric(alpha, a, lda, y)
	}
}

func symvRows(y, x []float64, yr, xr *[4]float64, a []float64, lda int) {
	switch active {
	case avx512:
		symvRowsAVX512(y, x, yr, xr, a, lda)
	case avx2:
		symvRowsAVX2(y, x, yr, xr, a, lda)
	default:
		symvRowsGeneric(y, x, yr, xr, a, lda)
	}
}

func peak(n int) float64 {
	switch active {
	case avx512:
		peakAVX512(n)
		return 24 * 8 * 2 * float64(n)
	case avx2:
		peakAVX2(n)
		return 12 * 4 * 2 * float64(n)
	default:
		return peakGeneric(n)
	}
}
