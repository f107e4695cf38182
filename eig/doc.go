// Package eig finds the eigenvalues and eigenvectors of symmetric matrices,
// A = V·diag(w)·Vᵀ with w ascending and V orthogonal.
//
// # Use
//
// [Sym] reads the lower triangle of A and returns a [Spectrum]; [SymValues]
// returns the eigenvalues alone, the same bits in about a third of the time. A
// [Solver] keeps its workspace between matrices.
//
// # Method
//
//	load            A is scaled by a power of two to a largest element of about 1
//	tridiagonalize  A = Q·T·Qᵀ by Householder reflectors in panels   tridiag.go
//	ql              T = Z·diag(w)·Zᵀ by the implicit QL iteration    ql.go
//	backTransform   V = Q·Z by blocks of reflectors                  backtransform.go
//
// The QL iteration itself costs O(n²). Its rotations are recorded and applied
// to Z many sweeps at a time, row by row, where they cost about 5·n³ operations
// in all; the reduction takes 4n³/3 and the back-transformation 2n³.
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
// with a [NonFiniteError] that names it. An eigenvalue beyond the range of
// float64 gives an [OverflowError]. The number of sweeps is limited, so the
// iteration ends whatever happens, if need be with a [NotConvergedError].
//
// # Determinism
//
// Work is divided by shape and sums have a fixed order: the same matrix gives
// the same bits at any GOMAXPROCS.
package eig
