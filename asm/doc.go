// Package asm holds the kernels in which the time of the whole module is
// spent: the register tile of the matrix product and loops over slices.
//
// Every kernel has a plain Go form in generic.go, compiled on every
// architecture. The rest of the module calls the kernels only, never an
// instruction set, so a faster form of one kernel changes one file here and
// nothing anywhere else.
//
//	operation   meaning                                      forms
//	GemmTile    C[m×n] += alpha · A[m×k] · B[k×n]            generic avx2 avx512 neon
//	Transpose   dst[l,i] = src[i,l]                          generic avx2 avx512 neon
//	Dot         Σ x[i]·y[i]                                  generic avx2 avx512 neon
//	SumSquares  Σ x[i]²                                      generic avx2 avx512 neon
//	MaxAbs      max |x[i]|                                   generic avx2 avx512 neon
//	Axpy        y[i] += alpha·x[i]                           generic avx2 avx512 neon
//	AddScaled   dst[i] = x[i] + alpha·y[i]                   generic avx2 avx512 neon
//	Scale       dst[i] = alpha·x[i]                          generic avx2 avx512 neon
//	MulTo       dst[i] = x[i]·y[i]                           generic avx2 avx512 neon
//	Rotate      plane rotation of x[i] and y[i]              generic avx2 avx512 neon
//	RotateRows  sweep of rotations of neighbouring rows       generic avx2 avx512 neon
//	DotRows     rows times a vector                          generic avx2 avx512 neon
//	AxpyRows    a vector plus scaled rows                    generic avx2 avx512 neon
//	SymvRows    both of these in one pass                    generic avx2 avx512 neon
//	Exp         dst[i] = exp(x[i])                           generic avx2 avx512 neon
//	ExpAdd      dst[i] = exp(x[i] + (c + u[i]))              generic avx2 avx512 neon
//	ExpAddMul   dst[i] = w[i]·exp(x[i] + (c + u[i])), Σ dst  generic avx2 avx512 neon
//	ExpSqrt     dst[i] = (c0 + c1·r + c2·r²)·exp(−r), r² ~ x generic avx2 avx512 neon
//	Log         dst[i] = ln x[i]                             generic avx2 avx512 neon
//	SumLog      Σ ln x[i]                                    generic avx2 avx512 neon
//
// The generic kernels round every product before it is added
// (float64(a*b) + c), so their bits do not depend on whether a compiler
// fuses a multiplication with an addition.
//
// # exp and ln
//
// Exp, Log and their fused forms are one sequence of operations, each rounded
// as IEEE 754 says, whatever the level; generic Go follows it with math.FMA. So
// they give the same bits on every machine. Neither needs a table in memory:
// AVX-512 takes exponents apart and puts them together with VGETEXPPD,
// VGETMANTPD and VSCALEFPD, the other levels in integer registers. What is left
// over at the end of a slice goes through the same steps in part of a register.
//
// Cycles for a register of 8 (AVX-512) or 4 (AVX2) numbers, and 10⁹ numbers per
// second, on one core of an Intel Sapphire Rapids at 3.5 to 3.8 GHz (shared with others;
// the fastest of 400 runs; Go 1.26.8, 2026-11-20), for 1000 numbers in the
// first-level cache:
//
//	            AVX-512         AVX2
//	Exp         10.5   2.7      12.2   1.2
//	ExpAdd      11.9   2.4      13.0   1.2
//	ExpAddMul   13.5   2.1      14.1   1.1
//	ExpSqrt     25.6   1.1      19.3   0.8
//	Log         17.4   1.6      17.2   0.9
//	SumLog      18.0   1.6      17.9   0.9
//
// Exp is 19 operations for the two arithmetic ports with AVX-512, so 9.5
// cycles are its floor there; ExpSqrt waits for the square root, Log for the
// division. On NEON Exp is 74 instructions for four numbers, 34 of which
// multiply. Numbers that are subnormal, or become so, take Intel's processors up
// to 90 ns each. To redo:
//
//	go test ./asm -run - -bench 'Exp|Log'
package asm
