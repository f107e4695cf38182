//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// R8 dst   SI x   DI y   CX numbers left   Y14 alpha

#define VECTOR(at, z) \
	VMOVUPD     at(SI), z \
	VFMADD231PD at(DI), Y14, z \
	VMOVUPD     z, at(R8)

#define ADVANCE(bytes) \
	ADDQ $bytes, SI \
	ADDQ $bytes, DI \
	ADDQ $bytes, R8

#define FOUR \
	VECTOR(0, Y0) \
	VECTOR(32, Y1) \
	VECTOR(64, Y2) \
	VECTOR(96, Y3) \
	ADVANCE(128)

#define ONE \
	VECTOR(0, Y0) \
	ADVANCE(32)

#define PART \
	LOAD(SI, Y0, X0, X2) \
	LOAD(DI, Y1, X1, X2) \
	VFMADD231PD Y1, Y14, Y0 \
	STORE(R8)

// func addScaledAVX2(dst, x []float64, alpha float64, y []float64)
TEXT ·addScaledAVX2(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), R8
	MOVQ dst_len+8(FP), CX
	MOVQ x_base+24(FP), SI
	VBROADCASTSD alpha+48(FP), Y14
	MOVQ y_base+56(FP), DI
	LOOP256(FOUR, ONE, PART)
