//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// SI x   DI y   CX numbers left   Z30 c   Z31 s

// TURN makes c·x + s·y and c·y − s·x of x and y: t and x.
#define TURN(x, y, t) \
	VMULPD      y, Z31, t \
	VFMADD231PD x, Z30, t \
	VMULPD      x, Z31, x \
	VFMSUB231PD y, Z30, x

#define VECTOR(at, x, y, t) \
	VMOVUPD at(SI), x \
	VMOVUPD at(DI), y \
	TURN(x, y, t) \
	VMOVUPD t, at(SI) \
	VMOVUPD x, at(DI)

#define ADVANCE(bytes) \
	ADDQ $bytes, SI \
	ADDQ $bytes, DI

#define FOUR \
	VECTOR(0, Z0, Z1, Z2) \
	VECTOR(64, Z3, Z4, Z5) \
	VECTOR(128, Z6, Z7, Z8) \
	VECTOR(192, Z9, Z10, Z11) \
	ADVANCE(256)

#define ONE \
	VECTOR(0, Z0, Z1, Z2) \
	ADVANCE(64)

#define PART \
	VMOVUPD.Z (SI), K1, Z0 \
	VMOVUPD.Z (DI), K1, Z1 \
	TURN(Z0, Z1, Z2) \
	VMOVUPD Z2, K1, (SI) \
	VMOVUPD Z0, K1, (DI)

// func rotateAVX512(x, y []float64, c, s float64)
TEXT ·rotateAVX512(SB), NOSPLIT, $0-64
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
	VBROADCASTSD c+48(FP), Z30
	VBROADCASTSD s+56(FP), Z31
	LOOP512(FOUR, ONE, PART)
