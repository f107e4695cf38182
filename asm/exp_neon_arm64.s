//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// Constants of exp in registers; R10 points to expTable, which holds the others.
//
//	V24 expCut   V25 −expCut   V26 log₂e   V27 expShift   V28 ln2Hi   V29 ln2Lo   V30 1
#define CONSTANTS \
	MOVD  $·expTable(SB), R10 \
	FMOVQ (0*32)(R10), F24    \
	FMOVQ (1*32)(R10), F25    \
	FMOVQ (3*32)(R10), F26    \
	FMOVQ (4*32)(R10), F27    \
	FMOVQ (5*32)(R10), F28    \
	FMOVQ (6*32)(R10), F29    \
	FMOVQ (7*32)(R10), F30

// One step of Horner's rule in both vectors: Vd = row j of expTable + z·Vs.
#define STEP(j, sa, da, sb, db, Fda) \
	FMOVQ ((8+j)*32)(R10), Fda \
	MOVE(da, db)               \
	FMLA(2, sa, da)            \
	FMLA(10, sb, db)

// V0 = exp(V0), V8 = exp(V8), the steps of expOf. In V1 and V9 x·log₂e +
// expShift; V2 and V10 r²; V3 and V11 k, and with V5 and V13 the even part of q,
// then the whole; V4, V6, V12 and V14 the odd part. 74 instructions, of which
// 34 multiply, 16 copy and 10 load.
#define EXP \
	FMIN(0, 24, 0)             \
	FMIN(8, 24, 8)             \
	FMAX(0, 25, 0)             \
	FMAX(8, 25, 8)             \
	MOVE(27, 1)                \
	MOVE(27, 9)                \
	FMLA(0, 26, 1)             \
	FMLA(8, 26, 9)             \
	FSUB(1, 27, 3)             \
	FSUB(9, 27, 11)            \
	FMLS(3, 28, 0)             \
	FMLS(11, 28, 8)            \
	FMLS(3, 29, 0)             \
	FMLS(11, 29, 8)            \
	FMUL(0, 0, 2)              \
	FMUL(8, 8, 10)             \
	FMOVQ (16*32)(R10), F3     \
	MOVE(3, 11)                \
	FMOVQ (17*32)(R10), F4     \
	MOVE(4, 12)                \
	STEP(6, 3, 5, 11, 13, F5)  \
	STEP(7, 4, 6, 12, 14, F6)  \
	STEP(4, 5, 3, 13, 11, F3)  \
	STEP(5, 6, 4, 14, 12, F4)  \
	STEP(2, 3, 5, 11, 13, F5)  \
	STEP(3, 4, 6, 12, 14, F6)  \
	STEP(0, 5, 3, 13, 11, F3)  \
	STEP(1, 6, 4, 14, 12, F4)  \
	FMLA(0, 4, 3)              \
	FMLA(8, 12, 11)            \
	MOVE(30, 5)                \
	MOVE(30, 13)               \
	FMLA(0, 3, 5)              \
	FMLA(8, 11, 13)            \
	MOVE(30, 3)                \
	MOVE(30, 11)               \
	FMLA(0, 5, 3)              \
	FMLA(8, 13, 11)            \
	VUSHR $1, V1.D2, V4.D2     \
	VUSHR $1, V9.D2, V12.D2    \
	VSUB  V4.D2, V1.D2, V1.D2  \
	VSUB  V12.D2, V9.D2, V9.D2 \
	VSHL  $52, V4.D2, V4.D2    \
	VSHL  $52, V12.D2, V12.D2  \
	VSHL  $52, V1.D2, V1.D2    \
	VSHL  $52, V9.D2, V9.D2    \
	FMUL(3, 4, 0)              \
	FMUL(11, 12, 8)            \
	FMUL(0, 1, 0)              \
	FMUL(8, 9, 8)

