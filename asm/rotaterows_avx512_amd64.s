//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// SI, DI c and s, CX how many of them are still to come
// R8 the bytes from row to row   DX row i of Z   BX its columns left
// Z30 c[i]   Z31 s[i]   Z0 … Z3 what row i+1 is before rotation i
// Z4 … Z7 row i, Z8 … Z11 what row i+1 becomes

#define BEGIN \
	MOVQ c_base+40(FP), SI \
	MOVQ c_len+48(FP), CX \
	MOVQ s_base+64(FP), DI

#define COEFFICIENTS \
	SUBQ R8, DX \
	VBROADCASTSD -8(SI)(CX*8), Z30 \
	VBROADCASTSD -8(DI)(CX*8), Z31

// TURN makes t = s·h + c·f and f = c·h − s·f, the product with s rounded first.
#define TURN(h, f, t) \
	VMULPD h, Z31, t \
	VFMADD231PD f, Z30, t \
	VMULPD f, Z31, f \
	VFMSUB231PD h, Z30, f

#define VECTOR(at, h, f, t) \
	VMOVUPD at(DX), h \
	TURN(h, f, t) \
	VMOVUPD t, at(DX)(R8*1)

// func rotateRowsAVX512(z []float64, ldz, n int, c, s []float64)
TEXT ·rotateRowsAVX512(SB), NOSPLIT, $0-88
	MOVQ ldz+24(FP), R8
	SHLQ $3, R8
	MOVQ n+32(FP), BX
	MOVQ c_len+48(FP), R9
	IMULQ R8, R9
	ADDQ z_base+0(FP), R9  // the last row
	CMPQ BX, $32           // 32 columns, all that a call has
	JLT  narrow
	BEGIN
	MOVQ R9, DX
	VMOVUPD (DX), Z0
	VMOVUPD 64(DX), Z1
	VMOVUPD 128(DX), Z2
	VMOVUPD 192(DX), Z3
wideRotation:
	COEFFICIENTS
	VECTOR(0, Z4, Z0, Z8)
	VECTOR(64, Z5, Z1, Z9)
	VECTOR(128, Z6, Z2, Z10)
	VECTOR(192, Z7, Z3, Z11)
	DECQ CX
	JNZ  wideRotation
	VMOVUPD Z0, (DX)
	VMOVUPD Z1, 64(DX)
	VMOVUPD Z2, 128(DX)
	VMOVUPD Z3, 192(DX)
	ADDQ $256, R9
	SUBQ $32, BX
narrow:                    // 8 columns, or the 1 to 7 of the mask K1
	TESTQ BX, BX
	JZ   done
	MOVQ $8, CX
	CMPQ BX, CX
	CMOVQLT BX, CX
	SUBQ CX, BX
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
	KMOVB AX, K1
	BEGIN
	MOVQ R9, DX
	VMOVUPD.Z (DX), K1, Z0
narrowRotation:
	COEFFICIENTS
	VMOVUPD.Z (DX), K1, Z4
	TURN(Z4, Z0, Z8)
	VMOVUPD Z8, K1, (DX)(R8*1)
	DECQ CX
	JNZ  narrowRotation
	VMOVUPD Z0, K1, (DX)
	ADDQ $64, R9
	JMP  narrow
done:
	RETURN
