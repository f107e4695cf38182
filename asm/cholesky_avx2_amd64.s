//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// Registers of a tile, 4 columns of 12 rows of L:
//
//	Y0 … Y11   column i is Y(3i), Y(3i+1), Y(3i+2)
//	Y12 … Y14  column s of b; quotients
//	Y15        an element in all lanes
//	SI, DI     column s of a, at the tile's 4 rows, and of b
//	DX         the tile
//	CX, R8     columns left, by four and one by one
//	R9, R10    a and b, from their first column
//	R11        columns before the tile
//	R12        tiles left

// EACH does OP for the four columns of the tile.
#define EACH(OP) \
	OP(0, Y0, Y1, Y2) \
	OP(96, Y3, Y4, Y5) \
	OP(192, Y6, Y7, Y8) \
	OP(288, Y9, Y10, Y11)

#define FETCH(at, c0, c1, c2) \
	VMOVUPD at(DX), c0 \
	VMOVUPD (at+32)(DX), c1 \
	VMOVUPD (at+64)(DX), c2

#define PUT(at, c0, c1, c2) \
	VMOVUPD c0, at(DX) \
	VMOVUPD c1, (at+32)(DX) \
	VMOVUPD c2, (at+64)(DX)

// SUB1, SUB2, SUB3 subtract Y15 times a column of one, two or three registers.
#define SUB1(c0) \
	VFNMADD231PD Y12, Y15, c0

#define SUB2(c0, c1) \
	SUB1(c0) \
	VFNMADD231PD Y13, Y15, c1

#define SUB3(c0, c1, c2) \
	SUB2(c0, c1) \
	VFNMADD231PD Y14, Y15, c2

#define STEP1(u) \
	VMOVUPD (96*u+0)(DI), Y12 \
	VBROADCASTSD (96*u+0)(SI), Y15 \
	SUB1(Y0) \
	VBROADCASTSD (96*u+8)(SI), Y15 \
	SUB1(Y3) \
	VBROADCASTSD (96*u+16)(SI), Y15 \
	SUB1(Y6) \
	VBROADCASTSD (96*u+24)(SI), Y15 \
	SUB1(Y9)

#define STEP2(u) \
	VMOVUPD (96*u+0)(DI), Y12 \
	VMOVUPD (96*u+32)(DI), Y13 \
	VBROADCASTSD (96*u+0)(SI), Y15 \
	SUB2(Y0, Y1) \
	VBROADCASTSD (96*u+8)(SI), Y15 \
	SUB2(Y3, Y4) \
	VBROADCASTSD (96*u+16)(SI), Y15 \
	SUB2(Y6, Y7) \
	VBROADCASTSD (96*u+24)(SI), Y15 \
	SUB2(Y9, Y10)

#define STEP3(u) \
	VMOVUPD (96*u+0)(DI), Y12 \
	VMOVUPD (96*u+32)(DI), Y13 \
	VMOVUPD (96*u+64)(DI), Y14 \
	VBROADCASTSD (96*u+0)(SI), Y15 \
	SUB3(Y0, Y1, Y2) \
	VBROADCASTSD (96*u+8)(SI), Y15 \
	SUB3(Y3, Y4, Y5) \
	VBROADCASTSD (96*u+16)(SI), Y15 \
	SUB3(Y6, Y7, Y8) \
	VBROADCASTSD (96*u+24)(SI), Y15 \
	SUB3(Y9, Y10, Y11)

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
	ADDQ $384, SI \
	ADDQ $384, DI \
	DECQ CX \
	JNZ  four \
rest: \
	TESTQ R8, R8 \
	JZ    end \
one: \
	STEP(0) \
	ADDQ $96, SI \
	ADDQ $96, DI \
	DECQ R8 \
	JNZ  one \
end:

// DIVIDE divides a register by Y15, whose reciprocal is Y14.
#define DIVIDE(c) \
	VMULPD Y14, c, Y12 \
	VFNMADD231PD Y15, Y12, c \
	VFMADD213PD Y12, Y14, c

