//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// SI A   R8 the bytes from row to row, R9 three times that   DI y   DX x
// CX numbers left   Y0 … Y7 the sums of the rows: lanes 0 … 3 of row i are Yi,
// lanes 4 … 7 Y(4+i)   Y8 … Y11 xr   Y12 a row of A   Y13 x   Y14 y

// ROW multiplies four numbers of a row with x and with xr; the first product
// goes to sum, the other to y.
#define ROW(p, xr, sum) \
	VMOVUPD p, Y12 \
	VFMADD231PD Y13, Y12, sum \
	VFMADD231PD Y12, xr, Y14

#define HALF(at, s0, s1, s2, s3) \
	VMOVUPD at(DX), Y13 \
	VMOVUPD at(DI), Y14 \
	ROW(at(SI), Y8, s0) \
	ROW(at(SI)(R8*1), Y9, s1) \
	ROW(at(SI)(R8*2), Y10, s2) \
	ROW(at(SI)(R9*1), Y11, s3) \
	VMOVUPD Y14, at(DI)

// PART does so with the last 1 to 3 numbers; the lanes without any add −0 to the
// sums.
#define PARTROW(xr, sum) \
	LOAD(SI, Y12, X12, X15) \
	ONLY(Y12) \
	ADDQ R8, SI \
	VFMADD231PD Y13, Y12, sum \
	VFMADD231PD Y12, xr, Y14

#define PART(s0, s1, s2, s3) \
	LOAD(R9, Y13, X13, X15) \
	LOAD(DI, Y14, X14, X15) \
	POINT \
	ONLYSIGNED(Y13) \
	PARTROW(Y8, s0) \
	PARTROW(Y9, s1) \
	PARTROW(Y10, s2) \
	PARTROW(Y11, s3) \
	STOREOF(DI, Y14, X14, X15)

// SUM adds the lanes of a sum that are 4, 2 and 1 apart, and the sum to a number
// of yr.
#define SUM(y, high, x, at) \
	VADDPD high, y, y \
	VEXTRACTF128 $1, y, X8 \
	VADDPD X8, x, x \
	VPERMILPD $1, x, X8 \
	VADDSD X8, x, x \
	VADDSD at(AX), x, x \
	VMOVSD x, at(AX)

// func symvRowsAVX2(y, x []float64, yr, xr *[4]float64, a []float64, lda int)
TEXT ·symvRowsAVX2(SB), NOSPLIT, $0-96
	MOVQ y_base+0(FP), DI
	MOVQ y_len+8(FP), CX
	MOVQ x_base+24(FP), DX
	MOVQ xr+56(FP), AX
	VBROADCASTSD (AX), Y8
	VBROADCASTSD 8(AX), Y9
	VBROADCASTSD 16(AX), Y10
	VBROADCASTSD 24(AX), Y11
	MOVQ a_base+64(FP), SI
	MOVQ lda+88(FP), R8
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	ZERO4(Y0, Y1, Y2, Y3)
	ZERO4(Y4, Y5, Y6, Y7)
	SUBQ $8, CX
	JLT  part
loop:
	HALF(0, Y0, Y1, Y2, Y3)
	HALF(32, Y4, Y5, Y6, Y7)
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ $64, DX
	SUBQ $8, CX
	JGE  loop
part:
	ADDQ $4, CX
	JLT  low
	HALF(0, Y0, Y1, Y2, Y3)
	JZ   fold
	MOVQ $32, BX
	MOVQ DX, R9
	REST
	PART(Y4, Y5, Y6, Y7)
	JMP  fold
low:
	ADDQ $4, CX
	JZ   fold
	XORL BX, BX
	MOVQ DX, R9
	REST
	PART(Y0, Y1, Y2, Y3)
fold:
	MOVQ yr+48(FP), AX
	SUM(Y0, Y4, X0, 0)
	SUM(Y1, Y5, X1, 8)
	SUM(Y2, Y6, X2, 16)
	SUM(Y3, Y7, X3, 24)
	RETURN
