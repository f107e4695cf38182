// NEON instructions that the Go assembler does not know, and one spelling for
// those it does. Registers are given by number; the destination is last; .2D
// means both float64 lanes of a register.
//
//	FMLAE(n, m, i, d)   Vd.2D += Vn.2D · Vm.D[i], rounded once
//	FMLSE(n, m, i, d)   the same with -=
//	FMLA(n, m, d)       Vd.2D += Vn.2D · Vm.2D,   rounded once
//	FMLS(n, m, d)       the same with -=
//	FMULE(n, m, i, d)   Vd.2D  = Vn.2D · Vm.D[i]
//	FADD(n, m, d)       Vd.2D  = Vn.2D + Vm.2D; so FSUB (n - m), FMUL, FDIV (n / m)
//	FMAX(n, m, d)       Vd.2D  = the larger, NaN if either is NaN; so FMIN
//	FABS(n, d)          Vd.2D  = |Vn.2D|; so FNEG, FSQRT
//	FCMGT(n, m, d)      Vd.2D  = all ones where Vn.2D > Vm.2D, else 0
//	FCMEQZ(n, d)        Vd.2D  = all ones where Vn.2D = 0, else 0; so FCMLTZ (< 0)
//	FADDP(n, d)         Vd     = Vn.D[0] + Vn.D[1], the other lane 0
//	FMAXP(n, d)         Vd     = the larger of both lanes, NaN if either is NaN
//	WIDENHALF(n, d)     Vd.4S  = the lower half of Vn.8H, numbers of 16 bits; WIDENHALFHIGH the upper one
//	WIDEN(n, d)         Vd.2D  = the lower half of Vn.4S; WIDENHIGH the upper one
//	MOVE(n, d)          Vd     = Vn
//	ZERO(d)             Vd     = 0; ZERO4 clears four registers
#define FMLAE(n, m, i, d) WORD $(0x4fc01000 | (m)<<16 | (i)<<11 | (n)<<5 | (d))
#define FMLSE(n, m, i, d) WORD $(0x4fc05000 | (m)<<16 | (i)<<11 | (n)<<5 | (d))
#define FMULE(n, m, i, d) WORD $(0x4fc09000 | (m)<<16 | (i)<<11 | (n)<<5 | (d))
#define FMLA(n, m, d) WORD $(0x4e60cc00 | (m)<<16 | (n)<<5 | (d))
#define FMLS(n, m, d) WORD $(0x4ee0cc00 | (m)<<16 | (n)<<5 | (d))
#define FADD(n, m, d) WORD $(0x4e60d400 | (m)<<16 | (n)<<5 | (d))
#define FSUB(n, m, d) WORD $(0x4ee0d400 | (m)<<16 | (n)<<5 | (d))
#define FMUL(n, m, d) WORD $(0x6e60dc00 | (m)<<16 | (n)<<5 | (d))
#define FDIV(n, m, d) WORD $(0x6e60fc00 | (m)<<16 | (n)<<5 | (d))
#define FMAX(n, m, d) WORD $(0x4e60f400 | (m)<<16 | (n)<<5 | (d))
#define FMIN(n, m, d) WORD $(0x4ee0f400 | (m)<<16 | (n)<<5 | (d))
#define FABS(n, d) WORD $(0x4ee0f800 | (n)<<5 | (d))
#define FNEG(n, d) WORD $(0x6ee0f800 | (n)<<5 | (d))
#define FSQRT(n, d) WORD $(0x6ee1f800 | (n)<<5 | (d))
#define FCMGT(n, m, d) WORD $(0x6ee0e400 | (m)<<16 | (n)<<5 | (d))
#define FCMEQZ(n, d) WORD $(0x4ee0d800 | (n)<<5 | (d))
#define FCMLTZ(n, d) WORD $(0x4ee0e800 | (n)<<5 | (d))
#define FADDP(n, d) WORD $(0x7e70d800 | (n)<<5 | (d))
#define FMAXP(n, d) WORD $(0x7e70f800 | (n)<<5 | (d))
#define WIDENHALF(n, d) WORD $(0x0e217800 | (n)<<5 | (d))
#define WIDENHALFHIGH(n, d) WORD $(0x4e217800 | (n)<<5 | (d))
#define WIDEN(n, d) WORD $(0x0e617800 | (n)<<5 | (d))
#define WIDENHIGH(n, d) WORD $(0x4e617800 | (n)<<5 | (d))
#define MOVE(n, d) WORD $(0x4ea01c00 | (n)<<16 | (n)<<5 | (d))
#define ZERO(d) WORD $(0x6f00e400 | (d))
#define ZERO4(a, b, c, d) \
	ZERO(a) \
	ZERO(b) \
	ZERO(c) \
	ZERO(d)

// TURN rotates x and y, of two elements each, by c = V31.D[0] and s =
// V30.D[0] = −V29.D[0]: Vt = c·x + s·y and Vx = c·y − s·x, the product with s
// rounded first.
#define TURN(x, y, t) \
	FMULE(y, 30, 0, t) \
	FMLAE(x, 31, 0, t) \
	FMULE(x, 29, 0, x) \
	FMLAE(y, 31, 0, x)
