//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// R8 dst   SI x   CX numbers left   Y14 alpha

#define VECTOR(at, z) \
	VMULPD  at(SI), Y14, z \
	VMOVUPD z, at(R8)

#define ADVANCE(bytes) \
	ADDQ $bytes, SI \
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
	LOAD(SI, Y0, X0, X1) \
	VMULPD Y0, Y14, Y0 \
	STORE(R8)

// func scaleAVX2(dst []float64, alpha float64, x []float64)
TEXT ·scaleAVX2(SB), NOSPLIT, $0-56
	MOVQ dst_base+0(FP), R8
	VBROADCASTSD alpha+24(FP), Y14
	MOVQ x_base+32(FP), SI
	MOVQ x_len+40(FP), CX
	LOOP256(FOUR, ONE, PART)
