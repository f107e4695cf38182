//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// Registers of the panel, which goes by in tiles of 8×24, and of 4×24 at its end:
//
//	Z0 … Z23   sums: row i is Z(3i), Z(3i+1), Z(3i+2)
//	Z24 … Z26  row l of B
//	Z27 … Z30  elements of column l of A, each in all lanes; in the end Z30 is beta
//	Z31        alpha
//	SI         A at column l and the tile's first row; BX four rows below
//	R8,R9,R10  bytes from there to the next three rows; R11 from column to column
//	DI, R12    row l of B, bytes from row to row
//	DX, R13    the tile's first row of C, bytes from row to row
//	R14        rows left
//	AX, R15    what is to be fetched of C, and of the panel of B behind this one
//	K1, K2, K3 columns in use, of each vector

// ROW1, ROW2, ROW3 add a·B[l,:] to the 8, 16 or 24 sums of one row.
#define ROW1(a, t, c0) \
	VBROADCASTSD a, t \
	VFMADD231PD Z24, t, c0

#define ROW2(a, t, c0, c1) \
	ROW1(a, t, c0) \
	VFMADD231PD Z25, t, c1

#define ROW3(a, t, c0, c1, c2) \
	ROW2(a, t, c0, c1) \
	VFMADD231PD Z26, t, c2

// TOPv and ALLv add the product of column l of A and row l of B to four or eight
// rows of v vectors, and go to the next column and row.
#define TOP1 \
	VMOVUPD.Z (DI), K1, Z24 \
	ROW1((SI), Z27, Z0) \
	ROW1((SI)(R8*1), Z28, Z3) \
	ROW1((SI)(R9*1), Z29, Z6) \
	ROW1((SI)(R10*1), Z30, Z9) \
	ADDQ R11, SI \
	ADDQ R12, DI

#define ALL1 \
	TOP1 \
	ROW1((BX), Z27, Z12) \
	ROW1((BX)(R8*1), Z28, Z15) \
	ROW1((BX)(R9*1), Z29, Z18) \
	ROW1((BX)(R10*1), Z30, Z21) \
	ADDQ R11, BX

#define TOP2 \
	VMOVUPD (DI), Z24 \
	VMOVUPD.Z 64(DI), K2, Z25 \
	ROW2((SI), Z27, Z0, Z1) \
	ROW2((SI)(R8*1), Z28, Z3, Z4) \
	ROW2((SI)(R9*1), Z29, Z6, Z7) \
	ROW2((SI)(R10*1), Z30, Z9, Z10) \
	ADDQ R11, SI \
	ADDQ R12, DI

#define ALL2 \
	TOP2 \
	ROW2((BX), Z27, Z12, Z13) \
	ROW2((BX)(R8*1), Z28, Z15, Z16) \
	ROW2((BX)(R9*1), Z29, Z18, Z19) \
	ROW2((BX)(R10*1), Z30, Z21, Z22) \
	ADDQ R11, BX

#define TOP3 \
	VMOVUPD (DI), Z24 \
	VMOVUPD 64(DI), Z25 \
	VMOVUPD.Z 128(DI), K3, Z26 \
	ROW3((SI), Z27, Z0, Z1, Z2) \
	ROW3((SI)(R8*1), Z28, Z3, Z4, Z5) \
	ROW3((SI)(R9*1), Z29, Z6, Z7, Z8) \
	ROW3((SI)(R10*1), Z30, Z9, Z10, Z11) \
	ADDQ R11, SI \
	ADDQ R12, DI

#define ALL3 \
	TOP3 \
	ROW3((BX), Z27, Z12, Z13, Z14) \
	ROW3((BX)(R8*1), Z28, Z15, Z16, Z17) \
	ROW3((BX)(R9*1), Z29, Z18, Z19, Z20) \
	ROW3((BX)(R10*1), Z30, Z21, Z22, Z23) \
	ADDQ R11, BX

