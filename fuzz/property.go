package fuzz

import (
	"math"
	"math/bits"
	"strings"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Properties is a set of statements that hold of a matrix, or of what is known of it. A statement brings along what follows from
// it: see [Properties.Closed].
type Properties uint64

// What the entries say. [Structure] decides it, so that a case has such a property exactly if it is true.
const (
	Square          Properties = 1 << iota // as many rows as columns
	Tall                                   // more rows than columns
	Broad                                  // more columns than rows
	Finite                                 // no NaN, no infinity
	NonFinite                              // a NaN or an infinity
	Subnormal                              // a subnormal entry
	Integer                                // integers of at most 2⁵³ in size
	Nonnegative                            // entries ≥ 0
	Symmetric                              // A = Aᵀ to the bit
	UpperTriangular                        // zeros below the diagonal
	LowerTriangular                        // zeros above the diagonal
	DiagonalOnly                           // zeros off the diagonal
	Tridiagonal                            // zeros off the three middle diagonals
	Hessenberg                             // zeros below the first subdiagonal
	Toeplitz                               // equal along each diagonal
	Hankel                                 // equal along each antidiagonal
	Circulant                              // each row the one above it, turned by one place
	Persymmetric                           // symmetric about the other diagonal
	Dominant                               // |a_ii| ≥ Σ_j≠i |a_ij| in each row, rounding aside
	Laplacian                              // symmetric, off-diagonal ≤ 0, rows of integers that sum to 0
	WideRange                              // magnitudes of nonzero entries spread over 2⁴⁰ or more
	ZeroLine                               // square, with a row or a column of zeros
)

// What mathematics says, and what is known. A case claims it, or it follows from what a case knows; tests prove each claim.
const (
	Semidefinite    Properties = 1 << (iota + 22) // symmetric, no negative eigenvalue
	Definite                                      // symmetric, eigenvalues above 0, by a margin that Cholesky's algorithm cannot use up
	Indefinite                                    // symmetric, eigenvalues of both signs
	Singular                                      // square, determinant 0
	Nonsingular                                   // square, determinant not 0
	Deficient                                     // rank below the smaller dimension
	Repeated                                      // two known eigenvalues are equal
	Clustered                                     // two known eigenvalues differ by at most 2⁻²⁰·‖A‖
	WellConditioned                               // square, σ₁/σ_n ≤ 1000
	IllConditioned                                // square, σ₁/σ_n ≥ 10⁸, or singular
	Orthonormal                                   // square, AᵀA = I to rounding
	Defective                                     // nearly: eigenvectors of condition 10⁶ or more, or too few
	Positive                                      // totally positive: every minor ≥ 0
	Product                                       // a Kronecker product of known Factors

	KnownSpectrum // Eigenvalues
	ExactSpectrum // Eigenvalues without Slack
	KnownSingular // SingularValues
	KnownFactor   // Factor
	KnownPivot    // Pivot
	KnownInverse  // Inverse
	KnownLogDet   // LogDet and Sign
	KnownRank     // Rank
)

var propertyNames = [...]string{
	"square", "tall", "wide", "finite", "non-finite", "subnormal", "integer", "nonnegative", "symmetric", "upper triangular",
	"lower triangular", "diagonal", "tridiagonal", "Hessenberg", "Toeplitz", "Hankel", "circulant", "persymmetric", "dominant",
	"Laplacian", "graded", "zero line",
	"semidefinite", "definite", "indefinite", "singular", "nonsingular", "deficient", "repeated", "clustered",
	"well conditioned", "ill-conditioned", "orthonormal", "nearly defective", "totally positive", "Kronecker product",
	"known spectrum", "exact spectrum", "known singular values", "known factor", "known pivot", "known inverse",
	"known log-determinant", "known rank",
}

// implied lists what follows from a property.
var implied = map[Properties]Properties{
	Symmetric:       Square,
	UpperTriangular: Hessenberg,
	DiagonalOnly:    UpperTriangular | LowerTriangular | Tridiagonal,
	Tridiagonal:     Hessenberg,
	Circulant:       Square | Toeplitz,
	Persymmetric:    Square,
	Laplacian:       Symmetric | Integer | Dominant | Semidefinite,
	Integer:         Finite,
	ZeroLine:        Singular,
	Semidefinite:    Symmetric | Finite,
	Definite:        Semidefinite | Nonsingular | KnownPivot,
	Indefinite:      Symmetric | Finite,
	Singular:        Square | Deficient | IllConditioned,
	Nonsingular:     Square | Finite,
	Deficient:       Finite,
	Repeated:        Clustered,
	Clustered:       KnownSpectrum,
	WellConditioned: Nonsingular,
	IllConditioned:  Square | Finite,
	Orthonormal:     WellConditioned,
	Defective:       Square | Finite,
	Positive:        Nonnegative,
	KnownSpectrum:   Symmetric | Finite,
	ExactSpectrum:   KnownSpectrum,
	KnownSingular:   Finite,
	KnownFactor:     Definite,
	KnownPivot:      Symmetric | Finite,
	KnownInverse:    Nonsingular,
	KnownLogDet:     Nonsingular,
	KnownRank:       Finite,
}

// Has reports whether the set holds all of want.
func (p Properties) Has(want Properties) bool { return p&want == want }

// Any reports whether the set holds one of some.
func (p Properties) Any(some Properties) bool { return p&some != 0 }

// Closed returns the set with all that follows from it.
func (p Properties) Closed() Properties {
	for {
		q := p
		for rest := uint64(p); rest != 0; rest &= rest - 1 {
			q |= implied[1<<bits.TrailingZeros64(rest)]
		}
		if p.Has(Square|Deficient) || p.Has(Singular) {
			q |= Singular
		}
		if q == p {
			return p
		}
		p = q
	}
}

// String lists the properties by name.
func (p Properties) String() string {
	var names []string
	for i, name := range propertyNames {
		if p&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Structure returns the properties that the entries of a decide, with what follows from them. A 0×0 matrix has every structure.
func Structure(a mat.Matrix) Properties {
	m, n := a.Rows, a.Cols
	p := Finite | Integer | Nonnegative | UpperTriangular | LowerTriangular | DiagonalOnly | Tridiagonal | Hessenberg | Toeplitz | Hankel |
		when(m == n, Square|Symmetric|Circulant|Persymmetric|Dominant|Laplacian) | when(m > n, Tall) | when(m < n, Broad)
	least, most := math.Inf(1), 0.0
	without := func(q Properties, holds bool) { p &^= when(holds, q) }
	same := func(x, y float64) bool { return x == y || x != x && y != y }
	for i := range m {
		var off, sum float64 // of the row
		for j := range n {
			v := a.At(i, j)
			size := math.Abs(v)
			sum += v
			if i != j {
				off += size
			}
			if size != 0 && size < math.Inf(1) {
				least, most = min(least, size), max(most, size)
			}
			without(Finite|Integer|Laplacian, !(size <= math.MaxFloat64))
			without(Integer|Laplacian, v != math.Trunc(v) || size > 1<<53)
			without(Nonnegative, !(v >= 0))
			without(Laplacian, i != j && v > 0)
			if size != 0 { // NaN included
				without(UpperTriangular, i > j)
				without(LowerTriangular, i < j)
				without(DiagonalOnly, i != j)
				without(Tridiagonal, i-j > 1 || j-i > 1)
				without(Hessenberg, i-j > 1)
			}
			without(Toeplitz, i > 0 && j > 0 && !same(v, a.At(max(i-1, 0), max(j-1, 0))))
			without(Hankel, i > 0 && j+1 < n && !same(v, a.At(max(i-1, 0), min(j+1, n-1))))
			if m == n {
				without(Symmetric|Laplacian, i > j && math.Float64bits(v) != math.Float64bits(a.At(j, i)))
				without(Circulant, i > 0 && !same(v, a.At(max(i-1, 0), (j+n-1)%n)))
				without(Persymmetric, !same(v, a.At(n-1-j, n-1-i)))
			}
		}
		if m == n {
			without(Dominant, !(math.Abs(a.At(i, i)) >= off*(1-float64(n)*Eps)))
			without(Laplacian, sum != 0)
		}
	}
	p |= when(!p.Has(Finite), NonFinite) | when(least < 0x1p-1022, Subnormal) | when(most >= 0x1p40*least, WideRange) |
		when(p.Has(Square|Finite) && zeroLine(a), ZeroLine)
	return p.Closed()
}

// zeroLine reports whether a row or a column is there and all zeros.
func zeroLine(a mat.Matrix) bool {
	if a.Rows == 0 || a.Cols == 0 {
		return false
	}
	for _, m := range []mat.Matrix{a, a.T()} {
		for i := range m.Rows {
			if mat.NormMax(m.Slice(i, i+1, 0, m.Cols)) == 0 {
				return true
			}
		}
	}
	return false
}
