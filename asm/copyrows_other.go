//go:build purego || !amd64

package asm

func copyRows(dst []float64, ldd int, src []float64, lds, rows, n, ahead int) {
	copyRowsGeneric(dst, ldd, src, lds, rows, n)
}
