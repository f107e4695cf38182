//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// Without its sign, the bits of a number grow with it, and NaN is above all: the
// largest is found by comparing integers.
//
// SI x   CX numbers left   Y14 all bits but the sign   Y0 … Y3 the largest

// LARGER keeps the larger of z and t in z.
#define LARGER(t, z, mask) \
	VPCMPGTQ  z, t, mask \
	VBLENDVPD mask, t, z, z

#define VECTOR(at, t, z, mask) \
	VANDPD at(SI), Y14, t \
	LARGER(t, z, mask)

// func maxAbsAVX2(x []float64) float64
TEXT ·maxAbsAVX2(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	VPCMPEQD Y14, Y14, Y14
	VPSRLQ $1, Y14, Y14
	ZERO4(Y0, Y1, Y2, Y3)
	SUBQ $16, CX
	JLT  few
four:
	VECTOR(0, Y4, Y0, Y8)
	VECTOR(32, Y5, Y1, Y9)
	VECTOR(64, Y6, Y2, Y10)
	VECTOR(96, Y7, Y3, Y11)
	ADDQ $128, SI
	SUBQ $16, CX
	JGE  four
few:
	ADDQ $12, CX
	JLT  part
one:
	VECTOR(0, Y4, Y0, Y8)
	ADDQ $32, SI
	SUBQ $4, CX
	JGE  one
part:
	ADDQ $4, CX
	JZ   fold
	XORL BX, BX
	REST
	LOAD(SI, Y4, X4, X5)
	VANDPD Y4, Y14, Y4
	LARGER(Y4, Y1, Y8)
fold:
	LARGER(Y1, Y0, Y8)
	LARGER(Y3, Y2, Y9)
	LARGER(Y2, Y0, Y8)
	VEXTRACTF128 $1, Y0, X1
	LARGER(X1, X0, X8)
	VPERMILPD $1, X0, X1
	LARGER(X1, X0, X8)
	VMOVSD X0, ret+24(FP)
	RETURN
