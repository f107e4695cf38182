//go:build !amd64 || purego

package asm

func transpose(dst []float64, ldd int, src []float64, lds, rows, k int) {
	transposeGeneric(dst, ldd, src, lds, rows, k)
}
