package asm

import "math"

// Exp sets dst[i] = exp(x[i]) for i < len(x). dst must not be shorter than x
// and may be x itself.
func Exp(dst, x []float64) {
	dst = dst[:len(x):len(dst)]
	for i, v := range x {
		dst[i] = math.Exp(v)
	}
}
