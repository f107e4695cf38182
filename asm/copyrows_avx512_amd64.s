//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// MOVE copies a vector, LAST the columns of K1 of one.
#define MOVE(at) \
	VMOVUPD at(SI), Z0 \
	VMOVUPD Z0, at(DI)

#define LAST(at) \
	VMOVUPD.Z at(SI), K1, Z1 \
	VMOVUPD Z1, K1, at(DI)

#define NEXT(row) \
	ADDQ R9, SI \
	ADDQ R9, R10 \
	ADDQ R8, DI \
	DECQ CX \
	JNZ  row

// func copyRowsAVX512(dst []float64, ldd int, src []float64, lds, rows, n, ahead int)
//
// DI, R8  row of dst, bytes from row to row
// SI, R9  row of src, bytes from row to row
// CX      rows left
// R10     where to fetch what will be copied next
// K1      columns of the last vector
TEXT ·copyRowsAVX512(SB), NOSPLIT, $0-88
	MOVQ dst_base+0(FP), DI
	MOVQ ldd+24(FP), R8
	SHLQ $3, R8
	MOVQ src_base+32(FP), SI
	MOVQ lds+56(FP), R9
	SHLQ $3, R9
	MOVQ n+72(FP), BX
	LEAQ -1(BX), CX
	ANDQ $7, CX
	MOVQ $2, AX
	SHLQ CX, AX
	DECQ AX
	KMOVB AX, K1
	MOVQ rows+64(FP), CX
	MOVQ ahead+80(FP), R10
	LEAQ (SI)(R10*8), R10
	CMPQ BX, $8
	JLE  one
	CMPQ BX, $16
	JLE  two
three:
	PREFETCHT0 (R10)
	PREFETCHT0 64(R10)
	PREFETCHT0 128(R10)
	MOVE(0)
	MOVE(64)
	LAST(128)
	NEXT(three)
	RETURN
two:
	MOVE(0)
	LAST(64)
	NEXT(two)
	RETURN
one:
	LAST(0)
	NEXT(one)
	RETURN
