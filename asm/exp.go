package asm

import (
	"math"
	"runtime"
)

// Exp sets dst[i] = exp(x[i]) for i < len(x). dst must not be shorter than x
// and may be x itself.
//
// The error is below 1 unit in the last place, and so it is where the result is
// subnormal (x < −708.39); the largest one found is 0.92. Above 709.78 the
// result is +Inf, below −745.14 it is 0. A NaN gives a NaN. All levels give the
// same bits, generic too; that one uses math.FMA, which takes some hundred
// times as long on a processor that does not have the instruction. On WebAssembly,
// which never has it, they are math.Exp, with bits of its own.
//
// With k the integer nearest to x·log₂e and r = x − k·ln 2, so |r| ≤ ½·ln 2,
//
//	exp(x) = 2^k·(1 + r·(1 + r·q(r)))
//
// where the polynomial q, of degree 9, is off by 2^−57.9 of exp at most. k·ln 2
// is subtracted in two parts (Cody and Waite, "Software Manual for the
// Elementary Functions", 1980, chapter 6); the first difference is exact, since
// product and difference are rounded together.
func Exp(dst, x []float64) {
	atLeast("Exp", "dst", len(dst), len(x))
	raceRead(x)
	raceWrite(dst[:len(x)])
	for ; len(x) > expBlock; dst, x = dst[expBlock:], x[expBlock:] {
		exp(dst, x[:expBlock])
	}
	exp(dst, x)
}

// ExpAdd sets dst[i] = exp(x[i] + (c + u[i])) for i < len(x), with the bits of
// Exp of that sum. dst and u must not be shorter than x; dst may be x or u
// itself.
func ExpAdd(dst, x []float64, c float64, u []float64) {
	atLeast("ExpAdd", "dst", len(dst), len(x))
	atLeast("ExpAdd", "u", len(u), len(x))
	raceRead(x)
	raceRead(u[:len(x)])
	raceWrite(dst[:len(x)])
	for ; len(x) > expBlock; dst, x, u = dst[expBlock:], x[expBlock:], u[expBlock:] {
		expAdd(dst, x[:expBlock], c, u)
	}
	expAdd(dst, x, c, u)
}

// ExpSqrt sets dst[i] = (c0 + r·(c1 + r·c2))·exp(−r) with r = √(s·x[i]), for
// i < len(x): a Matérn covariance of order 1/2, 3/2 or 5/2 from the squared
// distances x (Rasmussen and Williams, "Gaussian Processes for Machine Learning",
// 2006, section 4.2), or its derivative. dst must not be shorter than x and may
// be x itself.
//
// Product, root, both sums (each with the product before it), exponential and
// result are rounded, so that with positive coefficients the relative error is
// below (r + 4)·2^−52. A negative s·x[i] gives NaN. r is cut to 1024, where
// exp(−r) is 0: an infinite distance gives 0, not NaN. All levels give the same
// bits.
func ExpSqrt(dst, x []float64, s, c0, c1, c2 float64) {
	atLeast("ExpSqrt", "dst", len(dst), len(x))
	raceRead(x)
	raceWrite(dst[:len(x)])
	for ; len(x) > expBlock; dst, x = dst[expBlock:], x[expBlock:] {
		expSqrt(dst, x[:expBlock], s, c0, c1, c2)
	}
	expSqrt(dst, x, s, c0, c1, c2)
}

// expBlock is the number of elements after which a kernel returns to Go, as
// block is for others: some processors take 90 ns for each number that is
// subnormal, or becomes so.
const expBlock = 1 << 10

// ln2Hi + ln2Lo is ln 2, to 107 bits.
const (
	ln2Hi = 0x1.62e42fefa39efp-1
	ln2Lo = 0x1.abc9e3b39803fp-56
)

const (
	// Arguments are cut to ±expCut, far outside the range of exp.
	expCut = 1024

	// Adding expShift rounds to an integer k and leaves k + 2046 in the last
	// twelve bits, from which the exponents of two factors of 2^k are taken.
	expShift = 0x1.8p52 + 2046
)

// The coefficients of q, those of smallest largest error (Remez's algorithm),
// each rounded before the next ones are fitted again.
const (
	exp0 = 0x1.000000000000ap-1
	exp1 = 0x1.5555555555505p-3
	exp2 = 0x1.55555555506c1p-5
	exp3 = 0x1.1111111125201p-7
	exp4 = 0x1.6c16c184751ccp-10
	exp5 = 0x1.a01a0137cb6bcp-13
	exp6 = 0x1.a0199965c9646p-16
	exp7 = 0x1.71df087e29579p-19
	exp8 = 0x1.28adf56bea0aep-22
	exp9 = 0x1.adab8c449cccbp-26
)

// fused reports whether there may be an instruction for math.FMA. WebAssembly has none, and in software each takes as long as a whole exponential.
const fused = runtime.GOARCH != "wasm"

// expOf is the exponential that the kernels evaluate, step by step.
func expOf(x float64) float64 {
	if !fused {
		return math.Exp(x)
	}
	x = min(max(x, -expCut), expCut)
	t := math.FMA(x, math.Log2E, expShift)
	k := t - expShift
	r := math.FMA(-k, ln2Hi, x)
	r = math.FMA(-k, ln2Lo, r)
	z := r * r
	even := math.FMA(z, exp8, exp6)
	even = math.FMA(z, even, exp4)
	even = math.FMA(z, even, exp2)
	even = math.FMA(z, even, exp0)
	odd := math.FMA(z, exp9, exp7)
	odd = math.FMA(z, odd, exp5)
	odd = math.FMA(z, odd, exp3)
	odd = math.FMA(z, odd, exp1)
	p := math.FMA(r, odd, even)
	p = math.FMA(r, p, 1)
	p = math.FMA(r, p, 1)
	b := math.Float64bits(t)
	return p * math.Float64frombits(b>>1<<52) * math.Float64frombits((b-b>>1)<<52)
}

func expGeneric(dst, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = expOf(v)
	}
}

func expAddGeneric(dst, x []float64, c float64, u []float64) {
	dst, u = dst[:len(x)], u[:len(x)]
	for i, v := range x {
		dst[i] = expOf(v + (c + u[i]))
	}
}

func expSqrtGeneric(dst, x []float64, s, c0, c1, c2 float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		r := min(math.Sqrt(s*v), expCut)
		p := float64(r*(float64(r*c2)+c1)) + c0
		if fused {
			p = math.FMA(r, math.FMA(r, c2, c1), c0)
		}
		dst[i] = p * expOf(-r)
	}
}
