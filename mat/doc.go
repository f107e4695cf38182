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
// Views are checked where they enter: an element beyond len(Data), a negative stride
// or one whose multiples an int cannot hold panics, before anything is written. A matrix
// that is read may have a stride of 0, which repeats a row or a column, or rows that run into
// one another; a destination of which two elements share a place panics. [CheckSource] and
// [CheckDestination] do this for other packages.
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
// # Speed
//
// One core of an Intel Sapphire Rapids (two cores of a virtual machine, 2 MiB of
// level-2 cache, shared with others; Go 1.26.8, 2026-11-21): 10⁹ operations per second
// and, in brackets, the ratio to the multiply-add peak of the level, measured in turns
// in the same run; medians. Mul counts 2n³, the others n³.
//
//	AVX-512       n=64       128        256        560        1000       2000
//	Mul           93 (.77)   108 (.89)  101 (.83)  102 (.85)  104 (.86)  104 (.86)
//	Syrk          58 (.48)   80 (.66)   90 (.76)   92 (.78)   87 (.74)   93 (.79)
//	SolveLower    50 (.41)   72 (.58)   82 (.68)   90 (.74)   91 (.75)   94 (.78)
//
//	AVX2          n=64       128        256        560        1000       2000
//	Mul           55 (.82)   58 (.86)   60 (.90)   60 (.91)   60 (.90)   60 (.90)
//	Syrk          41 (.61)   53 (.79)   59 (.88)   58 (.89)   58 (.89)   58 (.87)
//	SolveLower    36 (.54)   49 (.73)   56 (.84)   56 (.86)   58 (.87)   56 (.86)
//
//	Mul                        AVX-512     AVX2
//	640×640 · 640×28080        95 (.80)    59 (.89)
//	78×78 · 78×691200          68 (.56)    46 (.69)
//	1000×60 · 60×5050          89 (.75)    54 (.84)
//	78×691200 · 691200×78      53 (.45)    39 (.60)
//
// What limits AVX-512 here is the tile itself (0.92 of the peak in seconds, since its
// loads lower the clock; see asm), then C, whose lines come from a slow level-3 cache:
// with all of C in one tile the same loops reach 0.86 at n = 1000 where they reached
// 0.79 with C as it is, before its rows were fetched late. Long thin products wait for
// memory: 431 MB are read once, in strips of 2.5 KB.
//
// Two cores do 1.5 times as much as one at n = 128, 1.6 to 1.8 at 256, 1.7 to 2.0 from
// 560 on (Mul), 1.7 to 1.9 (Syrk) and 1.5 to 1.9 (SolveLower): the larger figures where
// calls follow one another, the smaller ones where the other core has slept
// meanwhile.
//
// To redo, once with GOMAXPROCS=2:
//
//	GOMAXPROCS=1 go test ./mat -run - -bench .
//
// Block sizes and cut-overs were chosen by such runs; see tune.go.
//
// # Zeros, NaN and infinities
//
// Zeros are never skipped, so 0·NaN is NaN and 0·Inf is NaN in every product.
// Two scalars are exceptions, as in the BLAS: with beta == 0 the destination
// is written without being read, and with alpha == 0 the factors are not read.
//
// # Room and parallel work
//
// Programs on top of this package may use what it uses itself. [Parallel] calls a function for numbered parts of
// work, and [Run] a type with a method instead, [Tasks], which needs no closure: both on helpers that the whole process
// shares, and calls may nest. [Borrow] lends room for numbers until [GiveBack], and a [Pool] keeps objects of any type
// from one call to the next: what works in such room allocates nothing when it is warm. [Frobenius] is [NormFro]
// of a matrix that is seen in parts.
//
// # Determinism
//
// Work is divided by shape, never by the number of processors, and partial
// sums are added in an order that the shape fixes. The same call gives the
// same bits at any GOMAXPROCS.
package mat
