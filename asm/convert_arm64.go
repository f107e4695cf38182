//go:build !purego

package asm

import "unsafe"

// fromDouble sets dst to the numbers of src, which lie in memory as they do there.
func fromDouble(dst []float64, src []byte) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), 8*len(dst)), src)
}

func fromHalf(dst []float64, src []byte) {
	switch active {
	case neon:
		fromHalfNEON(dst, src)
	default:
		fromHalfGeneric(dst, src)
	}
}

func fromSingle(dst []float64, src []byte) {
	switch active {
	case neon:
		fromSingleNEON(dst, src)
	default:
		fromSingleGeneric(dst, src)
	}
}

// fromHalfNEON is fromHalfGeneric:
//
//	for i := range dst {
//		dst[i] = Half(uint16(src[2*i]) | uint16(src[2*i+1])<<8)
//	}
//
//go:noescape
func fromHalfNEON(dst []float64, src []byte)

// fromSingleNEON is fromSingleGeneric:
//
//	for i := range dst {
//		dst[i] = float64(math.Float32frombits(number i of src))
//	}
//
//go:noescape
func fromSingleNEON(dst []float64, src []byte)
