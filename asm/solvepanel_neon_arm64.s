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

// COLUMN loads a column of L and goes to the next.
#define COLUMN \
	FLDPQ.P 48(R1), (F28, F29) \
	FMOVQ   -16(R1), F30

// func solvePanelNEON(tiles int, l, x []float64)
//
//	R0, R4  tiles left, rows above the tile   V0…V23  rows of X, row i in V(4i) … V(4i+3)
//	R1      column of L (48 bytes)            V24…V27 a row of X that is solved
//	R2      a row of X that is solved         V28…V30 a column of L
//	R3      the tile's rows of X (64 bytes)
//	R5      rows left to take in
TEXT ·solvePanelNEON(SB), NOSPLIT, $0-56
	MOVD tiles+0(FP), R0
	MOVD l_base+8(FP), R1
	MOVD x_base+32(FP), R3
	MOVD $0, R4

tile:
	FLDPQ 0(R3), (F0, F1)
	FLDPQ 32(R3), (F2, F3)
	FLDPQ 64(R3), (F4, F5)
	FLDPQ 96(R3), (F6, F7)
	FLDPQ 128(R3), (F8, F9)
	FLDPQ 160(R3), (F10, F11)
	FLDPQ 192(R3), (F12, F13)
	FLDPQ 224(R3), (F14, F15)
	FLDPQ 256(R3), (F16, F17)
	FLDPQ 288(R3), (F18, F19)
	FLDPQ 320(R3), (F20, F21)
	FLDPQ 352(R3), (F22, F23)
	MOVD x_base+32(FP), R2
	MOVD R4, R5
	CBZ  R5, diagonal

above:
	FLDPQ.P 64(R2), (F24, F25)
	COLUMN
	FLDPQ   -32(R2), (F26, F27)
	SUB     $1, R5
	TIMES(28, 0, 24, 25, 26, 27, 0, 1, 2, 3)
	TIMES(28, 1, 24, 25, 26, 27, 4, 5, 6, 7)
	TIMES(29, 0, 24, 25, 26, 27, 8, 9, 10, 11)
	TIMES(29, 1, 24, 25, 26, 27, 12, 13, 14, 15)
	TIMES(30, 0, 24, 25, 26, 27, 16, 17, 18, 19)
	TIMES(30, 1, 24, 25, 26, 27, 20, 21, 22, 23)
	CBNZ    R5, above

diagonal:
	COLUMN
	SCALE(28, 0, 0, 1, 2, 3)
	TIMES(28, 1, 0, 1, 2, 3, 4, 5, 6, 7)
	TIMES(29, 0, 0, 1, 2, 3, 8, 9, 10, 11)
	TIMES(29, 1, 0, 1, 2, 3, 12, 13, 14, 15)
	TIMES(30, 0, 0, 1, 2, 3, 16, 17, 18, 19)
	TIMES(30, 1, 0, 1, 2, 3, 20, 21, 22, 23)
	COLUMN
	SCALE(28, 1, 4, 5, 6, 7)
	TIMES(29, 0, 4, 5, 6, 7, 8, 9, 10, 11)
	TIMES(29, 1, 4, 5, 6, 7, 12, 13, 14, 15)
	TIMES(30, 0, 4, 5, 6, 7, 16, 17, 18, 19)
	TIMES(30, 1, 4, 5, 6, 7, 20, 21, 22, 23)
	COLUMN
	SCALE(29, 0, 8, 9, 10, 11)
	TIMES(29, 1, 8, 9, 10, 11, 12, 13, 14, 15)
	TIMES(30, 0, 8, 9, 10, 11, 16, 17, 18, 19)
	TIMES(30, 1, 8, 9, 10, 11, 20, 21, 22, 23)
	COLUMN
	SCALE(29, 1, 12, 13, 14, 15)
	TIMES(30, 0, 12, 13, 14, 15, 16, 17, 18, 19)
	TIMES(30, 1, 12, 13, 14, 15, 20, 21, 22, 23)
	COLUMN
	SCALE(30, 0, 16, 17, 18, 19)
	TIMES(30, 1, 16, 17, 18, 19, 20, 21, 22, 23)
	COLUMN
	SCALE(30, 1, 20, 21, 22, 23)
	FSTPQ.P (F0, F1), 32(R3)
	FSTPQ.P (F2, F3), 32(R3)
	FSTPQ.P (F4, F5), 32(R3)
	FSTPQ.P (F6, F7), 32(R3)
	FSTPQ.P (F8, F9), 32(R3)
	FSTPQ.P (F10, F11), 32(R3)
	FSTPQ.P (F12, F13), 32(R3)
	FSTPQ.P (F14, F15), 32(R3)
	FSTPQ.P (F16, F17), 32(R3)
	FSTPQ.P (F18, F19), 32(R3)
	FSTPQ.P (F20, F21), 32(R3)
	FSTPQ.P (F22, F23), 32(R3)
	ADD  $6, R4
	SUB  $1, R0
	CBNZ R0, tile
	RET
