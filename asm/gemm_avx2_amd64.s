//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// Registers of the tile, 4×12:
//
//	Y0 … Y11   sums: row i is Y(3i), Y(3i+1), Y(3i+2)
//	Y12 … Y14  row l of B
//	Y15        an element of column l of A in all lanes; in the end alpha
//	SI, DI     column l of A's panel (32 bytes), row l of B's (96 bytes)

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
	VBROADCASTSD alpha+8(FP), Y15

// PLAIN and MASKED add alpha times four sums to C, MASKED in the lanes of Y12.
#define PLAIN(at, c0) \
	VFMADD213PD at(DX), Y15, c0 \
	VMOVUPD c0, at(DX)

#define MASKED(at, c0) \
	VMASKMOVPD at(DX), Y12, Y13 \
	VFMADD213PD Y13, Y15, c0 \
	VMASKMOVPD c0, Y12, at(DX)

// ADDv and ADDMv add alpha times the sums of one row of v vectors to C, ADDMv
// only in the lanes of Y12 of the last, and leave after the last row.
#define NEXT \
	DECQ R14 \
	JZ   done \
	ADDQ R8, DX

#define ADD3(c0, c1, c2) \
	PLAIN(0, c0) \
	PLAIN(32, c1) \
	PLAIN(64, c2) \
	NEXT

#define ADDM3(c0, c1, c2) \
	PLAIN(0, c0) \
	PLAIN(32, c1) \
	MASKED(64, c2) \
	NEXT

#define ADDM2(c0, c1) \
	PLAIN(0, c0) \
	MASKED(32, c1) \
	NEXT

#define ADDM1(c0) \
	MASKED(0, c0) \
	NEXT

// MASK sets r lanes of Y12, 1 ≤ r ≤ 4, where AX = r − 4.
#define MASK \
	NEGQ AX \
	LEAQ lanes<>(SB), BX \
	VMOVUPD (BX)(AX*8), Y12

DATA lanes<>+0(SB)/8, $-1
DATA lanes<>+8(SB)/8, $-1
DATA lanes<>+16(SB)/8, $-1
DATA lanes<>+24(SB)/8, $-1
DATA lanes<>+32(SB)/8, $0
DATA lanes<>+40(SB)/8, $0
DATA lanes<>+48(SB)/8, $0
GLOBL lanes<>(SB), RODATA|NOPTR, $56

// func gemmTileAVX2(k int, alpha float64, a, b, c *float64, ldc, m, n int)
TEXT ·gemmTileAVX2(SB), NOSPLIT, $0-64
	MOVQ k+0(FP), CX
	MOVQ CX, BX
	ANDQ $3, BX
	SHRQ $2, CX
	MOVQ a+16(FP), SI
	MOVQ b+24(FP), DI
	MOVQ c+32(FP), DX
	MOVQ ldc+40(FP), R8
	SHLQ $3, R8      // bytes from row to row of C
	MOVQ DX, R9      // what is fetched of C
	MOVQ $88, R11    // from there to the end of the row
	MOVQ R8, R13
	SUBQ R11, R13
	XORQ R11, R13    // R11 ^= R13: to the next row, and back
	XORL R12, R12
	MOVQ m+48(FP), R14
	LEAQ (R14)(R14*1), R10
	ZERO4(Y0, Y1, Y2, Y3)
	ZERO4(Y4, Y5, Y6, Y7)
	ZERO4(Y8, Y9, Y10, Y11)
	MOVQ n+56(FP), AX
	SUBQ $4, AX
	JLE  narrow
	SUBQ $4, AX
	JLE  middle
	SUM(STEP3, wideFour, wideRest, wideOne, wideStore)
	SUBQ $4, AX
	JLT  partial
	ADD3(Y0, Y1, Y2)
	ADD3(Y3, Y4, Y5)
	ADD3(Y6, Y7, Y8)
	ADD3(Y9, Y10, Y11)
partial:
	MASK
	ADDM3(Y0, Y1, Y2)
	ADDM3(Y3, Y4, Y5)
	ADDM3(Y6, Y7, Y8)
	ADDM3(Y9, Y10, Y11)
middle:
	SUM(STEP2, middleFour, middleRest, middleOne, middleStore)
	MASK
	ADDM2(Y0, Y1)
	ADDM2(Y3, Y4)
	ADDM2(Y6, Y7)
	ADDM2(Y9, Y10)
narrow:
	SUM(STEP1, narrowFour, narrowRest, narrowOne, narrowStore)
	MASK
	ADDM1(Y0)
	ADDM1(Y3)
	ADDM1(Y6)
	ADDM1(Y9)
done:
	RETURN
