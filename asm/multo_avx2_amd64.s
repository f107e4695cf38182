//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// R8 dst   SI x   DI y   CX numbers left

#define VECTOR(at, z) \
	VMOVUPD at(SI), z \
	VMULPD  at(DI), z, z \
	VMOVUPD z, at(R8)

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
	VMULPD Y1, Y0, Y0 \
	STORE(R8)

// func mulToAVX2(dst, x, y []float64)
TEXT ·mulToAVX2(SB), NOSPLIT, $0-72
	MOVQ dst_base+0(FP), R8
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	MOVQ y_base+48(FP), DI
	LOOP256(FOUR, ONE, PART)
