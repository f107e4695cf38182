// Package eig finds the eigenvalues and eigenvectors of symmetric matrices,
// A = V·diag(w)·Vᵀ with w ascending and V orthogonal, and solves the generalised
// problem Ψ·v = λ·K·v with a positive definite K.
//
// # Use
//
// [Sym] reads the lower triangle of A and returns a [Spectrum]; [SymValues]
// returns the eigenvalues alone, in about half of the time. [General] takes Ψ
// and the Cholesky factor of K. A [Solver] keeps its workspace between matrices:
// what it has met once it does again without allocating.
//
// # Method
//
//	load             A is scaled by a power of two to a largest element of about 1    sym.go
//	tridiagonalize   A = Q·T·Qᵀ by Householder reflectors in panels, 4n³/3 flops      tridiag.go, symv.go
//	solveTridiagonal T = Z·diag(w)·Zᵀ by divide and conquer, up to 8n³/3 flops        dc.go, secular.go, ql.go
//	backTransform    V = Q·Z by blocks of reflectors, 2n³ flops                       backtransform.go
//	place            V's columns in order and with their signs                        sym.go
//
// # The reduction
//
// The columns of a panel are reduced one by one (Dongarra, Hammarling and Sorensen
// 1989, LAPACK's SYTRD). Each needs the product of its reflector's vector v with
// what is left of A: half of the flops are products of a symmetric matrix with a
// vector, which no panel avoids. The other half updates the rest of the triangle
// by V·Wᵀ + W·Vᵀ, one product of matrices for each panel.
//
// The product reads an element of the triangle once and uses it for its row and
// for its column (asm.SymvRows, four rows at a time; every operand begins at a
// multiple of eight elements). Out of the level-2 cache it runs at 90 GB/s on the
// machine below, where plain sums of squares read 170; beyond, at 27 of 29. So a
// matrix of order 1000, with 4 MB in its triangle, would pay for the slower
// cache twice over. But every other product runs from the last row to the
// first, and begins with what the former one left in the cache: that saves 15 %
// of the reduction for n = 1000, and 8 % for n = 2000. From order 400 on the
// product is shared out in bands of rows, each with sums of its own, and so is the
// update, so that every processor finds its band in its cache: two reduce n = 1000 in
// 23 ms instead of 42, and n = 2000 in 269 instead of 451. At n = 560 they gain
// nothing (5.5 ms, 5.0 on one): a column takes 9 µs, and what its product and update
// fetch from the other cache as much again.
//
// Two other designs were weighed with the speeds of their parts (in ms, for
// n = 560, 1000 and 2000; b is the width of a band):
//
//	panels, as built                                                  5.6    44   468
//	the update of each column fused with the next product: writes
//	the triangle for each column; a rank-2 update alone takes         6.7    69   576
//	by way of a band of width 32 (Bischof, Lang and Sun, ACM Trans.
//	Math. Software 26(4), 2000): 4n³/3 flops of products at 75 GFLOPS 3.1    18   142
//	  + 6bn² flops of the chase of bulges at 7.6 GFLOPS               7.9    25   101
//	  + 2n³ flops that the second Q adds to the vectors at 62         5.7    32   258
//
// The band pays above n ≈ 2000 with vectors, and above n ≈ 1000 without.
// Reducing a small rest without panels gains nothing: the order at which it would
// begin does not show from 0 to 96.
//
// # The tridiagonal problem
//
// T is halved by a correction of rank one until its parts are small (Cuppen
// 1981). Those are solved by the implicit QL iteration with Wilkinson's shift;
// then pairs of parts are merged. The eigenvalues of a merge are the roots of a
// secular equation, its eigenvectors follow from weights for which the computed
// roots are the exact ones (Gu and Eisenstat 1995), and two products of matrices
// bring them together with those of the parts. What the correction does not touch
// is deflated: the more equal or uncoupled the eigenvalues, the less is left to
// do. Eigenvalues alone need only the ends of the vectors, in O(n²).
//
// # The back-transformation
//
// A block of reflectors is I − V·T·Vᵀ (Schreiber and Van Loan 1989), where
// T⁻ᵀ = stril(VᵀV) + diag(1/τ) (Joffrain, Low, Quintana-Ortí, van de Geijn and
// Van Zee 2006). T itself is not formed: G = Tᵀ·Vᵀ is a triangular solution.
//
// The vectors stay in the rows of X, where divide and conquer has left them, so
// X ← X − (X·V)·G are two products that read X where it lies and pack V and G alone. The
// last step brings the rows to the columns of the result, in ascending order and with
// their signs. With vectors in columns every block of reflectors packed all of them, and
// order and signs were two more passes. Milliseconds of a processor on a Zen 4 core (see
// below; n = 560, 1000, 2000): 8.2, 47 and 355 instead of 9.1, 52 and 381 for the products,
// 0.4, 2.0 and 7.7 instead of 0.4, 2.3 and 11 for order and signs.
// A block of a sixteenth of the order leaves less to triangles than the eighth that was
// best for columns.
//
// # The generalised problem
//
// With K = L·Lᵀ, C = L⁻¹·Ψ·L⁻ᵀ has the eigenvalues λ, and V = L⁻ᵀ·U makes
// Vᵀ·K·V = I and Vᵀ·Ψ·V = diag(λ) of C's eigenvectors U (Martin and Wilkinson
// 1968). C is formed by halves that keep symmetric what is symmetric, in n³
// flops (LAPACK's SYGST). Its error is that of solving with L twice, so small
// eigenvalues suffer from an ill-conditioned K; nothing is ever added to Ψ or C.
//
// # Speed
//
// One core of an Intel Sapphire Rapids (AVX-512, 2 MiB of level-2 cache; two cores,
// shared with others; Go 1.26.8, 2026-11-21); milliseconds for a random matrix, means
// of a benchmark's runs. OpenBLAS is LAPACKE_dsyevd of version 0.3.21, the better of
// its AVX2 and AVX-512 kernels, in the minutes between:
//
//	                      n = 64   128    256    560    1000   2000
//	reduction             0.042  0.14   0.66   5.0    42     451
//	divide and conquer    0.081  0.27   0.96   5.1    19
//	back-transformation   0.017  0.081  0.57   5.1    27     209
//	Sym                   0.150  0.55   2.4    16     93     970
//	SymValues             0.125  0.41   1.4    7.3    47     475
//	General               0.17   0.63   2.9    22     118
//	OpenBLAS, vectors     0.22   0.91   4.0    24     132    1140
//	Sym, two cores        0.144  0.51   2.2    12.5   56     550
//
// Two cores are 1.3 times as fast as one at n = 560, where the reduction gains nothing
// and the other two phases 1.4 and 1.6 times, and 1.7 times at 1000 and 2000. To redo,
// once with GOMAXPROCS=2:
//
//	GOMAXPROCS=1 go test ./eig -run - -bench .
//
// One core of an AMD Zen 4 (58 GFLOPS on both levels, 1 MiB of level-2 cache, virtual, nothing
// else running; Go 1.26.8, 2026-11-25): milliseconds, medians of five runs in turns with
// OpenBLAS 0.3.21, the better of its two kernels; phases are medians of three other runs:
//
//	                      n = 64   128    256    560    1000   2000
//	reduction             0.051    0.18   0.87   7.2    38     354
//	divide and conquer    0.093    0.31   1.15   6.4    27
//	back-transformation   0.030    0.16   0.89   8.1    43     340
//	Sym                   0.18     0.66   3.0    22.8   113    951
//	OpenBLAS, vectors     0.25     1.05   5.1    30.7   140    1129
//	ratio                 1.4      1.6    1.7    1.35   1.24   1.19
//
// Busy with other work (2026-11-22) both were slower, OpenBLAS more: the reduction took 604 ms
// for n = 2000, and ratios were 1.4 from n = 560 on. Since then a merge gathers its secular
// vectors where products read them, and blocks of reflectors are applied part by part, packed
// once: in turns divide and conquer takes 1.16, 6.4 and 27 ms instead of 1.27, 7.4 and 30
// (n = 256, 560, 1000).
//
// 1.5 times OpenBLAS would be 20.5, 93 and 753 ms from n = 560 on. The back-transformation runs
// at 0.75 to 0.81 of the peak there, and the reduction's products with vectors, half of its
// flops, are as fast as memory is.
//
// What limits it there is memory: at n = 2000 the reduction reads 10.7 GB, and a core reads
// 20 GB/s outside of its own cache while others work. The way by a band would read less,
// but adds 2n³ flops to the vectors: 16·10⁹, 0.3 s at nine tenths of that core's peak, and
// with the band itself, 0.2 s, and the chase, 0.1 s, as much as it saves. Fetching rows 512 to 2048
// bytes ahead gained nothing that could be told from noise.
//
// # Accuracy
//
// The results are those of a matrix A + E with |E| a small multiple of n·ε·|A|
// in norm, and V is orthogonal to a small multiple of n·ε (Wilkinson, "The
// Algebraic Eigenvalue Problem", chapter 5; Parlett, "The Symmetric Eigenvalue
// Problem", chapters 7 and 8). Every eigenvalue is therefore within that
// distance of the true one, and an eigenvector within that distance divided by
// the gap to the next eigenvalue. Eigenvalues much smaller than the largest
// carry the error of the largest. Scaling A by a power of two scales the
// eigenvalues and leaves V alone, bit by bit, as long as nothing becomes
// subnormal.
//
// # Signs and order
//
// Eigenvectors are determined up to their sign. In each column the first
// element whose magnitude is at least nine tenths of the column's largest is
// positive. The largest element itself would not do: where symmetry makes two
// elements equal in magnitude, rounding would choose between them. Equal
// eigenvalues determine their eigenvectors only up to a rotation; what is
// returned is orthonormal and the same in every run.
//
// # Failure
//
// A NaN or an infinity in the lower triangle is refused before anything else,
// with a [NonFiniteError] that names it. An L that is no Cholesky factor gives a
// [FactorError]. An eigenvalue beyond the range of float64 gives an
// [OverflowError]. The numbers of sweeps and of steps towards a root are limited,
// so the iterations end whatever happens, if need be with a [NotConvergedError].
//
// # Determinism
//
// Work is divided by shape and sums have a fixed order: the same matrix gives
// the same bits at any GOMAXPROCS.
package eig
