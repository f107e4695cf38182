//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// Registers of a tile, 4 columns of 8 rows of L:
//
//	V0 … V15   column i is V(4i) … V(4i+3)
//	V16 … V19  column s of b; quotients
//	V20, V21   elements of column s of a, negative
//	V28        an element of L, negative
//	V29 … V31  a divisor negative, its reciprocal, itself
//	R1, R2     column s of a, at the tile's 4 rows, and of b
//	R3, R4     the tile, columns left
//	R5, R6     a and b, from their first column
//	R7, R8     columns before the tile, tiles left
//
// A step of 16 multiply-adds takes 3 loads of two registers, 2 changes of sign and
// 4 instructions more, so the multiply-adds are the limit.

#define FETCH(at, c0, c1, c2, c3) \
	FLDPQ at(R3), (c0, c1) \
	FLDPQ (at+32)(R3), (c2, c3)

#define FETCHALL \
	FETCH(0, F0, F1, F2, F3) \
	FETCH(64, F4, F5, F6, F7) \
	FETCH(128, F8, F9, F10, F11) \
	FETCH(192, F12, F13, F14, F15)

#define PUT(at, c0, c1, c2, c3) \
	FSTPQ (c0, c1), at(R3) \
	FSTPQ (c2, c3), (at+32)(R3)

#define PUTALL \
	PUT(0, F0, F1, F2, F3) \
	PUT(64, F4, F5, F6, F7) \
	PUT(128, F8, F9, F10, F11) \
	PUT(192, F12, F13, F14, F15)

// ADD2 and ADD4 add lane i of register a times a column of two or four registers.
#define ADD2(a, i, c0, c1) \
	FMLAE(16, a, i, c0) \
	FMLAE(17, a, i, c1)

#define ADD4(a, i, c0, c1, c2, c3) \
	ADD2(a, i, c0, c1) \
	FMLAE(18, a, i, c2) \
	FMLAE(19, a, i, c3)

#define ALL4 \
	ADD4(20, 0, 0, 1, 2, 3) \
	ADD4(20, 1, 4, 5, 6, 7) \
	ADD4(21, 0, 8, 9, 10, 11) \
	ADD4(21, 1, 12, 13, 14, 15)

// SUBTRACT subtracts what the R4 columns before the tile contribute; R1 and R2
// move on.
#define SUBTRACT(one, end) \
	CBZ     R4, end \
one: \
	FLDPQ.P 64(R2), (F16, F17) \
	FLDPQ.P 64(R1), (F20, F21) \
	FLDPQ   -32(R2), (F18, F19) \
	FNEG(20, 20) \
	FNEG(21, 21) \
	SUB     $1, R4 \
	ALL4 \
	CBNZ    R4, one \
end:

// DIVIDE divides a register by V31, by way of q.
#define DIVIDE(c, q) \
	FMULE(c, 30, 0, q) \
	FMLAE(q, 29, 0, c) \
	FMLAE(c, 30, 0, q) \
	MOVE(q, c)

#define DIVIDEALL(c0, c1, c2, c3) \
	DIVIDE(c0, 16) \
	DIVIDE(c1, 17) \
	DIVIDE(c2, 18) \
	DIVIDE(c3, 19)

// MULTIPLE subtracts the element whose negative is lane i of V28 times column x
// from column c.
#define MULTIPLE(i, x0, x1, x2, x3, c0, c1, c2, c3) \
	FMLAE(x0, 28, i, c0) \
	FMLAE(x1, 28, i, c1) \
	FMLAE(x2, 28, i, c2) \
	FMLAE(x3, 28, i, c3)

// func cholUpdateNEON(d int, a, b, c []float64)
TEXT ·cholUpdateNEON(SB), NOSPLIT, $0-80
	MOVD d+0(FP), R7
	MOVD a_base+8(FP), R5
	MOVD b_base+32(FP), R6
	MOVD c_base+56(FP), R3
	MOVD $2, R8
tile:
	MOVD R5, R1
	MOVD R6, R2
	MOVD R7, R4
	FETCHALL
	SUBTRACT(one, end)
	PUTALL
	ADD  $32, R5
	ADD  $256, R3
	SUB  $1, R8
	CBNZ R8, tile
	RET

// FINISH divides column s of the tile by a's element on the diagonal.
#define FINISH(s, c0, c1, c2, c3) \
	FMOVD (8*s)(R9), F30 \
	FMOVD (72*s)(R1), F31 \
	FNEGD F31, F29 \
	DIVIDEALL(c0, c1, c2, c3)

// AWAY subtracts a's element (at) times column x from column c.
#define AWAY(at, x0, x1, x2, x3, c0, c1, c2, c3) \
	FMOVD at(R1), F28 \
	FNEGD F28, F28 \
	MULTIPLE(0, x0, x1, x2, x3, c0, c1, c2, c3)

// func cholSolveNEON(d int, a, b, inv []float64)
//
// R9 is at the reciprocals of the tile's divisors.
TEXT ·cholSolveNEON(SB), NOSPLIT, $0-80
	MOVD d+0(FP), R7
	MOVD a_base+8(FP), R5
	MOVD b_base+32(FP), R6
	MOVD inv_base+56(FP), R9
	ADD  R7<<6, R6, R3
	MOVD $2, R8
