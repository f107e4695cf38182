// Package fuzz is for testing linear algebra: matrices of which something is
// known exactly, layouts that catch a write outside, residuals in the units in
// which LAPACK judges itself, and slow plain algorithms to compare with.
//
// # Random numbers
//
// Everything random is drawn from a [Source]: [New] makes one from a seed, and
// the same seed gives the same matrices, on every machine but for the last bit
// of what goes through a power or a logarithm; [FromBytes] makes one
// from the input of a native fuzz target, and then a shorter input gives
// smaller matrices, so that Go's minimiser finds small counterexamples.
//
//	func FuzzProduct(f *testing.F) {
//		f.Fuzz(func(t *testing.T, data []byte) {
//			if err := fuzz.CheckMul(fuzz.FromBytes(data), mat.Mul); err != nil {
//				t.Fatal(err)
//			}
//		})
//	}
//
// # Matrices with known answers
//
// A [Case] is a matrix together with what is known of it: eigenvalues, a
// Cholesky factor, the pivot at which a factorisation has to fail. Where the
// entries are integers or powers of two, what is known is exact and an
// algorithm may be held to the bit ([SPD], [Pascal], [MinIJ], [Hadamard],
// [RankOne], [FailingPivot], [LowRank], [Graded]). Matrices made to a spectrum
// ([Spectrum], [WithSpectrum]) are those of LAPACK's test generator dlatms and
// of STETESTER; [SymmetricCases] and [DefiniteCases] are the lists by which
// LAPACK tests its eigensolvers and its Cholesky factorisation.
//
// # Views
//
// [Guard] lays a matrix out again with gaps between the rows, between the
// columns and around the whole, filled with a NaN of its own bit pattern, the
// [Canary]; [Guarded.Check] tells whether one of them was overwritten. [SameBits]
// and [Digest] compare to the bit.
//
// # Residuals
//
// A residual is measured in units of rounding error: [CholResidual],
// [SolveResidual], [InverseResidual], [EigResidual] and [Orthogonality] give
// numbers of order one for a backward stable algorithm whatever the size, the
// scale and the condition of the matrix. LAPACK's own gates are 10 to 30. None
// of them lets a NaN through: a non-finite answer has residual +Inf.
// [MulError] judges each element of a product against its own error bound, with
// a reference in about twice the working precision.
//
// # Laws
//
// [CheckMul], [CheckSolveLower], [CheckCholesky] and [CheckEig] take an
// implementation as a function, draw a problem, and say what law the answer
// breaks.
package fuzz
