//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// One step l: 24 FMA for 7 vectors of operands, loaded by 4 instructions, and
// 2 instructions of loop. Two 128-bit FMA pipes (Cortex-A76, Neoverse N1) need
// 12 cycles for it, two load pipes 3.5, decoding 30 instructions four at a
// time 7.5; four FMA pipes (Apple M, Neoverse V1) need 6 cycles, three load
// pipes 2.3, eight decoders 3.8. A sum takes part once a step, after 24 FMA,
// and an FMA is ready after 4 cycles, 16 FMA at most. So the FMA pipes are the
// limit: 0.29 loads of 16 bytes per FMA against one per FMA that the load
// pipes could serve (0.75 with four FMA pipes). The loads of a step depend on
// no sum, so they run ahead of it.

// Row i of the sums is V(4i) … V(4i+3): ROW adds A[i,l]·B[l,:] to it. The
// first argument is V(28+i/2), the second its lane i mod 2.
#define ROW(a, lane, c0, c1, c2, c3) \
	FMLAE(24, a, lane, c0) \
	FMLAE(25, a, lane, c1) \
	FMLAE(26, a, lane, c2) \
	FMLAE(27, a, lane, c3)

// FULL adds alpha times a row of sums to the eight elements at R3, then leaves
// if it was the last, else goes to the next row of C.
#define FULL(c0, c1, c2, c3) \
	FLDPQ (R3), (F24, F25)   \
	FLDPQ 32(R3), (F26, F27) \
	FMLAE(c0, 31, 0, 24)     \
	FMLAE(c1, 31, 0, 25)     \
	FMLAE(c2, 31, 0, 26)     \
	FMLAE(c3, 31, 0, 27)     \
	FSTPQ (F24, F25), (R3)   \
	FSTPQ (F26, F27), 32(R3) \
	ADD   R4, R3             \
	SUB   $1, R5             \
	CBZ   R5, done

// PART does so with n < 8 elements: four, two and one of them, as the bits of
// n say, each time from the front of the sums that are left.
#define PART(c0, c1, c2, c3, two, one, next) \
	MOVD    R3, R7                   \
	TBZ     $2, R6, two              \
	FLDPQ   (R7), (F24, F25)         \
	FMLAE(c0, 31, 0, 24)             \
	FMLAE(c1, 31, 0, 25)             \
	FSTPQ.P (F24, F25), 32(R7)       \
	MOVE(c2, c0)                     \
	MOVE(c3, c1)                     \
two:                                     \
	TBZ     $1, R6, one              \
	FMOVQ   (R7), F24                \
	FMLAE(c0, 31, 0, 24)             \
	FMOVQ.P F24, 16(R7)              \
	MOVE(c1, c0)                     \
one:                                     \
	TBZ     $0, R6, next             \
	FMOVD   (R7), F24                \
	FMLAE(c0, 31, 0, 24)             \
	FMOVD   F24, (R7)                \
next:                                    \
	ADD     R4, R3                   \
	SUB     $1, R5                   \
	CBZ     R5, done

// func gemmTileNEON(k int, alpha float64, a, b, c []float64, ldc, m, n int)
//
//	R0      steps left          V0…V23  sums, row i in V(4i) … V(4i+3)
//	R1, R2  panels of A and B   V24…V27 B[l,:], at the end a row of C
//	R3, R4  row of C, 8·ldc     V28…V30 A[:,l]
//	R5, R6  m, n                V31     alpha
//	R7, R8  within C
TEXT ·gemmTileNEON(SB), NOSPLIT, $0-112
	MOVD  k+0(FP), R0
	FMOVD alpha+8(FP), F31
	MOVD  a_base+16(FP), R1
	MOVD  b_base+40(FP), R2
	MOVD  c_base+64(FP), R3
	MOVD  ldc+88(FP), R4
	MOVD  m+96(FP), R5
	MOVD  n+104(FP), R6
	LSL   $3, R4

	MOVD R3, R7
	MOVD R5, R8

fetch:
	PRFM (R7), PSTL1KEEP
	ADD  R4, R7
	SUB  $1, R8
	CBNZ R8, fetch

	ZERO4(0, 1, 2, 3)
	ZERO4(4, 5, 6, 7)
	ZERO4(8, 9, 10, 11)
	ZERO4(12, 13, 14, 15)
	ZERO4(16, 17, 18, 19)
	ZERO4(20, 21, 22, 23)
	CBZ  R0, store

step:
	FLDPQ.P 64(R2), (F24, F25)
	FLDPQ.P 48(R1), (F28, F29)
	FLDPQ   -32(R2), (F26, F27)
	FMOVQ   -16(R1), F30
	SUB     $1, R0
	ROW(28, 0, 0, 1, 2, 3)
	ROW(28, 1, 4, 5, 6, 7)
	ROW(29, 0, 8, 9, 10, 11)
	ROW(29, 1, 12, 13, 14, 15)
	ROW(30, 0, 16, 17, 18, 19)
	ROW(30, 1, 20, 21, 22, 23)
	CBNZ    R0, step

store:
	TBZ $3, R6, part
	FULL(0, 1, 2, 3)
	FULL(4, 5, 6, 7)
	FULL(8, 9, 10, 11)
	FULL(12, 13, 14, 15)
	FULL(16, 17, 18, 19)
	FULL(20, 21, 22, 23)

part:
	PART(0, 1, 2, 3, two0, one0, next0)
	PART(4, 5, 6, 7, two1, one1, next1)
	PART(8, 9, 10, 11, two2, one2, next2)
	PART(12, 13, 14, 15, two3, one3, next3)
	PART(16, 17, 18, 19, two4, one4, next4)
	PART(20, 21, 22, 23, two5, one5, next5)

done:
	RET
