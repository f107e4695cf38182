//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// Registers of the tile, 8×24:
//
//	Z0 … Z23   rows of X: row i is Z(3i), Z(3i+1), Z(3i+2)
//	Z24 … Z26  a row of X that is solved
//	Z27 … Z30  elements of a column of T, each in all lanes
//	SI         column of T (64 bytes)
//	DI, BX     the tile's rows of X, a row that is solved (192 bytes)
//	R8, DX     rows that are solved, tiles left

// TIMES subtracts a·(x0, x1, x2) from a row.
#define TIMES(a, t, x0, x1, x2, c0, c1, c2) \
	VBROADCASTSD a(SI), t \
	VFNMADD231PD x0, t, c0 \
	VFNMADD231PD x1, t, c1 \
	VFNMADD231PD x2, t, c2

// SCALE multiplies row i, at byte 192i, by the reciprocal at byte a of the diagonal
// tile, and stores it.
#define SCALE(a, i, c0, c1, c2) \
	VBROADCASTSD a(SI), Z27 \
	VMULPD  Z27, c0, c0 \
	VMULPD  Z27, c1, c1 \
	VMULPD  Z27, c2, c2 \
	VMOVUPD c0, (192*i)(DI) \
	VMOVUPD c1, (192*i+64)(DI) \
	VMOVUPD c2, (192*i+128)(DI)

#define LOADROW(i, c0, c1, c2) \
	VMOVUPD (192*i)(DI), c0 \
	VMOVUPD (192*i+64)(DI), c1 \
	VMOVUPD (192*i+128)(DI), c2

// LOADTILE loads the tile.
#define LOADTILE \
	LOADROW(0, Z0, Z1, Z2) \
	LOADROW(1, Z3, Z4, Z5) \
	LOADROW(2, Z6, Z7, Z8) \
	LOADROW(3, Z9, Z10, Z11) \
	LOADROW(4, Z12, Z13, Z14) \
	LOADROW(5, Z15, Z16, Z17) \
	LOADROW(6, Z18, Z19, Z20) \
	LOADROW(7, Z21, Z22, Z23)

// SUBTRACT subtracts the next CX columns of T times the rows from BX on.
#define SUBTRACT(above, diagonal) \
	TESTQ CX, CX \
	JZ   diagonal \
	PCALIGN $32 \
above: \
	VMOVUPD (BX), Z24 \
	VMOVUPD 64(BX), Z25 \
	VMOVUPD 128(BX), Z26 \
	TIMES(0, Z27, Z24, Z25, Z26, Z0, Z1, Z2) \
	TIMES(8, Z28, Z24, Z25, Z26, Z3, Z4, Z5) \
	TIMES(16, Z29, Z24, Z25, Z26, Z6, Z7, Z8) \
	TIMES(24, Z30, Z24, Z25, Z26, Z9, Z10, Z11) \
	TIMES(32, Z27, Z24, Z25, Z26, Z12, Z13, Z14) \
	TIMES(40, Z28, Z24, Z25, Z26, Z15, Z16, Z17) \
	TIMES(48, Z29, Z24, Z25, Z26, Z18, Z19, Z20) \
	TIMES(56, Z30, Z24, Z25, Z26, Z21, Z22, Z23) \
	ADDQ $64, SI \
	ADDQ $192, BX \
	DECQ CX \
	JNZ  above \
diagonal:

// func solveLowerAVX512(tiles int, t, x []float64)
TEXT ·solveLowerAVX512(SB), NOSPLIT, $0-56
	MOVQ tiles+0(FP), DX
	MOVQ t_base+8(FP), SI
	MOVQ x_base+32(FP), DI
	XORL R8, R8
tile:
	LOADTILE
	MOVQ x_base+32(FP), BX
	MOVQ R8, CX
	SUBTRACT(above, diagonal)
	SCALE(0, 0, Z0, Z1, Z2)
	TIMES(8, Z28, Z0, Z1, Z2, Z3, Z4, Z5)
	TIMES(16, Z29, Z0, Z1, Z2, Z6, Z7, Z8)
	TIMES(24, Z30, Z0, Z1, Z2, Z9, Z10, Z11)
	TIMES(32, Z28, Z0, Z1, Z2, Z12, Z13, Z14)
	TIMES(40, Z29, Z0, Z1, Z2, Z15, Z16, Z17)
	TIMES(48, Z30, Z0, Z1, Z2, Z18, Z19, Z20)
	TIMES(56, Z28, Z0, Z1, Z2, Z21, Z22, Z23)
	SCALE(72, 1, Z3, Z4, Z5)
	TIMES(80, Z28, Z3, Z4, Z5, Z6, Z7, Z8)
	TIMES(88, Z29, Z3, Z4, Z5, Z9, Z10, Z11)
	TIMES(96, Z30, Z3, Z4, Z5, Z12, Z13, Z14)
	TIMES(104, Z28, Z3, Z4, Z5, Z15, Z16, Z17)
	TIMES(112, Z29, Z3, Z4, Z5, Z18, Z19, Z20)
	TIMES(120, Z30, Z3, Z4, Z5, Z21, Z22, Z23)
	SCALE(144, 2, Z6, Z7, Z8)
	TIMES(152, Z28, Z6, Z7, Z8, Z9, Z10, Z11)
	TIMES(160, Z29, Z6, Z7, Z8, Z12, Z13, Z14)
	TIMES(168, Z30, Z6, Z7, Z8, Z15, Z16, Z17)
	TIMES(176, Z28, Z6, Z7, Z8, Z18, Z19, Z20)
	TIMES(184, Z29, Z6, Z7, Z8, Z21, Z22, Z23)
	SCALE(216, 3, Z9, Z10, Z11)
	TIMES(224, Z28, Z9, Z10, Z11, Z12, Z13, Z14)
	TIMES(232, Z29, Z9, Z10, Z11, Z15, Z16, Z17)
	TIMES(240, Z30, Z9, Z10, Z11, Z18, Z19, Z20)
	TIMES(248, Z28, Z9, Z10, Z11, Z21, Z22, Z23)
	SCALE(288, 4, Z12, Z13, Z14)
	TIMES(296, Z28, Z12, Z13, Z14, Z15, Z16, Z17)
	TIMES(304, Z29, Z12, Z13, Z14, Z18, Z19, Z20)
	TIMES(312, Z30, Z12, Z13, Z14, Z21, Z22, Z23)
	SCALE(360, 5, Z15, Z16, Z17)
	TIMES(368, Z28, Z15, Z16, Z17, Z18, Z19, Z20)
	TIMES(376, Z29, Z15, Z16, Z17, Z21, Z22, Z23)
	SCALE(432, 6, Z18, Z19, Z20)
	TIMES(440, Z28, Z18, Z19, Z20, Z21, Z22, Z23)
	SCALE(504, 7, Z21, Z22, Z23)
	ADDQ $512, SI
	ADDQ $1536, DI
	ADDQ $8, R8
	DECQ DX
	JNZ  tile
	RETURN

