//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// TIMES subtracts the row x0 … x3 times lane i of a from the row c0 … c3.
#define TIMES(a, i, x0, x1, x2, x3, c0, c1, c2, c3) \
	FMLSE(x0, a, i, c0) \
	FMLSE(x1, a, i, c1) \
	FMLSE(x2, a, i, c2) \
	FMLSE(x3, a, i, c3)

// SCALE multiplies the row c0 … c3 by lane i of a.
#define SCALE(a, i, c0, c1, c2, c3) \
	FMULE(c0, a, i, c0) \
	FMULE(c1, a, i, c1) \
	FMULE(c2, a, i, c2) \
	FMULE(c3, a, i, c3)

// LOADTILE loads the tile, STORE stores it.
#define LOADTILE \
	FLDPQ 0(R3), (F0, F1) \
	FLDPQ 32(R3), (F2, F3) \
	FLDPQ 64(R3), (F4, F5) \
	FLDPQ 96(R3), (F6, F7) \
	FLDPQ 128(R3), (F8, F9) \
	FLDPQ 160(R3), (F10, F11) \
	FLDPQ 192(R3), (F12, F13) \
	FLDPQ 224(R3), (F14, F15) \
	FLDPQ 256(R3), (F16, F17) \
	FLDPQ 288(R3), (F18, F19) \
	FLDPQ 320(R3), (F20, F21) \
	FLDPQ 352(R3), (F22, F23)

#define STORE \
	FSTPQ (F0, F1), 0(R3) \
	FSTPQ (F2, F3), 32(R3) \
	FSTPQ (F4, F5), 64(R3) \
	FSTPQ (F6, F7), 96(R3) \
	FSTPQ (F8, F9), 128(R3) \
	FSTPQ (F10, F11), 160(R3) \
	FSTPQ (F12, F13), 192(R3) \
	FSTPQ (F14, F15), 224(R3) \
	FSTPQ (F16, F17), 256(R3) \
	FSTPQ (F18, F19), 288(R3) \
	FSTPQ (F20, F21), 320(R3) \
	FSTPQ (F22, F23), 352(R3)

// SUBTRACT subtracts the next R5 columns of T times the rows from R2 on.
#define SUBTRACT(above, diagonal) \
	CBZ     R5, diagonal \
above: \
	FLDPQ.P 64(R2), (F24, F25) \
	FLDPQ.P 48(R1), (F28, F29) \
	FLDPQ   -32(R2), (F26, F27) \
	FMOVQ   -16(R1), F30 \
	SUB     $1, R5 \
	TIMES(28, 0, 24, 25, 26, 27, 0, 1, 2, 3) \
	TIMES(28, 1, 24, 25, 26, 27, 4, 5, 6, 7) \
	TIMES(29, 0, 24, 25, 26, 27, 8, 9, 10, 11) \
	TIMES(29, 1, 24, 25, 26, 27, 12, 13, 14, 15) \
	TIMES(30, 0, 24, 25, 26, 27, 16, 17, 18, 19) \
	TIMES(30, 1, 24, 25, 26, 27, 20, 21, 22, 23) \
	CBNZ    R5, above \
diagonal:

// Registers:
//
//	R0, R4  tiles left, rows that are solved  V0…V23  rows of X, row i in V(4i) … V(4i+3)
//	R1      column of T (48 bytes)            V24…V27 a row of X that is solved
//	R2      a row of X that is solved         V28…V30 a column of T
//	R3      the tile's rows of X (64 bytes)
//	R5      rows left to take in

// func solveLowerNEON(tiles int, t, x []float64)
TEXT ·solveLowerNEON(SB), NOSPLIT, $0-56
	MOVD tiles+0(FP), R0
	MOVD t_base+8(FP), R1
	MOVD x_base+32(FP), R3
	MOVD $0, R4

