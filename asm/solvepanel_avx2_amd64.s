//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// Registers of the tile, 4×12:
//
//	Y0 … Y11   rows of X: row i is Y(3i), Y(3i+1), Y(3i+2)
//	Y12 … Y14  a row of X that is solved
//	Y15        an element of a column of T in all lanes
//	SI         column of T (32 bytes)
//	DI, BX     the tile's rows of X, a row that is solved (96 bytes)
//	R8, DX     rows that are solved, tiles left

// TIMES subtracts a·(x0, x1, x2) from a row.
#define TIMES(a, x0, x1, x2, c0, c1, c2) \
	VBROADCASTSD a(SI), Y15 \
	VFNMADD231PD x0, Y15, c0 \
	VFNMADD231PD x1, Y15, c1 \
	VFNMADD231PD x2, Y15, c2

// SCALE multiplies row i, at byte 96i, by the reciprocal at byte a of the diagonal
// tile, and stores it.
#define SCALE(a, i, c0, c1, c2) \
	VBROADCASTSD a(SI), Y15 \
	VMULPD  Y15, c0, c0 \
	VMULPD  Y15, c1, c1 \
	VMULPD  Y15, c2, c2 \
	VMOVUPD c0, (96*i)(DI) \
	VMOVUPD c1, (96*i+32)(DI) \
	VMOVUPD c2, (96*i+64)(DI)

#define LOADROW(i, c0, c1, c2) \
	VMOVUPD (96*i)(DI), c0 \
	VMOVUPD (96*i+32)(DI), c1 \
	VMOVUPD (96*i+64)(DI), c2

// LOADTILE loads the tile.
#define LOADTILE \
	LOADROW(0, Y0, Y1, Y2) \
	LOADROW(1, Y3, Y4, Y5) \
	LOADROW(2, Y6, Y7, Y8) \
	LOADROW(3, Y9, Y10, Y11)

// SUBTRACT subtracts the next CX columns of T times the rows from BX on.
#define SUBTRACT(above, diagonal) \
	TESTQ CX, CX \
	JZ   diagonal \
	PCALIGN $32 \
above: \
	VMOVUPD (BX), Y12 \
	VMOVUPD 32(BX), Y13 \
	VMOVUPD 64(BX), Y14 \
	TIMES(0, Y12, Y13, Y14, Y0, Y1, Y2) \
	TIMES(8, Y12, Y13, Y14, Y3, Y4, Y5) \
	TIMES(16, Y12, Y13, Y14, Y6, Y7, Y8) \
	TIMES(24, Y12, Y13, Y14, Y9, Y10, Y11) \
	ADDQ $32, SI \
	ADDQ $96, BX \
	DECQ CX \
	JNZ  above \
diagonal:

// func solveLowerAVX2(tiles int, t, x []float64)
TEXT ·solveLowerAVX2(SB), NOSPLIT, $0-56
	MOVQ tiles+0(FP), DX
	MOVQ t_base+8(FP), SI
	MOVQ x_base+32(FP), DI
	XORL R8, R8
tile:
	LOADTILE
	MOVQ x_base+32(FP), BX
	MOVQ R8, CX
	SUBTRACT(above, diagonal)
	SCALE(0, 0, Y0, Y1, Y2)
	TIMES(8, Y0, Y1, Y2, Y3, Y4, Y5)
	TIMES(16, Y0, Y1, Y2, Y6, Y7, Y8)
	TIMES(24, Y0, Y1, Y2, Y9, Y10, Y11)
	SCALE(40, 1, Y3, Y4, Y5)
	TIMES(48, Y3, Y4, Y5, Y6, Y7, Y8)
	TIMES(56, Y3, Y4, Y5, Y9, Y10, Y11)
	SCALE(80, 2, Y6, Y7, Y8)
	TIMES(88, Y6, Y7, Y8, Y9, Y10, Y11)
	SCALE(120, 3, Y9, Y10, Y11)
	ADDQ $128, SI
	ADDQ $384, DI
	ADDQ $4, R8
	DECQ DX
	JNZ  tile
	RETURN

// func solveUpperAVX2(tiles int, t, x []float64)
TEXT ·solveUpperAVX2(SB), NOSPLIT, $0-56
	MOVQ tiles+0(FP), DX
	MOVQ t_base+8(FP), SI
	MOVQ x_base+32(FP), DI
	XORL R8, R8
	MOVQ DX, AX
	DECQ AX
	IMULQ $384, AX
	ADDQ AX, DI      // the last tile
tile:
	LOADTILE
	LEAQ 384(DI), BX
	MOVQ R8, CX
	SUBTRACT(above, diagonal)
	SCALE(120, 3, Y9, Y10, Y11)
	TIMES(112, Y9, Y10, Y11, Y6, Y7, Y8)
	TIMES(104, Y9, Y10, Y11, Y3, Y4, Y5)
	TIMES(96, Y9, Y10, Y11, Y0, Y1, Y2)
	SCALE(80, 2, Y6, Y7, Y8)
	TIMES(72, Y6, Y7, Y8, Y3, Y4, Y5)
	TIMES(64, Y6, Y7, Y8, Y0, Y1, Y2)
	SCALE(40, 1, Y3, Y4, Y5)
	TIMES(32, Y3, Y4, Y5, Y0, Y1, Y2)
	SCALE(0, 0, Y0, Y1, Y2)
	ADDQ $128, SI
	SUBQ $384, DI
	ADDQ $4, R8
	DECQ DX
	JNZ  tile
	RETURN
