package lbfgs

import "math"

// finite reports whether x is neither NaN nor infinite.
func finite(x float64) bool { return x-x == 0 }

// nonFinite returns the index of the first entry of v that is NaN or infinite, or −1.
func nonFinite(v []float64) int {
	for i, x := range v {
		if !finite(x) {
			return i
		}
	}
	return -1
}

// dot returns Σᵢ aᵢ·bᵢ, summed in index order.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var sum float64
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// addScaled adds c·v to dst.
func addScaled(dst []float64, c float64, v []float64) {
	v = v[:len(dst)]
	for i := range dst {
		dst[i] += c * v[i]
	}
}

// normInf returns maxᵢ|vᵢ|.
func normInf(v []float64) float64 {
	var m float64
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}

// norm2 returns the Euclidean norm of v. Squares that could overflow or vanish are
// avoided by scaling with a power of two, which changes no bit.
func norm2(v []float64) float64 {
	_, e := math.Frexp(normInf(v))
	if -400 < e && e < 400 {
		return math.Sqrt(dot(v, v))
	}
	var sum float64
	for _, x := range v {
		x = math.Ldexp(x, -e)
		sum += x * x
	}
	return math.Ldexp(math.Sqrt(sum), e)
}