tile:
	LOADTILE
	MOVD x_base+32(FP), R2
	MOVD R4, R5
	SUBTRACT(above, diagonal)
	FLDPQ 0(R1), (F28, F29)
	FMOVQ 32(R1), F30
	SCALE(28, 0, 0, 1, 2, 3)
	TIMES(28, 1, 0, 1, 2, 3, 4, 5, 6, 7)
	TIMES(29, 0, 0, 1, 2, 3, 8, 9, 10, 11)
	TIMES(29, 1, 0, 1, 2, 3, 12, 13, 14, 15)
	TIMES(30, 0, 0, 1, 2, 3, 16, 17, 18, 19)
	TIMES(30, 1, 0, 1, 2, 3, 20, 21, 22, 23)
	FLDPQ 48(R1), (F28, F29)
	FMOVQ 80(R1), F30
	SCALE(28, 1, 4, 5, 6, 7)
	TIMES(29, 0, 4, 5, 6, 7, 8, 9, 10, 11)
	TIMES(29, 1, 4, 5, 6, 7, 12, 13, 14, 15)
	TIMES(30, 0, 4, 5, 6, 7, 16, 17, 18, 19)
	TIMES(30, 1, 4, 5, 6, 7, 20, 21, 22, 23)
	FLDPQ 96(R1), (F28, F29)
	FMOVQ 128(R1), F30
	SCALE(29, 0, 8, 9, 10, 11)
	TIMES(29, 1, 8, 9, 10, 11, 12, 13, 14, 15)
	TIMES(30, 0, 8, 9, 10, 11, 16, 17, 18, 19)
	TIMES(30, 1, 8, 9, 10, 11, 20, 21, 22, 23)
	FLDPQ 144(R1), (F28, F29)
	FMOVQ 176(R1), F30
	SCALE(29, 1, 12, 13, 14, 15)
	TIMES(30, 0, 12, 13, 14, 15, 16, 17, 18, 19)
	TIMES(30, 1, 12, 13, 14, 15, 20, 21, 22, 23)
	FLDPQ 192(R1), (F28, F29)
	FMOVQ 224(R1), F30
	SCALE(30, 0, 16, 17, 18, 19)
	TIMES(30, 1, 16, 17, 18, 19, 20, 21, 22, 23)
	FLDPQ 240(R1), (F28, F29)
	FMOVQ 272(R1), F30
	SCALE(30, 1, 20, 21, 22, 23)
	STORE
	ADD  $288, R1
	ADD  $384, R3
	ADD  $6, R4
	SUB  $1, R0
	CBNZ R0, tile
	RET

// func solveUpperNEON(tiles int, t, x []float64)
TEXT ·solveUpperNEON(SB), NOSPLIT, $0-56
	MOVD tiles+0(FP), R0
	MOVD t_base+8(FP), R1
	MOVD x_base+32(FP), R3
	MOVD $0, R4
	SUB  $1, R0, R2
	MOVD $384, R5
	MUL  R5, R2
	ADD  R2, R3 // the last tile

tile:
	LOADTILE
	ADD  $384, R3, R2
	MOVD R4, R5
	SUBTRACT(above, diagonal)
	FLDPQ 240(R1), (F28, F29)
	FMOVQ 272(R1), F30
	SCALE(30, 1, 20, 21, 22, 23)
	TIMES(30, 0, 20, 21, 22, 23, 16, 17, 18, 19)
	TIMES(29, 1, 20, 21, 22, 23, 12, 13, 14, 15)
	TIMES(29, 0, 20, 21, 22, 23, 8, 9, 10, 11)
	TIMES(28, 1, 20, 21, 22, 23, 4, 5, 6, 7)
	TIMES(28, 0, 20, 21, 22, 23, 0, 1, 2, 3)
	FLDPQ 192(R1), (F28, F29)
	FMOVQ 224(R1), F30
	SCALE(30, 0, 16, 17, 18, 19)
	TIMES(29, 1, 16, 17, 18, 19, 12, 13, 14, 15)
	TIMES(29, 0, 16, 17, 18, 19, 8, 9, 10, 11)
	TIMES(28, 1, 16, 17, 18, 19, 4, 5, 6, 7)
	TIMES(28, 0, 16, 17, 18, 19, 0, 1, 2, 3)
	FLDPQ 144(R1), (F28, F29)
	FMOVQ 176(R1), F30
	SCALE(29, 1, 12, 13, 14, 15)
	TIMES(29, 0, 12, 13, 14, 15, 8, 9, 10, 11)
	TIMES(28, 1, 12, 13, 14, 15, 4, 5, 6, 7)
	TIMES(28, 0, 12, 13, 14, 15, 0, 1, 2, 3)
	FLDPQ 96(R1), (F28, F29)
	FMOVQ 128(R1), F30
	SCALE(29, 0, 8, 9, 10, 11)
	TIMES(28, 1, 8, 9, 10, 11, 4, 5, 6, 7)
	TIMES(28, 0, 8, 9, 10, 11, 0, 1, 2, 3)
	FLDPQ 48(R1), (F28, F29)
	FMOVQ 80(R1), F30
	SCALE(28, 1, 4, 5, 6, 7)
	TIMES(28, 0, 4, 5, 6, 7, 0, 1, 2, 3)
	FLDPQ 0(R1), (F28, F29)
	FMOVQ 32(R1), F30
	SCALE(28, 0, 0, 1, 2, 3)
	STORE
	ADD  $288, R1
	SUB  $384, R3
	ADD  $6, R4
	SUB  $1, R0
	CBNZ R0, tile
	RET
