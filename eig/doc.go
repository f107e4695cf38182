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
//	solveTridiagonal T = Z·diag(w)·Zᵀ                                                 ql.go
//	backTransform    V = Q·Z by blocks of reflectors, 2n³ flops                       backtransform.go
//
// # The reduction
//
// A panel of b columns is reduced one by one (Dongarra, Hammarling and Sorensen
// 1989, LAPACK's SYTRD). Each needs the product of its reflector's vector v with
// what is left of A, so a quarter of the flops of LAPACK's whole algorithm, and
// half of these, are products of a symmetric matrix with a vector, which no
// blocking removes. The other half updates the rest of the triangle by
// V·Wᵀ + W·Vᵀ, one product of matrices for each panel.
//
// The product reads an element of the triangle once and uses it for its row and
// for its column (asm.SymvRows, four rows at a time; every operand begins at a
// multiple of eight elements). Out of the level-2 cache it runs at 90 GB/s on the
// machine below, where plain sums of squares read 170; beyond, at 27 of 29. So a
// matrix of order 1000, with 4 MB in its triangle, would pay for the slower
// cache twice over. But every other product runs from the last row to the
// first, and begins with what the former one left in the cache: the reduction
// takes 53 ms instead of 62 for n = 1000, and 505 instead of 548 for n = 2000.
//
// Two other designs were weighed with the speeds of their parts (in ms, for
// n = 560, 1000 and 2000; b is the width of a band):
//
//	panels, as built                                                  5.9    46   470
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
// The implicit QL iteration with Wilkinson's shift costs O(n²). Its rotations
// are recorded and applied to Z many sweeps at a time, row by row, where they
// cost about 5·n³ operations in all.
//
// # The back-transformation
//
// A block of reflectors is I − V·T·Vᵀ (Schreiber and Van Loan 1989), where
// T⁻ᵀ = stril(VᵀV) + diag(1/τ) (Joffrain, Low, Quintana-Ortí, van de Geijn and
// Van Zee 2006). T itself is not formed: G = Tᵀ·Vᵀ is a triangular solution, and
// Z ← Z − Gᵀ·(Vᵀ·Z) two products of matrices.
//
// # The generalised problem
//
// With K = L·Lᵀ, C = L⁻¹·Ψ·L⁻ᵀ has the eigenvalues λ, and V = L⁻ᵀ·U makes
// Vᵀ·K·V = I and Vᵀ·Ψ·V = diag(λ) of C's eigenvectors U (Martin and Wilkinson
// 1968). C is formed by halves that keep symmetric what is symmetric, in n³
// flops (LAPACK's SYGST). Its error is that of solving with L twice, so small
// eigenvalues suffer from an ill-conditioned K; nothing is ever added to Ψ or C.
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
// [OverflowError]. The number of sweeps is limited, so the iteration ends
// whatever happens, if need be with a [NotConvergedError].
//
// # Determinism
//
// Work is divided by shape and sums have a fixed order: the same matrix gives
// the same bits at any GOMAXPROCS.
package eig
