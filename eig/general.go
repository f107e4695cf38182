package eig

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
)

// FactorError says that a matrix given as a Cholesky factor is none: an element
// of its diagonal is not positive.
type FactorError struct {
	Index int // of the diagonal element, counted from 0
	Value float64
}

func (e *FactorError) Error() string {
	return text.Sprintf("eig: element (%d, %d) of L is %g, want a positive number", e.Index, e.Index, e.Value)
}

// General solves Ψ·v = λ·K·v for a symmetric n×n matrix Ψ and a positive
// definite K = L·Lᵀ of which it takes the n×n Cholesky factor L. The spectrum's
// Values are λ, ascending, in the units of Ψ over those of K; its Vectors V
// satisfy Vᵀ·K·V = I and Vᵀ·Ψ·V = diag(λ), with the sign rule of [Sym]. Only
// lower triangles are read.
//
// The error is a *[NonFiniteError], whose Matrix is "Ψ", "L", "L⁻¹ΨL⁻ᵀ" where
// that overflows because K is nearly singular, or "V"; a *[FactorError]; or one
// of Sym's other errors.
func General(psi, l mat.Matrix) (Spectrum, error) {
	var s Solver
	var sp Spectrum
	if err := s.General(&sp, psi, l); err != nil {
		return Spectrum{}, err
	}
	return sp, nil
}

// General is the function [General] with s's workspace. dst is treated as in
// [Solver.Sym]; it may share memory with psi, but not with l.
//
// With C = L⁻¹·Ψ·L⁻ᵀ = U·diag(λ)·Uᵀ the vectors are V = L⁻ᵀ·U (Martin and
// Wilkinson, Numer. Math. 11, 1968; LAPACK's SYGVD). λ carries an absolute error
// of a small multiple of n·ε·|C|, which for an ill-conditioned K may be much
// larger than the smallest of them.
func (s *Solver) General(dst *Spectrum, psi, l mat.Matrix) error {
	if psi.Rows != psi.Cols || l.Rows != l.Cols || psi.Rows != l.Rows {
		panic(text.Sprintf("eig: General: Ψ is %d×%d and L %d×%d, want square matrices of one order", psi.Rows, psi.Cols, l.Rows, l.Cols))
	}
	mat.CheckSource("eig: General", "Ψ", psi)
	mat.CheckSource("eig: General", "L", l)
	if !l.IsDistinct() {
		l = l.Clone()
	}
	if err := checkFactor(l); err != nil {
		return err
	}
	scale, err := s.load("eig: General", psi)
	if err != nil {
		return named(err, "Ψ")
	}
	s.fit("eig: General", dst)
	c, n := dst.Vectors, s.n
	if mat.Overlap(c, l) || mat.Overlap(mat.Vector(dst.Values), l) {
		panic(text.Sprintf("eig: General: the %d×%d destination of the vectors or the %d×1 one of the values overlaps the %d×%d factor", n, n, n, n, n))
	}
	_, size := math.Frexp(largestLower(l))
	s.unload(c, size)
	whiten(c, s.factor(l))
	own, err := s.load("eig: General", c)
	if err != nil {
		return named(err, "L⁻¹ΨL⁻ᵀ")
	}
	if err := s.decompose(dst, own+scale-size); err != nil {
		return err
	}
	mat.SolveUpper(s.factor(l).T(), s.dc.x.T())
	s.place(dst.Vectors)
	if i, j, found := mat.NonFinite(dst.Vectors); found {
		return &NonFiniteError{Matrix: "V", Row: i, Col: j, Value: dst.Vectors.At(i, j)}
	}
	return nil
}

// unload writes the matrix that load left, times 2^size, to the lower triangle
// of c. With elements of Ψ as large as those of L, of whatever size, L⁻¹ΨL⁻ᵀ has
// the size of 1/L, and nothing on the way overflows.
func (s *Solver) unload(c mat.Matrix, size int) {
	half := math.Ldexp(1, size/2) // 2^size itself may overflow
	rest := math.Ldexp(1, size-size/2)
	for i := range s.n {
		row := c.Row(i)[:i+1]
		copy(row, s.u.Row(i)[:i])
		row[i] = s.d[i]
		asm.Scale(row, half, row)
		asm.Scale(row, rest, row)
	}
}

// factor copies l to s.u, so that its layout decides no rounding.
func (s *Solver) factor(l mat.Matrix) mat.Matrix {
	own := s.u.Slice(0, s.n, 0, s.n)
	copyLower(own, l)
	return own
}

// checkFactor refuses an L that is no Cholesky factor.
func checkFactor(l mat.Matrix) error {
	if i, j, found := mat.NonFiniteLower(l); found {
		return &NonFiniteError{Matrix: "L", Row: i, Col: j, Value: l.At(i, j)}
	}
	for i := range l.Rows {
		if p := l.At(i, i); !(p > 0) {
			return &FactorError{Index: i, Value: p}
		}
	}
	return nil
}

// named says in a NonFiniteError which matrix it is about.
func named(err error, matrix string) error {
	if e, ok := err.(*NonFiniteError); ok {
		e.Matrix = matrix
	}
	return err
}

// whitenOrder is the order up to which whiten solves with the whole matrix,
// twice. Tests change it.
var whitenOrder = 32

// whiten overwrites the lower triangle of the symmetric matrix A with that of
// L⁻¹·A·L⁻ᵀ, and what is above it with anything. Halves of both matrices,
//
//	C₁₁ = L₁₁⁻¹·A₁₁·L₁₁⁻ᵀ
//	B   = A₂₁·L₁₁⁻ᵀ − ½·L₂₁·C₁₁
//	C₂₂ = L₂₂⁻¹·(A₂₂ − B·L₂₁ᵀ − L₂₁·Bᵀ)·L₂₂⁻ᵀ
//	C₂₁ = L₂₂⁻¹·(B − ½·L₂₁·C₁₁)
//
// keep symmetric what is symmetric, in n³ operations (LAPACK's SYGST).
func whiten(a, l mat.Matrix) {
	n := a.Rows
	if n <= max(1, whitenOrder) {
		mat.MirrorLower(a)
		mat.SolveLower(l, a)
		mat.SolveLower(l, a.T())
		return
	}
	h := n / 2
	a11, a21, a22 := a.Slice(0, h, 0, h), a.Slice(h, n, 0, h), a.Slice(h, n, h, n)
	l11, l21, l22 := l.Slice(0, h, 0, h), l.Slice(h, n, 0, h), l.Slice(h, n, h, n)
	whiten(a11, l11)
	mat.MirrorLower(a11)
	mat.SolveLower(l11, a21.T())
	mat.Mul(a21, -0.5, l21, a11, 1)
	mat.MulSym(a22, -1, a21, l21.T(), 1)
	mat.MulSym(a22, -1, l21, a21.T(), 1)
	whiten(a22, l22)
	mat.Mul(a21, -0.5, l21, a11, 1)
	mat.SolveLower(l22, a21)
}
