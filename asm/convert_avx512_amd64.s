//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// DX  dst
// SI  src
// CX  numbers left

#define HALVES(at, to) \
	VCVTPH2PS at(SI), Y0     \
	VCVTPS2PD Y0, Z1         \
	VMOVUPD   Z1, to(DX)

#define FOURHALVES \
	HALVES(0, 0)     \
	HALVES(16, 64)   \
	HALVES(32, 128)  \
	HALVES(48, 192)  \
	ADDQ $64, SI     \
	ADDQ $256, DX

#define ONEHALVES \
	HALVES(0, 0)     \
	ADDQ $16, SI     \
	ADDQ $64, DX

// Masks of words take more than this level has: the last ones go one by one.
#define PARTHALVES \
last: \
	MOVWLZX   (SI), AX       \
	VMOVD     AX, X0         \
	VCVTPH2PS X0, X0         \
	VCVTSS2SD X0, X0, X0     \
	VMOVSD    X0, (DX)       \
	ADDQ      $2, SI         \
	ADDQ      $8, DX         \
	DECQ      CX             \
	JNZ       last

#define SINGLES(at, to) \
	VCVTPS2PD at(SI), Z0 \
	VMOVUPD   Z0, to(DX)

#define FOURSINGLES \
	SINGLES(0, 0)    \
	SINGLES(32, 64)  \
	SINGLES(64, 128) \
	SINGLES(96, 192) \
	ADDQ $128, SI    \
	ADDQ $256, DX

#define ONESINGLES \
	SINGLES(0, 0)    \
	ADDQ $32, SI     \
	ADDQ $64, DX

#define PARTSINGLES \
	VCVTPS2PD.Z (SI), K1, Z0 \
	VMOVUPD     Z0, K1, (DX)

// func fromHalfAVX512(dst []float64, src []byte)
TEXT ·fromHalfAVX512(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DX
	MOVQ dst_len+8(FP), CX
	MOVQ src_base+24(FP), SI
	LOOP512(FOURHALVES, ONEHALVES, PARTHALVES)

// func fromSingleAVX512(dst []float64, src []byte)
TEXT ·fromSingleAVX512(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DX
	MOVQ dst_len+8(FP), CX
	MOVQ src_base+24(FP), SI
	LOOP512(FOURSINGLES, ONESINGLES, PARTSINGLES)
