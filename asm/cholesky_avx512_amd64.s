//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// Registers of a tile, 8 columns of 24 rows of L:
//
//	Z0 … Z23   column i is Z(3i), Z(3i+1), Z(3i+2)
//	Z24 … Z26  column s of b; quotients; elements in all lanes
//	Z27 … Z31  elements in all lanes
//	SI, DI     column s of a, at the tile's 8 rows, and of b
//	DX         the tile
//	CX, R8     columns left, by four and one by one
//	R9, R10    a and b, from their first column
//	R11        columns before the tile
//	R12        tiles left

// EACH does OP for the eight columns of the tile.
#define EACH(OP) \
	OP(0, Z0, Z1, Z2) \
	OP(192, Z3, Z4, Z5) \
	OP(384, Z6, Z7, Z8) \
	OP(576, Z9, Z10, Z11) \
	OP(768, Z12, Z13, Z14) \
	OP(960, Z15, Z16, Z17) \
	OP(1152, Z18, Z19, Z20) \
	OP(1344, Z21, Z22, Z23)

#define FETCH(at, c0, c1, c2) \
	VMOVUPD at(DX), c0 \
	VMOVUPD (at+64)(DX), c1 \
	VMOVUPD (at+128)(DX), c2

#define PUT(at, c0, c1, c2) \
	VMOVUPD c0, at(DX) \
	VMOVUPD c1, (at+64)(DX) \
	VMOVUPD c2, (at+128)(DX)

// SUB1, SUB2, SUB3 subtract t times a column of one, two or three registers.
#define SUB1(t, c0) \
	VFNMADD231PD Z24, t, c0

#define SUB2(t, c0, c1) \
	SUB1(t, c0) \
	VFNMADD231PD Z25, t, c1

#define SUB3(t, c0, c1, c2) \
	SUB2(t, c0, c1) \
	VFNMADD231PD Z26, t, c2

#define STEP1(u) \
	VMOVUPD (192*u+0)(DI), Z24 \
	VBROADCASTSD (192*u+0)(SI), Z27 \
	SUB1(Z27, Z0) \
	VBROADCASTSD (192*u+8)(SI), Z28 \
	SUB1(Z28, Z3) \
	VBROADCASTSD (192*u+16)(SI), Z29 \
	SUB1(Z29, Z6) \
	VBROADCASTSD (192*u+24)(SI), Z30 \
	SUB1(Z30, Z9) \
	VBROADCASTSD (192*u+32)(SI), Z27 \
	SUB1(Z27, Z12) \
	VBROADCASTSD (192*u+40)(SI), Z28 \
	SUB1(Z28, Z15) \
	VBROADCASTSD (192*u+48)(SI), Z29 \
	SUB1(Z29, Z18) \
	VBROADCASTSD (192*u+56)(SI), Z30 \
	SUB1(Z30, Z21)

#define STEP2(u) \
	VMOVUPD (192*u+0)(DI), Z24 \
	VMOVUPD (192*u+64)(DI), Z25 \
	VBROADCASTSD (192*u+0)(SI), Z27 \
	SUB2(Z27, Z0, Z1) \
	VBROADCASTSD (192*u+8)(SI), Z28 \
	SUB2(Z28, Z3, Z4) \
	VBROADCASTSD (192*u+16)(SI), Z29 \
	SUB2(Z29, Z6, Z7) \
	VBROADCASTSD (192*u+24)(SI), Z30 \
	SUB2(Z30, Z9, Z10) \
	VBROADCASTSD (192*u+32)(SI), Z27 \
	SUB2(Z27, Z12, Z13) \
	VBROADCASTSD (192*u+40)(SI), Z28 \
	SUB2(Z28, Z15, Z16) \
	VBROADCASTSD (192*u+48)(SI), Z29 \
	SUB2(Z29, Z18, Z19) \
	VBROADCASTSD (192*u+56)(SI), Z30 \
	SUB2(Z30, Z21, Z22)

