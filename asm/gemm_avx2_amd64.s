//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// Registers of the tile, 4×12:
//
//	Y0 … Y11   sums: row i is Y(3i), Y(3i+1), Y(3i+2)
//	Y12 … Y14  row l of B
//	Y15        an element of column l of A in all lanes; in the end alpha
//	SI, DI     column l of A's panel (32 bytes), row l of B's (96 bytes);
//	           in the end SI is a row of C

// ROW1, ROW2, ROW3 add a·B[l,:] to the 4, 8 or 12 sums of one row.
#define ROW1(a, c0) \
	VBROADCASTSD a(SI), Y15 \
	VFMADD231PD Y12, Y15, c0

#define ROW2(a, c0, c1) \
	ROW1(a, c0) \
	VFMADD231PD Y13, Y15, c1

#define ROW3(a, c0, c1, c2) \
	ROW2(a, c0, c1) \
	VFMADD231PD Y14, Y15, c2

// STEPv adds the product of column l+u of A and row l+u of B to the sums of v
// vectors in each row.
#define STEP1(u) \
	VMOVUPD (96*u)(DI), Y12 \
	ROW1(32*u+0, Y0) \
	ROW1(32*u+8, Y3) \
	ROW1(32*u+16, Y6) \
	ROW1(32*u+24, Y9)

#define STEP2(u) \
	VMOVUPD (96*u)(DI), Y12 \
	VMOVUPD (96*u+32)(DI), Y13 \
	ROW2(32*u+0, Y0, Y1) \
	ROW2(32*u+8, Y3, Y4) \
	ROW2(32*u+16, Y6, Y7) \
	ROW2(32*u+24, Y9, Y10)

#define STEP3(u) \
	VMOVUPD (96*u)(DI), Y12 \
	VMOVUPD (96*u+32)(DI), Y13 \
	VMOVUPD (96*u+64)(DI), Y14 \
	ROW3(32*u+0, Y0, Y1, Y2) \
	ROW3(32*u+8, Y3, Y4, Y5) \
	ROW3(32*u+16, Y6, Y7, Y8) \
	ROW3(32*u+24, Y9, Y10, Y11)

// SUM runs STEP over the depth: CX times four steps, then BX single ones. The
// panel of A is fetched 1 KiB ahead, and C, which is not needed before the end,
// one line every four steps (R9 is at the first and the last line of each row
// in turn; R10 counts half rows).
#define SUM(STEP, four, rest, one, store) \
	TESTQ CX, CX \
	JZ    rest \
	PCALIGN $32 \
four: \
	STEP(0) \
	PREFETCHT0 1024(SI) \
	PREFETCHT0 (R9) \
	STEP(1) \
	DECQ R10 \
	STEP(2) \
	PREFETCHT0 1088(SI) \
	CMOVQLT R12, R11 \
	CMOVQLT R12, R13 \
	STEP(3) \
	ADDQ R11, R9 \
	XORQ R13, R11 \
	ADDQ $128, SI \
	ADDQ $384, DI \
	DECQ CX \
	JNZ  four \
rest: \
	TESTQ BX, BX \
	JZ   store \
one: \
	STEP(0) \
	ADDQ $32, SI \
	ADDQ $96, DI \
	DECQ BX \
	JNZ  one \
store: \
	VBROADCASTSD alpha+8(FP), Y15 \
	MOVQ c_base+64(FP), SI \
	MOVQ n+104(FP), CX

// PLAIN and REMAINDER add alpha times four sums to C, REMAINDER the first 1 to 3
// of them by REST.
#define PLAIN(at, c0) \
	VFMADD213PD at(SI), Y15, c0 \
	VMOVUPD c0, at(SI)

#define REMAINDER(c0, x0) \
	LOAD(SI, Y13, X13, X14) \
	VFMADD213PD Y13, Y15, c0 \
	STOREOF(SI, c0, x0, X14)

