//go:build !purego

#include "textflag.h"

// func transpose4AVX2(dst *float64, ldd int, src *float64, lds, k int)
//
// DI  dst, the row of column l        R8   ldd in bytes
// SI  src, rows 0..3 at column l      R9   lds in bytes, R10 three times that
// CX  columns left
// Y0..Y3 four rows of four columns, Y4..Y7 on the way
TEXT ·transpose4AVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ ldd+8(FP), R8
	MOVQ src+16(FP), SI
	MOVQ lds+24(FP), R9
	MOVQ k+32(FP), CX
	SHLQ $3, R8
	SHLQ $3, R9
	LEAQ (R9)(R9*2), R10
	SUBQ $4, CX
	JLT  tail

loop:
	VMOVUPD (SI), Y0
	VMOVUPD (SI)(R9*1), Y1
	VMOVUPD (SI)(R9*2), Y2
	VMOVUPD (SI)(R10*1), Y3
	VUNPCKLPD Y1, Y0, Y4
	VUNPCKHPD Y1, Y0, Y5
	VUNPCKLPD Y3, Y2, Y6
	VUNPCKHPD Y3, Y2, Y7
	VPERM2F128 $0x20, Y6, Y4, Y0
	VPERM2F128 $0x20, Y7, Y5, Y1
	VPERM2F128 $0x31, Y6, Y4, Y2
	VPERM2F128 $0x31, Y7, Y5, Y3
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, (DI)(R8*1)
	LEAQ (DI)(R8*2), DI
	VMOVUPD Y2, (DI)
	VMOVUPD Y3, (DI)(R8*1)
	LEAQ (DI)(R8*2), DI
	ADDQ $32, SI
	SUBQ $4, CX
	JGE  loop

tail:
	ADDQ $4, CX
	JE   done

column:
	VMOVSD (SI), X0
	VMOVHPD (SI)(R9*1), X0, X0
	VMOVSD (SI)(R9*2), X1
	VMOVHPD (SI)(R10*1), X1, X1
	VMOVUPD X0, (DI)
	VMOVUPD X1, 16(DI)
	ADDQ $8, SI
	ADDQ R8, DI
	DECQ CX
	JNE  column

done:
	VZEROUPPER
	RET
