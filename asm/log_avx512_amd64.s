//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// The first rows of logTable.
//
// Z16 √2   Z17 1   Z18 ½   Z19..Z25 the coefficients of p from the first to the last
// Z26 ln2Hi   Z27 ln2Lo
#define CONSTANTS \
	MOVQ         $·logTable(SB), AX \
	VBROADCASTSD 0*32(AX), Z16      \
	VBROADCASTSD 1*32(AX), Z17      \
	VBROADCASTSD 2*32(AX), Z18      \
	VBROADCASTSD 3*32(AX), Z19      \
	VBROADCASTSD 4*32(AX), Z20      \
	VBROADCASTSD 5*32(AX), Z21      \
	VBROADCASTSD 6*32(AX), Z22      \
	VBROADCASTSD 7*32(AX), Z23      \
	VBROADCASTSD 8*32(AX), Z24      \
	VBROADCASTSD 9*32(AX), Z25      \
	VBROADCASTSD 10*32(AX), Z26     \
	VBROADCASTSD 11*32(AX), Z27

// Z0 = ln Z0, the steps of logOf; the exponent of 0 or infinity is infinite, the
// fraction of a negative number a NaN ($12), and so are the results. $29 is "not
// below".
// Z1 k   Z2 m, m + 1, s   Z0 f   Z3 s²   Z4 s⁴   Z5 p and what follows
// Z6 odd part of p, ½f   Z7 k·ln2Lo
#define LOG \
	VGETEXPPD   Z0, Z1           \
	VGETMANTPD  $12, Z0, Z2      \
	VCMPPD      $29, Z16, Z2, K2 \
	VMULPD      Z18, Z2, K2, Z2  \
	VADDPD      Z17, Z1, K2, Z1  \
	VSUBPD      Z17, Z2, Z0      \
	VADDPD      Z17, Z2, Z2      \
	VDIVPD      Z2, Z0, Z2       \
	VMULPD      Z2, Z2, Z3       \
	VMULPD      Z3, Z3, Z4       \
	VMOVAPD     Z25, Z5          \
	VMOVAPD     Z24, Z6          \
	VFMADD213PD Z23, Z4, Z5      \
	VFMADD213PD Z22, Z4, Z6      \
	VFMADD213PD Z21, Z4, Z5      \
	VFMADD213PD Z20, Z4, Z6      \
	VFMADD213PD Z19, Z4, Z5      \
	VFMADD231PD Z3, Z6, Z5       \
	VMULPD      Z18, Z0, Z6      \
	VMULPD      Z3, Z5, Z5       \
	VFMADD231PD Z0, Z6, Z5       \
	VMULPD      Z27, Z1, Z7      \
	VFMADD213PD Z7, Z2, Z5       \
	VFMSUB213PD Z5, Z0, Z6       \
	VSUBPD      Z6, Z0, Z0       \
	VFMADD231PD Z26, Z1, Z0

// func logAVX512(dst, x []float64)
//
// DI dst   SI x   BX bytes done   CX numbers left, less 8
TEXT ·logAVX512(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	CONSTANTS
	XORL BX, BX
	SUBQ $8, CX
	JLT  tail

loop:
	VMOVUPD (SI)(BX*1), Z0
	LOG
	VMOVUPD Z0, (DI)(BX*1)
	ADDQ    $64, BX
	SUBQ    $8, CX
	JGE     loop

tail:
	ADDQ      $8, CX
	JEQ       done
	LANES
	VMOVUPD.Z (SI)(BX*1), K1, Z0
	LOG
	VMOVUPD   Z0, K1, (DI)(BX*1)

done:
	RETURN

// func sumLogAVX512(x []float64) float64
//
// SI x   CX numbers left, less 8   Z29 eight lanes of the sum
TEXT ·sumLogAVX512(SB), NOSPLIT, $0-32
	MOVQ   x_base+0(FP), SI
	MOVQ   x_len+8(FP), CX
	VPXORQ Z29, Z29, Z29
	CONSTANTS
	SUBQ   $8, CX
	JLT    tail

loop:
	VMOVUPD (SI), Z0
	LOG
	VADDPD  Z0, Z29, Z29
	ADDQ    $64, SI
	SUBQ    $8, CX
	JGE     loop

tail:
	ADDQ      $8, CX
	JEQ       done
	LANES
	VMOVUPD.Z (SI), K1, Z0
	LOG
	VADDPD    Z0, Z29, K1, Z29

done:
	VEXTRACTF64X4 $1, Z29, Y0
	VADDPD        Y0, Y29, Y0
	FOLD
	VMOVSD        X0, ret+24(FP)
	RETURN
