//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// SI A   R8 the bytes from row to row, R9 three times that   DI y
// CX numbers left   Z28 … Z31 the factors of the rows

#define VECTOR(at, z) \
	VMOVUPD at(DI), z \
	VFMADD231PD at(SI), Z28, z \
	VFMADD231PD at(SI)(R8*1), Z29, z \
	VFMADD231PD at(SI)(R8*2), Z30, z \
	VFMADD231PD at(SI)(R9*1), Z31, z \
	VMOVUPD z, at(DI)

#define ADVANCE(bytes) \
	ADDQ $bytes, SI \
	ADDQ $bytes, DI

#define FOUR \
	VECTOR(0, Z0) \
	VECTOR(64, Z1) \
	VECTOR(128, Z2) \
	VECTOR(192, Z3) \
	ADVANCE(256)

#define ONE \
	VECTOR(0, Z0) \
	ADVANCE(64)

#define PART \
	VMOVUPD.Z (DI), K1, Z0 \
	VFMADD231PD (SI), Z28, K1, Z0 \
	VFMADD231PD (SI)(R8*1), Z29, K1, Z0 \
	VFMADD231PD (SI)(R8*2), Z30, K1, Z0 \
	VFMADD231PD (SI)(R9*1), Z31, K1, Z0 \
	VMOVUPD Z0, K1, (DI)

// func axpyRowsAVX512(alpha *[4]float64, a []float64, lda int, y []float64)
TEXT ·axpyRowsAVX512(SB), NOSPLIT, $0-64
	MOVQ alpha+0(FP), AX
	VBROADCASTSD (AX), Z28
	VBROADCASTSD 8(AX), Z29
	VBROADCASTSD 16(AX), Z30
	VBROADCASTSD 24(AX), Z31
	MOVQ a_base+8(FP), SI
	MOVQ lda+32(FP), R8
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	MOVQ y_base+40(FP), DI
	MOVQ y_len+48(FP), CX
	LOOP512(FOUR, ONE, PART)
