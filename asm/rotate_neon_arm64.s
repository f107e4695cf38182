//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// func rotateNEON(x, y []float64, c, s float64)
//
//	R0, R1  x, y         V0…V3   x, then y rotated   V29  −s
//	R3      left         V4…V7   y                   V30  s
//	R4      steps left   V8…V11  x rotated           V31  c
TEXT ·rotateNEON(SB), NOSPLIT, $0-64
	MOVD  x_base+0(FP), R0
	MOVD  x_len+8(FP), R3
	MOVD  y_base+24(FP), R1
	FMOVD c+48(FP), F31
	FMOVD s+56(FP), F30
	FNEGD F30, F29
	LSR   $3, R3, R4
	CBZ   R4, four

eight:
	FLDPQ   (R0), (F0, F1)
	FLDPQ   (R1), (F4, F5)
	FLDPQ   32(R0), (F2, F3)
	FLDPQ   32(R1), (F6, F7)
	TURN(0, 4, 8)
	TURN(1, 5, 9)
	TURN(2, 6, 10)
	TURN(3, 7, 11)
	FSTPQ.P (F8, F9), 64(R0)
	FSTPQ.P (F0, F1), 64(R1)
	FSTPQ   (F10, F11), -32(R0)
	FSTPQ   (F2, F3), -32(R1)
	SUB     $1, R4
	CBNZ    R4, eight

four:
	TBZ     $2, R3, two
	FLDPQ   (R0), (F0, F1)
	FLDPQ   (R1), (F4, F5)
	TURN(0, 4, 8)
	TURN(1, 5, 9)
	FSTPQ.P (F8, F9), 32(R0)
	FSTPQ.P (F0, F1), 32(R1)

two:
	TBZ     $1, R3, one
	FMOVQ   (R0), F0
	FMOVQ   (R1), F4
	TURN(0, 4, 8)
	FMOVQ.P F8, 16(R0)
	FMOVQ.P F0, 16(R1)

one:
	TBZ   $0, R3, done
	FMOVD (R0), F0
	FMOVD (R1), F4
	TURN(0, 4, 8)
	FMOVD F8, (R0)
	FMOVD F0, (R1)

done:
	RET