// MULTIPLE subtracts Y15 times column x from column c.
#define MULTIPLE(x0, x1, x2, c0, c1, c2) \
	VFNMADD231PD x0, Y15, c0 \
	VFNMADD231PD x1, Y15, c1 \
	VFNMADD231PD x2, Y15, c2

// func cholUpdateAVX2(d int, a, b, c []float64)
TEXT ·cholUpdateAVX2(SB), NOSPLIT, $0-80
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
	ADDQ $32, R9
	ADDQ $384, DX
	DECQ R12
	JNZ  tile
	RETURN

// FINISH divides column s of the tile by a's element on the diagonal.
#define FINISH(s, c0, c1, c2) \
	VBROADCASTSD (8*s)(R13), Y14 \
	VBROADCASTSD (104*s)(SI), Y15 \
	DIVIDE(c0) \
	DIVIDE(c1) \
	DIVIDE(c2)

// AWAY subtracts a's element (at) times column x from column c.
#define AWAY(at, x0, x1, x2, c0, c1, c2) \
	VBROADCASTSD at(SI), Y15 \
	MULTIPLE(x0, x1, x2, c0, c1, c2)

// func cholSolveAVX2(d int, a, b, inv []float64)
//
// R13 is at the reciprocals of the tile's divisors.
TEXT ·cholSolveAVX2(SB), NOSPLIT, $0-80
	MOVQ d+0(FP), R11
	MOVQ a_base+8(FP), R9
	MOVQ b_base+32(FP), R10
	MOVQ inv_base+56(FP), R13
	LEAQ (R11)(R11*2), DX
	SHLQ $5, DX
	ADDQ R10, DX
	MOVQ $3, R12
tile:
	MOVQ R9, SI
	MOVQ R10, DI
	MOVQ R11, CX
	EACH(FETCH)
	SUBTRACT(STEP3, four, rest, one, end)
	FINISH(0, Y0, Y1, Y2)
	AWAY(8, Y0, Y1, Y2, Y3, Y4, Y5)
	AWAY(16, Y0, Y1, Y2, Y6, Y7, Y8)
	AWAY(24, Y0, Y1, Y2, Y9, Y10, Y11)
	FINISH(1, Y3, Y4, Y5)
	AWAY(112, Y3, Y4, Y5, Y6, Y7, Y8)
	AWAY(120, Y3, Y4, Y5, Y9, Y10, Y11)
	FINISH(2, Y6, Y7, Y8)
	AWAY(216, Y6, Y7, Y8, Y9, Y10, Y11)
	FINISH(3, Y9, Y10, Y11)
	EACH(PUT)
	ADDQ $32, R9
	ADDQ $32, R13
	ADDQ $384, DX
	ADDQ $4, R11
	DECQ R12
	JNZ  tile
	RETURN

// FETCHn and PUTn leave out what is right of the panel.
#define FETCH1(at, c0, c1, c2) \
	VMOVUPD at(DX), c0 \
	VXORPD c1, c1, c1 \
	VXORPD c2, c2, c2

#define FETCH2(at, c0, c1, c2) \
	VMOVUPD at(DX), c0 \
	VMOVUPD (at+32)(DX), c1 \
	VXORPD c2, c2, c2

#define PUT1(at, c0, c1, c2) \
	VMOVUPD c0, at(DX)

#define PUT2(at, c0, c1, c2) \
	VMOVUPD c0, at(DX) \
	VMOVUPD c1, (at+32)(DX)

// PIVOT takes the root of X12, the number on the diagonal of column s, and divides
// the column by it.
#define PIVOT(s, c0, c1, c2) \
	VXORPD   X13, X13, X13 \
	VUCOMISD X13, X12 \
	JLS      fail \
	VMOVQ    CX, X13 \
	VUCOMISD X13, X12 \
	JHI      fail \
	VMOVQ   AX, X14 \
	VSQRTSD X12, X12, X15 \
	VDIVSD  X15, X14, X14 \
	VMOVSD  X14, (8*s)(R13) \
	VMOVQ   X15, R8 \
	VBROADCASTSD X14, Y14 \
	VBROADCASTSD X15, Y15 \
	DIVIDE(c0) \
	DIVIDE(c1) \
	DIVIDE(c2) \
	INCQ R14

