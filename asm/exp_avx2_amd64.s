//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// Constants of exp in registers; AX points to expTable, which holds the others.
//
// Y11 expShift   Y12 log₂e   Y13 ln2Hi   Y14 ln2Lo   Y15 1
#define CONSTANTS \
	MOVQ    $·expTable(SB), AX \
	VMOVUPD 4*32(AX), Y11      \
	VMOVUPD 3*32(AX), Y12      \
	VMOVUPD 5*32(AX), Y13      \
	VMOVUPD 6*32(AX), Y14      \
	VMOVUPD 7*32(AX), Y15

// Y0 = exp(Y0), the steps of expOf. Y1 k, then the odd part of q; Y2 r²;
// Y3 q; Y4 x·log₂e + expShift. The two halves of 2^k are made in Y1 and Y4.
#define EXP \
	VMOVUPD      0*32(AX), Y1      \
	VMINPD       Y0, Y1, Y0        \
	VMOVUPD      1*32(AX), Y1      \
	VMAXPD       Y0, Y1, Y0        \
	VMOVAPD      Y11, Y4           \
	VFMADD231PD  Y12, Y0, Y4       \
	VSUBPD       Y11, Y4, Y1       \
	VFNMADD231PD Y13, Y1, Y0       \
	VFNMADD231PD Y14, Y1, Y0       \
	VMULPD       Y0, Y0, Y2        \
	VMOVUPD      17*32(AX), Y1     \
	VMOVUPD      16*32(AX), Y3     \
	VFMADD213PD  15*32(AX), Y2, Y1 \
	VFMADD213PD  14*32(AX), Y2, Y3 \
	VFMADD213PD  13*32(AX), Y2, Y1 \
	VFMADD213PD  12*32(AX), Y2, Y3 \
	VFMADD213PD  11*32(AX), Y2, Y1 \
	VFMADD213PD  10*32(AX), Y2, Y3 \
	VFMADD213PD  9*32(AX), Y2, Y1  \
	VFMADD213PD  8*32(AX), Y2, Y3  \
	VFMADD231PD  Y0, Y1, Y3        \
	VFMADD213PD  Y15, Y0, Y3       \
	VFMADD213PD  Y15, Y0, Y3       \
	VPSRLQ       $1, Y4, Y1        \
	VPSUBQ       Y1, Y4, Y4        \
	VPSLLQ       $52, Y1, Y1       \
	VPSLLQ       $52, Y4, Y4       \
	VMULPD       Y1, Y3, Y0        \
	VMULPD       Y4, Y0, Y0

// func expAVX2(dst, x []float64)
//
// DI dst   SI x   BX bytes done   CX numbers left, less 4
TEXT ·expAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	CONSTANTS
	XORL BX, BX
	SUBQ $4, CX
	JLT  tail

loop:
	VMOVUPD (SI)(BX*1), Y0
	EXP
	VMOVUPD Y0, (DI)(BX*1)
	ADDQ    $32, BX
	SUBQ    $4, CX
	JGE     loop

tail:
	ADDQ $4, CX
	JEQ  done
	REST
	LOAD(SI, Y0, X0, X1)
	EXP
	STORE(DI)

done:
	RETURN

// func expAddAVX2(dst, x []float64, c float64, u []float64)
//
// DI dst   SI x   R8 u   BX bytes done   CX numbers left, less 4   Y5 c
TEXT ·expAddAVX2(SB), NOSPLIT, $0-80
	MOVQ         dst_base+0(FP), DI
	MOVQ         x_base+24(FP), SI
	MOVQ         x_len+32(FP), CX
	VBROADCASTSD c+48(FP), Y5
	MOVQ         u_base+56(FP), R8
	CONSTANTS
	XORL         BX, BX
	SUBQ         $4, CX
	JLT          tail

loop:
	VADDPD  (R8)(BX*1), Y5, Y0
	VADDPD  (SI)(BX*1), Y0, Y0
	EXP
	VMOVUPD Y0, (DI)(BX*1)
	ADDQ    $32, BX
	SUBQ    $4, CX
	JGE     loop

tail:
	ADDQ   $4, CX
	JEQ    done
	REST
	LOAD(R8, Y0, X0, X1)
	LOAD(SI, Y1, X1, X2)
	VADDPD Y0, Y5, Y0
	VADDPD Y0, Y1, Y0
	EXP
	STORE(DI)

done:
	RETURN

// From Y0 = r² Y1 = r, Y9 = c0 + r·(c1 + r·c2), Y0 = −r.
#define MINUSROOT \
	VSQRTPD     Y0, Y0       \
	VMOVUPD     0*32(AX), Y1 \
	VMINPD      Y0, Y1, Y1   \
	VMOVAPD     Y8, Y9       \
	VFMADD213PD Y7, Y1, Y9   \
	VFMADD213PD Y6, Y1, Y9   \
	VPXOR       Y0, Y0, Y0   \
	VSUBPD      Y1, Y0, Y0

// func expSqrtAVX2(dst, x []float64, s, c0, c1, c2 float64)
//
// DI dst   SI x   BX bytes done   CX numbers left, less 4
// Y5 s   Y6 c0   Y7 c1   Y8 c2
TEXT ·expSqrtAVX2(SB), NOSPLIT, $0-80
	MOVQ         dst_base+0(FP), DI
	MOVQ         x_base+24(FP), SI
	MOVQ         x_len+32(FP), CX
	VBROADCASTSD s+48(FP), Y5
	VBROADCASTSD c0+56(FP), Y6
	VBROADCASTSD c1+64(FP), Y7
	VBROADCASTSD c2+72(FP), Y8
	CONSTANTS
	XORL         BX, BX
	SUBQ         $4, CX
	JLT          tail

loop:
	VMULPD  (SI)(BX*1), Y5, Y0
	MINUSROOT
	EXP
	VMULPD  Y9, Y0, Y0
	VMOVUPD Y0, (DI)(BX*1)
	ADDQ    $32, BX
	SUBQ    $4, CX
	JGE     loop

tail:
	ADDQ   $4, CX
	JEQ    done
	REST
	LOAD(SI, Y0, X0, X1)
	VMULPD Y0, Y5, Y0
	MINUSROOT
	EXP
	VMULPD Y9, Y0, Y0
	STORE(DI)

done:
	RETURN
