package asm

import "math"

// Log sets dst[i] = ln x[i] for i < len(x). dst must not be shorter than x and
// may be x itself.
//
// The error is below 0.8 units in the last place, also near 1 and where x is
// subnormal. The logarithm of 0, of either sign, is −Inf, that of +Inf is +Inf,
// that of a negative number or a NaN is a NaN, that of 1 is +0. All levels give
// the same bits, generic too (see Exp).
//
// With x = 2^k·m, √½ ≤ m < √2, f = m − 1 and s = f/(2 + f),
//
//	ln x = k·ln 2 + f − (½f² − s·(½f² + R(s²))),   R(z) = z·p(z),
//
// the arrangement of K. C. Ng in Sun's fdlibm (1993). The polynomial p, of degree 6,
// makes ln m off by 2^−59.4 of it at most.
func Log(dst, x []float64) {
	atLeast("Log", "dst", len(dst), len(x))
	raceRead(x)
	raceWrite(dst[:len(x)])
	for ; len(x) > expBlock; dst, x = dst[expBlock:], x[expBlock:] {
		log(dst, x[:expBlock])
	}
	log(dst, x)
}

// SumLog returns Σ ln x[i]. It is the logarithm of a determinant, given the eigenvalues.
//
// Each block of 1024 numbers is summed in eight lanes from 0: lane i mod 8
// takes number i. The lanes are added 4, 2 and 1 apart, the blocks from the
// first to the last. All levels give the same bits.
func SumLog(x []float64) float64 {
	raceRead(x)
	if len(x) <= expBlock {
		return sumLog(x)
	}
	var sum float64
	for ; len(x) > expBlock; x = x[expBlock:] {
		sum += sumLog(x[:expBlock])
	}
	return sum + sumLog(x)
}

// The coefficients of p, determined like those of q.
const (
	log0 = 0x1.5555555555592p-1
	log1 = 0x1.999999997ff1ap-2
	log2 = 0x1.24924941e1523p-2
	log3 = 0x1.c71c52143db7fp-3
	log4 = 0x1.74663d19bf945p-3
	log5 = 0x1.39a1dc5dbd788p-3
	log6 = 0x1.2f04a6eed1c2cp-3
)

const (
	oneBits      = 0x3ff << 52
	sqrtHalfBits = 0x3fe6a09e667f3bcd
	fractionBits = 1<<52 - 1
)

// logOf is the logarithm that the kernels evaluate, step by step.
func logOf(x float64) float64 {
	switch {
	case !fused:
		return math.Log(x)
	case !(x >= 0):
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case x > math.MaxFloat64:
		return x
	}
	k := -1023.
	if x < 0x1p-1022 {
		x *= 0x1p54
		k -= 54
	}
	b := math.Float64bits(x) + (oneBits - sqrtHalfBits)
	k += float64(b >> 52)
	m := math.Float64frombits(b&fractionBits + sqrtHalfBits)

	f := m - 1
	s := f / (m + 1)
	z := s * s
	w := z * z
	even := math.FMA(w, log6, log4)
	even = math.FMA(w, even, log2)
	even = math.FMA(w, even, log0)
	odd := math.FMA(w, log5, log3)
	odd = math.FMA(w, odd, log1)
	p := math.FMA(z, odd, even)
	h := 0.5 * f
	y := math.FMA(h, f, float64(z*p))
	y = math.FMA(s, y, float64(k*ln2Lo))
	y = math.FMA(h, f, -y)
	return math.FMA(k, ln2Hi, f-y)
}

func logGeneric(dst, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = logOf(v)
	}
}

func sumLogGeneric(x []float64) float64 {
	var s [8]float64
	for i, v := range x {
		s[i%8] += logOf(v)
	}
	return sumLanes(&s)
}

// sumLanes adds eight lanes 4, 2 and 1 apart.
func sumLanes(s *[8]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}
