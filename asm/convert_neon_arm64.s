//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// EIGHT stores the numbers of V1.4S and V2.4S at R0, and moves on.
#define EIGHT \
	WIDEN(1, 3)     \
	WIDENHIGH(1, 4) \
	WIDEN(2, 5)     \
	WIDENHIGH(2, 6) \
	FSTPQ.P (F3, F4), 64(R0) \
	FSTPQ   (F5, F6), -32(R0)

// func fromHalfNEON(dst []float64, src []byte)
//
//	R0, R1  dst, src     V0      numbers of 16 bits
//	R3      left         V1, V2  of 32 bits
//	R4      steps left   V3…V6   of 64 bits
TEXT ·fromHalfNEON(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R3
	MOVD src_base+24(FP), R1
	LSR  $3, R3, R4
	AND  $7, R3
	CBZ  R4, rest

eight:
	FMOVQ.P 16(R1), F0
	WIDENHALF(0, 1)
	WIDENHALFHIGH(0, 2)
	EIGHT
	SUB  $1, R4
	CBNZ R4, eight

rest:
	CBZ R3, done

one:
	MOVHU.P 2(R1), R5
	FMOVS   R5, F0
	WIDENHALF(0, 1)
	WIDEN(1, 3)
	FMOVD.P F3, 8(R0)
	SUB     $1, R3
	CBNZ    R3, one

done:
	RET

// func fromSingleNEON(dst []float64, src []byte)
//
//	R0, R1  dst, src     V1, V2  numbers of 32 bits
//	R3      left         V3…V6   of 64 bits
//	R4      steps left
TEXT ·fromSingleNEON(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R3
	MOVD src_base+24(FP), R1
	LSR  $3, R3, R4
	AND  $7, R3
	CBZ  R4, rest

eight:
	FLDPQ.P 32(R1), (F1, F2)
	EIGHT
	SUB  $1, R4
	CBNZ R4, eight

rest:
	CBZ R3, done

one:
	FMOVS.P 4(R1), F1
	WIDEN(1, 3)
	FMOVD.P F3, 8(R0)
	SUB     $1, R3
	CBNZ    R3, one

done:
	RET
