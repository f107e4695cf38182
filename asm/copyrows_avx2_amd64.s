//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

#define NEXT(row) \
	ADDQ R9, SI \
	ADDQ R9, R10 \
	ADDQ R8, DI \
	DECQ CX \
	JNZ  row

// func copyRowsAVX2(dst []float64, ldd int, src []float64, lds, rows, n, ahead int)
//
// DI, R8  row of dst, bytes from row to row
// SI, R9  row of src, bytes from row to row
// CX      rows left
// R10     where to fetch what will be copied next
TEXT ·copyRowsAVX2(SB), NOSPLIT, $0-88
	MOVQ dst_base+0(FP), DI
	MOVQ ldd+24(FP), R8
	SHLQ $3, R8
	MOVQ src_base+32(FP), SI
	MOVQ lds+56(FP), R9
	SHLQ $3, R9
	MOVQ rows+64(FP), CX
	MOVQ ahead+80(FP), R10
	LEAQ (SI)(R10*8), R10
	CMPQ n+72(FP), $8
	JLT  one
	JEQ  two
three:
	PREFETCHT0 (R10)
	PREFETCHT0 64(R10)
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1
	VMOVUPD 64(SI), Y2
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	NEXT(three)
	RETURN
two:
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	NEXT(two)
	RETURN
one:
	VMOVUPD (SI), Y0
	VMOVUPD Y0, (DI)
	NEXT(one)
	RETURN
