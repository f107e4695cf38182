//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// SI d   DI z   CX numbers left   Y14 tau   Y15 sigma

// DISTANCE: a = (a − sigma) − tau.
#define DISTANCE(a) \
	VSUBPD Y15, a, a \
	VSUBPD Y14, a, a

// TERM adds z²/δ to sum and z²/δ² to slope. a and b are scratch.
#define TERM(at, sum, slope, a, b) \
	VMOVUPD at(SI), a \
	DISTANCE(a) \
	VMOVUPD at(DI), b \
	VDIVPD a, b, a \
	VFMADD231PD a, b, sum \
	VFMADD231PD a, a, slope

// func poleSumAVX2(d, z []float64, sigma, tau float64) (sum, slope float64)
TEXT ·poleSumAVX2(SB), NOSPLIT, $0-80
	MOVQ d_base+0(FP), SI
	MOVQ d_len+8(FP), CX
	MOVQ z_base+24(FP), DI
	VBROADCASTSD sigma+48(FP), Y15
	VBROADCASTSD tau+56(FP), Y14
	ZERO4(Y4, Y5, Y6, Y7)
	SUBQ $8, CX
	JLT  few
two:
	TERM(0, Y4, Y6, Y0, Y1)
	TERM(32, Y5, Y7, Y2, Y3)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $8, CX
	JGE  two
few:
	ADDQ $4, CX
	JLT  part
	TERM(0, Y4, Y6, Y0, Y1)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
part:
	ADDQ $4, CX
	JZ   fold
	XORL BX, BX
	REST
	LOAD(SI, Y0, X0, X2)
	LOAD(DI, Y1, X1, X2)
	DISTANCE(Y0)
	VDIVPD Y0, Y1, Y0
	CUT
	VFMADD231PD Y0, Y1, Y4
	VFMADD231PD Y0, Y0, Y6
fold:
	VADDPD Y5, Y4, Y0
	FOLD
	VMOVSD X0, sum+64(FP)
	VADDPD Y7, Y6, Y0
	FOLD
	VMOVSD X0, slope+72(FP)
	RETURN

// RATIO multiplies p by δ/(d − pole): R8 p, Y13 the pole.
#define RATIO(at, a, b) \
	VMOVUPD at(SI), a \
	VSUBPD  Y13, a, b \
	DISTANCE(a) \
	VDIVPD  b, a, a \
	VMULPD  at(R8), a, a \
	VMOVUPD a, at(R8)

#define FOUR \
	RATIO(0, Y0, Y1) \
	RATIO(32, Y2, Y3) \
	RATIO(64, Y4, Y5) \
	RATIO(96, Y6, Y7) \
	ADDQ $128, SI \
	ADDQ $128, R8

#define ONE \
	RATIO(0, Y0, Y1) \
	ADDQ $32, SI \
	ADDQ $32, R8

#define PART \
	LOAD(SI, Y2, X2, X4) \
	LOAD(R8, Y3, X3, X4) \
	VSUBPD Y13, Y2, Y1 \
	DISTANCE(Y2) \
	VDIVPD Y1, Y2, Y2 \
	VMULPD Y3, Y2, Y0 \
	STORE(R8)

// func poleRatiosAVX2(p, d []float64, sigma, tau, pole float64)
TEXT ·poleRatiosAVX2(SB), NOSPLIT, $0-72
	MOVQ p_base+0(FP), R8
	MOVQ p_len+8(FP), CX
	MOVQ d_base+24(FP), SI
	VBROADCASTSD sigma+48(FP), Y15
	VBROADCASTSD tau+56(FP), Y14
	VBROADCASTSD pole+64(FP), Y13
	LOOP256(FOUR, ONE, PART)

// WEIGHT sets v = z/δ and adds v² to sum: R8 v.
#define WEIGHT(at, sum, a, b) \
	VMOVUPD at(SI), a \
	DISTANCE(a) \
	VMOVUPD at(DI), b \
	VDIVPD  a, b, a \
	VMOVUPD a, at(R8) \
	VFMADD231PD a, a, sum

#define ADVANCE(bytes) \
	ADDQ $bytes, SI \
	ADDQ $bytes, DI \
	ADDQ $bytes, R8

// func poleVectorAVX2(v, z, d []float64, sigma, tau float64) float64
TEXT ·poleVectorAVX2(SB), NOSPLIT, $0-96
	MOVQ v_base+0(FP), R8
	MOVQ v_len+8(FP), CX
	MOVQ z_base+24(FP), DI
	MOVQ d_base+48(FP), SI
	VBROADCASTSD sigma+72(FP), Y15
	VBROADCASTSD tau+80(FP), Y14
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	SUBQ $8, CX
	JLT  few
two:
	WEIGHT(0, Y4, Y0, Y1)
	WEIGHT(32, Y5, Y2, Y3)
	ADVANCE(64)
	SUBQ $8, CX
	JGE  two
few:
	ADDQ $4, CX
	JLT  part
	WEIGHT(0, Y4, Y0, Y1)
	ADVANCE(32)
	SUBQ $4, CX
part:
	ADDQ $4, CX
	JZ   fold
	XORL BX, BX
	REST
	LOAD(SI, Y0, X0, X2)
	LOAD(DI, Y1, X1, X2)
	DISTANCE(Y0)
	VDIVPD Y0, Y1, Y0
	STORE(R8)
	CUT
	VFMADD231PD Y0, Y0, Y4
fold:
	VADDPD Y5, Y4, Y0
	FOLD
	VMOVSD X0, ret+88(FP)
	RETURN