// NEXT subtracts lane i of x0 times column x from column c.
#define NEXT(i, x0, x1, x2, c0, c1, c2) \
	VPERMPD $(0x55*i), x0, Y15 \
	MULTIPLE(x0, x1, x2, c0, c1, c2)

// ROOT puts the root in lane s of c0, and zeros in the lanes of left.
#define ROOT(s, left, c0) \
	VMOVQ R8, X12 \
	VBROADCASTSD X12, Y12 \
	VXORPD Y13, Y13, Y13 \
	VBLENDPD $(1<<s), Y12, c0, c0 \
	VBLENDPD $left, Y13, c0, c0

#define CLEAR(at, c0, c1, c2) \
	VMOVUPD Y13, at(DX)

// func cholFactorAVX2(d int, b, inv []float64) (good int, pivot float64)
//
//	R13     the reciprocals        AX  1
//	R14     the pivot's number     CX  the largest finite number
//	R8      the root
TEXT ·cholFactorAVX2(SB), NOSPLIT, $0-72
	MOVQ d+0(FP), R11
	MOVQ b_base+8(FP), R10
	MOVQ inv_base+32(FP), R13
	LEAQ (R11)(R11*2), DX
	SHLQ $5, DX
	ADDQ R10, DX
	MOVQ $3, R12
	XORL R14, R14
tile:
	MOVQ R10, SI
	MOVQ R10, DI
	MOVQ R11, CX
	CMPQ R12, $2
	JLT  narrow
	JEQ  middle
	EACH(FETCH)
	SUBTRACT(STEP3, wideFour, wideRest, wideOne, wideEnd)
	JMP  columns
middle:
	EACH(FETCH2)
	SUBTRACT(STEP2, middleFour, middleRest, middleOne, middleEnd)
	JMP  columns
narrow:
	EACH(FETCH1)
	SUBTRACT(STEP1, narrowFour, narrowRest, narrowOne, narrowEnd)
columns:
	MOVQ $0x3ff0000000000000, AX
	MOVQ $0x7fefffffffffffff, CX
	VMOVAPD X0, X12
	PIVOT(0, Y0, Y1, Y2)
	NEXT(1, Y0, Y1, Y2, Y3, Y4, Y5)
	NEXT(2, Y0, Y1, Y2, Y6, Y7, Y8)
	NEXT(3, Y0, Y1, Y2, Y9, Y10, Y11)
	ROOT(0, 0, Y0)
	VPERMILPD $1, X3, X12
	PIVOT(1, Y3, Y4, Y5)
	NEXT(2, Y3, Y4, Y5, Y6, Y7, Y8)
	NEXT(3, Y3, Y4, Y5, Y9, Y10, Y11)
	ROOT(1, 1, Y3)
	VEXTRACTF128 $1, Y6, X12
	PIVOT(2, Y6, Y7, Y8)
	NEXT(3, Y6, Y7, Y8, Y9, Y10, Y11)
	ROOT(2, 3, Y6)
	VEXTRACTF128 $1, Y9, X12
	VPERMILPD $1, X12, X12
	PIVOT(3, Y9, Y10, Y11)
	ROOT(3, 7, Y9)
	CMPQ R12, $2
	JLT  putNarrow
	JEQ  putMiddle
	EACH(PUT)
	JMP  moveOn
putMiddle:
	EACH(PUT2)
	SUBQ $32, DX
	EACH(CLEAR)
	ADDQ $32, DX
	JMP  moveOn
putNarrow:
	EACH(PUT1)
	SUBQ $32, DX
	EACH(CLEAR)
	SUBQ $32, DX
	EACH(CLEAR)
	ADDQ $64, DX
moveOn:
	ADDQ $32, R10
	ADDQ $32, R13
	ADDQ $416, DX     // 4 columns on, and 4 rows
	ADDQ $4, R11
	DECQ R12
	JNZ  tile
	MOVQ R14, good+56(FP)
	MOVQ $0, pivot+64(FP)
	RETURN
fail:
	MOVQ R14, good+56(FP)
	VMOVSD X12, pivot+64(FP)
	RETURN
