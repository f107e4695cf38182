//go:build purego || !(amd64 || arm64)

package asm

func transpose(dst []float64, ldd int, src []float64, lds, rows, k int) {
	transposeGeneric(dst, ldd, src, lds, rows, k)
}
