//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// One step l of eight columns: 24 FMA, 8 instructions that load 4 times 16 and 6 times 8 bytes,
// and 4 of loop. Two 128-bit FMA pipes
// (Cortex-A76, Neoverse N1) need 12 cycles for it, two load pipes 5, decoding 36
// instructions four at a time 9; four FMA pipes (Apple M, Neoverse V1) need 6
// cycles, three load pipes 3.3, eight decoders 4.5. An FMA takes one element of a register for
// both lanes, so elements of A are loaded as they are: a load that broadcasts takes an FMA pipe too. A sum takes part once a step,
// after 24 FMA, and an FMA is ready after 4 cycles, 16 FMA at most. So the FMA pipes
// are the limit. The loads of a step depend on no sum, so they run ahead of it.

// LOADA loads an element of A, of the column that R23 says.
#define LOADA(row, t) FMOVD (row)(R23), t

// STEPw adds the product of column l of A and w columns of row l of B to the sums:
// row i is V(4i) … V(4i+3).
#define ROW8(a, c0, c1, c2, c3) \
	FMLAE(24, a, 0, c0) \
	FMLAE(25, a, 0, c1) \
	FMLAE(26, a, 0, c2) \
	FMLAE(27, a, 0, c3)

#define ROW4(a, c0, c1, c2, c3) \
	FMLAE(24, a, 0, c0) \
	FMLAE(25, a, 0, c1)

#define ROW2(a, c0, c1, c2, c3) \
	FMLAE(24, a, 0, c0)

#define LOADB8 \
	FLDPQ (R2), (F24, F25) \
	FLDPQ 32(R2), (F26, F27)

#define LOADB4 FLDPQ (R2), (F24, F25)
#define LOADB2 FMOVQ (R2), F24
#define LOADB1 FMOVD (R2), F24

#define STEP(LOADB, ROW) \
	LOADB \
	LOADA(R9, F28) \
	LOADA(R10, F29) \
	LOADA(R11, F30) \
	LOADA(R12, F31) \
	ADD R26, R2 \
	SUB $1, R0 \
	ROW(28, 0, 1, 2, 3) \
	LOADA(R13, F28) \
	ROW(29, 4, 5, 6, 7) \
	LOADA(R14, F29) \
	ADD R15, R23 \
	ROW(30, 8, 9, 10, 11) \
	ROW(31, 12, 13, 14, 15) \
	ROW(28, 16, 17, 18, 19) \
	ROW(29, 20, 21, 22, 23)

// ADDw sets w elements at R3 to alpha (V28) times a row of sums plus beta (V29)
// times themselves, PUTw to the first of these. Both go to the next row of C, and
// leave after the last one.
#define NEXTROW(end) \
	ADD R4, R3 \
	SUB $1, R5 \
	CBZ R5, end

#define OUT8(c0, c1, c2, c3, end) \
	FMLAE(c0, 28, 0, 24) \
	FMLAE(c1, 28, 0, 25) \
	FMLAE(c2, 28, 0, 26) \
	FMLAE(c3, 28, 0, 27) \
	FSTPQ (F24, F25), (R3) \
	FSTPQ (F26, F27), 32(R3) \
	NEXTROW(end)

#define ADD8(c0, c1, c2, c3, end) \
	FLDPQ (R3), (F24, F25) \
	FLDPQ 32(R3), (F26, F27) \
	FMULE(24, 29, 0, 24) \
	FMULE(25, 29, 0, 25) \
	FMULE(26, 29, 0, 26) \
	FMULE(27, 29, 0, 27) \
	OUT8(c0, c1, c2, c3, end)

#define PUT8(c0, c1, c2, c3, end) \
	ZERO4(24, 25, 26, 27) \
	OUT8(c0, c1, c2, c3, end)

#define OUT4(c0, c1, end) \
	FMLAE(c0, 28, 0, 24) \
	FMLAE(c1, 28, 0, 25) \
	FSTPQ (F24, F25), (R3) \
	NEXTROW(end)

#define ADD4(c0, c1, c2, c3, end) \
	FLDPQ (R3), (F24, F25) \
	FMULE(24, 29, 0, 24) \
	FMULE(25, 29, 0, 25) \
	OUT4(c0, c1, end)

#define PUT4(c0, c1, c2, c3, end) \
	ZERO(24) \
	ZERO(25) \
	OUT4(c0, c1, end)

#define ADD2(c0, c1, c2, c3, end) \
	FMOVQ (R3), F24 \
	FMULE(24, 29, 0, 24) \
	FMLAE(c0, 28, 0, 24) \
	FMOVQ F24, (R3) \
	NEXTROW(end)

#define PUT2(c0, c1, c2, c3, end) \
	ZERO(24) \
	FMLAE(c0, 28, 0, 24) \
	FMOVQ F24, (R3) \
	NEXTROW(end)

