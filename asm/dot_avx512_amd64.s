//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// A sum has 32 lanes in four registers: lane j takes the products i ≡ j mod 32.
//
// SI x (or A)   DI y (or x)   CX numbers left   K1 … K4 the last of them
//
// A vector of which no lane counts is not touched: masked loads do not fault, but
// where a page is not there they take hundreds of cycles.

// SUM adds the lanes of a, b, c, d that are 16, 8, 4, 2 and 1 apart; the sum is
// in the lowest lane of a, whose parts are ya and xa.
#define SUM(a, b, c, d, ya, xa, yb, xb) \
	VADDPD c, a, a \
	VADDPD d, b, b \
	VADDPD b, a, a \
	VEXTRACTF64X4 $1, a, yb \
	VADDPD yb, ya, ya \
	VEXTRACTF128 $1, ya, xb \
	VADDPD xb, xa, xa \
	VPERMILPD $1, xa, xb \
	VADDSD xb, xa, xa

// func dotAVX512(x, y []float64) float64
TEXT ·dotAVX512(SB), NOSPLIT, $0-56
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
	ZERO4(Z0, Z1, Z2, Z3)
	SUBQ $32, CX
	JLT  part
loop:
	VMOVUPD (SI), Z4
	VMOVUPD 64(SI), Z5
	VMOVUPD 128(SI), Z6
	VMOVUPD 192(SI), Z7
	VFMADD231PD (DI), Z4, Z0
	VFMADD231PD 64(DI), Z5, Z1
	VFMADD231PD 128(DI), Z6, Z2
	VFMADD231PD 192(DI), Z7, Z3
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $32, CX
	JGE  loop
part:
	ADDQ $32, CX
	JZ   fold
	LANES32
	VMOVUPD.Z (SI), K1, Z4
	VFMADD231PD (DI), Z4, K1, Z0
	CMPQ CX, $8
	JLE  fold
	VMOVUPD.Z 64(SI), K2, Z5
	VFMADD231PD 64(DI), Z5, K2, Z1
	CMPQ CX, $16
	JLE  fold
	VMOVUPD.Z 128(SI), K3, Z6
	VFMADD231PD 128(DI), Z6, K3, Z2
	CMPQ CX, $24
	JLE  fold
	VMOVUPD.Z 192(SI), K4, Z7
	VFMADD231PD 192(DI), Z7, K4, Z3
fold:
	SUM(Z0, Z1, Z2, Z3, Y0, X0, Y1, X1)
	VMOVSD X0, ret+48(FP)
	RETURN

// func sumSquaresAVX512(x []float64) float64
TEXT ·sumSquaresAVX512(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	ZERO4(Z0, Z1, Z2, Z3)
	SUBQ $32, CX
	JLT  part
loop:
	VMOVUPD (SI), Z4
	VMOVUPD 64(SI), Z5
	VMOVUPD 128(SI), Z6
	VMOVUPD 192(SI), Z7
	VFMADD231PD Z4, Z4, Z0
	VFMADD231PD Z5, Z5, Z1
	VFMADD231PD Z6, Z6, Z2
	VFMADD231PD Z7, Z7, Z3
	ADDQ $256, SI
	SUBQ $32, CX
	JGE  loop
part:
	ADDQ $32, CX
	JZ   fold
	LANES32
	VMOVUPD.Z (SI), K1, Z4
	VFMADD231PD Z4, Z4, K1, Z0
	CMPQ CX, $8
	JLE  fold
	VMOVUPD.Z 64(SI), K2, Z5
	VFMADD231PD Z5, Z5, K2, Z1
	CMPQ CX, $16
	JLE  fold
	VMOVUPD.Z 128(SI), K3, Z6
	VFMADD231PD Z6, Z6, K3, Z2
	CMPQ CX, $24
	JLE  fold
	VMOVUPD.Z 192(SI), K4, Z7
	VFMADD231PD Z7, Z7, K4, Z3
fold:
	SUM(Z0, Z1, Z2, Z3, Y0, X0, Y1, X1)
	VMOVSD X0, ret+24(FP)
	RETURN

// ROW adds the products of a row of A with Z16 … Z19, the numbers of x, to the sum in
// a, b, c, d. COLUMNPART adds those of the lanes k of four rows with x to a sum each.
#define ROW(p, a, b, c, d) \
	VFMADD231PD p, Z16, a \
	VFMADD231PD 64+p, Z17, b \
	VFMADD231PD 128+p, Z18, c \
	VFMADD231PD 192+p, Z19, d

#define COLUMNPART(at, k, x, a, b, c, d) \
	VMOVUPD.Z at(DI), k, x \
	VFMADD231PD at(SI), x, k, a \
	VFMADD231PD at(SI)(R8*1), x, k, b \
	VFMADD231PD at(SI)(R8*2), x, k, c \
	VFMADD231PD at(SI)(R9*1), x, k, d

// func dotRowsAVX512(dst *[4]float64, a []float64, lda int, x []float64)
//
// R8 the bytes from row to row, R9 three times that; Z0 … Z15 the four sums.
TEXT ·dotRowsAVX512(SB), NOSPLIT, $0-64
	MOVQ a_base+8(FP), SI
	MOVQ lda+32(FP), R8
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	MOVQ x_base+40(FP), DI
	MOVQ x_len+48(FP), CX
	ZERO4(Z0, Z1, Z2, Z3)
	ZERO4(Z4, Z5, Z6, Z7)
	ZERO4(Z8, Z9, Z10, Z11)
	ZERO4(Z12, Z13, Z14, Z15)
	SUBQ $32, CX
	JLT  part
loop:
	VMOVUPD (DI), Z16
	VMOVUPD 64(DI), Z17
	VMOVUPD 128(DI), Z18
	VMOVUPD 192(DI), Z19
	ROW(0(SI), Z0, Z1, Z2, Z3)
	ROW(0(SI)(R8*1), Z4, Z5, Z6, Z7)
	ROW(0(SI)(R8*2), Z8, Z9, Z10, Z11)
	ROW(0(SI)(R9*1), Z12, Z13, Z14, Z15)
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $32, CX
	JGE  loop
part:
	ADDQ $32, CX
	JZ   fold
	LANES32
	COLUMNPART(0, K1, Z16, Z0, Z4, Z8, Z12)
	CMPQ CX, $8
	JLE  fold
	COLUMNPART(64, K2, Z17, Z1, Z5, Z9, Z13)
	CMPQ CX, $16
	JLE  fold
	COLUMNPART(128, K3, Z18, Z2, Z6, Z10, Z14)
	CMPQ CX, $24
	JLE  fold
	COLUMNPART(192, K4, Z19, Z3, Z7, Z11, Z15)
fold:
	SUM(Z0, Z1, Z2, Z3, Y0, X0, Y1, X1)
	SUM(Z4, Z5, Z6, Z7, Y4, X4, Y1, X1)
	SUM(Z8, Z9, Z10, Z11, Y8, X8, Y1, X1)
	SUM(Z12, Z13, Z14, Z15, Y12, X12, Y1, X1)
	MOVQ dst+0(FP), DX
	VMOVSD X0, (DX)
	VMOVSD X4, 8(DX)
	VMOVSD X8, 16(DX)
	VMOVSD X12, 24(DX)
	RETURN