#define STEP3(u) \
	VMOVUPD (192*u+0)(DI), Z24 \
	VMOVUPD (192*u+64)(DI), Z25 \
	VMOVUPD (192*u+128)(DI), Z26 \
	VBROADCASTSD (192*u+0)(SI), Z27 \
	SUB3(Z27, Z0, Z1, Z2) \
	VBROADCASTSD (192*u+8)(SI), Z28 \
	SUB3(Z28, Z3, Z4, Z5) \
	VBROADCASTSD (192*u+16)(SI), Z29 \
	SUB3(Z29, Z6, Z7, Z8) \
	VBROADCASTSD (192*u+24)(SI), Z30 \
	SUB3(Z30, Z9, Z10, Z11) \
	VBROADCASTSD (192*u+32)(SI), Z27 \
	SUB3(Z27, Z12, Z13, Z14) \
	VBROADCASTSD (192*u+40)(SI), Z28 \
	SUB3(Z28, Z15, Z16, Z17) \
	VBROADCASTSD (192*u+48)(SI), Z29 \
	SUB3(Z29, Z18, Z19, Z20) \
	VBROADCASTSD (192*u+56)(SI), Z30 \
	SUB3(Z30, Z21, Z22, Z23)

// SUBTRACT runs STEP over the CX columns before the tile; SI and DI move on.
#define SUBTRACT(STEP, four, rest, one, end) \
	MOVQ CX, R8 \
	ANDQ $3, R8 \
	SHRQ $2, CX \
	JZ   rest \
	PCALIGN $32 \
four: \
	STEP(0) \
	STEP(1) \
	STEP(2) \
	STEP(3) \
	ADDQ $768, SI \
	ADDQ $768, DI \
	DECQ CX \
	JNZ  four \
rest: \
	TESTQ R8, R8 \
	JZ    end \
one: \
	STEP(0) \
	ADDQ $192, SI \
	ADDQ $192, DI \
	DECQ R8 \
	JNZ  one \
end:

// DIVIDE divides a column by Z28, whose reciprocal is Z27.
#define DIVIDE(c0, c1, c2) \
	VMULPD Z27, c0, Z24 \
	VMULPD Z27, c1, Z25 \
	VMULPD Z27, c2, Z26 \
	VFNMADD231PD Z28, Z24, c0 \
	VFNMADD231PD Z28, Z25, c1 \
	VFNMADD231PD Z28, Z26, c2 \
	VFMADD213PD Z24, Z27, c0 \
	VFMADD213PD Z25, Z27, c1 \
	VFMADD213PD Z26, Z27, c2

// MULTIPLE subtracts t times column x from column c.
#define MULTIPLE(t, x0, x1, x2, c0, c1, c2) \
	VFNMADD231PD x0, t, c0 \
	VFNMADD231PD x1, t, c1 \
	VFNMADD231PD x2, t, c2

// func cholUpdateAVX512(d int, a, b, c []float64)
TEXT ·cholUpdateAVX512(SB), NOSPLIT, $0-80
	MOVQ d+0(FP), R11
	MOVQ a_base+8(FP), R9
	MOVQ b_base+32(FP), R10
	MOVQ c_base+56(FP), DX
	MOVQ $3, R12
tile:
	MOVQ R9, SI
	MOVQ R10, DI
	MOVQ R11, CX
	EACH(FETCH)
	SUBTRACT(STEP3, four, rest, one, end)
	EACH(PUT)
	ADDQ $64, R9
	ADDQ $1536, DX
	DECQ R12
	JNZ  tile
	RETURN

// FINISH divides column s of the tile by a's element on the diagonal.
#define FINISH(s, c0, c1, c2) \
	VBROADCASTSD (8*s)(R13), Z27 \
	VBROADCASTSD (200*s)(SI), Z28 \
	DIVIDE(c0, c1, c2)

// AWAY subtracts a's element (at) times column x from column c.
#define AWAY(at, x0, x1, x2, c0, c1, c2) \
	VBROADCASTSD at(SI), Z29 \
	MULTIPLE(Z29, x0, x1, x2, c0, c1, c2)

