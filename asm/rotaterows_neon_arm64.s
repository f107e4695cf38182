//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// START goes to the last row and the last rotation.
#define START \
	MOVD R0, R5  \
	MOVD R8, R3  \
	MOVD R9, R4  \
	MOVD R10, R7

// NEXT takes a rotation, of the row at R5 and the one above it, at R6.
#define NEXT \
	FMOVD.P -8(R3), F31 \
	FMOVD.P -8(R4), F30 \
	SUB     R1, R5, R6  \
	FNEGD   F30, F29

// func rotateRowsNEON(z []float64, ldz, n int, c, s []float64)
//
// The rows pass through the registers from the last to the first, sixteen
// columns at a time, then eight, four, two and one: of the two rows of a
// rotation the lower is stored, the upper is the lower one of the next. A
// rotation of sixteen columns is 32 multiplications and FMA for 8 vectors
// loaded and 8 stored; the upper row waits for one of each in turn, 8 cycles.
//
//	R0      last row, column j   V0…V7    lower row, then the upper one rotated
//	R1      8·ldz                V8…V15   upper row
//	R2      columns left         V16…V23  lower row rotated
//	R3, R4  c, s                 V29      −s
//	R5, R6  lower, upper row     V30      s
//	R7      rotations left       V31      c
//	R8…R10  last of c, of s, number of rotations
TEXT ·rotateRowsNEON(SB), NOSPLIT, $0-88
	MOVD z_base+0(FP), R0
	MOVD ldz+24(FP), R1
	MOVD n+32(FP), R2
	MOVD c_base+40(FP), R8
	MOVD c_len+48(FP), R10
	MOVD s_base+64(FP), R9
	LSL  $3, R1
	MADD R10, R0, R1, R0
	SUB  $1, R10, R7
	ADD  R7<<3, R8
	ADD  R7<<3, R9

strip16:
	CMP   $16, R2
	BLT   strip8
	START
	FLDPQ (R5), (F0, F1)
	FLDPQ 32(R5), (F2, F3)
	FLDPQ 64(R5), (F4, F5)
	FLDPQ 96(R5), (F6, F7)

turn16:
	NEXT
	FLDPQ (R6), (F8, F9)
	FLDPQ 32(R6), (F10, F11)
	FLDPQ 64(R6), (F12, F13)
	FLDPQ 96(R6), (F14, F15)
	TURN(0, 8, 16)
	TURN(1, 9, 17)
	TURN(2, 10, 18)
	TURN(3, 11, 19)
	TURN(4, 12, 20)
	TURN(5, 13, 21)
	TURN(6, 14, 22)
	TURN(7, 15, 23)
	FSTPQ (F16, F17), (R5)
	FSTPQ (F18, F19), 32(R5)
	FSTPQ (F20, F21), 64(R5)
	FSTPQ (F22, F23), 96(R5)
	MOVD  R6, R5
	SUB   $1, R7
	CBNZ  R7, turn16
	FSTPQ (F0, F1), (R5)
	FSTPQ (F2, F3), 32(R5)
	FSTPQ (F4, F5), 64(R5)
	FSTPQ (F6, F7), 96(R5)
	ADD   $128, R0
	SUB   $16, R2
	B     strip16

strip8:
	TBZ   $3, R2, strip4
	START
	FLDPQ (R5), (F0, F1)
	FLDPQ 32(R5), (F2, F3)

turn8:
	NEXT
	FLDPQ (R6), (F8, F9)
	FLDPQ 32(R6), (F10, F11)
	TURN(0, 8, 16)
	TURN(1, 9, 17)
	TURN(2, 10, 18)
	TURN(3, 11, 19)
	FSTPQ (F16, F17), (R5)
	FSTPQ (F18, F19), 32(R5)
	MOVD  R6, R5
	SUB   $1, R7
	CBNZ  R7, turn8
	FSTPQ (F0, F1), (R5)
	FSTPQ (F2, F3), 32(R5)
	ADD   $64, R0

strip4:
	TBZ   $2, R2, strip2
	START
	FLDPQ (R5), (F0, F1)

turn4:
	NEXT
	FLDPQ (R6), (F8, F9)
	TURN(0, 8, 16)
	TURN(1, 9, 17)
	FSTPQ (F16, F17), (R5)
	MOVD  R6, R5
	SUB   $1, R7
	CBNZ  R7, turn4
	FSTPQ (F0, F1), (R5)
	ADD   $32, R0

strip2:
	TBZ   $1, R2, strip1
	START
	FMOVQ (R5), F0

turn2:
	NEXT
	FMOVQ (R6), F8
	TURN(0, 8, 16)
	FMOVQ F16, (R5)
	MOVD  R6, R5
	SUB   $1, R7
	CBNZ  R7, turn2
	FMOVQ F0, (R5)
	ADD   $16, R0

strip1:
	TBZ   $0, R2, done
	START
	FMOVD (R5), F0

turn1:
	NEXT
	FMOVD (R6), F8
	TURN(0, 8, 16)
	FMOVD F16, (R5)
	MOVD  R6, R5
	SUB   $1, R7
	CBNZ  R7, turn1
	FMOVD F0, (R5)

done:
	RET
