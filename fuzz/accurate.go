package fuzz

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// dot2 returns Σ x[i]·y[i] as if computed in twice the working precision and then rounded: hi + lo, where lo is what rounding
// leaves over (algorithm Dot2 of Ogita, Rump and Oishi, "Accurate sum and dot product", SIAM Journal on Scientific Computing 26,
// 2005, equation 5.3 bounds its error by ε/2·|result| + (nε/2)²·Σ|x·y|). y must not be shorter than x.
func dot2(x, y []float64) (hi, lo float64) {
	y = y[:len(x)]
	for i, v := range x {
		p, q := twoProduct(v, y[i])
		var r float64
		hi, r = twoSum(hi, p)
		lo += q + r
	}
	return twoSum(hi, lo)
}

// twoSum returns s and e with s = fl(a+b) and s+e = a+b exactly (Knuth).
func twoSum(a, b float64) (s, e float64) {
	s = a + b
	z := s - a
	return s, (a - (s - z)) + (b - z)
}

// twoProduct returns p and e with p = fl(a·b) and p+e = a·b exactly, barring underflow.
func twoProduct(a, b float64) (p, e float64) {
	p = float64(a * b) // rounded: no compiler may fuse it with what p is added to
	return p, math.FMA(a, b, -p)
}

// MulError judges got as alpha·a·b + beta·c, where a is m×k, b k×n and c and got m×n: it returns the largest of
//
//	|got - ref| / (2·γ·(|alpha|·Σ|a·b| + |beta·c|)),  γ = (k+3)ε/(1-(k+3)ε)
//
// over all elements, at most 1 for any order of summation, fused or not (Higham, Accuracy and Stability of Numerical Algorithms,
// section 3.1). ref is computed with dot2; the divisor allows for gradual underflow. c is not read with beta == 0 and may then be
// 0×0. A non-finite element of got gives +Inf; the arguments must be finite and their product must not overflow.
func MulError(got mat.Matrix, alpha float64, a, b mat.Matrix, beta float64, c mat.Matrix) float64 {
	if beta == 0 {
		c = got
	}
	refuse("MulError", a.Cols == b.Rows && got.Rows == a.Rows && got.Cols == b.Cols &&
		c.Rows == got.Rows && c.Cols == got.Cols, got, a, b, c)
	k := a.Cols
	g := float64(k+3) * Eps
	g /= 1 - g
	// Each product and each scaling may lose half the least subnormal number.
	underflow := (float64(k)*math.Abs(alpha) + 2) * 0x1p-1074
	a, b = a.Clone(), b.T().Clone()
	var worst float64
	for i := range got.Rows {
		for j := range got.Cols {
			x, y := a.Row(i), b.Row(j)
			hi, lo := dot2(x, y)
			var size float64
			for l, v := range x {
				size += math.Abs(v * y[l])
			}
			size *= math.Abs(alpha)
			// got - (alpha·(hi+lo) + beta·c), the largest terms without error.
			p, pe := twoProduct(alpha, hi)
			rest := pe + alpha*lo
			var q, qe float64
			if beta != 0 {
				q, qe = twoProduct(beta, c.At(i, j))
				size += math.Abs(q)
				rest += qe
			}
			s, se := twoSum(got.At(i, j), -p)
			s, te := twoSum(s, -q)
			d := math.Abs(s + (se + te - rest))
			if d != d || math.IsInf(d, 0) {
				return math.Inf(1)
			}
			worst = max(worst, d/(2*g*size+underflow))
		}
	}
	return worst
}
