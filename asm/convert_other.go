//go:build purego || !(amd64 || arm64)

package asm

import "math"

func fromDouble(dst []float64, src []byte) {
	for i := range dst {
		b := src[8*i : 8*i+8]
		dst[i] = math.Float64frombits(uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56)
	}
}

func fromHalf(dst []float64, src []byte) {
	fromHalfGeneric(dst, src)
}

func fromSingle(dst []float64, src []byte) {
	fromSingleGeneric(dst, src)
}