tile:
	MOVD R5, R1
	MOVD R6, R2
	MOVD R7, R4
	FETCHALL
	SUBTRACT(one, end)
	FINISH(0, 0, 1, 2, 3)
	AWAY(8, 0, 1, 2, 3, 4, 5, 6, 7)
	AWAY(16, 0, 1, 2, 3, 8, 9, 10, 11)
	AWAY(24, 0, 1, 2, 3, 12, 13, 14, 15)
	FINISH(1, 4, 5, 6, 7)
	AWAY(80, 4, 5, 6, 7, 8, 9, 10, 11)
	AWAY(88, 4, 5, 6, 7, 12, 13, 14, 15)
	FINISH(2, 8, 9, 10, 11)
	AWAY(152, 8, 9, 10, 11, 12, 13, 14, 15)
	FINISH(3, 12, 13, 14, 15)
	PUTALL
	ADD  $32, R5
	ADD  $32, R9
	ADD  $256, R3
	ADD  $4, R7
	SUB  $1, R8
	CBNZ R8, tile
	RET

// PIVOT takes the root, V31, of the pivot in V22, and its reciprocal, V30, and
// divides column s by it. For a positive finite pivot its bits are 1 to R11.
#define PIVOT(s, c0, c1, c2, c3) \
	FMOVD  F22, R12 \
	SUB    $1, R12 \
	CMP    R11, R12 \
	BHS    fail \
	FSQRTD F22, F31 \
	FDIVD  F31, F27, F30 \
	FNEGD  F31, F29 \
	FMOVD  F30, (8*s)(R9) \
	DIVIDEALL(c0, c1, c2, c3) \
	ADD    $1, R10

// func cholFactorNEON(d int, b, inv []float64) (good int, pivot float64)
//
//	R9   the reciprocals        V22  the pivot
//	R10  the pivot's number     V26  0
//	                            V27  1
TEXT ·cholFactorNEON(SB), NOSPLIT, $0-72
	MOVD  d+0(FP), R7
	MOVD  b_base+8(FP), R6
	MOVD  inv_base+32(FP), R9
	ADD   R7<<6, R6, R3
	MOVD  $2, R8
	MOVD  $0, R10
	MOVD  $0x7fefffffffffffff, R11
	FMOVD $1.0, F27
	ZERO(26)
tile:
	MOVD R6, R2
	MOVD R7, R4
	CMP  $1, R8
	BEQ  narrow
	FETCHALL
	CBZ  R4, columns
wideOne:
	FLDPQ.P 64(R2), (F16, F17)
	FLDPQ   -32(R2), (F18, F19)
	FNEG(16, 20)
	FNEG(17, 21)
	SUB     $1, R4
	ALL4
	CBNZ    R4, wideOne
	B       columns
narrow:
	FLDPQ (R3), (F0, F1)
	FLDPQ 64(R3), (F4, F5)
	FLDPQ 128(R3), (F8, F9)
	FLDPQ 192(R3), (F12, F13)
	ZERO4(2, 3, 6, 7)
	ZERO4(10, 11, 14, 15)
narrowOne:                    // there are four columns at least
	FLDPQ (R2), (F16, F17)
	FNEG(16, 20)
	FNEG(17, 21)
	ADD   $64, R2
	SUB   $1, R4
	ADD2(20, 0, 0, 1)
	ADD2(20, 1, 4, 5)
	ADD2(21, 0, 8, 9)
	ADD2(21, 1, 12, 13)
	CBNZ  R4, narrowOne
columns:
	FMOVD F0, F22
	PIVOT(0, 0, 1, 2, 3)
	FNEG(0, 28)
	MULTIPLE(1, 0, 1, 2, 3, 4, 5, 6, 7)
	FNEG(1, 28)
	MULTIPLE(0, 0, 1, 2, 3, 8, 9, 10, 11)
	MULTIPLE(1, 0, 1, 2, 3, 12, 13, 14, 15)
	VMOV V31.D[0], V0.D[0]
	VDUP V4.D[1], V22.D2
	PIVOT(1, 4, 5, 6, 7)
	FNEG(5, 28)
	MULTIPLE(0, 4, 5, 6, 7, 8, 9, 10, 11)
	MULTIPLE(1, 4, 5, 6, 7, 12, 13, 14, 15)
	VMOV V31.D[0], V4.D[1]
	VMOV V26.D[0], V4.D[0]
	FMOVD F9, F22
	PIVOT(2, 8, 9, 10, 11)
	FNEG(9, 28)
	MULTIPLE(1, 8, 9, 10, 11, 12, 13, 14, 15)
	VMOV V31.D[0], V9.D[0]
	ZERO(8)
	VDUP V13.D[1], V22.D2
	PIVOT(3, 12, 13, 14, 15)
	VMOV V31.D[0], V13.D[1]
	VMOV V26.D[0], V13.D[0]
	ZERO(12)
	CMP  $1, R8
	BEQ  putNarrow
	PUTALL
	ADD  $32, R6
	ADD  $32, R9
	ADD  $288, R3              // 4 columns on, and 4 rows
	ADD  $4, R7
	SUB  $1, R8
	B    tile
putNarrow:
	FSTPQ (F0, F1), (R3)
	FSTPQ (F4, F5), 64(R3)
	FSTPQ (F8, F9), 128(R3)
	FSTPQ (F12, F13), 192(R3)
	FSTPQ (F26, F26), -32(R3)
	FSTPQ (F26, F26), 32(R3)
	FSTPQ (F26, F26), 96(R3)
	FSTPQ (F26, F26), 160(R3)
	MOVD  R10, good+56(FP)
	MOVD  ZR, pivot+64(FP)
	RET
fail:
	MOVD  R10, good+56(FP)
	FMOVD F22, pivot+64(FP)
	RET
