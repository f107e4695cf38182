//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

#define FMLA4(a, b, c, d) \
	FMLA(24, 25, a) \
	FMLA(24, 25, b) \
	FMLA(24, 25, c) \
	FMLA(24, 25, d)

// func peakNEON(n int)
//
// V0 … V23 are as many independent chains as the tile has, each the sum of
// equal products V24·V25: a multiplier of zeros takes less power and may run
// faster.
TEXT ·peakNEON(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R0
	MOVD $0x3FE3C0CA428C59FB, R1 // 0.617…
	VDUP R1, V24.D2
	MOVD $0x3FE5A5A5A5A5A5A5, R1 // 0.676…
	VDUP R1, V25.D2
	ZERO4(0, 1, 2, 3)
	ZERO4(4, 5, 6, 7)
	ZERO4(8, 9, 10, 11)
	ZERO4(12, 13, 14, 15)
	ZERO4(16, 17, 18, 19)
	ZERO4(20, 21, 22, 23)

round:
	CBZ R0, done
	FMLA4(0, 1, 2, 3)
	FMLA4(4, 5, 6, 7)
	FMLA4(8, 9, 10, 11)
	FMLA4(12, 13, 14, 15)
	FMLA4(16, 17, 18, 19)
	FMLA4(20, 21, 22, 23)
	SUB $1, R0
	B   round

done:
	RET
