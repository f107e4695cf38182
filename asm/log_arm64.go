//go:build !purego

package asm

func log(dst, x []float64) {
	switch active {
	case neon:
		logNEON(dst, x)
	default:
		logGeneric(dst, x)
	}
}

func sumLog(x []float64) float64 {
	switch active {
	case neon:
		return sumLogNEON(x)
	default:
		return sumLogGeneric(x)
	}
}

// logNEON is logGeneric:
//
//	for i := range x {
//		dst[i] = ln(x[i])
//	}
//
//go:noescape
func logNEON(dst, x []float64)

// sumLogNEON is sumLogGeneric:
//
//	var lane [8]float64
//	for i := range x {
//		lane[i%8] += ln(x[i])
//	}
//	return sumLanes(&lane)
//
//go:noescape
func sumLogNEON(x []float64) float64
