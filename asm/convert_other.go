//go:build purego || !(amd64 || arm64)

package asm

func fromDouble(dst []float64, src []byte) {
	fromDoubleGeneric(dst, src)
}

func fromHalf(dst []float64, src []byte) {
	fromHalfGeneric(dst, src)
}

func fromSingle(dst []float64, src []byte) {
	fromSingleGeneric(dst, src)
}