// func cholSolveAVX512(d int, a, b, inv []float64)
//
// R13 is at the reciprocals of the tile's divisors.
TEXT ·cholSolveAVX512(SB), NOSPLIT, $0-80
	MOVQ d+0(FP), R11
	MOVQ a_base+8(FP), R9
	MOVQ b_base+32(FP), R10
	MOVQ inv_base+56(FP), R13
	LEAQ (R11)(R11*2), DX
	SHLQ $6, DX
	ADDQ R10, DX
	MOVQ $3, R12
tile:
	MOVQ R9, SI
	MOVQ R10, DI
	MOVQ R11, CX
	EACH(FETCH)
	SUBTRACT(STEP3, four, rest, one, end)
	FINISH(0, Z0, Z1, Z2)
	AWAY(8, Z0, Z1, Z2, Z3, Z4, Z5)
	AWAY(16, Z0, Z1, Z2, Z6, Z7, Z8)
	AWAY(24, Z0, Z1, Z2, Z9, Z10, Z11)
	AWAY(32, Z0, Z1, Z2, Z12, Z13, Z14)
	AWAY(40, Z0, Z1, Z2, Z15, Z16, Z17)
	AWAY(48, Z0, Z1, Z2, Z18, Z19, Z20)
	AWAY(56, Z0, Z1, Z2, Z21, Z22, Z23)
	FINISH(1, Z3, Z4, Z5)
	AWAY(208, Z3, Z4, Z5, Z6, Z7, Z8)
	AWAY(216, Z3, Z4, Z5, Z9, Z10, Z11)
	AWAY(224, Z3, Z4, Z5, Z12, Z13, Z14)
	AWAY(232, Z3, Z4, Z5, Z15, Z16, Z17)
	AWAY(240, Z3, Z4, Z5, Z18, Z19, Z20)
	AWAY(248, Z3, Z4, Z5, Z21, Z22, Z23)
	FINISH(2, Z6, Z7, Z8)
	AWAY(408, Z6, Z7, Z8, Z9, Z10, Z11)
	AWAY(416, Z6, Z7, Z8, Z12, Z13, Z14)
	AWAY(424, Z6, Z7, Z8, Z15, Z16, Z17)
	AWAY(432, Z6, Z7, Z8, Z18, Z19, Z20)
	AWAY(440, Z6, Z7, Z8, Z21, Z22, Z23)
	FINISH(3, Z9, Z10, Z11)
	AWAY(608, Z9, Z10, Z11, Z12, Z13, Z14)
	AWAY(616, Z9, Z10, Z11, Z15, Z16, Z17)
	AWAY(624, Z9, Z10, Z11, Z18, Z19, Z20)
	AWAY(632, Z9, Z10, Z11, Z21, Z22, Z23)
	FINISH(4, Z12, Z13, Z14)
	AWAY(808, Z12, Z13, Z14, Z15, Z16, Z17)
	AWAY(816, Z12, Z13, Z14, Z18, Z19, Z20)
	AWAY(824, Z12, Z13, Z14, Z21, Z22, Z23)
	FINISH(5, Z15, Z16, Z17)
	AWAY(1008, Z15, Z16, Z17, Z18, Z19, Z20)
	AWAY(1016, Z15, Z16, Z17, Z21, Z22, Z23)
	FINISH(6, Z18, Z19, Z20)
	AWAY(1208, Z18, Z19, Z20, Z21, Z22, Z23)
	FINISH(7, Z21, Z22, Z23)
	EACH(PUT)
	ADDQ $64, R9
	ADDQ $64, R13
	ADDQ $1536, DX
	ADDQ $8, R11
	DECQ R12
	JNZ  tile
	RETURN

// FETCHPART and PUTPART leave out what is right of the panel.
#define FETCHPART(at, c0, c1, c2) \
	VMOVUPD at(DX), c0 \
	VMOVUPD.Z (at+64)(DX), K2, c1 \
	VMOVUPD.Z (at+128)(DX), K3, c2

#define PUTPART(at, c0, c1, c2) \
	VMOVUPD c0, at(DX) \
	VMOVUPD c1, K2, (at+64)(DX) \
	VMOVUPD c2, K3, (at+128)(DX)

