//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// Without its sign, the bits of a number grow with it, and NaN is above all: the
// largest is found by comparing integers.
//
// SI x   CX numbers left   Z31 all bits but the sign   Z0 … Z3 the largest

#define VECTOR(at, t, z) \
	VPANDQ  at(SI), Z31, t \
	VPMAXUQ t, z, z

// func maxAbsAVX512(x []float64) float64
TEXT ·maxAbsAVX512(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ $0x7FFFFFFFFFFFFFFF, AX
	VPBROADCASTQ AX, Z31
	ZERO4(Z0, Z1, Z2, Z3)
	SUBQ $32, CX
	JLT  part
loop:
	VECTOR(0, Z4, Z0)
	VECTOR(64, Z5, Z1)
	VECTOR(128, Z6, Z2)
	VECTOR(192, Z7, Z3)
	ADDQ $256, SI
	SUBQ $32, CX
	JGE  loop
part:
	ADDQ $32, CX
	JZ   fold
	LANES32
	VPANDQ.Z (SI), Z31, K1, Z4
	VPMAXUQ Z4, Z0, Z0
	CMPQ CX, $8
	JLE  fold
	VPANDQ.Z 64(SI), Z31, K2, Z5
	VPMAXUQ Z5, Z1, Z1
	CMPQ CX, $16
	JLE  fold
	VPANDQ.Z 128(SI), Z31, K3, Z6
	VPMAXUQ Z6, Z2, Z2
	CMPQ CX, $24
	JLE  fold
	VPANDQ.Z 192(SI), Z31, K4, Z7
	VPMAXUQ Z7, Z3, Z3
fold:
	VPMAXUQ Z2, Z0, Z0
	VPMAXUQ Z3, Z1, Z1
	VPMAXUQ Z1, Z0, Z0
	VEXTRACTF64X4 $1, Z0, Y1
	VPMAXUQ Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VPMAXUQ X1, X0, X0
	VPERMILPD $1, X0, X1
	VPMAXUQ X1, X0, X0
	VMOVSD X0, ret+24(FP)
	RETURN