// SUM runs STEP over the depth, four steps at a time and then single ones. The
// tile's rows of C, and then the next ones, are fetched from 20 rounds of four steps
// before they are needed, early enough to come from memory and too late to be
// driven out of the first-level cache by A and B. A line of the panel that lies behind B, if B is
// packed, is brought into the second-level cache in every round.
#define SUM(STEP, four, skip, few, one, end) \
	MOVQ k+0(FP), CX \
	SUBQ $4, CX \
	JLT  few \
	PCALIGN $32 \
four: \
	STEP \
	STEP \
	CMPQ CX, $80 \
	JGT  skip \
	PREFETCHT0 (AX) \
	PREFETCHT0 64(AX) \
	PREFETCHT0 128(AX) \
	PREFETCHT0 184(AX) \
	ADDQ R13, AX \
skip: \
	PREFETCHT1 (R15) \
	ADDQ $64, R15 \
	STEP \
	STEP \
	SUBQ $4, CX \
	JGE  four \
few: \
	ADDQ $4, CX \
	JZ   end \
one: \
	STEP \
	DECQ CX \
	JNZ  one \
end:

// PUTv writes alpha times the sums of one row plus Z30 = 0 to C, ADDv adds them to beta times
// the row, both in the columns of the masks and going to the next row.
#define PUT(at, k, c) \
	VFMADD213PD Z30, Z31, c \
	VMOVUPD c, k, at(DX)

#define ADD(at, k, c) \
	VMULPD.Z at(DX), Z30, k, Z29 \
	VFMADD213PD Z29, Z31, c \
	VMOVUPD c, k, at(DX)

#define PUT1(c0, c1, c2) \
	PUT(0, K1, c0) \
	ADDQ R13, DX

#define PUT2(c0, c1, c2) \
	PUT(0, K1, c0) \
	PUT(64, K2, c1) \
	ADDQ R13, DX

#define PUT3(c0, c1, c2) \
	PUT(0, K1, c0) \
	PUT(64, K2, c1) \
	PUT(128, K3, c2) \
	ADDQ R13, DX

#define ADD1(c0, c1, c2) \
	ADD(0, K1, c0) \
	ADDQ R13, DX

#define ADD2(c0, c1, c2) \
	ADD(0, K1, c0) \
	ADD(64, K2, c1) \
	ADDQ R13, DX

#define ADD3(c0, c1, c2) \
	ADD(0, K1, c0) \
	ADD(64, K2, c1) \
	ADD(128, K3, c2) \
	ADDQ R13, DX

#define STORE4(ROW) \
	ROW(Z0, Z1, Z2) \
	ROW(Z3, Z4, Z5) \
	ROW(Z6, Z7, Z8) \
	ROW(Z9, Z10, Z11)

#define STORE8(ROW) \
	STORE4(ROW) \
	ROW(Z12, Z13, Z14) \
	ROW(Z15, Z16, Z17) \
	ROW(Z18, Z19, Z20) \
	ROW(Z21, Z22, Z23)

// STOREUPTO4 stores the rows left, and leaves after the last one.
#define STOREUPTO4(ROW) \
	ROW(Z0, Z1, Z2) \
	DECQ R14 \
	JZ   done \
	ROW(Z3, Z4, Z5) \
	DECQ R14 \
	JZ   done \
	ROW(Z6, Z7, Z8) \
	DECQ R14 \
	JZ   done \
	ROW(Z9, Z10, Z11) \
	DECQ R14 \
	JZ   done

#define ZEROTOP \
	ZERO4(Z0, Z1, Z2, Z3) \
	ZERO4(Z4, Z5, Z6, Z7) \
	ZERO4(Z8, Z9, Z10, Z11)

#define ZEROALL \
	ZEROTOP \
	ZERO4(Z12, Z13, Z14, Z15) \
	ZERO4(Z16, Z17, Z18, Z19) \
	ZERO4(Z20, Z21, Z22, Z23)

// BETA: Z30 = beta; the zero flag says whether it is 0.
#define BETA \
	VBROADCASTSD beta+96(FP), Z30 \
	MOVQ beta+96(FP), CX \
	ADDQ CX, CX

// REWIND goes back to column 0 of A and row 0 of B.
#define REWIND \
	MOVQ  k+0(FP), CX \
	IMULQ R11, CX \
	SUBQ  CX, SI \
	MOVQ  b_base+64(FP), DI

