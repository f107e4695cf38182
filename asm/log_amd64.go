//go:build !purego

package asm

func log(dst, x []float64) {
	switch active {
	case avx512:
		logAVX512(dst, x)
	case avx2:
		logAVX2(dst, x)
	default:
		logGeneric(dst, x)
	}
}

func sumLog(x []float64) float64 {
	switch active {
	case avx512:
		return sumLogAVX512(x)
	case avx2:
		return sumLogAVX2(x)
	default:
		return sumLogGeneric(x)
	}
}

// logAVX512 is logGeneric:
//
//	for i := range x {
//		dst[i] = ln(x[i])
//	}
//
//go:noescape
func logAVX512(dst, x []float64)

// sumLogAVX512 is sumLogGeneric:
//
//	var lane [8]float64
//	for i := range x {
//		lane[i%8] += ln(x[i])
//	}
//	return sumLanes(&lane)
//
//go:noescape
func sumLogAVX512(x []float64) float64

// logAVX2 is logGeneric:
//
//	for i := range x {
//		dst[i] = ln(x[i])
//	}
//
//go:noescape
func logAVX2(dst, x []float64)

// sumLogAVX2 is sumLogGeneric:
//
//	var lane [8]float64
//	for i := range x {
//		lane[i%8] += ln(x[i])
//	}
//	return sumLanes(&lane)
//
//go:noescape
func sumLogAVX2(x []float64) float64
