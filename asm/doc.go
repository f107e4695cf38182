// Package asm holds the kernels in which the time of the whole module is
// spent: panels of matrix products and of triangular systems, and loops over slices.
//
// Every kernel has a plain Go form, compiled on every architecture, and forms in
// assembly. The rest of the module calls the kernels only, never an instruction
// set, so a faster form of one kernel changes one file here and nothing anywhere
// else.
//
//	operation    meaning                                        forms
//	GemmPanel    C = alpha·A·B + beta·C, as wide as a tile      generic avx2 avx512 neon
//	SolvePanel   X = T⁻¹·X, T triangular, X as wide as a tile   generic avx2 avx512 neon
//	Transpose    dst[l,i] = src[i,l], which packs panels        generic avx2 avx512 neon
//	CopyRows     dst[i,j] = src[i,j], which packs panels        generic avx2 avx512
//	Dot          Σ x[i]·y[i]                                    generic avx2 avx512 neon
//	SumSquares   Σ x[i]²                                        generic avx2 avx512 neon
//	MaxAbs       max |x[i]|                                     generic avx2 avx512 neon
//	Axpy         y[i] += alpha·x[i]                             that of AddScaled
//	AddScaled    dst[i] = x[i] + alpha·y[i]                     generic avx2 avx512 neon
//	Scale        dst[i] = alpha·x[i]                            generic avx2 avx512 neon
//	MulTo        dst[i] = x[i]·y[i]                             generic avx2 avx512 neon
//	Rotate       plane rotation of two vectors                  generic avx2 avx512 neon
//	RotateRows   a sweep of rotations over neighbouring rows    generic avx2 avx512 neon
//	DotRows      A·x, rows apart                                generic avx512, else Dot
//	AxpyRows     y += xᵀ·A, rows apart                          generic avx2 avx512 neon
//	SymvRows     four rows of a symmetric A·x, both triangles   generic avx2 avx512 neon
//	CholUpdate   C -= Aᵀ·B in the panels of a Cholesky factor    generic avx2 avx512 neon
//	CholSolve    C·L⁻ᵀ there                                    generic avx2 avx512 neon
//	CholFactor   the factor of a diagonal block there           generic avx2 avx512 neon
//	PoleSum      Σ z[i]²/δ[i] and its slope, δ = (d−σ)−τ        generic avx2 avx512
//	PoleRatios   p[i] *= δ[i]/(d[i]−pole)                       generic avx2 avx512
//	PoleVector   v[i] = z[i]/δ[i], Σ v[i]²                      generic avx2 avx512
//	Exp          dst[i] = exp(x[i])                             generic avx2 avx512 neon
//	ExpAdd       dst[i] = exp(x[i] + (c + u[i]))                generic avx2 avx512 neon
//	ExpSqrt      dst[i] = (c0 + c1·r + c2·r²)·exp(−r), r² ~ x   generic avx2 avx512 neon
//	Log          dst[i] = ln x[i]                               generic avx2 avx512 neon
//	SumLog       Σ ln x[i]                                      generic avx2 avx512 neon
//	FromHalf     dst[i] = number i of 16 bits                   generic avx2 avx512 neon
//	FromSingle   dst[i] = number i of 32 bits                   generic avx2 avx512 neon
//	FromDouble   dst[i] = number i of 64 bits                   a copy
//
// # Levels
//
// A level is a set of instructions: avx2 is AVX2 with FMA and F16C, avx512 AVX-512 F, DQ
// and VL, neon the Advanced SIMD of arm64. The best one that the processor and
// the operating system support is chosen when the program starts; the environment
// variable KRONFIELD_ISA forces another one, and a program that lacks it panics.
// Package mat fits its blocks to the size of the level-2 cache, CacheSize, which KRONFIELD_L2 overrides.
// The build tag purego leaves no assembly. Tests run every level that there is;
// KRONFIELD_REQUIRE names one that must be among them.
//
// # Bits
//
// A kernel's result depends on its numbers alone, not on alignment, capacity or
// the number of processors. Sums have a fixed number of lanes that are added in a
// fixed order, the same in every instruction set, and every multiply-add rounds
// once; so avx2, avx512 and neon give the same bits, but for SolvePanel of an upper
// triangle, which goes by the level's tiles. The generic level rounds
// every product before it is added (float64(a*b) + c), since a compiler may or
// may not fuse the two, and has bits of its own, but for exp and ln. PoleSum,
// PoleRatios and PoleVector are the exception: avx512 multiplies by reciprocals
// where the others divide, and is a few ε apart from them.
//
// # The tile
//
// The tile is what of C stays in registers while rows of A and columns of B go by,
// 8×24 on AVX-512, 4×12 on AVX2, 6×8 on NEON: three vectors of B and one element of A at a
// time, broadcast from memory, so that loads (11 for 24 multiply-adds on AVX-512, 7
// for 12 on AVX2) stay below what two load ports can do, and 24 or 12 independent
// sums, more than the latency of two multiply-adds per cycle needs. C is fetched
// row by row, every four steps, and not before the last eighty: all of it at once would
// hold up A and B, and what comes earlier is driven out by them. Of
// the other shapes tried, 8×16, 9×24, 12×16, 14×16 and 6×32 (AVX-512) and 6×8
// (AVX2) are as fast in the first-level cache, within 1 %; with C in the third one
// 8×24 is faster than 8×16 by 3 %, than 12×16 and 14×16 by 1 to 2 %, and 4×12
// faster than 6×8 by 6 %.
//
// The speed of a single tile of packed panels, which has to start and to store
// within a call, and of ten tiles below one another, one core of an Intel Sapphire
// Rapids (two cores, shared with others; Go 1.26.8, 2026-11-21), as a fraction of the
// multiply-add peak in cycles, 31.9 and 15.8 operations per cycle; medians of runs
// with the clock measured beside each:
//
//	             one tile, k                     ten tiles, k=256, A and B
//	             32     64     128    256   384  packed  by rows
//	AVX-512      0.80   0.82   0.86   0.89  0.91 0.94    0.90
//	AVX2         0.78   0.87   0.89   0.96  0.94 0.98    0.92
//
// In seconds AVX-512 may be up to a tenth slower than in cycles: what the tile loads
// takes power, and this processor answers at times with a lower clock (2.9 for 3.2
// GHz) or by leaving out every twelfth cycle; shapes that load less or more are no
// faster. To redo:
//
//	go test ./asm -run - -bench GemmPanel/
//
// # Panels
//
// A panel of C is as many tiles below one another as there are, in one call: the columns of
// B are found in a near cache from the second tile on, and what lies behind them, if B
// is packed, is brought into the second-level cache meanwhile. A and B are read where
// they lie, by strides: small products need no packing, and a packed panel is only one
// with short strides. Rows that the last tile lacks are another row read twice, and
// columns are masked; so no number is read that is not an operand.
//
// SolvePanel keeps a tile of X in registers while the rows above or below it, which are
// solved, go by as those of B do in GemmPanel, and solves it there with the reciprocals
// of the diagonal. Its speed, as above, is 0.96 (AVX-512) and 0.98 (AVX2) of the peak in
// cycles for 240 rows, and 0.93 and 0.97 for 504, of which X fills the first-level cache.
//
// # Vectors
//
// Operations per second, in 10⁹, of vectors of 500 numbers in the first-level cache
// (the best of three runs of 3 ms): a kernel that reads two vectors for each
// multiplication is limited by the two load ports, one that writes as much as it
// reads by the store port.
//
//	             generic   avx2   avx512
//	Dot          6.6       29     36
//	SumSquares   7.1       43     52
//	Axpy         6.1       19     26
//	Scale        3.9       13     18
//	MulTo        3.5       10     13
//	MaxAbs       0.3       8      18
//	Rotate       9.2       38     45
//	RotateRows   7.8       37     44
//	DotRows      6.5       25     32
//	AxpyRows     7.7       25     32
//	SymvRows     8.1       44     55
//
// Assembly cannot be interrupted. Longer vectors and panels are therefore cut in
// pieces, the longest of which took 55 µs with their numbers in memory (AxpyRows,
// RotateRows), or 60 to 80 µs (GemmPanel with k up to 2048; BenchmarkLongestCall).
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
//
// # NEON
//
// No such processor was at hand. The table has what llvm-mca 19 estimates for the innermost loops (2026-11-22): cycles of
// one pass, and which part of these the busiest unit is at work. Neoverse N1 stands for Cortex-A76 too, which
// has its core and no model of its own; Cortex-A72 has that of A57. Addresses that a load or store
// moves on were moved on by instructions of their own, since the model has them wait for the numbers that
// are stored.
//
//	                instructions  Neoverse N1   Neoverse V2   Cortex-A72
//	GemmPanel             36      12.1  0.99     6.1  0.99    24.1  1.00
//	SolvePanel            30      12.1  1.00     6.1  0.99    24.1  1.00
//	CholFactor, CholSolve 23       9.1  0.99     4.6  0.99    17.1  0.99
//	Dot                   36      16.1  1.00    10.7  1.00    32.1  1.00
//	SumSquares            27       8.1  0.99     5.4  0.98    16.1  0.99
//	AddScaled             12       8.0  1.00     3.4  0.80    13.1  0.79
//	AxpyRows              30      14.1  1.00     7.4  0.90    27.1  0.78
//	SymvRows              48      18.1  1.00     9.1  0.88    34.1  0.94
//	MulTo                 12       8.0  1.00     3.4  0.80    15.0  0.78
//	Scale                 10       6.1  0.99     2.1  0.97    12.1  0.77
//	MaxAbs                12       4.0  0.99     2.1  0.97     9.1  0.77
//	Rotate                26      12.1  0.99     6.1  0.66    21.1  0.95
//	RotateRows            47      20.6  1.00    10.3  0.81    32.6  1.00
//	Transpose             12       4.1  0.99     4.0  0.50    13.1  0.86
//	Exp                   78      33.1  0.91    16.7  0.87    63.1  0.82
//	ExpAdd                83      35.1  0.91    17.7  0.88    72.8  0.77
//	ExpSqrt               96      49.6  0.77    28.3  0.65   148.6  0.86
//	Log                   52      30.5  0.64    13.3  0.68    73.5  0.87
//	peak                  26      12.0  1.00     6.0  1.00    24.1  1.00
//
// A pass of GemmPanel has the 24 multiply-adds of the peak's and takes as long. With elements of A that a load broadcasts
// it took 15.1, 8.1 and 28.1 cycles: that takes an arithmetic unit beside the load. Log and ExpSqrt wait for one division or root, which is too long for what these processors look ahead.
package asm