// ADDv adds alpha times the sums of one row of v vectors to C, ADDRv those of v
// vectors and of a remainder; both leave after the last row.
#define NEXT \
	DECQ R14 \
	JZ   done \
	ADDQ R8, SI

#define ADD1(c0) \
	PLAIN(0, c0) \
	NEXT

#define ADD2(c0, c1) \
	PLAIN(0, c0) \
	PLAIN(32, c1) \
	NEXT

#define ADD3(c0, c1, c2) \
	PLAIN(0, c0) \
	PLAIN(32, c1) \
	PLAIN(64, c2) \
	NEXT

#define ADDR0(c0, x0) \
	REMAINDER(c0, x0) \
	NEXT

#define ADDR1(c0, c1, x1) \
	PLAIN(0, c0) \
	REMAINDER(c1, x1) \
	NEXT

#define ADDR2(c0, c1, c2, x2) \
	PLAIN(0, c0) \
	PLAIN(32, c1) \
	REMAINDER(c2, x2) \
	NEXT

// func gemmTileAVX2(k int, alpha float64, a, b, c []float64, ldc, m, n int)
TEXT ·gemmTileAVX2(SB), NOSPLIT, $0-112
	MOVQ k+0(FP), CX
	MOVQ CX, BX
	ANDQ $3, BX
	SHRQ $2, CX
	MOVQ a_base+16(FP), SI
	MOVQ b_base+40(FP), DI
	MOVQ ldc+88(FP), R8
	SHLQ $3, R8      // bytes from row to row of C
	MOVQ c_base+64(FP), R9 // what is fetched of C
	MOVQ $88, R11    // from there to the end of the row
	MOVQ R8, R13
	SUBQ R11, R13
	XORQ R11, R13    // R11 ^= R13: to the next row, and back
	XORL R12, R12
	MOVQ m+96(FP), R14
	LEAQ (R14)(R14*1), R10
	ZERO4(Y0, Y1, Y2, Y3)
	ZERO4(Y4, Y5, Y6, Y7)
	ZERO4(Y8, Y9, Y10, Y11)
	CMPQ n+104(FP), $4
	JLE  narrow
	CMPQ n+104(FP), $8
	JLE  middle
	SUM(STEP3, wideFour, wideRest, wideOne, wideStore)
	MOVQ $64, BX
	SUBQ $8, CX
	CMPQ CX, $4
	JLT  widePart
	ADD3(Y0, Y1, Y2)
	ADD3(Y3, Y4, Y5)
	ADD3(Y6, Y7, Y8)
	ADD3(Y9, Y10, Y11)
widePart:
	REST
	ADDR2(Y0, Y1, Y2, X2)
	ADDR2(Y3, Y4, Y5, X5)
	ADDR2(Y6, Y7, Y8, X8)
	ADDR2(Y9, Y10, Y11, X11)
middle:
	SUM(STEP2, middleFour, middleRest, middleOne, middleStore)
	MOVQ $32, BX
	SUBQ $4, CX
	CMPQ CX, $4
	JLT  middlePart
	ADD2(Y0, Y1)
	ADD2(Y3, Y4)
	ADD2(Y6, Y7)
	ADD2(Y9, Y10)
middlePart:
	REST
	ADDR1(Y0, Y1, X1)
	ADDR1(Y3, Y4, X4)
	ADDR1(Y6, Y7, X7)
	ADDR1(Y9, Y10, X10)
narrow:
	SUM(STEP1, narrowFour, narrowRest, narrowOne, narrowStore)
	XORL BX, BX
	CMPQ CX, $4
	JLT  narrowPart
	ADD1(Y0)
	ADD1(Y3)
	ADD1(Y6)
	ADD1(Y9)
narrowPart:
	REST
	ADDR0(Y0, X0)
	ADDR0(Y3, X3)
	ADDR0(Y6, X6)
	ADDR0(Y9, X9)
done:
	RETURN
