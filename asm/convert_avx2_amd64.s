//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// EIGHT stores the numbers of Y0, of 32 bits, at DI.
#define EIGHT \
	VCVTPS2PD    X0, Y1     \
	VEXTRACTF128 $1, Y0, X0 \
	VCVTPS2PD    X0, Y2     \
	VMOVUPD      Y1, (DI)   \
	VMOVUPD      Y2, 32(DI)

// NEXT moves on behind so many numbers of so many bytes.
#define NEXT(numbers, bytes) \
	ADDQ $(numbers*bytes), SI \
	ADDQ $(numbers*8), DI     \
	SUBQ $numbers, CX

// func fromHalfAVX2(dst []float64, src []byte)
//
// DI  dst
// SI  src
// CX  numbers left
TEXT ·fromHalfAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ src_base+24(FP), SI
	SUBQ $8, CX
	JLT  rest
eight:
	VCVTPH2PS (SI), Y0
	EIGHT
	NEXT(8, 2)
	JGE  eight
rest:
	ADDQ $8, CX
	JZ   done
one:
	MOVWLZX   (SI), AX
	VMOVD     AX, X0
	VCVTPH2PS X0, X0
	VCVTSS2SD X0, X0, X0
	VMOVSD    X0, (DI)
	NEXT(1, 2)
	JNZ  one
done:
	RETURN

// func fromSingleAVX2(dst []float64, src []byte)
//
// DI  dst
// SI  src
// CX  numbers left
TEXT ·fromSingleAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ src_base+24(FP), SI
	SUBQ $8, CX
	JLT  rest
eight:
	VCVTPS2PD (SI), Y1
	VCVTPS2PD 16(SI), Y2
	VMOVUPD   Y1, (DI)
	VMOVUPD   Y2, 32(DI)
	NEXT(8, 4)
	JGE  eight
rest:
	ADDQ $8, CX
	JZ   done
one:
	VMOVSS    (SI), X0
	VCVTSS2SD X0, X0, X0
	VMOVSD    X0, (DI)
	NEXT(1, 4)
	JNZ  one
done:
	RETURN
