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
// 41(3), 2015). The two inner loops are asm.GemmPanel, which takes both operands
// where they lie: rows of A with any strides, rows of B that are contiguous. So an
// operand is packed into contiguous panels only where that is faster, just before it
// is used, or, where work is shared, by all processors first:
//
//	A   if its rows are not contiguous or would meet in few sets of a cache
//	B   if its rows are not contiguous, or it is large and used often
//
// A product whose depth is much larger than dst is cut into chunks of the depth that
// are added in a fixed tree. [MulSym] computes the lower triangle of a product that
// is known to be symmetric, [Syrk] that of a·aᵀ, by the same loops: panels begin at
// the diagonal, and tiles that it crosses are formed beside.
//
// [SolveLower] and [SolveUpper] halve the triangle recursively, so that most of
// their work is products (Elmroth, Gustavson, Jonsson and Kågström, SIAM Review
// 46(1), 2004); triangles of small order are packed, with reciprocals on the
// diagonal, and meet packed panels of right-hand sides in asm.SolvePanel, which is a
// register tile with substitution at its end. [MulLower] and [MulUpper] halve
// likewise and end row by row.
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