// PIVOT takes the root, X28, of the pivot in X27, and its reciprocal, which
// replaces it. R8 is the number of positive finite numbers: for these the bits of
// the pivot are 1 to R8.
#define PIVOT(s) \
	VMOVQ  X27, AX \
	DECQ   AX \
	CMPQ   AX, R8 \
	JCC    fail \
	VSQRTSD X27, X27, X28 \
	VDIVSD  X28, X29, X27 \
	VMOVSD  X27, (8*s)(R13) \
	VBROADCASTSD X27, Z27 \
	VBROADCASTSD X28, Z28 \
	INCQ R14

// AHEAD forms the next pivot in X31, from the first registers of columns s and
// s+1, as DIVIDE and NEXT do, but sooner: the pivots decide how long all takes.
#define AHEAD(s, c0, next) \
	VALIGNQ $(s+1), c0, c0, Z30 \
	VALIGNQ $(s+1), next, next, Z31 \
	VMULSD  X27, X30, X24 \
	VFNMADD231SD X28, X24, X30 \
	VFMADD213SD  X24, X27, X30 \
	VFNMADD231SD X30, X30, X31

// ROOT puts the root in its place and zeros to the left of it.
#define ROOT(s, c0) \
	MOVL  $((0xff<<s)&0xff), AX \
	KMOVB AX, K4 \
	VMOVAPD.Z c0, K4, c0 \
	MOVL  $(1<<s), AX \
	KMOVB AX, K4 \
	VMOVAPD Z28, K4, c0

// NEXT subtracts lane i of x0, lane (i AND 1) of its pair p, times column x from column c.
#define NEXT(p, odd, x0, x1, x2, c0, c1, c2) \
	VSHUFF64X2 $(0x55*p), x0, x0, Z24 \
	VPERMILPD  $(0xff*odd), Z24, Z24 \
	MULTIPLE(Z24, x0, x1, x2, c0, c1, c2)

#define CLEAR(at, c0, c1, c2) \
	VMOVUPD Z31, at(DX)

// func cholFactorAVX512(d int, b, inv []float64) (good int, pivot float64)
//
//	R13     the reciprocals     X29  1
//	R14     the pivot's number  K2, K3  the tile's second and third register
TEXT ·cholFactorAVX512(SB), NOSPLIT, $0-72
	MOVQ d+0(FP), R11
	MOVQ b_base+8(FP), R10
	MOVQ inv_base+32(FP), R13
	LEAQ (R11)(R11*2), DX
	SHLQ $6, DX
	ADDQ R10, DX
	MOVQ $3, R12
	XORL R14, R14
	KXNORB K2, K2, K2
	KXNORB K3, K3, K3
tile:
	MOVQ R10, SI
	MOVQ R10, DI
	MOVQ R11, CX
	EACH(FETCHPART)
	CMPQ R12, $2
	JLT  narrow
	JEQ  middle
	SUBTRACT(STEP3, wideFour, wideRest, wideOne, wideEnd)
	JMP  columns
middle:
	SUBTRACT(STEP2, middleFour, middleRest, middleOne, middleEnd)
	JMP  columns
narrow:
	SUBTRACT(STEP1, narrowFour, narrowRest, narrowOne, narrowEnd)