// PANEL goes through the rows of C, 8 at a time, then 4.
#define PANEL(ALL, TOP, PUTROW, ADDROW, big, bigFour, bigSkip, bigFew, bigOne, bigEnd, bigPut, bigNext, small, smallFour, smallSkip, smallFew, smallOne, smallEnd, smallPut) \
	NEXTPANEL($192) \
	CMPQ R14, $8 \
	JLT  small \
big: \
	LEAQ (SI)(R8*4), BX \
	MOVQ DX, AX \
	ZEROALL \
	SUM(ALL, bigFour, bigSkip, bigFew, bigOne, bigEnd) \
	REWIND \
	MOVQ stepa+56(FP), CX \
	LEAQ (SI)(CX*8), SI \
	BETA \
	JZ   bigPut \
	STORE8(ADDROW) \
	JMP  bigNext \
bigPut: \
	VXORPD Z30, Z30, Z30 \
	STORE8(PUTROW) \
bigNext: \
	SUBQ $8, R14 \
	CMPQ R14, $8 \
	JGE  big \
small: \
	XORL    AX, AX \
	CMPQ    R14, $1 \
	JLT     done \
	CMOVQEQ AX, R8 \
	CMPQ    R14, $2 \
	CMOVQLE R8, R9 \
	CMPQ    R14, $3 \
	CMOVQLE R9, R10 \
	MOVQ    DX, AX \
	ZEROTOP \
	SUM(TOP, smallFour, smallSkip, smallFew, smallOne, smallEnd) \
	REWIND \
	LEAQ (SI)(R8*4), SI \
	BETA \
	JZ   smallPut \
	STOREUPTO4(ADDROW) \
	JMP  small \
smallPut: \
	VXORPD Z30, Z30, Z30 \
	STOREUPTO4(PUTROW) \
	JMP  small

// func gemmPanelAVX512(k int, alpha float64, a []float64, rsa, csa, stepa int, b []float64, ldb int, beta float64, c []float64, ldc, m, n int)
TEXT ·gemmPanelAVX512(SB), NOSPLIT, $0-152
	MOVQ n+144(FP), CX
	MOVQ $1, AX
	SHLQ CX, AX
	DECQ AX          // a bit for each of the n columns
	KMOVB AX, K1
	SHRQ $8, AX
	KMOVB AX, K2
	SHRQ $8, AX
	KMOVB AX, K3
	MOVQ a_base+16(FP), SI
	MOVQ rsa+40(FP), R8
	SHLQ $3, R8
	LEAQ (R8)(R8*1), R9
	LEAQ (R8)(R8*2), R10
	MOVQ csa+48(FP), R11
	SHLQ $3, R11
	MOVQ b_base+64(FP), DI
	MOVQ ldb+88(FP), R12
	SHLQ $3, R12
	MOVQ c_base+104(FP), DX
	MOVQ ldc+128(FP), R13
	SHLQ $3, R13
	MOVQ m+136(FP), R14
	VBROADCASTSD alpha+8(FP), Z31
	CMPQ CX, $8
	JLE  one
	CMPQ CX, $16
	JLE  two
	PANEL(ALL3, TOP3, PUT3, ADD3, big3, bigFour3, bigSkip3, bigFew3, bigOne3, bigEnd3, bigPut3, bigNext3, small3, smallFour3, smallSkip3, smallFew3, smallOne3, smallEnd3, smallPut3)
two:
	PANEL(ALL2, TOP2, PUT2, ADD2, big2, bigFour2, bigSkip2, bigFew2, bigOne2, bigEnd2, bigPut2, bigNext2, small2, smallFour2, smallSkip2, smallFew2, smallOne2, smallEnd2, smallPut2)
one:
	PANEL(ALL1, TOP1, PUT1, ADD1, big1, bigFour1, bigSkip1, bigFew1, bigOne1, bigEnd1, bigPut1, bigNext1, small1, smallFour1, smallSkip1, smallFew1, smallOne1, smallEnd1, smallPut1)
done:
	RETURN
