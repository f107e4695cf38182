//go:build !purego

package asm

func exp(dst, x []float64) {
	switch active {
	case avx512:
		expAVX512(dst, x)
	case avx2:
		expAVX2(dst, x)
	default:
		expGeneric(dst, x)
	}
}

func expAdd(dst, x []float64, c float64, u []float64) {
	switch active {
	case avx512:
		expAddAVX512(dst, x, c, u)
	case avx2:
		expAddAVX2(dst, x, c, u)
	default:
		expAddGeneric(dst, x, c, u)
	}
}

func expSqrt(dst, x []float64, s, c0, c1, c2 float64) {
	switch active {
	case avx512:
		expSqrtAVX512(dst, x, s, c0, c1, c2)
	case avx2:
		expSqrtAVX2(dst, x, s, c0, c1, c2)
	default:
		expSqrtGeneric(dst, x, s, c0, c1, c2)
	}
}

// expAVX512 is expGeneric:
//
//	for i := range x {
//		dst[i] = exp(x[i])
//	}
//
//go:noescape
func expAVX512(dst, x []float64)

// expAddAVX512 is expAddGeneric:
//
//	for i := range x {
//		dst[i] = exp(x[i] + (c + u[i]))
//	}
//
//go:noescape
func expAddAVX512(dst, x []float64, c float64, u []float64)

// expSqrtAVX512 is expSqrtGeneric:
//
//	for i := range x {
//		r := min(math.Sqrt(s*x[i]), expCut)
//		dst[i] = math.FMA(r, math.FMA(r, c2, c1), c0) * exp(-r)
//	}
//
//go:noescape
func expSqrtAVX512(dst, x []float64, s, c0, c1, c2 float64)

// expAVX2 is expGeneric:
//
//	for i := range x {
//		dst[i] = exp(x[i])
//	}
//
//go:noescape
func expAVX2(dst, x []float64)

// expAddAVX2 is expAddGeneric:
//
//	for i := range x {
//		dst[i] = exp(x[i] + (c + u[i]))
//	}
//
//go:noescape
func expAddAVX2(dst, x []float64, c float64, u []float64)

// expSqrtAVX2 is expSqrtGeneric:
//
//	for i := range x {
//		r := min(math.Sqrt(s*x[i]), expCut)
//		dst[i] = math.FMA(r, math.FMA(r, c2, c1), c0) * exp(-r)
//	}
//
//go:noescape
func expSqrtAVX2(dst, x []float64, s, c0, c1, c2 float64)
