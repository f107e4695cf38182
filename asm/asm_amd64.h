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
