//go:build !purego

package asm

// transpose2NEON sets dst[l*ldd+i] = src[i*lds+l] for i < 2 and l < k.
//
//go:noescape
func transpose2NEON(dst *float64, ldd int, src *float64, lds, k int)

// transpose takes two rows at a time, as many as a register holds numbers; the
// last of an odd number goes alone.
func transpose(dst []float64, ldd int, src []float64, lds, rows, k int) {
	i := 0
	if active == neon {
		for ; i+2 <= rows; i += 2 {
			transpose2NEON(&dst[i], ldd, &src[i*lds], lds, k)
		}
	}
	if i < rows {
		transposeGeneric(dst[i:], ldd, src[i*lds:], lds, rows-i, k)
	}
}
