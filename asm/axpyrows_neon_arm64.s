//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// EIGHT, FOUR, TWO, ONE add as many elements of row R times Va.D[i] to y.
#define EIGHT(R, a, i) \
	FLDPQ.P 64(R), (F16, F17)  \
	FLDPQ   -32(R), (F18, F19) \
	FMLAE(16, a, i, 0)         \
	FMLAE(17, a, i, 1)         \
	FMLAE(18, a, i, 2)         \
	FMLAE(19, a, i, 3)

#define FOUR(R, a, i) \
	FLDPQ.P 32(R), (F16, F17) \
	FMLAE(16, a, i, 0)        \
	FMLAE(17, a, i, 1)

#define TWO(R, a, i) \
	FMOVQ.P 16(R), F16 \
	FMLAE(16, a, i, 0)

#define ONE(R, a, i) \
	FMOVD (R), F16 \
	FMLAE(16, a, i, 0)

// func axpyRowsNEON(alpha *[4]float64, a []float64, lda int, y []float64)
//
// Eight columns are 16 FMA for 20 vectors loaded and 4 stored: the loads are
// the limit, 10 cycles with two load pipes; an Axpy for each row would load 32
// and store 16.
//
//	R0      y            V0…V3      y
//	R1      left         V16…V19    a row of a
//	R2…R5   rows of a    V30, V31   alpha
//	R6      steps left
TEXT ·axpyRowsNEON(SB), NOSPLIT, $0-64
	MOVD  alpha+0(FP), R0
	MOVD  a_base+8(FP), R2
	MOVD  lda+32(FP), R6
	FLDPQ (R0), (F30, F31)
	MOVD  y_base+40(FP), R0
	MOVD  y_len+48(FP), R1
	ADD   R6<<3, R2, R3
	ADD   R6<<3, R3, R4
	ADD   R6<<3, R4, R5
	LSR   $3, R1, R6
	CBZ   R6, four

eight:
	FLDPQ   (R0), (F0, F1)
	FLDPQ   32(R0), (F2, F3)
	EIGHT(R2, 30, 0)
	EIGHT(R3, 30, 1)
	EIGHT(R4, 31, 0)
	EIGHT(R5, 31, 1)
	FSTPQ.P (F0, F1), 64(R0)
	FSTPQ   (F2, F3), -32(R0)
	SUB     $1, R6
	CBNZ    R6, eight

four:
	TBZ     $2, R1, two
	FLDPQ   (R0), (F0, F1)
	FOUR(R2, 30, 0)
	FOUR(R3, 30, 1)
	FOUR(R4, 31, 0)
	FOUR(R5, 31, 1)
	FSTPQ.P (F0, F1), 32(R0)

two:
	TBZ     $1, R1, one
	FMOVQ   (R0), F0
	TWO(R2, 30, 0)
	TWO(R3, 30, 1)
	TWO(R4, 31, 0)
	TWO(R5, 31, 1)
	FMOVQ.P F0, 16(R0)

one:
	TBZ   $0, R1, done
	FMOVD (R0), F0
	ONE(R2, 30, 0)
	ONE(R3, 30, 1)
	ONE(R4, 31, 0)
	ONE(R5, 31, 1)
	FMOVD F0, (R0)

done:
	RET
