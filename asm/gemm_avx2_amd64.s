//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// Registers of the panel, which goes by in tiles of 4×12:
//
//	Y0 … Y11   sums: row i is Y(3i), Y(3i+1), Y(3i+2)
//	Y12 … Y14  row l of B
//	Y15        an element of column l of A in all lanes
//	SI         A at column l and the tile's first row
//	R8,R9,R10  bytes from there to the next three rows; R11 from column to column
//	DI, R12    row l of B, bytes from row to row
//	DX, R13    the tile's first row of C, bytes from row to row
//	R14        rows left
//	AX, R15    what is to be fetched of C, and of the panel of B behind this one
//	BX         mask of the columns in use of the last vector
//
// While a tile is stored, Y12, Y13, Y14 are alpha, beta and the mask, Y15 is
// scratch, and R11, R12, CX are where the last vector's lanes 1, 2, 3 go, or the
// last lane in use.

// ROW1, ROW2, ROW3 add a·B[l,:] to the 4, 8 or 12 sums of one row.
#define ROW1(a, c0) \
	VBROADCASTSD a, Y15 \
	VFMADD231PD Y12, Y15, c0

#define ROW2(a, c0, c1) \
	ROW1(a, c0) \
	VFMADD231PD Y13, Y15, c1

#define ROW3(a, c0, c1, c2) \
	ROW2(a, c0, c1) \
	VFMADD231PD Y14, Y15, c2

// STEPv adds the product of column l of A and row l of B to the sums of v
// vectors in each row, and goes to the next column and row; the last vector is
// PART of one, and WHOLE in STEP.
#define PART(at, y) \
	VMOVUPD    (BX), y \
	VMASKMOVPD at(DI), y, y

#define STEP1 \
	PART(0, Y12) \
	ROW1((SI), Y0) \
	ROW1((SI)(R8*1), Y3) \
	ROW1((SI)(R9*1), Y6) \
	ROW1((SI)(R10*1), Y9) \
	ADDQ R11, SI \
	ADDQ R12, DI

#define STEP2 \
	VMOVUPD (DI), Y12 \
	PART(32, Y13) \
	ROW2((SI), Y0, Y1) \
	ROW2((SI)(R8*1), Y3, Y4) \
	ROW2((SI)(R9*1), Y6, Y7) \
	ROW2((SI)(R10*1), Y9, Y10) \
	ADDQ R11, SI \
	ADDQ R12, DI

#define ROWS3 \
	ROW3((SI), Y0, Y1, Y2) \
	ROW3((SI)(R8*1), Y3, Y4, Y5) \
	ROW3((SI)(R9*1), Y6, Y7, Y8) \
	ROW3((SI)(R10*1), Y9, Y10, Y11) \
	ADDQ R11, SI \
	ADDQ R12, DI

#define STEP3 \
	VMOVUPD (DI), Y12 \
	VMOVUPD 32(DI), Y13 \
	PART(64, Y14) \
	ROWS3

#define STEP \
	VMOVUPD (DI), Y12 \
	VMOVUPD 32(DI), Y13 \
	VMOVUPD 64(DI), Y14 \
	ROWS3

// PUT writes alpha times four sums plus Y13 = 0 to C, ADD adds them to beta times C; PUTLAST
// and ADDLAST do so with the columns in use of the last vector.
#define PUT(at, c, x) \
	VFMADD213PD Y13, Y12, c \
	VMOVUPD c, at(DX)

#define ADD(at, c, x) \
	VMULPD  at(DX), Y13, Y15 \
	VFMADD213PD Y15, Y12, c \
	VMOVUPD c, at(DX)

#define LANES4(at, c, x) \
	VEXTRACTF128 $1, c, X15 \
	VMOVHPD X15, at(DX)(CX*1) \
	VMOVSD  X15, at(DX)(R12*1) \
	VMOVHPD x, at(DX)(R11*1) \
	VMOVSD  x, at(DX)

#define PUTLAST(at, c, x) \
	VFMADD213PD Y13, Y12, c \
	LANES4(at, c, x)

#define ADDLAST(at, c, x) \
	VMASKMOVPD at(DX), Y14, Y15 \
	VMULPD Y13, Y15, Y15 \
	VFMADD213PD Y15, Y12, c \
	LANES4(at, c, x)

// NEXT goes to the next row of C, and leaves after the last one.
#define NEXT \
	ADDQ R13, DX \
	DECQ R14 \
	JZ   done

#define ROWOF1(OP, LAST, c0, c1, c2, x0, x1, x2) \
	LAST(0, c0, x0) \
	NEXT

#define ROWOF2(OP, LAST, c0, c1, c2, x0, x1, x2) \
	OP(0, c0, x0) \
	LAST(32, c1, x1) \
	NEXT

#define ROWOF3(OP, LAST, c0, c1, c2, x0, x1, x2) \
	OP(0, c0, x0) \
	OP(32, c1, x1) \
	LAST(64, c2, x2) \
	NEXT

