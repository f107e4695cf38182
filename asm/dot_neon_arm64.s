//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// Both sums have 32 lanes, lane j in half j mod 2 of V(j/2); lane j takes the
// products i ≡ j mod 32. A full step is 16 FMA, each of two lanes: Dot loads 32
// vectors for them (16 cycles with two load pipes, 10.7 with three, so that the
// loads are the limit), SumSquares 16.
//
// Up to 31 products are left then, and take the lanes from V0 on. TAIL is one
// of the macros below it for each register but V15, which two cannot reach.

#define TAIL(LANE) \
	LANE(0, odd0)   \
	LANE(1, odd1)   \
	LANE(2, odd2)   \
	LANE(3, odd3)   \
	LANE(4, odd4)   \
	LANE(5, odd5)   \
	LANE(6, odd6)   \
	LANE(7, odd7)   \
	LANE(8, odd8)   \
	LANE(9, odd9)   \
	LANE(10, odd10) \
	LANE(11, odd11) \
	LANE(12, odd12) \
	LANE(13, odd13) \
	LANE(14, odd14)

// PRODUCTS and SQUARES fill V(p) while two or more are left (R2), and leave at
// odd when fewer are.
#define PRODUCTS(p, odd) \
	SUBS    $2, R2        \
	BLT     odd           \
	FMOVQ.P 16(R0), F16   \
	FMOVQ.P 16(R1), F24   \
	FMLA(16, 24, p)

#define SQUARES(p, odd) \
	SUBS    $2, R2       \
	BLT     odd          \
	FMOVQ.P 16(R0), F16  \
	FMLA(16, 16, p)

// PRODUCT and SQUARE add the last one to V(p), if there is one: beside it are 0
// and −0, whose product −0 changes not even the sign of a zero.
#define PRODUCT(p, odd) \
odd:                         \
	TBZ   $0, R2, fold   \
	FMOVD (R0), F16      \
	FMOVD (R1), F24      \
	MOVD  $(1<<63), R3   \
	VMOV  R3, V16.D[1]   \
	FMLA(16, 24, p)      \
	B     fold

#define SQUARE(p, odd) \
odd:                         \
	TBZ   $0, R2, fold   \
	FMOVD (R0), F16      \
	FMOVD (R0), F24      \
	MOVD  $(1<<63), R3   \
	VMOV  R3, V16.D[1]   \
	FMLA(16, 24, p)      \
	B     fold

// FOLD adds lanes 16 apart, then 8, 4, 2 and 1.
#define FOLD \
	FADD(0, 8, 0)  \
	FADD(1, 9, 1)  \
	FADD(2, 10, 2) \
	FADD(3, 11, 3) \
	FADD(4, 12, 4) \
	FADD(5, 13, 5) \
	FADD(6, 14, 6) \
	FADD(7, 15, 7) \
	FADD(0, 4, 0)  \
	FADD(1, 5, 1)  \
	FADD(2, 6, 2)  \
	FADD(3, 7, 3)  \
	FADD(0, 2, 0)  \
	FADD(1, 3, 1)  \
	FADD(0, 1, 0)  \
	FADDP(0, 0)

// func dotNEON(x, y []float64) float64
//
//	R0, R1  x, y                V0…V15  sums
//	R2      products left       V16…V23 x
//	R3      full steps left     V24…V31 y
TEXT ·dotNEON(SB), NOSPLIT, $0-56
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	MOVD y_base+24(FP), R1
	ZERO4(0, 1, 2, 3)
	ZERO4(4, 5, 6, 7)
	ZERO4(8, 9, 10, 11)
	ZERO4(12, 13, 14, 15)
	LSR  $5, R2, R3
	AND  $31, R2
	CBZ  R3, tail

step:
	FLDPQ   (R0), (F16, F17)
	FLDPQ   (R1), (F24, F25)
	FLDPQ   32(R0), (F18, F19)
	FLDPQ   32(R1), (F26, F27)
	FLDPQ   64(R0), (F20, F21)
	FLDPQ   64(R1), (F28, F29)
	FLDPQ   96(R0), (F22, F23)
	FLDPQ   96(R1), (F30, F31)
	FMLA(16, 24, 0)
	FMLA(17, 25, 1)
	FMLA(18, 26, 2)
	FMLA(19, 27, 3)
	FMLA(20, 28, 4)
	FMLA(21, 29, 5)
	FMLA(22, 30, 6)
	FMLA(23, 31, 7)
	FLDPQ   128(R0), (F16, F17)
	FLDPQ   128(R1), (F24, F25)
	FLDPQ   160(R0), (F18, F19)
	FLDPQ   160(R1), (F26, F27)
	FLDPQ   192(R0), (F20, F21)
	FLDPQ   192(R1), (F28, F29)
	FLDPQ   224(R0), (F22, F23)
	FLDPQ   224(R1), (F30, F31)
	ADD     $256, R0
	ADD     $256, R1
	FMLA(16, 24, 8)
	FMLA(17, 25, 9)
	FMLA(18, 26, 10)
	FMLA(19, 27, 11)
	FMLA(20, 28, 12)
	FMLA(21, 29, 13)
	FMLA(22, 30, 14)
	FMLA(23, 31, 15)
	SUB     $1, R3
	CBNZ    R3, step

tail:
	TAIL(PRODUCTS)
	B odd15
	TAIL(PRODUCT)
	PRODUCT(15, odd15)

fold:
	FOLD
	FMOVD F0, ret+48(FP)
	RET

// func sumSquaresNEON(x []float64) float64
//
//	R0  x                    V0…V15  sums
//	R2  squares left         V16…V31 x
//	R3  full steps left
TEXT ·sumSquaresNEON(SB), NOSPLIT, $0-32
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	ZERO4(0, 1, 2, 3)
	ZERO4(4, 5, 6, 7)
	ZERO4(8, 9, 10, 11)
	ZERO4(12, 13, 14, 15)
	LSR  $5, R2, R3
	AND  $31, R2
	CBZ  R3, tail

step:
	FLDPQ (R0), (F16, F17)
	FLDPQ 32(R0), (F18, F19)
	FLDPQ 64(R0), (F20, F21)
	FLDPQ 96(R0), (F22, F23)
	FLDPQ 128(R0), (F24, F25)
	FLDPQ 160(R0), (F26, F27)
	FLDPQ 192(R0), (F28, F29)
	FLDPQ 224(R0), (F30, F31)
	ADD   $256, R0
	FMLA(16, 16, 0)
	FMLA(17, 17, 1)
	FMLA(18, 18, 2)
	FMLA(19, 19, 3)
	FMLA(20, 20, 4)
	FMLA(21, 21, 5)
	FMLA(22, 22, 6)
	FMLA(23, 23, 7)
	FMLA(24, 24, 8)
	FMLA(25, 25, 9)
	FMLA(26, 26, 10)
	FMLA(27, 27, 11)
	FMLA(28, 28, 12)
	FMLA(29, 29, 13)
	FMLA(30, 30, 14)
	FMLA(31, 31, 15)
	SUB   $1, R3
	CBNZ  R3, step

tail:
	TAIL(SQUARES)
	B odd15
	TAIL(SQUARE)
	SQUARE(15, odd15)

fold:
	FOLD
	FMOVD F0, ret+24(FP)
	RET
