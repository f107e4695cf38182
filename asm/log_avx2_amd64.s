//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// Constants of ln in registers; AX points to logTable, which holds the others.
//
// Y13 1   Y14 ½   Y15 0
#define CONSTANTS \
	MOVQ    $·logTable(SB), AX \
	VMOVUPD 1*32(AX), Y13      \
	VMOVUPD 2*32(AX), Y14      \
	VPXOR   Y15, Y15, Y15

// Y0 = ln Y0, the steps of logOf ($0 is "equal", $17 "less", $21 "not less"). Y8 x; Y1 k; Y2 m, m + 1, s; Y0 f; Y3 s²; Y4 s⁴;
// Y5 p and what follows; Y6 odd part of p, ½f; Y7 k·ln2Lo.
#define LOG \
	VMOVAPD     Y0, Y8                 \
	VCMPPD      $17, 12*32(AX), Y0, Y1 \
	VANDPD      13*32(AX), Y1, Y2      \
	VPADDQ      Y2, Y13, Y2            \
	VMULPD      Y2, Y0, Y0             \
	VANDPD      14*32(AX), Y1, Y1      \
	VPADDQ      19*32(AX), Y0, Y0      \
	VPSRLQ      $52, Y0, Y2            \
	VPOR        15*32(AX), Y2, Y2      \
	VSUBPD      16*32(AX), Y2, Y2      \
	VSUBPD      Y1, Y2, Y1             \
	SPECIAL                            \
	VPAND       20*32(AX), Y0, Y0      \
	VPADDQ      21*32(AX), Y0, Y2      \
	VSUBPD      Y13, Y2, Y0            \
	VADDPD      Y13, Y2, Y2            \
	VDIVPD      Y2, Y0, Y2             \
	VMULPD      Y2, Y2, Y3             \
	VMULPD      Y3, Y3, Y4             \
	VMOVUPD     9*32(AX), Y5           \
	VMOVUPD     8*32(AX), Y6           \
	VFMADD213PD 7*32(AX), Y4, Y5       \
	VFMADD213PD 6*32(AX), Y4, Y6       \
	VFMADD213PD 5*32(AX), Y4, Y5       \
	VFMADD213PD 4*32(AX), Y4, Y6       \
	VFMADD213PD 3*32(AX), Y4, Y5       \
	VFMADD231PD Y3, Y6, Y5             \
	VMULPD      Y14, Y0, Y6            \
	VMULPD      Y3, Y5, Y5             \
	VFMADD231PD Y0, Y6, Y5             \
	VMULPD      11*32(AX), Y1, Y7      \
	VFMADD213PD Y7, Y2, Y5             \
	VFMSUB213PD Y5, Y0, Y6             \
	VSUBPD      Y6, Y0, Y0             \
	VFMADD231PD 10*32(AX), Y1, Y0

// Where ln x is not finite, so is k: −Inf where x is 0, x where that is +Inf
// or a NaN, a NaN where x is negative.
#define SPECIAL \
	VCMPPD $0, Y15, Y8, Y2        \
	VANDPD 18*32(AX), Y2, Y2      \
	VCMPPD $21, 17*32(AX), Y8, Y3 \
	VANDPD Y8, Y3, Y3             \
	VORPD  Y3, Y2, Y2             \
	VCMPPD $17, Y15, Y8, Y3       \
	VORPD  Y3, Y2, Y2             \
	VADDPD Y2, Y1, Y1

// func logAVX2(dst, x []float64)
//
// DI dst   SI x   BX bytes done   CX numbers left, less 4
TEXT ·logAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	CONSTANTS
	XORL BX, BX
	SUBQ $4, CX
	JLT  tail

loop:
	VMOVUPD (SI)(BX*1), Y0
	LOG
	VMOVUPD Y0, (DI)(BX*1)
	ADDQ    $32, BX
	SUBQ    $4, CX
	JGE     loop

tail:
	ADDQ $4, CX
	JEQ  done
	REST
	LOAD(SI, Y0, X0, X1)
	LOG
	STORE(DI)

done:
	RETURN

// func sumLogAVX2(x []float64) float64
//
// SI x   BX bytes done   CX numbers left, less 4
// Y11 the lanes of the sum that the next four numbers are added to, Y12 the others
TEXT ·sumLogAVX2(SB), NOSPLIT, $0-32
	MOVQ  x_base+0(FP), SI
	MOVQ  x_len+8(FP), CX
	CONSTANTS
	VPXOR Y11, Y11, Y11
	VPXOR Y12, Y12, Y12
	XORL  BX, BX
	SUBQ  $4, CX
	JLT   tail

loop:
	VMOVUPD (SI)(BX*1), Y0
	LOG
	VADDPD  Y0, Y11, Y1
	VMOVAPD Y12, Y11
	VMOVAPD Y1, Y12
	ADDQ    $32, BX
	SUBQ    $4, CX
	JGE     loop

tail:
	ADDQ   $4, CX
	JEQ    done
	REST
	LOAD(SI, Y0, X0, X1)
	LOG
	CUT
	VADDPD Y0, Y11, Y11

done:
	VADDPD Y12, Y11, Y0
	FOLD
	VMOVSD X0, ret+24(FP)
	RETURN
