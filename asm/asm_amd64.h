// Macros of the amd64 kernels. A kernel is a leaf without a frame: it keeps all
// in registers, stores nothing on the stack, and ends with RETURN.

// RETURN leaves a kernel that used Y or Z registers: with their upper halves
// dirty, the SSE code that the compiler emits would run slowly.
#define RETURN \
	VZEROUPPER \
	RET

// ZERO4 clears four consecutive registers by the idiom that costs no execution.
#define ZERO4(a, b, c, d) \
	VXORPD a, a, a \
	VXORPD b, b, b \
	VXORPD c, c, c \
	VXORPD d, d, d

// LANES, in AVX-512: K1 = the lowest CX lanes, CX < 8.
#define LANES \
	MOVL  $1, AX \
	SHLL  CX, AX \
	DECL  AX     \
	KMOVB AX, K1

// REST, in AVX2: of the last CX numbers of a slice, 1 to 3, BX bytes from its start, DX
// and R11 are where the second and the third one are; the last one stands for
// those that are missing. (Masked moves are slow on some processors.)
#define REST \
	LEAQ    -8(BX)(CX*8), R11 \
	LEAQ    8(BX), DX         \
	CMPQ    DX, R11           \
	CMOVQGT R11, DX

// LOAD: y = those numbers of the slice at p, and 0. x is the lower half of y, t is
// scratch.
#define LOAD(p, y, x, t) \
	VMOVSD      (p)(BX*1), x    \
	VMOVHPD     (p)(DX*1), x, x \
	VMOVSD      (p)(R11*1), t   \
	VINSERTF128 $1, t, y, y

// STOREOF: those numbers of the slice at p = y. x is the lower half of y, t is
// scratch.
#define STOREOF(p, y, x, t) \
	VEXTRACTF128 $1, y, t      \
	VMOVSD       t, (p)(R11*1) \
	VMOVHPD      x, (p)(DX*1)  \
	VMOVSD       x, (p)(BX*1)

// STORE: those numbers of the slice at p = Y0. X1 is scratch.
#define STORE(p) STOREOF(p, Y0, X0, X1)

// CUT: all lanes of Y0 but the lowest CX = 0. CX and AX are scratch.
#define CUT \
	MOVQ   $·laneMask+32(SB), AX \
	NEGQ   CX                    \
	VANDPD (AX)(CX*8), Y0, Y0

// FOLD: X0 = the sum of the lanes of Y0, added 2 and 1 apart. X1 is scratch.
#define FOLD \
	VEXTRACTF128 $1, Y0, X1 \
	VADDPD       X1, X0, X0 \
	VPERMILPD    $1, X0, X1 \
	VADDSD       X1, X0, X0

// LANES32, in AVX-512: K1 … K4 = the lowest CX of 32 lanes, CX < 32.
#define LANES32 \
	LANES \
	SHRL  $8, AX \
	KMOVB AX, K2 \
	SHRL  $8, AX \
	KMOVB AX, K3 \
	SHRL  $8, AX \
	KMOVB AX, K4

// ONLY and ONLYSIGNED, in AVX2, for factors of which the lowest CX lanes count,
// CX < 4: they make the others of y 0 or −0. The product of the two is −0, and
// added to a sum it changes not even the sign of a zero. POINT comes before
// them: AX and R10 point to the masks.
#define POINT \
	LEAQ ·laneMask+32(SB), AX \
	LEAQ ·laneSign+32(SB), R10 \
	NEGQ CX \
	LEAQ (AX)(CX*8), AX \
	LEAQ (R10)(CX*8), R10

#define ONLY(y) \
	VANDPD (AX), y, y

#define ONLYSIGNED(y) \
	VANDPD (AX), y, y \
	VORPD  (R10), y, y

// LOOP512 goes through CX numbers: FOUR takes 32 of them and moves the pointers
// on, ONE 8, and PART the rest, by LANES.
#define LOOP512(FOUR, ONE, PART) \
	SUBQ $32, CX \
	JLT  few \
four: \
	FOUR \
	SUBQ $32, CX \
	JGE  four \
few: \
	ADDQ $24, CX \
	JLT  part \
one: \
	ONE \
	SUBQ $8, CX \
	JGE  one \
part: \
	ADDQ $8, CX \
	JZ   done \
	LANES \
	PART \
done: \
	RETURN

// LOOP256 does so with 16 and 4 numbers, and with REST.
#define LOOP256(FOUR, ONE, PART) \
	SUBQ $16, CX \
	JLT  few \
four: \
	FOUR \
	SUBQ $16, CX \
	JGE  four \
few: \
	ADDQ $12, CX \
	JLT  part \
one: \
	ONE \
	SUBQ $4, CX \
	JGE  one \
part: \
	ADDQ $4, CX \
	JZ   done \
	XORL BX, BX \
	REST \
	PART \
done: \
	RETURN

// NEXTPANEL, in GemmPanel: R15 is where the panel of B ends if it is packed,
// with so many bytes from row to row, and else the panel itself.
#define NEXTPANEL(packed) \
	MOVQ k+0(FP), R15 \
	IMULQ R12, R15 \
	XORL AX, AX \
	CMPQ R12, packed \
	CMOVQNE AX, R15 \
	ADDQ DI, R15
