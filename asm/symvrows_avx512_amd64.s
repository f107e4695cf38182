//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// SI A   R8 the bytes from row to row, R9 three times that   DI y   DX x
// CX numbers left   Z0 … Z3 the sums of the rows, in eight lanes
// Z4 … Z7 xr        Z8 … Z11 rows of A   Z12 x   Z13 y

// SUM adds the lanes of z, whose parts are y and x, that are 4, 2 and 1 apart,
// and the sum to a number of yr.
#define SUM(z, y, x, at) \
	VEXTRACTF64X4 $1, z, Y8 \
	VADDPD Y8, y, y \
	VEXTRACTF128 $1, y, X8 \
	VADDPD X8, x, x \
	VPERMILPD $1, x, X8 \
	VADDSD X8, x, x \
	VADDSD at(AX), x, x \
	VMOVSD x, at(AX)

// func symvRowsAVX512(y, x []float64, yr, xr *[4]float64, a []float64, lda int)
TEXT ·symvRowsAVX512(SB), NOSPLIT, $0-96
	MOVQ y_base+0(FP), DI
	MOVQ y_len+8(FP), CX
	MOVQ x_base+24(FP), DX
	MOVQ xr+56(FP), AX
	VBROADCASTSD (AX), Z4
	VBROADCASTSD 8(AX), Z5
	VBROADCASTSD 16(AX), Z6
	VBROADCASTSD 24(AX), Z7
	MOVQ a_base+64(FP), SI
	MOVQ lda+88(FP), R8
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	ZERO4(Z0, Z1, Z2, Z3)
	SUBQ $8, CX
	JLT  part
loop:
	VMOVUPD (DX), Z12
	VMOVUPD (DI), Z13
	VMOVUPD (SI), Z8
	VMOVUPD (SI)(R8*1), Z9
	VMOVUPD (SI)(R8*2), Z10
	VMOVUPD (SI)(R9*1), Z11
	VFMADD231PD Z12, Z8, Z0
	VFMADD231PD Z8, Z4, Z13
	VFMADD231PD Z12, Z9, Z1
	VFMADD231PD Z9, Z5, Z13
	VFMADD231PD Z12, Z10, Z2
	VFMADD231PD Z10, Z6, Z13
	VFMADD231PD Z12, Z11, Z3
	VFMADD231PD Z11, Z7, Z13
	VMOVUPD Z13, (DI)
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ $64, DX
	SUBQ $8, CX
	JGE  loop
part:
	ADDQ $8, CX
	JZ   fold
	LANES
	VMOVUPD.Z (DX), K1, Z12
	VMOVUPD.Z (DI), K1, Z13
	VMOVUPD.Z (SI), K1, Z8
	VMOVUPD.Z (SI)(R8*1), K1, Z9
	VMOVUPD.Z (SI)(R8*2), K1, Z10
	VMOVUPD.Z (SI)(R9*1), K1, Z11
	VFMADD231PD Z12, Z8, K1, Z0
	VFMADD231PD Z8, Z4, Z13
	VFMADD231PD Z12, Z9, K1, Z1
	VFMADD231PD Z9, Z5, Z13
	VFMADD231PD Z12, Z10, K1, Z2
	VFMADD231PD Z10, Z6, Z13
	VFMADD231PD Z12, Z11, K1, Z3
	VFMADD231PD Z11, Z7, Z13
	VMOVUPD Z13, K1, (DI)
fold:
	MOVQ yr+48(FP), AX
	SUM(Z0, Y0, X0, 0)
	SUM(Z1, Y1, X1, 8)
	SUM(Z2, Y2, X2, 16)
	SUM(Z3, Y3, X3, 24)
	RETURN
