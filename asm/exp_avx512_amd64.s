//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// The constants of expTable, in the order of its rows, but for −expCut.
//
// Z11 expCut   Z12 expZero   Z13 log₂e    Z14 expShift   Z15 ln2Hi   Z16 ln2Lo
// Z17 1        Z18..Z27 the coefficients of q from the last to the first
#define CONSTANTS \
	MOVQ         $·expTable(SB), AX \
	VBROADCASTSD 0*32(AX), Z11      \
	VBROADCASTSD 2*32(AX), Z12      \
	VBROADCASTSD 3*32(AX), Z13      \
	VBROADCASTSD 4*32(AX), Z14      \
	VBROADCASTSD 5*32(AX), Z15      \
	VBROADCASTSD 6*32(AX), Z16      \
	VBROADCASTSD 7*32(AX), Z17      \
	VBROADCASTSD 17*32(AX), Z18     \
	VBROADCASTSD 16*32(AX), Z19     \
	VBROADCASTSD 15*32(AX), Z20     \
	VBROADCASTSD 14*32(AX), Z21     \
	VBROADCASTSD 13*32(AX), Z22     \
	VBROADCASTSD 12*32(AX), Z23     \
	VBROADCASTSD 11*32(AX), Z24     \
	VBROADCASTSD 10*32(AX), Z25     \
	VBROADCASTSD 9*32(AX), Z26      \
	VBROADCASTSD 8*32(AX), Z27

// Z0 = exp(Z0), the steps of expOf ($21 is "not less"). Z1 k, then the odd part of q; Z2 r²;
// Z3 q, and k again. Lanes below expZero become 0 by the mask K2: scaling them
// would take a microcode assist.
#define EXP \
	VMINPD       Z0, Z11, Z0      \
	VCMPPD       $21, Z12, Z0, K2 \
	VMOVAPD      Z14, Z1          \
	VFMADD231PD  Z13, Z0, Z1      \
	VSUBPD       Z14, Z1, Z1      \
	VFNMADD231PD Z15, Z1, Z0      \
	VFNMADD231PD Z16, Z1, Z0      \
	VMULPD       Z0, Z0, Z2       \
	VMOVAPD      Z18, Z4          \
	VMOVAPD      Z19, Z3          \
	VFMADD213PD  Z20, Z2, Z4      \
	VFMADD213PD  Z21, Z2, Z3      \
	VFMADD213PD  Z22, Z2, Z4      \
	VFMADD213PD  Z23, Z2, Z3      \
	VFMADD213PD  Z24, Z2, Z4      \
	VFMADD213PD  Z25, Z2, Z3      \
	VFMADD213PD  Z26, Z2, Z4      \
	VFMADD213PD  Z27, Z2, Z3      \
	VFMADD231PD  Z0, Z4, Z3       \
	VFMADD213PD  Z17, Z0, Z3      \
	VFMADD213PD  Z17, Z0, Z3      \
	VSCALEFPD.Z  Z1, Z3, K2, Z0

// func expAVX512(dst, x []float64)
//
// DI dst   SI x   BX bytes done   CX numbers left, less 8
TEXT ·expAVX512(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	CONSTANTS
	XORL BX, BX
	SUBQ $8, CX
	JLT  tail

loop:
	VMOVUPD (SI)(BX*1), Z0
	EXP
	VMOVUPD Z0, (DI)(BX*1)
	ADDQ    $64, BX
	SUBQ    $8, CX
	JGE     loop

tail:
	ADDQ      $8, CX
	JEQ       done
	LANES
	VMOVUPD.Z (SI)(BX*1), K1, Z0
	EXP
	VMOVUPD   Z0, K1, (DI)(BX*1)

done:
	RETURN

// func expAddAVX512(dst, x []float64, c float64, u []float64)
//
// DI dst   SI x   R8 u   BX bytes done   CX numbers left, less 8   Z28 c
TEXT ·expAddAVX512(SB), NOSPLIT, $0-80
	MOVQ         dst_base+0(FP), DI
	MOVQ         x_base+24(FP), SI
	MOVQ         x_len+32(FP), CX
	VBROADCASTSD c+48(FP), Z28
	MOVQ         u_base+56(FP), R8
	CONSTANTS
	XORL         BX, BX
	SUBQ         $8, CX
	JLT          tail

loop:
	VADDPD  (R8)(BX*1), Z28, Z0
	VADDPD  (SI)(BX*1), Z0, Z0
	EXP
	VMOVUPD Z0, (DI)(BX*1)
	ADDQ    $64, BX
	SUBQ    $8, CX
	JGE     loop

tail:
	ADDQ     $8, CX
	JEQ      done
	LANES
	VADDPD.Z (R8)(BX*1), Z28, K1, Z0
	VADDPD.Z (SI)(BX*1), Z0, K1, Z0
	EXP
	VMOVUPD  Z0, K1, (DI)(BX*1)

done:
	RETURN

// From Z0 = r² Z5 = r, Z6 = c0 + r·(c1 + r·c2), Z0 = −r; Z7 is 0.
#define MINUSROOT \
	VSQRTPD     Z0, Z0      \
	VMINPD      Z0, Z11, Z5 \
	VMOVAPD     Z31, Z6     \
	VFMADD213PD Z30, Z5, Z6 \
	VFMADD213PD Z29, Z5, Z6 \
	VSUBPD      Z5, Z7, Z0

// func expSqrtAVX512(dst, x []float64, s, c0, c1, c2 float64)
//
// DI dst   SI x   BX bytes done   CX numbers left, less 8
// Z28 s    Z29 c0   Z30 c1   Z31 c2
TEXT ·expSqrtAVX512(SB), NOSPLIT, $0-80
	MOVQ         dst_base+0(FP), DI
	MOVQ         x_base+24(FP), SI
	MOVQ         x_len+32(FP), CX
	VBROADCASTSD s+48(FP), Z28
	VBROADCASTSD c0+56(FP), Z29
	VBROADCASTSD c1+64(FP), Z30
	VBROADCASTSD c2+72(FP), Z31
	VPXORQ       Z7, Z7, Z7
	CONSTANTS
	XORL         BX, BX
	SUBQ         $8, CX
	JLT          tail

loop:
	VMULPD  (SI)(BX*1), Z28, Z0
	MINUSROOT
	EXP
	VMULPD  Z6, Z0, Z0
	VMOVUPD Z0, (DI)(BX*1)
	ADDQ    $64, BX
	SUBQ    $8, CX
	JGE     loop

tail:
	ADDQ     $8, CX
	JEQ      done
	LANES
	VMULPD.Z (SI)(BX*1), Z28, K1, Z0
	MINUSROOT
	EXP
	VMULPD   Z6, Z0, Z0
	VMOVUPD  Z0, K1, (DI)(BX*1)

done:
	RETURN
