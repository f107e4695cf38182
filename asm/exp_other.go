//go:build purego || !(amd64 || arm64)

package asm

func exp(dst, x []float64) {
	expGeneric(dst, x)
}

func expAdd(dst, x []float64, c float64, u []float64) {
	expAddGeneric(dst, x, c, u)
}

func expSqrt(dst, x []float64, s, c0, c1, c2 float64) {
	expSqrtGeneric(dst, x, s, c0, c1, c2)
}
