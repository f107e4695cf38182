//go:build !purego

#include "textflag.h"

// func transpose8AVX512(dst *float64, ldd int, src *float64, lds, k int)
//
// DI  dst, the row of column l        R8   ldd in bytes
// SI  src, rows 0..3 at column l      R9   lds in bytes, R10 three times that
// R11 src, rows 4..7 at column l      CX   columns left
// Z0..Z7 eight rows of eight columns, then their transpose; Z8..Z23 on the way
TEXT ·transpose8AVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ ldd+8(FP), R8
	MOVQ src+16(FP), SI
	MOVQ lds+24(FP), R9
	MOVQ k+32(FP), CX
	SHLQ $3, R8
	SHLQ $3, R9
	LEAQ (R9)(R9*2), R10
	LEAQ (SI)(R9*4), R11
	MOVQ $8, DX
	KXNORB K1, K1, K1

loop:
	CMPQ CX, $8
	JGE  load
	TESTQ CX, CX
	JE   done

	// The last columns: load k of them, store k rows.
	MOVQ CX, DX
	MOVQ $1, AX
	SHLQ CX, AX
	DECQ AX
	KMOVB AX, K1

load:
	VMOVUPD.Z (SI), K1, Z0
	VMOVUPD.Z (SI)(R9*1), K1, Z1
	VMOVUPD.Z (SI)(R9*2), K1, Z2
	VMOVUPD.Z (SI)(R10*1), K1, Z3
	VMOVUPD.Z (R11), K1, Z4
	VMOVUPD.Z (R11)(R9*1), K1, Z5
	VMOVUPD.Z (R11)(R9*2), K1, Z6
	VMOVUPD.Z (R11)(R10*1), K1, Z7

	// Pairs of rows: even columns in Z8, Z10, Z12, Z14, odd ones beside.
	VUNPCKLPD Z1, Z0, Z8
	VUNPCKHPD Z1, Z0, Z9
	VUNPCKLPD Z3, Z2, Z10
	VUNPCKHPD Z3, Z2, Z11
	VUNPCKLPD Z5, Z4, Z12
	VUNPCKHPD Z5, Z4, Z13
	VUNPCKLPD Z7, Z6, Z14
	VUNPCKHPD Z7, Z6, Z15

	// Quadruples, then whole columns, in units of 128 bits.
	VSHUFF64X2 $0x44, Z10, Z8, Z16
	VSHUFF64X2 $0xEE, Z10, Z8, Z17
	VSHUFF64X2 $0x44, Z14, Z12, Z18
	VSHUFF64X2 $0xEE, Z14, Z12, Z19
	VSHUFF64X2 $0x44, Z11, Z9, Z20
	VSHUFF64X2 $0xEE, Z11, Z9, Z21
	VSHUFF64X2 $0x44, Z15, Z13, Z22
	VSHUFF64X2 $0xEE, Z15, Z13, Z23
	VSHUFF64X2 $0x88, Z18, Z16, Z0
	VSHUFF64X2 $0x88, Z22, Z20, Z1
	VSHUFF64X2 $0xDD, Z18, Z16, Z2
	VSHUFF64X2 $0xDD, Z22, Z20, Z3
	VSHUFF64X2 $0x88, Z19, Z17, Z4
	VSHUFF64X2 $0x88, Z23, Z21, Z5
	VSHUFF64X2 $0xDD, Z19, Z17, Z6
	VSHUFF64X2 $0xDD, Z23, Z21, Z7

	CMPQ DX, $8
	JLT  tail
	VMOVUPD Z0, (DI)
	VMOVUPD Z1, (DI)(R8*1)
	LEAQ (DI)(R8*2), DI
	VMOVUPD Z2, (DI)
	VMOVUPD Z3, (DI)(R8*1)
	LEAQ (DI)(R8*2), DI
	VMOVUPD Z4, (DI)
	VMOVUPD Z5, (DI)(R8*1)
	LEAQ (DI)(R8*2), DI
	VMOVUPD Z6, (DI)
	VMOVUPD Z7, (DI)(R8*1)
	LEAQ (DI)(R8*2), DI
	ADDQ $64, SI
	ADDQ $64, R11
	SUBQ $8, CX
	JMP  loop

tail:
	VMOVUPD Z0, (DI)
	DECQ CX
	JE   done
	ADDQ R8, DI
	VMOVUPD Z1, (DI)
	DECQ CX
	JE   done
	ADDQ R8, DI
	VMOVUPD Z2, (DI)
	DECQ CX
	JE   done
	ADDQ R8, DI
	VMOVUPD Z3, (DI)
	DECQ CX
	JE   done
	ADDQ R8, DI
	VMOVUPD Z4, (DI)
	DECQ CX
	JE   done
	ADDQ R8, DI
	VMOVUPD Z5, (DI)
	DECQ CX
	JE   done
	ADDQ R8, DI
	VMOVUPD Z6, (DI)

done:
	VZEROUPPER
	RET
