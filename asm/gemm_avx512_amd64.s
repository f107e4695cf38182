//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// Registers of the tile, 8×24:
//
//	Z0 … Z23   sums: row i is Z(3i), Z(3i+1), Z(3i+2)
//	Z24 … Z26  row l of B
//	Z27 … Z30  elements of column l of A, each in all lanes
//	Z31        alpha
//	SI, DI     column l of A's panel (64 bytes), row l of B's (192 bytes)

// ROW1, ROW2, ROW3 add a·B[l,:] to the 8, 16 or 24 sums of one row.
#define ROW1(a, t, c0) \
	VBROADCASTSD a(SI), t \
	VFMADD231PD Z24, t, c0

#define ROW2(a, t, c0, c1) \
	ROW1(a, t, c0) \
	VFMADD231PD Z25, t, c1

#define ROW3(a, t, c0, c1, c2) \
	ROW2(a, t, c0, c1) \
	VFMADD231PD Z26, t, c2

// TOPv and ALLv add the product of column l+u of A and row l+u of B to four or
// eight rows of v vectors.
#define TOP1(u) \
	VMOVUPD (192*u)(DI), Z24 \
	ROW1(64*u+0, Z27, Z0) \
	ROW1(64*u+8, Z28, Z3) \
	ROW1(64*u+16, Z29, Z6) \
	ROW1(64*u+24, Z30, Z9)

#define ALL1(u) \
	TOP1(u) \
	ROW1(64*u+32, Z27, Z12) \
	ROW1(64*u+40, Z28, Z15) \
	ROW1(64*u+48, Z29, Z18) \
	ROW1(64*u+56, Z30, Z21)

#define TOP2(u) \
	VMOVUPD (192*u)(DI), Z24 \
	VMOVUPD (192*u+64)(DI), Z25 \
	ROW2(64*u+0, Z27, Z0, Z1) \
	ROW2(64*u+8, Z28, Z3, Z4) \
	ROW2(64*u+16, Z29, Z6, Z7) \
	ROW2(64*u+24, Z30, Z9, Z10)

#define ALL2(u) \
	TOP2(u) \
	ROW2(64*u+32, Z27, Z12, Z13) \
	ROW2(64*u+40, Z28, Z15, Z16) \
	ROW2(64*u+48, Z29, Z18, Z19) \
	ROW2(64*u+56, Z30, Z21, Z22)

#define TOP3(u) \
	VMOVUPD (192*u)(DI), Z24 \
	VMOVUPD (192*u+64)(DI), Z25 \
	VMOVUPD (192*u+128)(DI), Z26 \
	ROW3(64*u+0, Z27, Z0, Z1, Z2) \
	ROW3(64*u+8, Z28, Z3, Z4, Z5) \
	ROW3(64*u+16, Z29, Z6, Z7, Z8) \
	ROW3(64*u+24, Z30, Z9, Z10, Z11)

#define ALL3(u) \
	TOP3(u) \
	ROW3(64*u+32, Z27, Z12, Z13, Z14) \
	ROW3(64*u+40, Z28, Z15, Z16, Z17) \
	ROW3(64*u+48, Z29, Z18, Z19, Z20) \
	ROW3(64*u+56, Z30, Z21, Z22, Z23)

// SUM runs STEP over the depth: CX times four steps, then BX single ones. The
// panel of A is fetched 1 KiB ahead, and C, which is not needed before the end,
// two lines every four steps (R9 and R11 go through the first and the last two
// lines of each row in turn; R10 counts half rows), so that neither waits nor
// holds up the other.
#define SUM(STEP, four, rest, one) \
	TESTQ CX, CX \
	JZ    rest \
	PCALIGN $32 \
four: \
	STEP(0) \
	PREFETCHT0 1024(SI) \
	PREFETCHT0 (R9) \
	STEP(1) \
	PREFETCHT0 1088(SI) \
	DECQ R10 \
	STEP(2) \
	PREFETCHT0 1152(SI) \
	PREFETCHT0 64(R9) \
	CMOVQLT R12, R11 \
	CMOVQLT R12, R13 \
	STEP(3) \
	PREFETCHT0 1216(SI) \
	ADDQ R11, R9 \
	XORQ R13, R11 \
	ADDQ $256, SI \
	ADDQ $768, DI \
	DECQ CX \
	JNZ  four \
