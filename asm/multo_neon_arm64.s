//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// func mulToNEON(dst, x, y []float64)
//
//	R0, R1, R2  dst, x, y    V0…V3  x, then the product
//	R3          left         V4…V7  y
//	R4          steps left
TEXT ·mulToNEON(SB), NOSPLIT, $0-72
	MOVD dst_base+0(FP), R0
	MOVD x_base+24(FP), R1
	MOVD x_len+32(FP), R3
	MOVD y_base+48(FP), R2
	LSR  $3, R3, R4
	CBZ  R4, four

eight:
	FLDPQ.P 64(R1), (F0, F1)
	FLDPQ.P 64(R2), (F4, F5)
	FLDPQ   -32(R1), (F2, F3)
	FLDPQ   -32(R2), (F6, F7)
	FMUL(0, 4, 0)
	FMUL(1, 5, 1)
	FMUL(2, 6, 2)
	FMUL(3, 7, 3)
	FSTPQ.P (F0, F1), 64(R0)
	FSTPQ   (F2, F3), -32(R0)
	SUB     $1, R4
	CBNZ    R4, eight

four:
	TBZ     $2, R3, two
	FLDPQ.P 32(R1), (F0, F1)
	FLDPQ.P 32(R2), (F4, F5)
	FMUL(0, 4, 0)
	FMUL(1, 5, 1)
	FSTPQ.P (F0, F1), 32(R0)

two:
	TBZ     $1, R3, one
	FMOVQ.P 16(R1), F0
	FMOVQ.P 16(R2), F4
	FMUL(0, 4, 0)
	FMOVQ.P F0, 16(R0)

one:
	TBZ   $0, R3, done
	FMOVD (R1), F0
	FMOVD (R2), F4
	FMULD F4, F0, F0
	FMOVD F0, (R0)

done:
	RET
