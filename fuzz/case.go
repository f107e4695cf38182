package fuzz

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Case is a symmetric matrix and what is known of it.
type Case struct {
	Name string
	A    mat.Matrix // n×n, stored in full, exactly symmetric

	// Eigenvalues are in ascending order, or nil if they are not known. They
	// differ from those of A, as stored, by at most Slack; 0 means that they are
	// the rounded values of the true ones.
	Eigenvalues []float64
	Slack       float64

	// Factor is the lower triangular L with positive diagonal and A = L·Lᵀ
	// exactly, or 0×0 if it is not known.
	Factor mat.Matrix

	// Pivot is the index, counted from 0, of the first pivot that is not
	// positive. It is n if A is positive definite, by a margin that rounding
	// cannot use up or because Factor comes out without rounding, and Unknown
	// if neither is settled.
	Pivot int
}

// Unknown is the Pivot of a matrix whose definiteness is not settled.
const Unknown = -1

// Definite reports whether a Cholesky factorisation of A must succeed.
func (c Case) Definite() bool { return c.Pivot == c.A.Rows }

// Scaled returns the case with the matrix multiplied by 4^k, its eigenvalues
// too and its factor by 2^k, all without rounding unless they overflow or
// underflow.
func (c Case) Scaled(k int) Case {
	c.Name = fmt.Sprintf("%s × 4^%d", c.Name, k)
	c.A = scaled(c.A, 2*k)
	c.Factor = scaled(c.Factor, k)
	c.Eigenvalues = slices.Clone(c.Eigenvalues)
	for i, w := range c.Eigenvalues {
		c.Eigenvalues[i] = math.Ldexp(w, 2*k)
	}
	c.Slack = math.Ldexp(c.Slack, 2*k)
	return c
}

// scaled returns 2^k·a.
func scaled(a mat.Matrix, k int) mat.Matrix {
	return fill(a.Rows, a.Cols, func(i, j int) float64 { return math.Ldexp(a.At(i, j), k) })
}

// Permuted returns the case with rows and columns in another order, drawn from
// s: entry (i, j) is A[p[i], p[j]]. Eigenvalues stay, a factor does not.
func (c Case) Permuted(s *Source) Case {
	n, p, a := c.A.Rows, s.Perm(c.A.Rows), c.A
	c.Name += ", permuted"
	c.A = fill(n, n, func(i, j int) float64 { return a.At(p[i], p[j]) })
	if !c.Definite() || c.Factor.Rows > 0 {
		c.Pivot = Unknown
	}
	c.Factor = mat.Matrix{}
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

// timesTransposed returns l·lᵀ.
func timesTransposed(l mat.Matrix) mat.Matrix {
	return symmetric(l.Rows, func(i, j int) float64 {
		var sum float64
		for k := range l.Cols {
			sum += float64(l.At(i, k) * l.At(j, k))
		}
		return sum
	})
}
