//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// Constants of ln in registers; R10 points to logTable, which holds the others.
//
//	V16 1       V17 ½       V18 ln2Hi   V19 ln2Lo
//	V20 2^−1022 V21 2^52    V22 2^52 + 1023
//	V23 +Inf    V24 −Inf
//	V25 the bits of 1 less those of √½   V26 of a fraction   V27 of √½
#define CONSTANTS \
	MOVD  $·logTable(SB), R10 \
	FMOVQ (1*32)(R10), F16    \
	FMOVQ (2*32)(R10), F17    \
	FMOVQ (10*32)(R10), F18   \
	FMOVQ (11*32)(R10), F19   \
	FMOVQ (12*32)(R10), F20   \
	FMOVQ (15*32)(R10), F21   \
	FMOVQ (16*32)(R10), F22   \
	FMOVQ (17*32)(R10), F23   \
	FMOVQ (18*32)(R10), F24   \
	FMOVQ (19*32)(R10), F25   \
	FMOVQ (20*32)(R10), F26   \
	FMOVQ (21*32)(R10), F27

// One step of Horner's rule: Vd = row j of logTable + s⁴·Vn.
#define STEP(j, n, d, Fd) \
	FMOVQ ((3+j)*32)(R10), Fd \
	FMLA(4, n, d)

// Where ln x is not finite, so is k: −Inf where x (V0) is 0, x where that is
// +Inf or a NaN, a NaN where x is negative. V5, V6 and V7 are scratch.
#define SPECIAL \
	ZERO(5)                      \
	FCMGT(23, 0, 6)              \
	VBIF V6.B16, V0.B16, V5.B16  \
	FCMEQZ(0, 7)                 \
	VBIT V7.B16, V24.B16, V5.B16 \
	FCMLTZ(0, 6)                 \
	VORR V6.B16, V5.B16, V5.B16  \
	FADD(1, 5, 1)

// V0 = ln V0, the steps of logOf. V1 k; V2 m, m + 1, s; V0 f; V3 s²; V4 s⁴;
// V5, V6, V7 p and what follows.
#define LOG \
	FCMGT(20, 0, 1)               \
	FMOVQ (13*32)(R10), F2        \
	VAND  V1.B16, V2.B16, V2.B16  \
	VADD  V2.D2, V16.D2, V2.D2    \
	FMUL(0, 2, 2)                 \
	FMOVQ (14*32)(R10), F3        \
	VAND  V1.B16, V3.B16, V3.B16  \
	VADD  V25.D2, V2.D2, V2.D2    \
	VUSHR $52, V2.D2, V1.D2       \
	VORR  V21.B16, V1.B16, V1.B16 \
	FSUB(1, 22, 1)                \
	FSUB(1, 3, 1)                 \
	SPECIAL                       \
	VAND  V26.B16, V2.B16, V2.B16 \
	VADD  V27.D2, V2.D2, V2.D2    \
	FSUB(2, 16, 0)                \
	FADD(2, 16, 2)                \
	FDIV(0, 2, 2)                 \
	FMUL(2, 2, 3)                 \
	FMUL(3, 3, 4)                 \
	FMOVQ (9*32)(R10), F5         \
	FMOVQ (8*32)(R10), F6         \
	STEP(4, 5, 7, F7)             \
	STEP(3, 6, 5, F5)             \
	STEP(2, 7, 6, F6)             \
	STEP(1, 5, 7, F7)             \
	STEP(0, 6, 5, F5)             \
	FMLA(3, 7, 5)                 \
	FMUL(0, 17, 6)                \
	FMUL(3, 5, 5)                 \
	FMLA(0, 6, 5)                 \
	FMUL(1, 19, 7)                \
	FMLA(2, 5, 7)                 \
	FMLS(0, 6, 7)                 \
	FADD(0, 7, 0)                 \
	FMLA(1, 18, 0)

// func logNEON(dst, x []float64)
//
//	R0, R1  dst, x           V0  x, ln x
//	R3      left, less two
TEXT ·logNEON(SB), NOSPLIT, $0-48
	MOVD dst_base+0(FP), R0
	MOVD x_base+24(FP), R1
	MOVD x_len+32(FP), R3
	CONSTANTS
	SUBS $2, R3
	BLT  tail

loop:
	FMOVQ.P 16(R1), F0
	LOG
	FMOVQ.P F0, 16(R0)
	SUBS    $2, R3
	BGE     loop

tail:
	TBZ   $0, R3, done
	FMOVD (R1), F0
	LOG
	FMOVD F0, (R0)

done:
	RET

// func sumLogNEON(x []float64) float64
//
//	R1  x                V0        x, ln x
//	R3  left, less two   V28…V31   lanes of the sum, the next two first
TEXT ·sumLogNEON(SB), NOSPLIT, $0-32
	MOVD x_base+0(FP), R1
	MOVD x_len+8(FP), R3
	ZERO4(28, 29, 30, 31)
	CONSTANTS
	SUBS $2, R3
	BLT  tail

loop:
	FMOVQ.P 16(R1), F0
	LOG
	FADD(28, 0, 0)
	MOVE(29, 28)
	MOVE(30, 29)
	MOVE(31, 30)
	MOVE(0, 31)
	SUBS    $2, R3
	BGE     loop

tail:
	TBZ   $0, R3, fold
	FMOVD (R1), F0
	LOG
	FMOVD F0, F0 // and 0 beside it
	FADD(28, 0, 28)

fold: // lanes 4 apart are two registers apart
	FADD(28, 30, 28)
	FADD(29, 31, 29)
	FADD(28, 29, 28)
	FADDP(28, 28)
	FMOVD F28, ret+24(FP)
	RET
