// Package mat is dense linear algebra on strided views of float64 numbers:
// products, triangular products and solves, norms and elementwise operations.
//
// # Views
//
// A [Matrix] is a view: four integers and a slice. Transposing, slicing and
// taking a diagonal change the integers and share the numbers, so there are no
// transpose flags and no separate routines for "right side" or "upper": the
// solution of X·L = B for X is that of Lᵀ·Xᵀ = Bᵀ, written
//
//	mat.SolveUpper(l.T(), b.T())
//
// Destinations come first. Wherever a destination may coincide with an
// argument the documentation says so; any other overlap panics. The test is
// about elements: two disjoint rectangles of one matrix do not overlap, and
// the blocked algorithms here live on that. Shape mistakes panic with the
// operation and both shapes in the text.
//
// # Products
//
// [Mul] is the five-loop algorithm of Goto and van de Geijn (ACM TOMS 34(3),
// 2008) in the form that BLIS gives it (Van Zee and van de Geijn, ACM TOMS
// 41(3), 2015): blocks of A and B are packed into contiguous panels and a
// register tile, asm.GemmTile, runs over them. [MulSym] computes the lower
// triangle of a product that is known to be symmetric, [Syrk] that of a·aᵀ.
// [SolveLower], [SolveUpper], [MulLower] and [MulUpper] halve the triangle
// recursively, so that nearly all of their work is products (Elmroth,
// Gustavson, Jonsson and Kågström, SIAM Review 46(1), 2004).
//
// # Zeros, NaN and infinities
//
// Zeros are never skipped, so 0·NaN is NaN and 0·Inf is NaN in every product.
// Two scalars are exceptions, as in the BLAS: with beta == 0 the destination
// is written without being read, and with alpha == 0 the factors are not read.
//
// # Determinism
//
// Work is divided by shape, never by the number of processors, and partial
// sums are added in an order that the shape fixes. The same call gives the
// same bits at any GOMAXPROCS.
package mat
