//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// Eight columns of four rows are 32 FMA for 24 vectors loaded and 4 stored: two
// FMA pipes need 16 cycles, two pipes for loads and stores 14.

// EIGHT takes eight columns of row R: their products with Va.D[i] are added to
// y, those with x to the row's four sums. PAIR takes two columns, and one sum.
#define EIGHT(R, a, i, s0, s1, s2, s3) \
	FLDPQ.P 64(R), (F24, F25)   \
	FLDPQ   -32(R), (F26, F27)  \
	FMLAE(24, a, i, 16)         \
	FMLAE(25, a, i, 17)         \
	FMLAE(26, a, i, 18)         \
	FMLAE(27, a, i, 19)         \
	FMLA(24, 20, s0)            \
	FMLA(25, 21, s1)            \
	FMLA(26, 22, s2)            \
	FMLA(27, 23, s3)

#define PAIR(R, a, i, s) \
	FMOVQ.P 16(R), F24  \
	FMLAE(24, a, i, 16) \
	FMLA(24, 20, s)

#define LAST(R, a, i, s) \
	FMOVD (R), F24      \
	FMLAE(24, a, i, 16) \
	FMLA(24, 20, s)

// PAIRS takes two columns of every row if so many are left (R7), else leaves
// at odd, where ODD takes the last one: beside it are −0 in x and 0 in the row,
// whose product −0 changes not even the sign of a zero.
#define PAIRS(s0, s1, s2, s3, odd) \
	SUBS    $2, R7      \
	BLT     odd         \
	FMOVQ   (R0), F16   \
	FMOVQ.P 16(R1), F20 \
	PAIR(R2, 30, 0, s0) \
	PAIR(R3, 30, 1, s1) \
	PAIR(R4, 31, 0, s2) \
	PAIR(R5, 31, 1, s3) \
	FMOVQ.P F16, 16(R0)

#define ODD(s0, s1, s2, s3, odd) \
odd:                        \
	TBZ   $0, R7, fold  \
	FMOVD (R0), F16     \
	FMOVD (R1), F20     \
	MOVD  $(1<<63), R6  \
	VMOV  R6, V20.D[1]  \
	LAST(R2, 30, 0, s0) \
	LAST(R3, 30, 1, s1) \
	LAST(R4, 31, 0, s2) \
	LAST(R5, 31, 1, s3) \
	FMOVD F16, (R0)     \
	B     fold

// FOLD adds the lanes of a row, 4, 2 and 1 apart, and their sum to yr[i].
#define FOLD(s0, s1, s2, s3, yri) \
	FADD(s0, s2, s0) \
	FADD(s1, s3, s1) \
	FADD(s0, s1, s0) \
	FADDP(s0, 16)    \
	FMOVD yri, F17   \
	FADDD F16, F17   \
	FMOVD F17, yri

// func symvRowsNEON(y, x []float64, yr, xr *[4]float64, a []float64, lda int)
//
//	R0      y                V0…V15   sums of row i in V(4i) … V(4i+3): lane
//	R1      x                         j mod 2 of V(4i + j/2 mod 4) takes column j
//	R2…R5   rows of a        V16…V19  y
//	R6      steps left       V20…V23  x
//	R7      columns left     V24…V27  a row of a
//	R8      yr               V30, V31 xr
TEXT ·symvRowsNEON(SB), NOSPLIT, $0-96
	MOVD  y_base+0(FP), R0
	MOVD  y_len+8(FP), R7
	MOVD  x_base+24(FP), R1
	MOVD  yr+48(FP), R8
	MOVD  xr+56(FP), R2
	FLDPQ (R2), (F30, F31)
	MOVD  a_base+64(FP), R2
	MOVD  lda+88(FP), R6
	ADD   R6<<3, R2, R3
	ADD   R6<<3, R3, R4
	ADD   R6<<3, R4, R5
	ZERO4(0, 1, 2, 3)
	ZERO4(4, 5, 6, 7)
	ZERO4(8, 9, 10, 11)
	ZERO4(12, 13, 14, 15)
	LSR   $3, R7, R6
	AND   $7, R7
	CBZ   R6, tail

eight:
	FLDPQ   (R0), (F16, F17)
	FLDPQ   32(R0), (F18, F19)
	FLDPQ.P 64(R1), (F20, F21)
	FLDPQ   -32(R1), (F22, F23)
	EIGHT(R2, 30, 0, 0, 1, 2, 3)
	EIGHT(R3, 30, 1, 4, 5, 6, 7)
	EIGHT(R4, 31, 0, 8, 9, 10, 11)
	EIGHT(R5, 31, 1, 12, 13, 14, 15)
	FSTPQ.P (F16, F17), 64(R0)
	FSTPQ   (F18, F19), -32(R0)
	SUB     $1, R6
	CBNZ    R6, eight

tail:
	PAIRS(0, 4, 8, 12, odd0)
	PAIRS(1, 5, 9, 13, odd1)
	PAIRS(2, 6, 10, 14, odd2)
	B odd3
	ODD(0, 4, 8, 12, odd0)
	ODD(1, 5, 9, 13, odd1)
	ODD(2, 6, 10, 14, odd2)
	ODD(3, 7, 11, 15, odd3)

fold:
	FOLD(0, 1, 2, 3, (R8))
	FOLD(4, 5, 6, 7, 8(R8))
	FOLD(8, 9, 10, 11, 16(R8))
	FOLD(12, 13, 14, 15, 24(R8))
	RET