// func solveUpperAVX512(tiles int, t, x []float64)
TEXT ·solveUpperAVX512(SB), NOSPLIT, $0-56
	MOVQ tiles+0(FP), DX
	MOVQ t_base+8(FP), SI
	MOVQ x_base+32(FP), DI
	XORL R8, R8
	MOVQ DX, AX
	DECQ AX
	IMULQ $1536, AX
	ADDQ AX, DI      // the last tile
tile:
	LOADTILE
	LEAQ 1536(DI), BX
	MOVQ R8, CX
	SUBTRACT(above, diagonal)
	SCALE(504, 7, Z21, Z22, Z23)
	TIMES(496, Z28, Z21, Z22, Z23, Z18, Z19, Z20)
	TIMES(488, Z29, Z21, Z22, Z23, Z15, Z16, Z17)
	TIMES(480, Z30, Z21, Z22, Z23, Z12, Z13, Z14)
	TIMES(472, Z28, Z21, Z22, Z23, Z9, Z10, Z11)
	TIMES(464, Z29, Z21, Z22, Z23, Z6, Z7, Z8)
	TIMES(456, Z30, Z21, Z22, Z23, Z3, Z4, Z5)
	TIMES(448, Z28, Z21, Z22, Z23, Z0, Z1, Z2)
	SCALE(432, 6, Z18, Z19, Z20)
	TIMES(424, Z28, Z18, Z19, Z20, Z15, Z16, Z17)
	TIMES(416, Z29, Z18, Z19, Z20, Z12, Z13, Z14)
	TIMES(408, Z30, Z18, Z19, Z20, Z9, Z10, Z11)
	TIMES(400, Z28, Z18, Z19, Z20, Z6, Z7, Z8)
	TIMES(392, Z29, Z18, Z19, Z20, Z3, Z4, Z5)
	TIMES(384, Z30, Z18, Z19, Z20, Z0, Z1, Z2)
	SCALE(360, 5, Z15, Z16, Z17)
	TIMES(352, Z28, Z15, Z16, Z17, Z12, Z13, Z14)
	TIMES(344, Z29, Z15, Z16, Z17, Z9, Z10, Z11)
	TIMES(336, Z30, Z15, Z16, Z17, Z6, Z7, Z8)
	TIMES(328, Z28, Z15, Z16, Z17, Z3, Z4, Z5)
	TIMES(320, Z29, Z15, Z16, Z17, Z0, Z1, Z2)
	SCALE(288, 4, Z12, Z13, Z14)
	TIMES(280, Z28, Z12, Z13, Z14, Z9, Z10, Z11)
	TIMES(272, Z29, Z12, Z13, Z14, Z6, Z7, Z8)
	TIMES(264, Z30, Z12, Z13, Z14, Z3, Z4, Z5)
	TIMES(256, Z28, Z12, Z13, Z14, Z0, Z1, Z2)
	SCALE(216, 3, Z9, Z10, Z11)
	TIMES(208, Z28, Z9, Z10, Z11, Z6, Z7, Z8)
	TIMES(200, Z29, Z9, Z10, Z11, Z3, Z4, Z5)
	TIMES(192, Z30, Z9, Z10, Z11, Z0, Z1, Z2)
	SCALE(144, 2, Z6, Z7, Z8)
	TIMES(136, Z28, Z6, Z7, Z8, Z3, Z4, Z5)
	TIMES(128, Z29, Z6, Z7, Z8, Z0, Z1, Z2)
	SCALE(72, 1, Z3, Z4, Z5)
	TIMES(64, Z28, Z3, Z4, Z5, Z0, Z1, Z2)
	SCALE(0, 0, Z0, Z1, Z2)
	ADDQ $512, SI
	SUBQ $1536, DI
	ADDQ $8, R8
	DECQ DX
	JNZ  tile
	RETURN
