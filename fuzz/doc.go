// Package fuzz is property-based testing for linear algebra, anybody's: it draws
// matrices of which something is known exactly, tries laws on an implementation,
// and hands back the smallest counterexample as Go source.
//
// # Your own factorisation in twenty lines
//
// A [Library] is a struct of functions. Fill in those that you have, in the form that
// the field says; for plain slices see [Slices]. This is a Cholesky factorisation of
// slices in columns, which returns 0 or the failing pivot, counted from 1:
//
//	func TestMine(t *testing.T) {
//		library := fuzz.Library{Cholesky: func(a mat.Matrix) (mat.Matrix, int) {
//			n := a.Rows
//			columns := make([]float64, n*n)
//			l := mat.Matrix{Rows: n, Cols: n, RowStride: 1, ColStride: n, Data: columns}
//			for i := range n {
//				for j := range i + 1 { // the upper triangle of a is full of NaN
//					l.Set(i, j, a.At(i, j))
//				}
//			}
//			if pivot := mine.Cholesky(columns, n); pivot != 0 {
//				return mat.Matrix{}, pivot - 1
//			}
//			return l, n
//		}}
//		fuzz.Test(t, library, fuzz.Options{})
//	}
//
//	func FuzzMine(f *testing.F) { fuzz.Target(f, library) } // with a library of the package
//
// The report of a tail of an unrolled loop that leaves out a term of the last row:
//
//	mine_test.go:24: law "Cholesky: residual" is broken: ‖L·Lᵀ - A‖₁ ≤ 10·n·ε·‖A‖₁ for definite A (LAPACK's dpot01)
//	  one large n=19, made simpler: residual, most at (18, 16), 9.21e+11, gate 10
//	  order 19, found at order 35
//	  a is 19×19
//	  replay: fuzz.LawNamed("Cholesky: residual").Run(library, fuzz.FromBytes([]byte("\b\x03…")).Least(1), a)
//	  operands: /tmp/fuzz-3747388396.go
//
// It says the law; where it is broken, and by how much; the lowest order at which the
// fault was seen, here 3 more than a block of 16; the operands; and a call that breaks
// the law again. Operands of up to 64 numbers are printed; others are in the file, which
// is the source of a test. A counterexample without elements, m×0, is reported only where
// no other breaks the law, and one in a layout with gaps says so where rows without gaps
// keep it. NaN that is the canary was read where nothing is to be read. Read the first
// law that is broken first: later ones build on earlier ones.
//
// # What there is
//
//	families    96   the [Collection], in eight groups, by name ([FamilyNamed]) or queried ([Cases])
//	properties  44   of a [Case], what they imply, each claim proven by other means
//	laws        102  [Laws], on a [Library] of up to 25 operations, or on [Slices]
//	residuals   9    in the units in which LAPACK judges itself
//	references  7    slow plain algorithms to compare with: Naive…
//
// Others have more matrices, and no laws. anymatrix for MATLAB (Higham and
// Mikaitis, Numerical Algorithms 90, 2022) began with 146 matrices and is searched
// by property, MatrixDepot.jl (Zhang and Higham, PeerJ CS 2:e58, 2016) has 59
// generators and thousands of matrices of applications, sparse most of them;
// MATLAB's gallery is the origin of many of ours. LAPACK's test programs and
// STETESTER have gates, and are programs for LAPACK alone. Their matrices come
// without failing pivots, exact factors or views, and are for eyes rather than
// for machines to judge by; what a property of theirs claims is not proven at
// every order. Not here: sparse storage, complex and single precision, matrices of
// regularisation problems, data of applications.
//
// Kronfield and Gonum v0.17.0 on all families of orders up to 100, the worst
// residual of each group (testdata/gonum/RESIDUALS.md has each family, gates and
// the rest; RESULTS.md there has each law):
//
//	               Cholesky     solve        inverse            eigen        LU    QR   SVD
//	               ours  gonum  ours  gonum  ours    gonum      ours  gonum  gonum gonum gonum
//	exact          1     1      1.1   1.1    1       1          2.4   2.2    0.05  1.8   6.3
//	closed form    1     1      1.1   1.1    1       1          2.6   2.1    0.11  1.6   4.1
//	hard spectra   0.58  0.58   0.86  1.1    1.5     1.5        2.3   2.3    0.19  1.8   11
//	displacement                                                2.9   2      0.12  1.5   3.8
//	graphs         0.19  0.19   0.1   0.11   0.17    0.17       3.1   1.8    0.11  1.5   5.3
//	Kronecker      0     0      0.12  0.12   0.0002  0.00017    2.7   2.4    0.04  1     2
//	general                                                     1.1   1.8    0.14  1.8   4.4
//	extremes                                                    1.8   1.4    0.09  1.6   1.2
//	gate           10    10     30    30     30      30         10    10     10    10    10
//
// # Matrices with known answers
//
// A [Case] is a matrix together with what is known of it: eigenvalues, singular
// values, a Cholesky factor, the pivot at which a factorisation has to fail,
// inverse, determinant, rank, Kronecker factors. [Case.Properties] tells all that,
// what the entries say and what follows, as a set:
//
//	fuzz.Cases(s, 20, fuzz.Definite|fuzz.Toeplitz, fuzz.IllConditioned)
//
// Where the entries are integers or powers of two, what is known is exact and an
// algorithm may be held to the bit ([SPD], [FailingPivot], [LowRank], [Graded], the
// group "exact"). Matrices made to a spectrum ([WithSpectrum]) are those of LAPACK's
// test generators; [SymmetricCases], [DefiniteCases] and [Stetester] are the lists by
// which LAPACK and STETESTER test, [Regressions] matrices on which well-known libraries
// have hung or answered wrongly, each with the number of its report.
//
// # Laws
//
// A [Law] is a value: a name, a sentence, a gate, the operations that it needs, and
// a function of a [Trial] and a [Library]. [Test] tries all that apply, [Law.Try]
// one, [Library.Try] one that a source draws, [Target] makes that a native fuzz
// target. Operands lie in drawn layouts with canaries in the gaps. A trial that panics
// or takes longer than [Options].Limit breaks its law.
//
// Laws draw orders up to 40 (24 where the naive reference is slow). A blocked
// algorithm has its cut-overs elsewhere: [Options].Orders lists the orders to draw
// instead, [Options].Most raises the limit, [Options].Least keeps away matrices
// without rows from a library that has none. [Library.Destinations] has the law of
// overlaps try what writes to a matrix of the caller's.
//
// A law of your own is one more value:
//
//	fuzz.Law{Name: "mine", Gate: 10, Needs: []string{"Mul"}, Check: func(t *fuzz.Trial, x fuzz.Library) {
//		a := t.Given("a", fuzz.Normal(t.Source, t.Size(40), 7))
//		…
//		t.Judge("residual", r)
//	}}
//
// # Random numbers
//
// Everything random is drawn from a [Source]: [New] makes one from a seed, and
// the same seed gives the same matrices, on every machine but for the last bit
// of what goes through a power or a logarithm; [FromBytes] makes one from the input
// of a fuzz target, and then a shorter input gives smaller matrices. [Source.Bytes]
// turns the one into the other. With pgregory.net/rapid a law is five lines:
//
//	rapid.Check(t, func(t *rapid.T) {
//		if broken := law.Run(library, fuzz.FromBytes(rapid.SliceOfN(rapid.Byte(), 8, 200).Draw(t, "source"))); broken != nil {
//			t.Fatal(broken)
//		}
//	})
//
// # Views and residuals
//
// [Guard] lays a matrix out with gaps between the rows, between the columns and
// around the whole, filled with a NaN of its own bit pattern, the [Canary];
// [Guarded.Check] tells whether one of them was overwritten. [SameBits], [SameNumbers]
// and [Digest] compare to the bit.
//
// [CholResidual], [SolveResidual], [InverseResidual], [EigResidual],
// [ProductResidual] and [Orthogonality] give numbers of order one for a backward
// stable algorithm whatever the size, the scale and the condition of the matrix.
// LAPACK's own gates are 10 to 30. None of them lets a NaN through: a non-finite
// answer has residual +Inf. [MulError] judges each element of a product against its
// own error bound, with a reference in about twice the working precision.
//
// # Modules beside this one
//
// testdata/gonum runs every law on Gonum, and rapid; testdata/planted finds 28
// faults planted in a naive linear algebra, by the public interface alone. Both
// are modules of their own, since this one depends on neither: go test in their
// folders.
package fuzz
