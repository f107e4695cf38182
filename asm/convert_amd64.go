//go:build !purego

package asm

import "unsafe"

// fromDouble sets dst to the numbers of src, which lie in memory as they do there.
func fromDouble(dst []float64, src []byte) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), 8*len(dst)), src)
}

func fromHalf(dst []float64, src []byte) {
	switch active {
	case avx512:
		fromHalfAVX512(dst, src)
	case avx2:
		fromHalfAVX2(dst, src)
	default:
		fromHalfGeneric(dst, src)
	}
}

func fromSingle(dst []float64, src []byte) {
	switch active {
	case avx512:
		fromSingleAVX512(dst, src)
	case avx2:
		fromSingleAVX2(dst, src)
	default:
		fromSingleGeneric(dst, src)
	}
}

// fromHalfAVX512 is fromHalfGeneric:
//
//	for i := range dst {
//		dst[i] = Half(uint16(src[2*i]) | uint16(src[2*i+1])<<8)
//	}
//
//go:noescape
func fromHalfAVX512(dst []float64, src []byte)

// fromHalfAVX2 is fromHalfGeneric:
//
//	for i := range dst {
//		dst[i] = Half(uint16(src[2*i]) | uint16(src[2*i+1])<<8)
//	}
//
//go:noescape
func fromHalfAVX2(dst []float64, src []byte)

// fromSingleAVX512 is fromSingleGeneric:
//
//	for i := range dst {
//		dst[i] = float64(math.Float32frombits(number i of src))
//	}
//
//go:noescape
func fromSingleAVX512(dst []float64, src []byte)

// fromSingleAVX2 is fromSingleGeneric:
//
//	for i := range dst {
//		dst[i] = float64(math.Float32frombits(number i of src))
//	}
//
//go:noescape
func fromSingleAVX2(dst []float64, src []byte)
