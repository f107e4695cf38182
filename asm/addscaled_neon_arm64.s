//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// Eight sums take 8 vectors loaded and 4 stored for 4 FMA: memory is the limit.

// func addScaledNEON(dst, x []float64, alpha float64, y []float64)
//
//	R0, R1, R2  dst, x, y    V0…V3  x, then the sum
//	R3          left         V4…V7  y
//	R4          steps left   V31    alpha
TEXT ·addScaledNEON(SB), NOSPLIT, $0-80
	MOVD  dst_base+0(FP), R0
	MOVD  dst_len+8(FP), R3
	MOVD  x_base+24(FP), R1
	FMOVD alpha+48(FP), F31
	MOVD  y_base+56(FP), R2
	LSR   $3, R3, R4
	CBZ   R4, four

eight:
	FLDPQ.P 64(R1), (F0, F1)
	FLDPQ.P 64(R2), (F4, F5)
	FLDPQ   -32(R1), (F2, F3)
	FLDPQ   -32(R2), (F6, F7)
	FMLAE(4, 31, 0, 0)
	FMLAE(5, 31, 0, 1)
	FMLAE(6, 31, 0, 2)
	FMLAE(7, 31, 0, 3)
	FSTPQ.P (F0, F1), 64(R0)
	FSTPQ   (F2, F3), -32(R0)
	SUB     $1, R4
	CBNZ    R4, eight

four:
	TBZ     $2, R3, two
	FLDPQ.P 32(R1), (F0, F1)
	FLDPQ.P 32(R2), (F4, F5)
	FMLAE(4, 31, 0, 0)
	FMLAE(5, 31, 0, 1)
	FSTPQ.P (F0, F1), 32(R0)

two:
	TBZ     $1, R3, one
	FMOVQ.P 16(R1), F0
	FMOVQ.P 16(R2), F4
	FMLAE(4, 31, 0, 0)
	FMOVQ.P F0, 16(R0)

one:
	TBZ    $0, R3, done
	FMOVD  (R1), F0
	FMOVD  (R2), F4
	FMADDD F31, F0, F4, F0
	FMOVD  F0, (R0)

done:
	RET
