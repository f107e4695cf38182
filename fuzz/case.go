package fuzz

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Case is a matrix and what is known of it. Most are symmetric; those of the general families are not, and may be rectangular.
type Case struct {
	Name string
	A    mat.Matrix // stored in full; a symmetric one exactly symmetric

	// Claims are the properties that are known of A and follow neither from its entries nor from the fields below: see
	// [Case.Properties].
	Claims Properties

	// Eigenvalues are in ascending order, or nil if they are not known. They differ from those of A, as stored, by at most Slack;
	// 0 means that they are the rounded values of the true ones.
	Eigenvalues []float64
	Slack       float64

	// SingularValues are in descending order, or nil if they are not known; Slack holds of them too.
	SingularValues []float64

	// Factor is the lower triangular L with positive diagonal and A = L·Lᵀ exactly, or 0×0 if it is not known.
	Factor mat.Matrix

	// Pivot is the index, counted from 0, of the first pivot that is not positive. It is n if A is positive definite, by a margin
	// that rounding cannot use up or because Factor comes out without rounding, and Unknown if neither is settled.
	Pivot int

	// Inverse is A⁻¹ to the rounding of its entries and of those of A, or 0×0.
	Inverse mat.Matrix

	// LogDet is log|det A| and Sign the determinant's sign, if Claims has KnownLogDet; both belong to A but for the rounding of
	// its entries.
	LogDet, Sign float64

	// Rank is A's rank, if Claims has KnownRank.
	Rank int

	// Factors are those of a Kronecker product, from left to right, or nil.
	Factors []mat.Matrix
}

// Unknown is the Pivot of a matrix whose definiteness is not settled.
const Unknown = -1

// Properties returns all that is known of the case to hold: what the entries decide, what it claims, and what follows.
func (c Case) Properties() Properties {
	n := c.A.Rows
	p := Structure(c.A) | c.Claims | when(c.Factor.Rows > 0, KnownFactor) | when(c.Inverse.Rows > 0, KnownInverse) |
		when(c.Factors != nil, Product) | when(c.SingularValues != nil, KnownSingular)
	if w := c.Eigenvalues; w != nil {
		p |= KnownSpectrum | spectral(w, c.Slack)
	}
	if w := c.SingularValues; w != nil && p.Has(Square) && n > 0 {
		p |= conditioned(w[0], w[n-1], c.Slack)
	}
	if p.Has(Symmetric|Finite) && c.Pivot != Unknown {
		p |= KnownPivot | when(c.Pivot == n, Definite)
	}
	return p.Closed()
}

// when returns p if it holds, else nothing.
func when(holds bool, p Properties) Properties {
	if holds {
		return p
	}
	return 0
}

// spectral returns what known eigenvalues say.
func spectral(w []float64, slack float64) Properties {
	p, n := when(slack == 0, ExactSpectrum), len(w)
	if n == 0 {
		return p
	}
	norm := max(math.Abs(w[0]), math.Abs(w[n-1]))
	least := norm
	for i, v := range w {
		least = min(least, math.Abs(v))
		p |= when(i > 0 && v == w[max(i-1, 0)] && slack == 0, Repeated) | when(i > 0 && v-w[max(i-1, 0)] <= 0x1p-20*norm, Clustered)
	}
	return p | conditioned(norm, least, slack) | when(w[0] < -slack && w[n-1] > slack, Indefinite) |
		when(w[0] >= 0 && slack == 0 || w[0] > slack, Semidefinite)
}

// conditioned returns what the largest and the least singular value say.
func conditioned(most, least, slack float64) Properties {
	return when(least > slack, Nonsingular) | when(least > slack && most+slack <= 1000*(least-slack), WellConditioned) |
		when(most-slack >= 1e8*(least+slack), IllConditioned)
}

// Definite reports whether a Cholesky factorisation of A must succeed.
func (c Case) Definite() bool { return c.Pivot == c.A.Rows }

// Scaled returns the case with the matrix multiplied by 4^k, its eigenvalues too and its factor by 2^k, all without rounding
// unless they overflow or underflow.
func (c Case) Scaled(k int) Case {
	n := c.A.Rows
	c.Name = fmt.Sprintf("%s × 4^%d", c.Name, k)
	c.A = scaled(c.A, 2*k)
	c.Factor = scaled(c.Factor, k)
	c.Inverse = scaled(c.Inverse, -2*k)
	c.Eigenvalues = scaledValues(c.Eigenvalues, 2*k)
	c.SingularValues = scaledValues(c.SingularValues, 2*k)
	c.Slack = math.Ldexp(c.Slack, 2*k)
	c.LogDet += float64(n) * float64(2*k) * math.Ln2
	c.Claims &^= Orthonormal
	c.Factors = nil
	return c
}

func scaledValues(w []float64, k int) []float64 {
	if w == nil {
		return nil
	}
	return values(len(w), func(i int) float64 { return math.Ldexp(w[i], k) })
}

// scaled returns 2^k·a.
func scaled(a mat.Matrix, k int) mat.Matrix {
	return fill(a.Rows, a.Cols, func(i, j int) float64 { return math.Ldexp(a.At(i, j), k) })
}

// Permuted returns the case with rows and columns of its square matrix in another order, drawn from s: entry (i, j) is A[p[i],
// p[j]]. All that is known stays but for a factor, factors of a Kronecker product and the pivot of a matrix that is not definite.
func (c Case) Permuted(s *Source) Case {
	n, p, a, inverse := c.A.Rows, s.Perm(c.A.Rows), c.A, c.Inverse
	c.Name += ", permuted"
	c.A = fill(n, n, func(i, j int) float64 { return a.At(p[i], p[j]) })
	if inverse.Rows > 0 {
		c.Inverse = fill(n, n, func(i, j int) float64 { return inverse.At(p[i], p[j]) })
	}
	if !c.Definite() || c.Factor.Rows > 0 {
		c.Pivot = Unknown
	}
	c.Factor = mat.Matrix{}
	c.Factors = nil
	c.Claims &^= Positive | Definite
	return c
}

// measured returns a case of a symmetric matrix whose facts are those that the naive algorithms find, with their errors as slack.
func measured(name string, a mat.Matrix) Case {
	c := Case{Name: name, A: a, Pivot: Unknown}
	if n := a.Rows; n > 0 && Structure(a).Has(Symmetric|Finite) {
		c.Eigenvalues, _ = NaiveEig(a)
		norm := mat.NormMax(mat.Vector(c.Eigenvalues))
		c.Slack = float64(32+n) * Eps * norm
		if c.Eigenvalues[0] > 4*float64(n+1)*c.Slack {
			c.Pivot = n
		}
	}
	return c
}

// symmetric returns the n×n matrix whose lower triangle is given by f.
func symmetric(n int, f func(i, j int) float64) mat.Matrix {
	a := mat.New(n, n)
	for i := range n {
		for j := range i + 1 {
			v := f(i, j)
			a.Set(i, j, v)
			a.Set(j, i, v)
		}
	}
	return a
}