rest: \
	TESTQ BX, BX \
	JZ   store \
one: \
	STEP(0) \
	ADDQ $64, SI \
	ADDQ $192, DI \
	DECQ BX \
	JNZ  one \
	JMP  store

// ADD adds alpha times the sums of one row to C, in the columns of the masks.
#define ADD(c0, c1, c2) \
	VFMADD213PD (DX), Z31, K1, c0 \
	VMOVUPD c0, K1, (DX) \
	VFMADD213PD 64(DX), Z31, K2, c1 \
	VMOVUPD c1, K2, 64(DX) \
	VFMADD213PD 128(DX), Z31, K3, c2 \
	VMOVUPD c2, K3, 128(DX) \
	ADDQ R8, DX

// func gemmTileAVX512(k int, alpha float64, a, b, c []float64, ldc, m, n int)
TEXT ·gemmTileAVX512(SB), NOSPLIT, $0-112
	MOVQ n+104(FP), CX
	MOVQ $1, AX
	SHLQ CX, AX
	DECQ AX          // a bit for each of the n columns
	KMOVW AX, K1
	SHRQ $8, AX
	KMOVW AX, K2
	SHRQ $8, AX
	KMOVW AX, K3
	MOVQ a_base+16(FP), SI
	MOVQ b_base+40(FP), DI
	MOVQ c_base+64(FP), DX
	MOVQ ldc+88(FP), R8
	SHLQ $3, R8      // bytes from row to row of C
	MOVQ DX, R9      // what is fetched of C
	MOVQ $120, R11   // from there to the last lines of the row
	MOVQ R8, R13
	SUBQ R11, R13
	XORQ R11, R13    // R11 ^= R13: to the next row, and back
	XORL R12, R12
	MOVQ m+96(FP), R14
	LEAQ (R14)(R14*1), R10
	VBROADCASTSD alpha+8(FP), Z31
	ZERO4(Z0, Z1, Z2, Z3)
	ZERO4(Z4, Z5, Z6, Z7)
	ZERO4(Z8, Z9, Z10, Z11)
	ZERO4(Z12, Z13, Z14, Z15)
	ZERO4(Z16, Z17, Z18, Z19)
	ZERO4(Z20, Z21, Z22, Z23)
	MOVQ CX, AX      // n
	MOVQ k+0(FP), CX
	MOVQ CX, BX
	ANDQ $3, BX
	SHRQ $2, CX
	CMPQ R14, $4
	JLE  top
	CMPQ AX, $8
	JLE  all1
	CMPQ AX, $16
	JLE  all2
	SUM(ALL3, all3Four, all3Rest, all3One)
all2:
	SUM(ALL2, all2Four, all2Rest, all2One)
all1:
	SUM(ALL1, all1Four, all1Rest, all1One)
top:
	CMPQ AX, $8
	JLE  top1
	CMPQ AX, $16
	JLE  top2
	SUM(TOP3, top3Four, top3Rest, top3One)
top2:
	SUM(TOP2, top2Four, top2Rest, top2One)
top1:
	SUM(TOP1, top1Four, top1Rest, top1One)

store:
	ADD(Z0, Z1, Z2)
	DECQ R14
	JZ   done
	ADD(Z3, Z4, Z5)
	DECQ R14
	JZ   done
	ADD(Z6, Z7, Z8)
	DECQ R14
	JZ   done
	ADD(Z9, Z10, Z11)
	DECQ R14
	JZ   done
	ADD(Z12, Z13, Z14)
	DECQ R14
	JZ   done
	ADD(Z15, Z16, Z17)
	DECQ R14
	JZ   done
	ADD(Z18, Z19, Z20)
	DECQ R14
	JZ   done
	ADD(Z21, Z22, Z23)
done:
	RETURN
