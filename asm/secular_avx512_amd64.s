//go:build !purego

#include "textflag.h"
#include "asm_amd64.h"

// SI d   DI z   CX numbers left   Z29 1   Z30 tau   Z31 sigma

#define ONES \
	MOVQ $0x3FF0000000000000, AX \
	VPBROADCASTQ AX, Z29

// INVERT: r = 1/a within a unit of the last place: an estimate of 14 bits, and
// two steps of Newton, r + r·(1 − a·r). e is scratch.
#define INVERT(a, r, e) \
	VRCP14PD     a, r     \
	VMOVAPD      Z29, e   \
	VFNMADD231PD a, r, e  \
	VFMADD213PD  r, e, r  \
	VMOVAPD      Z29, e   \
	VFNMADD231PD a, r, e  \
	VFMADD213PD  r, e, r

// DISTANCE: a = (a − sigma) − tau.
#define DISTANCE(a) \
	VSUBPD Z31, a, a \
	VSUBPD Z30, a, a

// TERM adds z²/δ to sum and z²/δ² to slope. a, r and e are scratch.
#define TERM(at, sum, slope, a, r, e) \
	VMOVUPD at(SI), a \
	DISTANCE(a) \
	INVERT(a, r, e) \
	VMOVUPD at(DI), e \
	VMULPD r, e, r \
	VFMADD231PD r, e, sum \
	VFMADD231PD r, r, slope

// TOTAL: X0 = the sum of the lanes of Z16 or Z20. X1 is scratch.
#define TOTAL(z) \
	VEXTRACTF64X4 $0, z, Y0 \
	VEXTRACTF64X4 $1, z, Y1 \
	VADDPD Y1, Y0, Y0 \
	FOLD

// func poleSumAVX512(d, z []float64, sigma, tau float64) (sum, slope float64)
TEXT ·poleSumAVX512(SB), NOSPLIT, $0-80
	MOVQ d_base+0(FP), SI
	MOVQ d_len+8(FP), CX
	MOVQ z_base+24(FP), DI
	VBROADCASTSD sigma+48(FP), Z31
	VBROADCASTSD tau+56(FP), Z30
	ONES
	ZERO4(Z16, Z17, Z18, Z19)
	ZERO4(Z20, Z21, Z22, Z23)
	SUBQ $32, CX
	JLT  few
four:
	TERM(0, Z16, Z20, Z0, Z1, Z2)
	TERM(64, Z17, Z21, Z3, Z4, Z5)
	TERM(128, Z18, Z22, Z6, Z7, Z8)
	TERM(192, Z19, Z23, Z9, Z10, Z11)
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $32, CX
	JGE  four
	VADDPD Z18, Z16, Z16
	VADDPD Z19, Z17, Z17
	VADDPD Z22, Z20, Z20
	VADDPD Z23, Z21, Z21
	VADDPD Z17, Z16, Z16
	VADDPD Z21, Z20, Z20
few:
	ADDQ $24, CX
	JLT  part
one:
	TERM(0, Z16, Z20, Z0, Z1, Z2)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $8, CX
	JGE  one
part:
	ADDQ $8, CX
	JZ   fold
	LANES
	VMOVUPD.Z (SI), K1, Z0
	DISTANCE(Z0)
	INVERT(Z0, Z1, Z2)
	VMOVUPD.Z (DI), K1, Z2
	VMULPD Z1, Z2, Z1
	VFMADD231PD Z1, Z2, K1, Z16
	VFMADD231PD Z1, Z1, K1, Z20
fold:
	TOTAL(Z16)
	VMOVSD X0, sum+64(FP)
	TOTAL(Z20)
	VMOVSD X0, slope+72(FP)
	RETURN

