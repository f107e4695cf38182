//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// DX dst   SI x   DI y   CX numbers left

#define VECTOR(at, z) \
	VMOVUPD at(SI), z \
	VMULPD  at(DI), z, z \
	VMOVUPD z, at(DX)

#define ADVANCE(bytes) \
	ADDQ $bytes, SI \
	ADDQ $bytes, DI \
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
	VMOVUPD.Z (SI), K1, Z0 \
	VMULPD.Z  (DI), Z0, K1, Z0 \
	VMOVUPD   Z0, K1, (DX)

// func mulToAVX512(dst, x, y []float64)
TEXT ·mulToAVX512(SB), NOSPLIT, $0-72
	MOVQ dst_base+0(FP), DX
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	MOVQ y_base+48(FP), DI
	LOOP512(FOUR, ONE, PART)
