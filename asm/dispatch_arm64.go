//go:build !purego

package asm

func gemmPanel(k int, alpha float64, a []float64, rsa, csa, stepa int, b []float64, ldb int, beta float64, c []float64, ldc, m, n int) {
	switch active {
	case neon:
		gemmPanelNEON(k, alpha, a, rsa, csa, stepa, b, ldb, beta, c, ldc, m, n)
	default:
		gemmPanelGeneric(k, alpha, a, rsa, csa, stepa, b, ldb, beta, c, ldc, m, n)
	}
}

func dot(x, y []float64) float64 {
	switch active {
	case neon:
		return dotNEON(x, y)
	default:
		return dotGeneric(x, y)
	}
}

func sumSquares(x []float64) float64 {
	switch active {
	case neon:
		return sumSquaresNEON(x)
	default:
		return sumSquaresGeneric(x)
	}
}

func maxAbs(x []float64) float64 {
	switch active {
	case neon:
		return maxAbsNEON(x)
	default:
		return maxAbsGeneric(x)
	}
}

func addScaled(dst, x []float64, alpha float64, y []float64) {
	switch active {
	case neon:
		addScaledNEON(dst, x, alpha, y)
	default:
		addScaledGeneric(dst, x, alpha, y)
	}
}

func scale(dst []float64, alpha float64, x []float64) {
	switch active {
	case neon:
		scaleNEON(dst, alpha, x)
	default:
		scaleGeneric(dst, alpha, x)
	}
}

func mulTo(dst, x, y []float64) {
	switch active {
	case neon:
		mulToNEON(dst, x, y)
	default:
		mulToGeneric(dst, x, y)
	}
}

func rotate(x, y []float64, c, s float64) {
	switch active {
	case neon:
		rotateNEON(x, y, c, s)
	default:
		rotateGeneric(x, y, c, s)
	}
}

func rotateRows(z []float64, ldz, n int, c, s []float64) {
	switch active {
	case neon:
		rotateRowsNEON(z, ldz, n, c, s)
	default:
		rotateRowsGeneric(z, ldz, n, c, s)
	}
}

// On NEON a Dot for each row: the 32 lanes of one row take half of the registers.
func dotRows(dst *[4]float64, a []float64, lda int, x []float64) {
	switch active {
	case neon:
		for i := range dst {
			dst[i] = dotNEON(x, a[i*lda:])
		}
	default:
		dotRowsGeneric(dst, a, lda, x)
	}
}

func axpyRows(alpha *[4]float64, a []float64, lda int, y []float64) {
	switch active {
	case neon:
		axpyRowsNEON(alpha, a, lda, y)
	default:
		axpyRowsGeneric(alpha, a, lda, y)
	}
}

func symvRows(y, x []float64, yr, xr *[4]float64, a []float64, lda int) {
	switch active {
	case neon:
		symvRowsNEON(y, x, yr, xr, a, lda)
	default:
		symvRowsGeneric(y, x, yr, xr, a, lda)
	}
}

func peak(n int) float64 {
	switch active {
	case neon:
		peakNEON(n)
		return 24 * 2 * 2 * float64(n)
	default:
		return peakGeneric(n)
	}
}
