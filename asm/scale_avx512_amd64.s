//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// DX dst   SI x   CX numbers left   Z31 alpha

#define VECTOR(at, z) \
	VMULPD  at(SI), Z31, z \
	VMOVUPD z, at(DX)

#define ADVANCE(bytes) \
	ADDQ $bytes, SI \
	ADDQ $bytes, DX

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
	VMULPD.Z (SI), Z31, K1, Z0 \
	VMOVUPD  Z0, K1, (DX)

// func scaleAVX512(dst []float64, alpha float64, x []float64)
TEXT ·scaleAVX512(SB), NOSPLIT, $0-56
	MOVQ dst_base+0(FP), DX
	VBROADCASTSD alpha+24(FP), Z31
	MOVQ x_base+32(FP), SI
	MOVQ x_len+40(FP), CX
	LOOP512(FOUR, ONE, PART)
