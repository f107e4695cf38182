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

// STORE: those numbers of the slice at p = Y0. X1 is scratch.
#define STORE(p) \
	VEXTRACTF128 $1, Y0, X1     \
	VMOVSD       X1, (p)(R11*1) \
	VMOVHPD      X0, (p)(DX*1)  \
	VMOVSD       X0, (p)(BX*1)

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
