//go:build !purego

package asm

func exp(dst, x []float64) {
	switch active {
	case neon:
		expNEON(dst, x)
	default:
		expGeneric(dst, x)
	}
}

func expAdd(dst, x []float64, c float64, u []float64) {
	switch active {
	case neon:
		expAddNEON(dst, x, c, u)
	default:
		expAddGeneric(dst, x, c, u)
	}
}

func expSqrt(dst, x []float64, s, c0, c1, c2 float64) {
	switch active {
	case neon:
		expSqrtNEON(dst, x, s, c0, c1, c2)
	default:
		expSqrtGeneric(dst, x, s, c0, c1, c2)
	}
}

// expNEON is expGeneric:
//
//	for i := range x {
//		dst[i] = exp(x[i])
//	}
//
//go:noescape
func expNEON(dst, x []float64)

// expAddNEON is expAddGeneric:
//
//	for i := range x {
//		dst[i] = exp(x[i] + (c + u[i]))
//	}
//
//go:noescape
func expAddNEON(dst, x []float64, c float64, u []float64)

// expSqrtNEON is expSqrtGeneric:
//
//	for i := range x {
//		r := min(math.Sqrt(s*x[i]), expCut)
//		dst[i] = math.FMA(r, math.FMA(r, c2, c1), c0) * exp(-r)
//	}
//
//go:noescape
func expSqrtNEON(dst, x []float64, s, c0, c1, c2 float64)