// func expNEON(dst, x []float64)
//
//	R0, R1  dst, x            V0, V8  x, exp(x)
//	R3      left, less four
TEXT ·expNEON(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R0
	MOVD x_base+24(FP), R1
	MOVD x_len+32(FP), R3
	CONSTANTS
	SUBS $4, R3
	BLT  tail

loop:
	FLDPQ.P 32(R1), (F0, F8)
	EXP
	FSTPQ.P (F0, F8), 32(R0)
	SUBS    $4, R3
	BGE     loop

tail: // two of the rest in V0, one in V8
	ADDS    $4, R3
	BEQ     done
	TBZ     $1, R3, one
	FMOVQ.P 16(R1), F0

one:
	TBZ   $0, R3, last
	FMOVD (R1), F8

last:
	EXP
	TBZ     $1, R3, store
	FMOVQ.P F0, 16(R0)

store:
	TBZ   $0, R3, done
	FMOVD F8, (R0)

done:
	RET

// func expAddNEON(dst, x []float64, c float64, u []float64)
//
//	R0, R1, R2  dst, x, u         V0, V8   x + (c + u), its exp
//	R3          left, less four   V16, V17 u, V18 c
TEXT ·expAddNEON(SB), NOSPLIT, $0-80
	MOVD  dst_base+0(FP), R0
	MOVD  x_base+24(FP), R1
	MOVD  x_len+32(FP), R3
	FMOVD c+48(FP), F18
	MOVD  u_base+56(FP), R2
	VDUP  V18.D[0], V18.D2
	CONSTANTS
	SUBS  $4, R3
	BLT   tail

loop:
	FLDPQ.P 32(R1), (F0, F8)
	FLDPQ.P 32(R2), (F16, F17)
	FADD(18, 16, 16)
	FADD(18, 17, 17)
	FADD(0, 16, 0)
	FADD(8, 17, 8)
	EXP
	FSTPQ.P (F0, F8), 32(R0)
	SUBS    $4, R3
	BGE     loop

tail: // two of the rest in V0, one in V8
	ADDS    $4, R3
	BEQ     done
	TBZ     $1, R3, one
	FMOVQ.P 16(R1), F0
	FMOVQ.P 16(R2), F16
	FADD(18, 16, 16)
	FADD(0, 16, 0)

one:
	TBZ   $0, R3, last
	FMOVD (R1), F8
	FMOVD (R2), F17
	FADD(18, 17, 17)
	FADD(8, 17, 8)

last:
	EXP
	TBZ     $1, R3, store
	FMOVQ.P F0, 16(R0)

store:
	TBZ   $0, R3, done
	FMOVD F8, (R0)

done:
	RET

// From V0 and V8, x: V7 and V15 c0 + r·(c1 + r·c2), V0 and V8 −r.
#define MINUSROOT \
	FMUL(0, 16, 0) \
	FMUL(8, 16, 8) \
	FSQRT(0, 0)    \
	FSQRT(8, 8)    \
	FMIN(0, 24, 0) \
	FMIN(8, 24, 8) \
	MOVE(18, 1)    \
	MOVE(18, 9)    \
	FMLA(0, 19, 1) \
	FMLA(8, 19, 9) \
	MOVE(17, 7)    \
	MOVE(17, 15)   \
	FMLA(0, 1, 7)  \
	FMLA(8, 9, 15) \
	FNEG(0, 0)     \
	FNEG(8, 8)

// func expSqrtNEON(dst, x []float64, s, c0, c1, c2 float64)
//
//	R0, R1  dst, x            V0, V8    x, −r, exp(−r)
//	R3      left, less four   V16…V19   s, c0, c1, c2
TEXT ·expSqrtNEON(SB), NOSPLIT, $0-80
	MOVD  dst_base+0(FP), R0
	MOVD  x_base+24(FP), R1
	MOVD  x_len+32(FP), R3
	FMOVD s+48(FP), F16
	FMOVD c0+56(FP), F17
	FMOVD c1+64(FP), F18
	FMOVD c2+72(FP), F19
	VDUP  V16.D[0], V16.D2
	VDUP  V17.D[0], V17.D2
	VDUP  V18.D[0], V18.D2
	VDUP  V19.D[0], V19.D2
	CONSTANTS
	SUBS  $4, R3
	BLT   tail

loop:
	FLDPQ.P 32(R1), (F0, F8)
	MINUSROOT
	EXP
	FMUL(0, 7, 0)
	FMUL(8, 15, 8)
	FSTPQ.P (F0, F8), 32(R0)
	SUBS    $4, R3
	BGE     loop

tail: // two of the rest in V0, one in V8
	ADDS    $4, R3
	BEQ     done
	TBZ     $1, R3, one
	FMOVQ.P 16(R1), F0

one:
	TBZ   $0, R3, last
	FMOVD (R1), F8

last:
	MINUSROOT
	EXP
	FMUL(0, 7, 0)
	FMUL(8, 15, 8)
	TBZ     $1, R3, store
	FMOVQ.P F0, 16(R0)

store:
	TBZ   $0, R3, done
	FMOVD F8, (R0)

done:
	RET