columns:
	MOVQ $0x3ff0000000000000, AX
	VMOVQ AX, X29
	MOVQ $0x7fefffffffffffff, R8
	VMOVAPD X0, X27
	PIVOT(0)
	AHEAD(0, Z0, Z3)
	DIVIDE(Z0, Z1, Z2)
	NEXT(0, 1, Z0, Z1, Z2, Z3, Z4, Z5)
	NEXT(1, 0, Z0, Z1, Z2, Z6, Z7, Z8)
	NEXT(1, 1, Z0, Z1, Z2, Z9, Z10, Z11)
	NEXT(2, 0, Z0, Z1, Z2, Z12, Z13, Z14)
	NEXT(2, 1, Z0, Z1, Z2, Z15, Z16, Z17)
	NEXT(3, 0, Z0, Z1, Z2, Z18, Z19, Z20)
	NEXT(3, 1, Z0, Z1, Z2, Z21, Z22, Z23)
	ROOT(0, Z0)
	VMOVAPD X31, X27
	PIVOT(1)
	AHEAD(1, Z3, Z6)
	DIVIDE(Z3, Z4, Z5)
	NEXT(1, 0, Z3, Z4, Z5, Z6, Z7, Z8)
	NEXT(1, 1, Z3, Z4, Z5, Z9, Z10, Z11)
	NEXT(2, 0, Z3, Z4, Z5, Z12, Z13, Z14)
	NEXT(2, 1, Z3, Z4, Z5, Z15, Z16, Z17)
	NEXT(3, 0, Z3, Z4, Z5, Z18, Z19, Z20)
	NEXT(3, 1, Z3, Z4, Z5, Z21, Z22, Z23)
	ROOT(1, Z3)
	VMOVAPD X31, X27
	PIVOT(2)
	AHEAD(2, Z6, Z9)
	DIVIDE(Z6, Z7, Z8)
	NEXT(1, 1, Z6, Z7, Z8, Z9, Z10, Z11)
	NEXT(2, 0, Z6, Z7, Z8, Z12, Z13, Z14)
	NEXT(2, 1, Z6, Z7, Z8, Z15, Z16, Z17)
	NEXT(3, 0, Z6, Z7, Z8, Z18, Z19, Z20)
	NEXT(3, 1, Z6, Z7, Z8, Z21, Z22, Z23)
	ROOT(2, Z6)
	VMOVAPD X31, X27
	PIVOT(3)
	AHEAD(3, Z9, Z12)
	DIVIDE(Z9, Z10, Z11)
	NEXT(2, 0, Z9, Z10, Z11, Z12, Z13, Z14)
	NEXT(2, 1, Z9, Z10, Z11, Z15, Z16, Z17)
	NEXT(3, 0, Z9, Z10, Z11, Z18, Z19, Z20)
	NEXT(3, 1, Z9, Z10, Z11, Z21, Z22, Z23)
	ROOT(3, Z9)
	VMOVAPD X31, X27
	PIVOT(4)
	AHEAD(4, Z12, Z15)
	DIVIDE(Z12, Z13, Z14)
	NEXT(2, 1, Z12, Z13, Z14, Z15, Z16, Z17)
	NEXT(3, 0, Z12, Z13, Z14, Z18, Z19, Z20)
	NEXT(3, 1, Z12, Z13, Z14, Z21, Z22, Z23)
	ROOT(4, Z12)
	VMOVAPD X31, X27
	PIVOT(5)
	AHEAD(5, Z15, Z18)
	DIVIDE(Z15, Z16, Z17)
	NEXT(3, 0, Z15, Z16, Z17, Z18, Z19, Z20)
	NEXT(3, 1, Z15, Z16, Z17, Z21, Z22, Z23)
	ROOT(5, Z15)
	VMOVAPD X31, X27
	PIVOT(6)
	AHEAD(6, Z18, Z21)
	DIVIDE(Z18, Z19, Z20)
	NEXT(3, 1, Z18, Z19, Z20, Z21, Z22, Z23)
	ROOT(6, Z18)
	VMOVAPD X31, X27
	PIVOT(7)
	DIVIDE(Z21, Z22, Z23)
	ROOT(7, Z21)
	EACH(PUTPART)
	VXORPD Z31, Z31, Z31
	CMPQ R12, $2
	JGT  moveOn
	SUBQ $64, DX
	EACH(CLEAR)
	ADDQ $64, DX
	CMPQ R12, $2
	JEQ  moveOn
	SUBQ $128, DX
	EACH(CLEAR)
	ADDQ $128, DX
moveOn:
	KXORB K3, K3, K3  // the next tile has a register less in each column
	CMPQ  R12, $2
	JGT   second
	KXORB K2, K2, K2
second:
	ADDQ $64, R10
	ADDQ $64, R13
	ADDQ $1600, DX    // 8 columns on, and 8 rows
	ADDQ $8, R11
	DECQ R12
	JNZ  tile
	MOVQ R14, good+56(FP)
	MOVQ $0, pivot+64(FP)
	RETURN
fail:
	MOVQ R14, good+56(FP)
	VMOVSD X27, pivot+64(FP)
	RETURN
