//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

#define FMA4(a, b, c, d) \
	VFMADD213PD Z25, Z24, a \
	VFMADD213PD Z25, Z24, b \
	VFMADD213PD Z25, Z24, c \
	VFMADD213PD Z25, Z24, d

// func peakAVX512(n int)
//
// Z0 … Z23 are as many independent chains as the tile has, Zi ← Z24·Zi + Z25,
// on numbers that stay near 1: a multiplier of zeros takes less power and may
// run faster.
TEXT ·peakAVX512(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), CX
	MOVQ $0x3FE3C0CA428C59FB, AX // 0.617…
	VPBROADCASTQ AX, Z24
	MOVQ $0x3FE5A5A5A5A5A5A5, AX // 0.676…
	VPBROADCASTQ AX, Z25
	ZERO4(Z0, Z1, Z2, Z3)
	ZERO4(Z4, Z5, Z6, Z7)
	ZERO4(Z8, Z9, Z10, Z11)
	ZERO4(Z12, Z13, Z14, Z15)
	ZERO4(Z16, Z17, Z18, Z19)
	ZERO4(Z20, Z21, Z22, Z23)
	TESTQ CX, CX
	JLE  done
loop:
	FMA4(Z0, Z1, Z2, Z3)
	FMA4(Z4, Z5, Z6, Z7)
	FMA4(Z8, Z9, Z10, Z11)
	FMA4(Z12, Z13, Z14, Z15)
	FMA4(Z16, Z17, Z18, Z19)
	FMA4(Z20, Z21, Z22, Z23)
	DECQ CX
	JNZ  loop
done:
	RETURN
