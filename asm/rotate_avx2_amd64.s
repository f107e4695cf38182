//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// SI x   DI y   CX numbers left   Y13 c   Y14 s

// TURN makes c·x + s·y and c·y − s·x of x and y: t and x.
#define TURN(x, y, t) \
	VMULPD      y, Y14, t \
	VFMADD231PD x, Y13, t \
	VMULPD      x, Y14, x \
	VFMSUB231PD y, Y13, x

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
	VECTOR(0, Y0, Y1, Y2) \
	VECTOR(32, Y3, Y4, Y5) \
	VECTOR(64, Y6, Y7, Y8) \
	VECTOR(96, Y9, Y10, Y11) \
	ADVANCE(128)

#define ONE \
	VECTOR(0, Y0, Y1, Y2) \
	ADVANCE(32)

#define PART \
	LOAD(SI, Y0, X0, X2) \
	LOAD(DI, Y1, X1, X2) \
	TURN(Y0, Y1, Y2) \
	STOREOF(SI, Y2, X2, X3) \
	STOREOF(DI, Y0, X0, X3)

// func rotateAVX2(x, y []float64, c, s float64)
TEXT ·rotateAVX2(SB), NOSPLIT, $0-64
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
	VBROADCASTSD c+48(FP), Y13
	VBROADCASTSD s+56(FP), Y14
	LOOP256(FOUR, ONE, PART)
