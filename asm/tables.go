//go:build !purego && (amd64 || arm64)

package asm

//lint:file-ignore U1000 only the assembly reads the tables

import "math"

// expZero is a number below which the exponential is 0.
const expZero = -746

// expTable holds the constants of exp for the assembly, each four times, the
// width of an AVX2 register.
var expTable = [18][4]float64(fourfold(
	expCut, -expCut, expZero, math.Log2E, expShift, ln2Hi, ln2Lo, 1,
	exp0, exp1, exp2, exp3, exp4, exp5, exp6, exp7, exp8, exp9,
))

// logTable holds those of ln. Some stand for the bits of integers: 54<<52 is
// the difference between the bits of 2^54 and of 1.
var logTable = [22][4]float64(fourfold(
	math.Sqrt2, 1, 0.5, log0, log1, log2, log3, log4, log5, log6, ln2Hi, ln2Lo,
	0x1p-1022, math.Float64frombits(54<<52), 54, 0x1p52, 0x1p52+1023, math.Inf(1), math.Inf(-1),
	math.Float64frombits(oneBits-sqrtHalfBits), math.Float64frombits(fractionBits), math.Float64frombits(sqrtHalfBits),
))

func fourfold(c ...float64) [][4]float64 {
	rows := make([][4]float64, len(c))
	for i, v := range c {
		rows[i] = [4]float64{v, v, v, v}
	}
	return rows
}
