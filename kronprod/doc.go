// Package kronprod works with Kronecker products A₁ ⊗ A₂ ⊗ … of dense matrices
// without ever forming them.
//
// # The idea
//
// A vector of length n₁·n₂·…·n_d is a [Tensor] with d modes, the last index
// fastest. Multiplying it by A₁ ⊗ … ⊗ A_d multiplies each mode by its own
// matrix, one mode after another (the "vec trick"; van Loan, "The ubiquitous
// Kronecker product", J. Comput. Appl. Math. 123, 2000; De Boor, ACM TOMS 5(2),
// 1979). With N entries the cost is N·(n₁+…+n_d) multiplications instead of N².
// Every mode product is one matrix product, or a few on strided views: no
// entry is moved.
//
// Modes may be taken in any order. Multiplying an n-long mode to length m costs
// m per entry present and leaves m/n of them, so of two modes the one with the
// smaller 1/n − 1/m goes first; that order is the cheapest (an exchange of
// neighbours proves it).
//
// # What is here
//
// [Operator] is the product itself: multiply, transpose, trace, diagonal.
// [Factorize] gives the Cholesky factors of a product of symmetric positive
// definite matrices, and with them solve and log-determinant. [Eigen] gives the
// eigenvalues and, as an operator, the eigenvectors. [MulMode], [Gram], [Cross]
// and [Marginal] are the contractions that a structured model needs beside
// those.
//
// # Determinism
//
// All sums are ordered by shape: the same bits at any GOMAXPROCS.
package kronprod
