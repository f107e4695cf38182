//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// func scaleNEON(dst []float64, alpha float64, x []float64)
//
//	R0, R1  dst, x       V0…V3  x, then the product
//	R3      left         V31    alpha
//	R4      steps left
TEXT ·scaleNEON(SB), NOSPLIT, $0-56
	MOVD  dst_base+0(FP), R0
	FMOVD alpha+24(FP), F31
	MOVD  x_base+32(FP), R1
	MOVD  x_len+40(FP), R3
	LSR   $3, R3, R4
	CBZ   R4, four

eight:
	FLDPQ.P 64(R1), (F0, F1)
	FLDPQ   -32(R1), (F2, F3)
	FMULE(0, 31, 0, 0)
	FMULE(1, 31, 0, 1)
	FMULE(2, 31, 0, 2)
	FMULE(3, 31, 0, 3)
	FSTPQ.P (F0, F1), 64(R0)
	FSTPQ   (F2, F3), -32(R0)
	SUB     $1, R4
	CBNZ    R4, eight

four:
	TBZ     $2, R3, two
	FLDPQ.P 32(R1), (F0, F1)
	FMULE(0, 31, 0, 0)
	FMULE(1, 31, 0, 1)
	FSTPQ.P (F0, F1), 32(R0)

two:
	TBZ     $1, R3, one
	FMOVQ.P 16(R1), F0
	FMULE(0, 31, 0, 0)
	FMOVQ.P F0, 16(R0)

one:
	TBZ   $0, R3, done
	FMOVD (R1), F0
	FMULD F31, F0, F0
	FMOVD F0, (R0)

done:
	RET