// RATIO multiplies p by δ/(d − pole): R8 p, Z28 the pole.
#define RATIO(at, a, b, r, e) \
	VMOVUPD at(SI), a \
	VSUBPD  Z28, a, b \
	DISTANCE(a) \
	INVERT(b, r, e) \
	VMULPD  a, r, r \
	VMULPD  at(R8), r, r \
	VMOVUPD r, at(R8)

#define FOUR \
	RATIO(0, Z0, Z1, Z2, Z3) \
	RATIO(64, Z4, Z5, Z6, Z7) \
	RATIO(128, Z8, Z9, Z10, Z11) \
	RATIO(192, Z12, Z13, Z14, Z15) \
	ADDQ $256, SI \
	ADDQ $256, R8

#define ONE \
	RATIO(0, Z0, Z1, Z2, Z3) \
	ADDQ $64, SI \
	ADDQ $64, R8

#define PART \
	VMOVUPD.Z (SI), K1, Z0 \
	VSUBPD Z28, Z0, Z1 \
	DISTANCE(Z0) \
	INVERT(Z1, Z2, Z3) \
	VMULPD Z0, Z2, Z2 \
	VMULPD.Z (R8), Z2, K1, Z2 \
	VMOVUPD Z2, K1, (R8)

// func poleRatiosAVX512(p, d []float64, sigma, tau, pole float64)
TEXT ·poleRatiosAVX512(SB), NOSPLIT, $0-72
	MOVQ p_base+0(FP), R8
	MOVQ p_len+8(FP), CX
	MOVQ d_base+24(FP), SI
	VBROADCASTSD sigma+48(FP), Z31
	VBROADCASTSD tau+56(FP), Z30
	VBROADCASTSD pole+64(FP), Z28
	ONES
	LOOP512(FOUR, ONE, PART)

// WEIGHT sets v = z/δ and adds v² to sum: R8 v.
#define WEIGHT(at, sum, a, r, e) \
	VMOVUPD at(SI), a \
	DISTANCE(a) \
	INVERT(a, r, e) \
	VMULPD at(DI), r, r \
	VMOVUPD r, at(R8) \
	VFMADD231PD r, r, sum

#define ADVANCE(bytes) \
	ADDQ $bytes, SI \
	ADDQ $bytes, DI \
	ADDQ $bytes, R8

// func poleVectorAVX512(v, z, d []float64, sigma, tau float64) float64
TEXT ·poleVectorAVX512(SB), NOSPLIT, $0-96
	MOVQ v_base+0(FP), R8
	MOVQ v_len+8(FP), CX
	MOVQ z_base+24(FP), DI
	MOVQ d_base+48(FP), SI
	VBROADCASTSD sigma+72(FP), Z31
	VBROADCASTSD tau+80(FP), Z30
	ONES
	ZERO4(Z16, Z17, Z18, Z19)
	SUBQ $32, CX
	JLT  few
four:
	WEIGHT(0, Z16, Z0, Z1, Z2)
	WEIGHT(64, Z17, Z3, Z4, Z5)
	WEIGHT(128, Z18, Z6, Z7, Z8)
	WEIGHT(192, Z19, Z9, Z10, Z11)
	ADVANCE(256)
	SUBQ $32, CX
	JGE  four
	VADDPD Z18, Z16, Z16
	VADDPD Z19, Z17, Z17
	VADDPD Z17, Z16, Z16
few:
	ADDQ $24, CX
	JLT  part
one:
	WEIGHT(0, Z16, Z0, Z1, Z2)
	ADVANCE(64)
	SUBQ $8, CX
	JGE  one
part:
	ADDQ $8, CX
	JZ   fold
	LANES
	VMOVUPD.Z (SI), K1, Z0
	DISTANCE(Z0)
	INVERT(Z0, Z1, Z2)
	VMULPD.Z (DI), Z1, K1, Z1
	VMOVUPD Z1, K1, (R8)
	VFMADD231PD Z1, Z1, K1, Z16
fold:
	TOTAL(Z16)
	VMOVSD X0, ret+88(FP)
	RETURN
