//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// SI, DI c and s, CX how many of them are still to come
// R8 the bytes from row to row   R10 row i of Z   R12 its columns left
// Y12 c[i]   Y13 s[i]   Y0 … Y3 what row i+1 is before rotation i
// Y4 … Y7 row i, Y8 … Y11 what row i+1 becomes

#define BEGIN \
	MOVQ c_base+40(FP), SI \
	MOVQ c_len+48(FP), CX \
	MOVQ s_base+64(FP), DI

#define COEFFICIENTS \
	SUBQ R8, R10 \
	VBROADCASTSD -8(SI)(CX*8), Y12 \
	VBROADCASTSD -8(DI)(CX*8), Y13

// TURN makes t = s·h + c·f and f = c·h − s·f, the product with s rounded first.
#define TURN(h, f, t) \
	VMULPD h, Y13, t \
	VFMADD231PD f, Y12, t \
	VMULPD f, Y13, f \
	VFMSUB231PD h, Y12, f

#define VECTOR(at, h, f, t) \
	VMOVUPD at(R10), h \
	TURN(h, f, t) \
	VMOVUPD t, at(R10)(R8*1)

// func rotateRowsAVX2(z []float64, ldz, n int, c, s []float64)
TEXT ·rotateRowsAVX2(SB), NOSPLIT, $0-88
	MOVQ ldz+24(FP), R8
	SHLQ $3, R8
	MOVQ n+32(FP), R12
	MOVQ c_len+48(FP), R9
	IMULQ R8, R9
	ADDQ z_base+0(FP), R9  // the last row
wide:                      // 16 columns
	CMPQ R12, $16
	JLT  narrow
	BEGIN
	MOVQ R9, R10
	VMOVUPD (R10), Y0
	VMOVUPD 32(R10), Y1
	VMOVUPD 64(R10), Y2
	VMOVUPD 96(R10), Y3
wideRotation:
	COEFFICIENTS
	VECTOR(0, Y4, Y0, Y8)
	VECTOR(32, Y5, Y1, Y9)
	VECTOR(64, Y6, Y2, Y10)
	VECTOR(96, Y7, Y3, Y11)
	DECQ CX
	JNZ  wideRotation
	VMOVUPD Y0, (R10)
	VMOVUPD Y1, 32(R10)
	VMOVUPD Y2, 64(R10)
	VMOVUPD Y3, 96(R10)
	ADDQ $128, R9
	SUBQ $16, R12
	JMP  wide
narrow:                    // 4 columns
	CMPQ R12, $4
	JLT  last
	BEGIN
	MOVQ R9, R10
	VMOVUPD (R10), Y0
narrowRotation:
	COEFFICIENTS
	VECTOR(0, Y4, Y0, Y8)
	DECQ CX
	JNZ  narrowRotation
	VMOVUPD Y0, (R10)
	ADDQ $32, R9
	SUBQ $4, R12
	JMP  narrow
last:                      // 1 to 3 columns
	MOVQ R12, CX
	TESTQ CX, CX
	JZ   done
	XORL BX, BX
	REST
	BEGIN
	MOVQ R9, R10
	LOAD(R10, Y0, X0, X1)
lastRotation:
	COEFFICIENTS
	LOAD(R10, Y4, X4, X1)
	TURN(Y4, Y0, Y8)
	LEAQ (R10)(R8*1), R9
	STOREOF(R9, Y8, X8, X1)
	DECQ CX
	JNZ  lastRotation
	STOREOF(R10, Y0, X0, X1)
done:
	RETURN
