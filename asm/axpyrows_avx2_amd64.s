//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// SI A   R8 the bytes from row to row, R9 three times that   DI y
// CX numbers left   Y11 … Y14 the factors of the rows

#define VECTOR(at, z) \
	VMOVUPD at(DI), z \
	VFMADD231PD at(SI), Y11, z \
	VFMADD231PD at(SI)(R8*1), Y12, z \
	VFMADD231PD at(SI)(R8*2), Y13, z \
	VFMADD231PD at(SI)(R9*1), Y14, z \
	VMOVUPD z, at(DI)

#define ADVANCE(bytes) \
	ADDQ $bytes, SI \
	ADDQ $bytes, DI

#define FOUR \
	VECTOR(0, Y0) \
	VECTOR(32, Y1) \
	VECTOR(64, Y2) \
	VECTOR(96, Y3) \
	ADVANCE(128)

#define ONE \
	VECTOR(0, Y0) \
	ADVANCE(32)

#define PARTROW(alpha) \
	LOAD(SI, Y1, X1, X2) \
	ADDQ R8, SI \
	VFMADD231PD Y1, alpha, Y0

#define PART \
	LOAD(DI, Y0, X0, X2) \
	PARTROW(Y11) \
	PARTROW(Y12) \
	PARTROW(Y13) \
	PARTROW(Y14) \
	STORE(DI)

// func axpyRowsAVX2(alpha *[4]float64, a []float64, lda int, y []float64)
TEXT ·axpyRowsAVX2(SB), NOSPLIT, $0-64
	MOVQ alpha+0(FP), AX
	VBROADCASTSD (AX), Y11
	VBROADCASTSD 8(AX), Y12
	VBROADCASTSD 16(AX), Y13
	VBROADCASTSD 24(AX), Y14
	MOVQ a_base+8(FP), SI
	MOVQ lda+32(FP), R8
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	MOVQ y_base+40(FP), DI
	MOVQ y_len+48(FP), CX
	LOOP256(FOUR, ONE, PART)
