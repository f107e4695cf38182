//go:build !purego

package asm

// transpose8AVX512 sets dst[l*ldd+i] = src[i*lds+l] for i < 8 and l < k.
//
//go:noescape
func transpose8AVX512(dst *float64, ldd int, src *float64, lds, k int)

// transpose4AVX2 sets dst[l*ldd+i] = src[i*lds+l] for i < 4 and l < k.
//
//go:noescape
func transpose4AVX2(dst *float64, ldd int, src *float64, lds, k int)

// transpose takes as many rows at a time as the level's registers hold; the
// rest goes row by row.
func transpose(dst []float64, ldd int, src []float64, lds, rows, k int) {
	i := 0
	switch active {
	case avx512:
		for ; i+8 <= rows; i += 8 {
			transpose8AVX512(&dst[i], ldd, &src[i*lds], lds, k)
		}
	case avx2:
		for ; i+4 <= rows; i += 4 {
			transpose4AVX2(&dst[i], ldd, &src[i*lds], lds, k)
		}
	}
	if i < rows {
		transposeGeneric(dst[i:], ldd, src[i*lds:], lds, rows-i, k)
	}
}