#define STORETILE(ROWOF, OP, LAST) \
	ROWOF(OP, LAST, Y0, Y1, Y2, X0, X1, X2) \
	ROWOF(OP, LAST, Y3, Y4, Y5, X3, X4, X5) \
	ROWOF(OP, LAST, Y6, Y7, Y8, X6, X7, X8) \
	ROWOF(OP, LAST, Y9, Y10, Y11, X9, X10, X11)

// LANESLEFT sets R11, R12, CX for the last vector: columns n−1, n−2, … of it are
// in use.
#define LANESLEFT \
	MOVQ n+144(FP), CX \
	DECQ CX \
	ANDQ $3, CX \
	SHLQ $3, CX \
	MOVQ $8, R11 \
	CMPQ CX, R11 \
	CMOVQLT CX, R11 \
	MOVQ $16, R12 \
	CMPQ CX, R12 \
	CMOVQLT CX, R12

// PANEL goes through the rows of C, 4 at a time; STEPS is one step of the depth.
// The tile's rows of C, and the next ones, are fetched from 20 rounds of four steps
// before they are needed, early enough to come from memory and too late to be
// driven out of the first-level cache by A and B. A line of the panel that lies behind B, if B is
// packed, is brought into the second-level cache in every round.
#define PANEL(STEPS, ROWOF, PUTS, ADDS, tile, four, skip, few, one, end, put) \
	NEXTPANEL($96) \
tile: \
	XORL    AX, AX \
	CMPQ    R14, $1 \
	JLT     done \
	CMOVQEQ AX, R8 \
	CMPQ    R14, $2 \
	CMOVQLE R8, R9 \
	CMPQ    R14, $3 \
	CMOVQLE R9, R10 \
	MOVQ    DX, AX \
	ZERO4(Y0, Y1, Y2, Y3) \
	ZERO4(Y4, Y5, Y6, Y7) \
	ZERO4(Y8, Y9, Y10, Y11) \
	MOVQ k+0(FP), CX \
	SUBQ $4, CX \
	JLT  few \
	PCALIGN $32 \
four: \
	STEPS \
	STEPS \
	CMPQ CX, $80 \
	JGT  skip \
	PREFETCHT0 (AX) \
	PREFETCHT0 88(AX) \
	ADDQ R13, AX \
skip: \
	PREFETCHT1 (R15) \
	ADDQ $64, R15 \
	STEPS \
	STEPS \
	SUBQ $4, CX \
	JGE  four \
few: \
	ADDQ $4, CX \
	JZ   end \
one: \
	STEPS \
	DECQ CX \
	JNZ  one \
end: \
	MOVQ  k+0(FP), CX \
	IMULQ R11, CX \
	SUBQ  CX, SI \
	MOVQ  stepa+56(FP), CX \
	LEAQ  (SI)(CX*8), SI \
	LANESLEFT \
	VBROADCASTSD alpha+8(FP), Y12 \
	VBROADCASTSD beta+96(FP), Y13 \
	VMOVUPD (BX), Y14 \
	MOVQ beta+96(FP), AX \
	ADDQ AX, AX \
	JZ   put \
	STORETILE(ROWOF, ADD, ADDS) \
	BACK \
	JMP  tile \
put: \
	VXORPD Y13, Y13, Y13 \
	STORETILE(ROWOF, PUT, PUTS) \
	BACK \
	JMP  tile

// BACK goes back to row 0 of B, and restores what STORE used.
#define BACK \
	MOVQ b_base+64(FP), DI \
	MOVQ csa+48(FP), R11 \
	SHLQ $3, R11 \
	MOVQ ldb+88(FP), R12 \
	SHLQ $3, R12

// func gemmPanelAVX2(k int, alpha float64, a []float64, rsa, csa, stepa int, b []float64, ldb int, beta float64, c []float64, ldc, m, n int)
TEXT ·gemmPanelAVX2(SB), NOSPLIT, $0-152
	MOVQ a_base+16(FP), SI
	MOVQ rsa+40(FP), R8
	SHLQ $3, R8
	LEAQ (R8)(R8*1), R9
	LEAQ (R8)(R8*2), R10
	MOVQ c_base+104(FP), DX
	MOVQ ldc+128(FP), R13
	SHLQ $3, R13
	MOVQ m+136(FP), R14
	MOVQ n+144(FP), CX
	LEAQ -1(CX), AX
	ANDQ $3, AX
	XORQ $3, AX              // lanes of the last vector that are not in use
	LEAQ ·laneMask(SB), BX
	LEAQ (BX)(AX*8), BX
	BACK
	CMPQ CX, $4
	JLE  narrow
	CMPQ CX, $8
	JLE  middle
	CMPQ CX, $12
	JLT  wide
	PANEL(STEP, ROWOF3, PUT, ADD, tile, four, skip, few, one, end, put)
wide:
	PANEL(STEP3, ROWOF3, PUTLAST, ADDLAST, tile3, four3, skip3, few3, one3, end3, put3)
middle:
	PANEL(STEP2, ROWOF2, PUTLAST, ADDLAST, tile2, four2, skip2, few2, one2, end2, put2)
narrow:
	PANEL(STEP1, ROWOF1, PUTLAST, ADDLAST, tile1, four1, skip1, few1, one1, end1, put1)
done:
	RETURN
