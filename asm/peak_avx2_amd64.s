//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

#define FMA4(a, b, c, d) \
	VFMADD213PD Y13, Y12, a \
	VFMADD213PD Y13, Y12, b \
	VFMADD213PD Y13, Y12, c \
	VFMADD213PD Y13, Y12, d

// func peakAVX2(n int)
//
// Y0 … Y11 are as many independent chains as the tile has, Yi ← Y12·Yi + Y13.
TEXT ·peakAVX2(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), CX
	MOVQ $0x3FE3C0CA428C59FB, AX // 0.617…
	VMOVQ AX, X12
	VBROADCASTSD X12, Y12
	MOVQ $0x3FE5A5A5A5A5A5A5, AX // 0.676…
	VMOVQ AX, X13
	VBROADCASTSD X13, Y13
	ZERO4(Y0, Y1, Y2, Y3)
	ZERO4(Y4, Y5, Y6, Y7)
	ZERO4(Y8, Y9, Y10, Y11)
	TESTQ CX, CX
	JLE  done
loop:
	FMA4(Y0, Y1, Y2, Y3)
	FMA4(Y4, Y5, Y6, Y7)
	FMA4(Y8, Y9, Y10, Y11)
	DECQ CX
	JNZ  loop
done:
	RETURN
