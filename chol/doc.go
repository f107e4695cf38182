// Package chol factors symmetric positive definite matrices as A = L·Lᵀ, with L
// lower triangular and a positive diagonal, and solves, inverts and takes
// determinants through the factor.
//
// # Use
//
// [Factorize] reads the lower triangle of A and returns a [Factor].
// [Factor.Refactorize] replaces its contents and reuses its storage, for loops
// that factor one matrix after another. A Factor is not changed by its other
// methods, so any number of goroutines may use one at the same time, except
// during Refactorize.
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
//
// # Method
//
// The matrix is halved recursively, so that nearly all of the work is matrix
// products (Gustavson, IBM J. Res. Dev. 41(6), 1997):
//
//	A₁₁ = L₁₁·L₁₁ᵀ          the same, half the order
//	L₂₁ = A₂₁·L₁₁⁻ᵀ         mat.SolveLower on transposed views
//	A₂₂ ← A₂₂ − L₂₁·L₂₁ᵀ    mat.Syrk
//	A₂₂ = L₂₂·L₂₂ᵀ          the same, half the order
//
// Blocks of small order are factored row by row. The result is backward
// stable whatever the order of the sums: L·Lᵀ = A + E with |E| of the order
// n·ε·|L|·|Lᵀ| (Higham, "Accuracy and Stability of Numerical Algorithms",
// theorem 10.3).
//
// # Failure
//
// Pivots are met in the order 0, 1, 2, …, and the first that is not a positive
// number ends the factorisation with a [NotPositiveDefiniteError] that names
// it. A NaN or an infinity in the lower triangle is refused before that, with
// a [NonFiniteError]. So a Factor without an error holds finite numbers only.
//
// A covariance matrix of nearly equal points is positive definite on paper
// and not in floating point. [FactorizeJitter] adds to the diagonal the
// smallest step of a ladder that makes it so, and returns what it added.
package chol
