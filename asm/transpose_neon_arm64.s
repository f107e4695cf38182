//go:build !purego

#include "textflag.h"

// func transpose2NEON(dst *float64, ldd int, src *float64, lds, k int)
//
//	R0, R1  row l of dst, 8·ldd   V0, V1  row 0
//	R2, R3  rows of src           V2, V3  row 1
//	R4      columns left          V4…V7   both, column by column
//	R5      steps left
TEXT ·transpose2NEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD ldd+8(FP), R1
	MOVD src+16(FP), R2
	MOVD lds+24(FP), R3
	MOVD k+32(FP), R4
	LSL  $3, R1
	ADD  R3<<3, R2, R3
	LSR  $2, R4, R5
	CBZ  R5, two

four:
	FLDPQ.P 32(R2), (F0, F1)
	FLDPQ.P 32(R3), (F2, F3)
	VZIP1   V2.D2, V0.D2, V4.D2
	VZIP2   V2.D2, V0.D2, V5.D2
	VZIP1   V3.D2, V1.D2, V6.D2
	VZIP2   V3.D2, V1.D2, V7.D2
	VST1.P  [V4.D2], (R0)(R1)
	VST1.P  [V5.D2], (R0)(R1)
	VST1.P  [V6.D2], (R0)(R1)
	VST1.P  [V7.D2], (R0)(R1)
	SUB     $1, R5
	CBNZ    R5, four

two:
	TBZ     $1, R4, one
	FMOVQ.P 16(R2), F0
	FMOVQ.P 16(R3), F2
	VZIP1   V2.D2, V0.D2, V4.D2
	VZIP2   V2.D2, V0.D2, V5.D2
	VST1.P  [V4.D2], (R0)(R1)
	VST1.P  [V5.D2], (R0)(R1)

one:
	TBZ   $0, R4, done
	FMOVD (R2), F0
	VLD1  (R3), V0.D[1]
	FMOVQ F0, (R0)

done:
	RET
