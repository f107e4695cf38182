//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// DX  dst
// SI  src
// CX  numbers left

// LOOP8 goes through CX numbers: EIGHT takes 8 of them and moves the pointers on, and ONE does so with those of the rest.
#define LOOP8(EIGHT, ONE) \
	SUBQ $8, CX \
	JLT  rest   \
eight: \
	EIGHT \
	SUBQ $8, CX \
	JGE  eight  \
rest: \
	ADDQ $8, CX \
	JZ   done   \
one: \
	ONE \
	DECQ CX     \
	JNZ  one    \
done: \
	RETURN

#define EIGHTHALVES \
	VCVTPH2PS    (SI), Y0   \
	VCVTPS2PD    X0, Y1     \
	VEXTRACTF128 $1, Y0, X0 \
	VCVTPS2PD    X0, Y2     \
	VMOVUPD      Y1, (DX)   \
	VMOVUPD      Y2, 32(DX) \
	ADDQ         $16, SI    \
	ADDQ         $64, DX

#define ONEHALF \
	MOVWLZX   (SI), AX   \
	VMOVD     AX, X0     \
	VCVTPH2PS X0, X0     \
	VCVTSS2SD X0, X0, X0 \
	VMOVSD    X0, (DX)   \
	ADDQ      $2, SI     \
	ADDQ      $8, DX

#define EIGHTSINGLES \
	VCVTPS2PD (SI), Y1   \
	VCVTPS2PD 16(SI), Y2 \
	VMOVUPD   Y1, (DX)   \
	VMOVUPD   Y2, 32(DX) \
	ADDQ      $32, SI    \
	ADDQ      $64, DX

#define ONESINGLE \
	VMOVSS    (SI), X0   \
	VCVTSS2SD X0, X0, X0 \
	VMOVSD    X0, (DX)   \
	ADDQ      $4, SI     \
	ADDQ      $8, DX

// func fromHalfAVX2(dst []float64, src []byte)
TEXT ·fromHalfAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DX
	MOVQ dst_len+8(FP), CX
	MOVQ src_base+24(FP), SI
	LOOP8(EIGHTHALVES, ONEHALF)

// func fromSingleAVX2(dst []float64, src []byte)
TEXT ·fromSingleAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DX
	MOVQ dst_len+8(FP), CX
	MOVQ src_base+24(FP), SI
	LOOP8(EIGHTSINGLES, ONESINGLE)
