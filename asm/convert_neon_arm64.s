//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// R0, R1  dst, src    V0      numbers of 16 bits
// R3      left        V1, V2  of 32 bits
// R4      steps left  V3…V6   of 64 bits

// WIDENED stores the numbers of V1.4S and V2.4S, and moves on.
#define WIDENED \
	WIDEN(1, 3)     \
	WIDENHIGH(1, 4) \
	WIDEN(2, 5)     \
	WIDENHIGH(2, 6) \
	FSTPQ.P (F3, F4), 64(R0) \
	FSTPQ   (F5, F6), -32(R0)

// LOOP8 goes through R3 numbers: EIGHT takes 8 of them and moves the pointers on, and ONE puts one of the rest into V1.
#define LOOP8(EIGHT, ONE) \
	LSR  $3, R3, R4 \
	AND  $7, R3     \
	CBZ  R4, rest   \
eight: \
	EIGHT \
	SUB  $1, R4     \
	CBNZ R4, eight  \
rest: \
	CBZ  R3, done   \
one: \
	ONE \
	WIDEN(1, 3)     \
	FMOVD.P F3, 8(R0) \
	SUB  $1, R3     \
	CBNZ R3, one    \
done: \
	RET

#define EIGHTHALVES \
	FMOVQ.P 16(R1), F0  \
	WIDENHALF(0, 1)     \
	WIDENHALFHIGH(0, 2) \
	WIDENED

#define ONEHALF \
	MOVHU.P 2(R1), R5 \
	FMOVS   R5, F0    \
	WIDENHALF(0, 1)

#define EIGHTSINGLES \
	FLDPQ.P 32(R1), (F1, F2) \
	WIDENED

#define ONESINGLE FMOVS.P 4(R1), F1

// func fromHalfNEON(dst []float64, src []byte)
TEXT ·fromHalfNEON(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R3
	MOVD src_base+24(FP), R1
	LOOP8(EIGHTHALVES, ONEHALF)

// func fromSingleNEON(dst []float64, src []byte)
TEXT ·fromSingleNEON(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R3
	MOVD src_base+24(FP), R1
	LOOP8(EIGHTSINGLES, ONESINGLE)
