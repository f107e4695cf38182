//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// A sum has 32 lanes in Y0 … Y7: lane j takes the products i ≡ j mod 32.
//
// SI x   DI y   CX numbers left

// SUM adds the lanes that are 16, 8, 4, 2 and 1 apart.
#define SUM \
	VADDPD Y4, Y0, Y0 \
	VADDPD Y5, Y1, Y1 \
	VADDPD Y6, Y2, Y2 \
	VADDPD Y7, Y3, Y3 \
	VADDPD Y2, Y0, Y0 \
	VADDPD Y3, Y1, Y1 \
	VADDPD Y1, Y0, Y0 \
	FOLD

#define PRODUCT(at, t, sum) \
	VMOVUPD at(SI), t \
	VFMADD231PD at(DI), t, sum

#define PRODUCTPART \
	LOAD(SI, Y8, X8, X10) \
	LOAD(DI, Y9, X9, X10) \
	POINT \
	ONLYSIGNED(Y8) \
	ONLY(Y9) \
	VFMADD231PD Y8, Y9, Y15

#define SQUARE(at, t, sum) \
	VMOVUPD at(SI), t \
	VFMADD231PD t, t, sum

#define SQUAREPART \
	LOAD(SI, Y8, X8, X10) \
	VMOVAPD Y8, Y9 \
	POINT \
	ONLYSIGNED(Y8) \
	ONLY(Y9) \
	VFMADD231PD Y8, Y9, Y15

// TAIL adds the last 0 to 31 terms, CX + 32 of them, to the sums from Y0 on: TERM
// adds four, PART what is left. LAST names the place for a sum that is not full.
#define TERMS(TERM, at, sum, last) \
	SUBQ $4, CX \
	JLT  last \
	TERM(at, Y8, sum)

#define LAST(PART, last, at, sum) \
last: \
	ADDQ $4, CX \
	JZ   fold \
	MOVQ $at, BX \
	REST \
	VMOVAPD sum, Y15 \
	PART \
	VMOVAPD Y15, sum \
	JMP  fold

#define TAIL(TERM, PART) \
	ADDQ $32, CX \
	TERMS(TERM, 0, Y0, last0) \
	TERMS(TERM, 32, Y1, last1) \
	TERMS(TERM, 64, Y2, last2) \
	TERMS(TERM, 96, Y3, last3) \
	TERMS(TERM, 128, Y4, last4) \
	TERMS(TERM, 160, Y5, last5) \
	TERMS(TERM, 192, Y6, last6) \
	SUBQ $4, CX \
	LAST(PART, last7, 224, Y7) \
	LAST(PART, last6, 192, Y6) \
	LAST(PART, last5, 160, Y5) \
	LAST(PART, last4, 128, Y4) \
	LAST(PART, last3, 96, Y3) \
	LAST(PART, last2, 64, Y2) \
	LAST(PART, last1, 32, Y1) \
	LAST(PART, last0, 0, Y0)

// func dotAVX2(x, y []float64) float64
TEXT ·dotAVX2(SB), NOSPLIT, $0-56
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
	ZERO4(Y0, Y1, Y2, Y3)
	ZERO4(Y4, Y5, Y6, Y7)
	SUBQ $32, CX
	JLT  part
loop:
	PRODUCT(0, Y8, Y0)
	PRODUCT(32, Y9, Y1)
	PRODUCT(64, Y10, Y2)
	PRODUCT(96, Y11, Y3)
	PRODUCT(128, Y8, Y4)
	PRODUCT(160, Y9, Y5)
	PRODUCT(192, Y10, Y6)
	PRODUCT(224, Y11, Y7)
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $32, CX
	JGE  loop
part:
	TAIL(PRODUCT, PRODUCTPART)
fold:
	SUM
	VMOVSD X0, ret+48(FP)
	RETURN

// func sumSquaresAVX2(x []float64) float64
TEXT ·sumSquaresAVX2(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	ZERO4(Y0, Y1, Y2, Y3)
	ZERO4(Y4, Y5, Y6, Y7)
	SUBQ $32, CX
	JLT  part
loop:
	SQUARE(0, Y8, Y0)
	SQUARE(32, Y9, Y1)
	SQUARE(64, Y10, Y2)
	SQUARE(96, Y11, Y3)
	SQUARE(128, Y8, Y4)
	SQUARE(160, Y9, Y5)
	SQUARE(192, Y10, Y6)
	SQUARE(224, Y11, Y7)
	ADDQ $256, SI
	SUBQ $32, CX
	JGE  loop
part:
	TAIL(SQUARE, SQUAREPART)
fold:
	SUM
	VMOVSD X0, ret+24(FP)
	RETURN
