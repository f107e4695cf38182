//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// DX dst   SI x   DI y   CX numbers left   Z31 alpha

#define VECTOR(at, z) \
	VMOVUPD     at(SI), z \
	VFMADD231PD at(DI), Z31, z \
	VMOVUPD     z, at(DX)

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
	VMOVUPD.Z   (SI), K1, Z0 \
	VFMADD231PD (DI), Z31, K1, Z0 \
	VMOVUPD     Z0, K1, (DX)

// func addScaledAVX512(dst, x []float64, alpha float64, y []float64)
TEXT ·addScaledAVX512(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DX
	MOVQ dst_len+8(FP), CX
	MOVQ x_base+24(FP), SI
	VBROADCASTSD alpha+48(FP), Z31
	MOVQ y_base+56(FP), DI
	LOOP512(FOUR, ONE, PART)
