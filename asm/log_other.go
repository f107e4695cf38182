//go:build purego || !(amd64 || arm64)

package asm

func log(dst, x []float64) {
	logGeneric(dst, x)
}

func sumLog(x []float64) float64 {
	return sumLogGeneric(x)
}
