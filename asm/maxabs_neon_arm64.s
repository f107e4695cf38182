//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// func maxAbsNEON(x []float64) float64
//
//	R0  x            V0…V3  the largest so far, NaN once there was one
//	R2  left         V4…V7  x
//	R3  steps left
TEXT ·maxAbsNEON(SB), NOSPLIT, $0-32
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	ZERO4(0, 1, 2, 3)
	LSR  $3, R2, R3
	CBZ  R3, four

eight:
	FLDPQ.P 64(R0), (F4, F5)
	FLDPQ   -32(R0), (F6, F7)
	FABS(4, 4)
	FABS(5, 5)
	FABS(6, 6)
	FABS(7, 7)
	FMAX(0, 4, 0)
	FMAX(1, 5, 1)
	FMAX(2, 6, 2)
	FMAX(3, 7, 3)
	SUB     $1, R3
	CBNZ    R3, eight

four:
	TBZ     $2, R2, two
	FLDPQ.P 32(R0), (F4, F5)
	FABS(4, 4)
	FABS(5, 5)
	FMAX(0, 4, 0)
	FMAX(1, 5, 1)

two:
	TBZ     $1, R2, one
	FMOVQ.P 16(R0), F6
	FABS(6, 6)
	FMAX(2, 6, 2)

one:
	TBZ   $0, R2, fold
	FMOVD (R0), F7
	FABS(7, 7)
	FMAX(3, 7, 3)

fold:
	FMAX(0, 1, 0)
	FMAX(2, 3, 2)
	FMAX(0, 2, 0)
	FMAXP(0, 0)
	FMOVD F0, ret+24(FP)
	RET