#define ADD1(c0, c1, c2, c3, end) \
	FMOVD (R3), F24 \
	FMULE(24, 29, 0, 24) \
	FMLAE(c0, 28, 0, 24) \
	FMOVD F24, (R3) \
	NEXTROW(end)

#define PUT1(c0, c1, c2, c3, end) \
	ZERO(24) \
	FMLAE(c0, 28, 0, 24) \
	FMOVD F24, (R3) \
	NEXTROW(end)

#define STORE(OUT, end) \
	OUT(0, 1, 2, 3, end) \
	OUT(4, 5, 6, 7, end) \
	OUT(8, 9, 10, 11, end) \
	OUT(12, 13, 14, 15, end) \
	OUT(16, 17, 18, 19, end) \
	OUT(20, 21, 22, 23, end)

// POINT: the row after that of p is at q, or p's itself if there are no more than
// i rows left.
#define POINT(i, p, q) \
	CMP  $i, R5 \
	CSEL GT, R25, ZR, R24 \
	ADD  R24, p, q

#define FETCH \
	PRFM (R24), PSTL1KEEP \
	ADD  R4, R24

// COLUMNS goes through the rows of C, six at a time, in w columns, and then moves on
// by them.
#define COLUMNS(w, LOADB, ROW, ADDROW, PUTROW, tile, step, store, put, end) \
	MOVD a_base+16(FP), R19 \
	MOVD R22, R3 \
	MOVD m+136(FP), R5 \
tile: \
	MOVD R19, R9 \
	POINT(1, R9, R10) \
	POINT(2, R10, R11) \
	POINT(3, R11, R12) \
	POINT(4, R12, R13) \
	POINT(5, R13, R14) \
	MOVD R3, R24 \
	FETCH \
	FETCH \
	FETCH \
	FETCH \
	FETCH \
	FETCH \
	ZERO4(0, 1, 2, 3) \
	ZERO4(4, 5, 6, 7) \
	ZERO4(8, 9, 10, 11) \
	ZERO4(12, 13, 14, 15) \
	ZERO4(16, 17, 18, 19) \
	ZERO4(20, 21, 22, 23) \
	MOVD R21, R2 \
	MOVD ZR, R23 \
	MOVD k+0(FP), R0 \
	CBZ  R0, store \
step: \
	STEP(LOADB, ROW) \
	CBNZ R0, step \
store: \
	FMOVD alpha+8(FP), F28 \
	FMOVD beta+96(FP), F29 \
	ADD R20, R19 \
	CBZ R7, put \
	STORE(ADDROW, end) \
	B   tile \
put: \
	STORE(PUTROW, end) \
	B   tile \
end: \
	ADD $(8*w), R21 \
	ADD $(8*w), R22

// func gemmPanelNEON(k int, alpha float64, a []float64, rsa, csa, stepa int, b []float64, ldb int, beta float64, c []float64, ldc, m, n int)
//
//	R0       steps left              V0…V23  sums, row i in V(4i) … V(4i+3)
//	R2, R26  row of B, 8·ldb         V24…V27 B[l,:], at the end a row of C
//	R3, R4   row of C, 8·ldc         V28…V31 elements of A[:,l], at the end alpha, beta
//	R5, R6   rows left, n            R9…R14  rows of A
//	R7       0 if beta is            R15, R23 8·csa, l times that
//	R19, R20 tile of A, 8·stepa      R25     8·rsa
//	R21, R22 B and C, at the columns in work
TEXT ·gemmPanelNEON(SB), NOSPLIT, $0-152
	MOVD m+136(FP), R5
	CBZ  R5, done
	MOVD n+144(FP), R6
	MOVD beta+96(FP), R7
	LSL  $1, R7
	MOVD rsa+40(FP), R25
	LSL  $3, R25
	MOVD csa+48(FP), R15
	LSL  $3, R15
	MOVD stepa+56(FP), R20
	LSL  $3, R20
	MOVD b_base+64(FP), R21
	MOVD ldb+88(FP), R26
	LSL  $3, R26
	MOVD c_base+104(FP), R22
	MOVD ldc+128(FP), R4
	LSL  $3, R4
	TBZ  $3, R6, four
	COLUMNS(8, LOADB8, ROW8, ADD8, PUT8, tile8, step8, store8, put8, end8)
four:
	TBZ  $2, R6, two
	COLUMNS(4, LOADB4, ROW4, ADD4, PUT4, tile4, step4, store4, put4, end4)
two:
	TBZ  $1, R6, one
	COLUMNS(2, LOADB2, ROW2, ADD2, PUT2, tile2, step2, store2, put2, end2)
one:
	TBZ  $0, R6, done
	COLUMNS(1, LOADB1, ROW2, ADD1, PUT1, tile1, step1, store1, put1, end1)
done:
	RET
