// Package chol factors symmetric positive definite matrices as A = L·Lᵀ, with L
// lower triangular and a positive diagonal, and solves, inverts, updates and
// takes determinants through the factor.
//
// # Use
//
// [Factorize] reads the lower triangle of A and returns a [Factor].
// [Factor.Refactorize] replaces its contents and reuses its storage, for loops
// that factor one matrix after another. A Factor is changed by Refactorize and
// its kin, by Update and by Downdate; otherwise any number of goroutines may use
// one at the same time.
//
// Everything works in place on the columns of a matrix; wrap a slice as
// mat.Vector(x) to solve for one right-hand side.
//
//	Solve       b ← A⁻¹b
//	SolveHalf   b ← L⁻¹b     (whitening)
//	SolveHalfT  b ← L⁻ᵀb
//	MulHalf     b ← L·b      (draws with covariance A)
//	Inverse     dst ← A⁻¹
//	LogDet      log|A|
//	Update      A ← A + x·xᵀ
//	Downdate    A ← A − x·xᵀ
//
// On storage that is in use already none of them allocates.
//
// # The factorisation
//
// Every element of L is one sum and one quotient (Cholesky; Golub and Van Loan,
// "Matrix Computations", section 4.2):
//
//	L[i,j] = (A[i,j] − Σ L[i,k]·L[j,k]) / L[j,j]   over k < j
//	L[j,j] = √(A[j,j] − Σ L[j,k]²)
//
// What is left to choose is the order in which elements are finished, and where
// they lie meanwhile. Here L is kept in panels of w rows, column by column
// within a panel, w being what a few registers hold (24 on AVX-512, 12 on AVX2, 8 on
// NEON):
//
//	     0 1 2 …
//	r₀ ┌ a d g      one column of w rows after the other: the w sums of a
//	r₁ │ b e h      column fill registers, and the factor L[j,k] that they
//	r₂ └ c f i      share is one number of another panel, in all lanes
//
// So a panel is both operands of the products, as it is and without packing, and
// three kernels of package asm do all the arithmetic: CholUpdate subtracts products of
// two panels from a w×w block, CholSolve finishes a block below the diagonal,
// CholFactor one on it. A tile of the block stays in registers while finished
// columns go by, and its own triangle is solved there before it is stored.
//
// The matrix is read into panels once and L written out once. Where n is no multiple
// of w, rows of an identity stand before the first one: they meet the shortest sums,
// and no kernel needs to know of edges.
//
// Panels are grouped into blocks of 72 to 192 rows. To finish a block is a task:
// subtract what the blocks to the left contribute (left-looking, so that a sum is
// fetched and stored once for each of them, and no other memory is written), then
// solve with the block on the diagonal, or factor it. Tasks are numbered along slanted
// lines, so that diagonal blocks come early; processors take them in that order,
// and each waits only for tasks with lower numbers, which others have begun
// already (Buttari, Langou, Kurzak and Dongarra, Parallel Computing 35, 2009).
// There are no barriers.
//
// Products are subtracted from A[i,j] one after the other, k = 0 first, whatever the
// blocks. So the bits of L depend on neither the sizes of blocks nor the number
// of processors, and AVX2, AVX-512 and NEON give the same; the generic level rounds
// products before it subtracts them. A quotient is the product with the
// reciprocal, corrected by its remainder, which is the division in all but the
// rarest cases (asm.CholSolve). The result is backward stable: L·Lᵀ = A + E with
// |E| of the order n·ε·|L|·|Lᵀ| (Higham, "Accuracy and Stability of Numerical
// Algorithms", theorem 10.3).
//
// # Solving, inverting, updating
//
// Many right-hand sides are mat.SolveLower and mat.SolveUpper. Up to four are solved
// for by inner products with rows of L forwards and multiples of rows of L backwards,
// four rows at a time and all right-hand sides together: each number of L comes from
// memory once, and memory is the limit.
//
// Inverse forms U = L⁻ᵀ and then U·Uᵀ, as LAPACK's POTRI does, by the kernels of the
// factorisation: rows of the identity below A become U when A becomes L, and what
// they then subtract from a zero matrix is A⁻¹.
//
// Update and Downdate rotate the columns of L with x, plane rotations in the one case
// and hyperbolic ones in mixed form in the other (see there), row by row, since rows
// are contiguous, and four rows at a time, since each is a chain of steps that
// wait for one another. The old rows are kept until nothing can fail.
//
// # Failure
//
// Pivots are met in the order 0, 1, 2, …, and the first that is not a positive
// finite number ends the factorisation with a [NotPositiveDefiniteError] that
// names it. If a number of the lower triangle is NaN or infinite the pivot of its
// row fails at the latest; the error then is a [NonFiniteError] that names the
// number. So a Factor without an error holds finite numbers only.
//
// A covariance matrix of nearly equal points is positive definite on paper
// and not in floating point. [FactorizeJitter] adds to the diagonal the
// smallest step of a ladder that makes it so, and returns what it added.
//
// # Speed
//
// One core of an Intel Sapphire Rapids (two cores, shared with others; Go 1.26,
// 2026-11-21), AVX-512: 10⁹ operations per second, n³/3 of them for the
// factorisation, 2n³/3 for the inverse, 2n²·k for a solve with k columns and 3n²
// for an update; of-peak is the factorisation's ratio to the multiply-add peak
// in the same run. OpenBLAS is LAPACKE_dpotrf of version 0.3.21, the better of its
// AVX2 and AVX-512 kernels, in runs that took turns with ours; it works in place, and we
// copy.
//
//	n                    64     128    256    560    1000   2000
//	Factorize            24     43     70     75     84     86
//	  of-peak            0.20   0.35   0.58   0.62   0.69   0.70
//	  OpenBLAS           15     24     36     43     49     58
//	Inverse              14     25     44     53     55     54
//	Solve, one column    2.7    5.4    9.9    16     8.7    7.1
//	Update               3.7    4.8    5.4    4.7    4.4    4.5
//
// Solving for few columns, by the bytes of L that it reads twice, on one core of an AMD Zen 4,
// busy with other work (2026-11-22; least of many, in turns with the sum of squares of as
// many numbers, the stream), GB/s, in brackets those of columns one by one:
//
//	n                    256        560        1000       2000
//	one column           30 (24)    42 (33)    57 (36)    15 (13)
//	two columns          19 (17)    25 (23)    27 (26)    13 (6.2)
//	four columns         8.4 (5.9)  13 (7.6)   15 (11)    10 (2.1)
//	eight, in blocks     6.3        8.9        9.6        6.5
//	stream               116        92         96         36
//
// What is out of reach of the stream is arithmetic from four columns on: 15 GB/s are 15·10⁹
// flops for four columns.
//
// The factorisation there, one core with nothing else running, medians of five runs in turns with OpenBLAS
// (2026-11-25), 10⁹ operations per second:
//
//	n                    64     128    256    560    1000   2000
//	Factorize            16.4   27.8   42.3   47.6   47.6   49.5
//	  of-peak            0.28   0.47   0.72   0.81   0.82   0.85
//	  OpenBLAS           14.0   24.0   34.8   42.9   45.0   46.0
//	  ratio              1.17   1.16   1.22   1.11   1.06   1.08
//
// 1.5 times OpenBLAS would be 1.1 to 1.2 times the peak from n = 560 on, and 0.9 of it at 256. (On a machine busy
// with other work OpenBLAS lost more, and ratios were 1.3 to 1.4.)
//
// Two processors are 1.6 times as fast as one at n = 560 and 1000, and 1.9 times at
// 2000. At 560 that is less than the order of tasks allows (1.9 in a model), whatever the
// size of blocks from 48 to 72 rows: what two processors fetch from each other's caches
// is what the model leaves out.
//
// At n = 64 about a third of the time goes to the 64 pivots, each a square root and
// a reciprocal that wait for the pivot before, some 50 cycles. To redo:
//
//	go test ./chol -run - -bench . -benchtime 1x
package chol
