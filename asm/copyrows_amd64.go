//go:build !purego

package asm

// copyRowsAVX512 is copyRowsGeneric for 1 ≤ n ≤ 24 and rows at least 1.
//
//go:noescape
func copyRowsAVX512(dst []float64, ldd int, src []float64, lds, rows, n, ahead int)

// copyRowsAVX2 is copyRowsGeneric for n = 4, 8 or 12 and rows at least 1.
//
//go:noescape
func copyRowsAVX2(dst []float64, ldd int, src []float64, lds, rows, n, ahead int)

func copyRows(dst []float64, ldd int, src []float64, lds, rows, n, ahead int) {
	switch {
	case active == avx512:
		copyRowsAVX512(dst, ldd, src, lds, rows, n, ahead)
	case active == avx2 && n%4 == 0:
		copyRowsAVX2(dst, ldd, src, lds, rows, n, ahead)
	default:
		copyRowsGeneric(dst, ldd, src, lds, rows, n)
	}
}
