package fuzz

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

func refuse(op string, fits bool, ms ...mat.Matrix) {
	if fits {
		return
	}
	text := fmt.Sprintf("fuzz: %s: shapes do not fit:", op)
	for _, m := range ms {
		text += fmt.Sprintf(" %d×%d", m.Rows, m.Cols)
	}
	panic(text)
}

func finite(ms ...mat.Matrix) bool {
	for _, m := range ms {
		if _, _, found := mat.NonFinite(m); found {
			return false
		}
	}
	return true
}

// guarded returns norm/(scale·unit) without overflow, after LAPACK's dsyt21 and dpot01: where scale is 0, a zero norm has
// residual 0 and any other one +Inf.
func guarded(norm, scale, unit float64) float64 {
	switch {
	case norm == 0:
		return 0
	case scale == 0 || norm != norm:
		return math.Inf(1)
	}
	return norm / scale / unit
}

// CholResidual returns ‖L·Lᵀ - A‖₁ / (n·‖A‖₁·ε) for n×n matrices, reading the lower triangles alone (LAPACK's dpot01). It is free
// of overflow. A non-finite entry gives +Inf.
func CholResidual(a, l mat.Matrix) float64 {
	n := a.Rows
	refuse("CholResidual", a.Cols == n && l.Rows == n && l.Cols == n, a, l)
	a, l = Lower(a), Lower(l)
	if !finite(a, l) {
		return math.Inf(1)
	}
	e := (exponent(a) + 1) / 2 // A·4^-e is of size 1
	a, l = scaled(a, -2*e), scaled(l, -e)
	mat.MirrorLower(a)
	r := symmetric(n, func(i, j int) float64 {
		li, lj := l.Row(i)[:j+1], l.Row(j)[:j+1]
		var sum float64
		for k, x := range lj {
			sum += float64(li[k] * x)
		}
		return sum - a.At(i, j)
	})
	return guarded(mat.Norm1(r), mat.Norm1(a), float64(n)*Eps)
}

// SolveResidual returns the largest ‖b - A·x‖₁ / (‖A‖₁·‖x‖₁·ε) over the columns x of X and b of B, where A is m×n, read in full,
// X n×k and B m×k (LAPACK's dpot02 and dget02). A backward stable solution of a system of order n has a residual of order n at
// most. A non-finite entry gives +Inf.
func SolveResidual(a, x, b mat.Matrix) float64 {
	refuse("SolveResidual", a.Cols == x.Rows && a.Rows == b.Rows && x.Cols == b.Cols, a, x, b)
	if !finite(a, x, b) {
		return math.Inf(1)
	}
	ea := exponent(a)
	a = scaled(a, -ea)
	norm := mat.Norm1(a)
	var worst float64
	for j := range x.Cols {
		xj := x.Slice(0, x.Rows, j, j+1)
		e := exponent(xj)
		xj = scaled(xj, -e)
		bj := scaled(scaled(b.Slice(0, b.Rows, j, j+1), -ea), -e)
		r := NaiveMul(-1, a, xj, 1, bj)
		worst = max(worst, guarded(mat.Norm1(r), norm*mat.Norm1(xj), Eps))
	}
	return worst
}

// ForwardError returns the largest ‖x - y‖∞ / (‖y‖∞·cond·ε) over the columns x of X and y of Y, the true solution of a system
// with the given condition number (LAPACK's dget04). A non-finite entry gives +Inf.
func ForwardError(x, y mat.Matrix, cond float64) float64 {
	refuse("ForwardError", x.Rows == y.Rows && x.Cols == y.Cols, x, y)
	if !finite(x, y) {
		return math.Inf(1)
	}
	var worst float64
	for j := range x.Cols {
		yj := y.Slice(0, y.Rows, j, j+1)
		e := exponent(yj)
		yj = scaled(yj, -e)
		d := scaled(x.Slice(0, x.Rows, j, j+1), -e)
		mat.Add(d, d, -1, yj)
		worst = max(worst, guarded(mat.NormMax(d), mat.NormMax(yj), cond*Eps))
	}
	return worst
}

// InverseResidual returns ‖I - A·Y‖₁ / (n·‖A‖₁·‖Y‖₁·ε) for n×n matrices, both read in full, where Y stands for A⁻¹ (LAPACK's
// dpot03). A non-finite entry gives +Inf.
func InverseResidual(a, y mat.Matrix) float64 {
	n := a.Rows
	refuse("InverseResidual", a.Cols == n && y.Rows == n && y.Cols == n, a, y)
	if !finite(a, y) {
		return math.Inf(1)
	}
	e := exponent(a)
	a, y = scaled(a, -e), scaled(y, e)
	r := NaiveMul(-1, a, y, 1, mat.Identity(n))
	return guarded(mat.Norm1(r), mat.Norm1(a)*mat.Norm1(y), float64(n)*Eps)
}

// EigResidual returns ‖A - V·diag(w)·Vᵀ‖₁ / (n·‖A‖₁·ε) for a symmetric n×n matrix, of which the lower triangle is read (the first
// test of LAPACK's dsyt21). It is free of overflow. A non-finite entry gives +Inf.
func EigResidual(a mat.Matrix, w []float64, v mat.Matrix) float64 {
	n := a.Rows
	refuse("EigResidual", a.Cols == n && len(w) == n && v.Rows == n && v.Cols == n, a, mat.Vector(w), v)
	a = Lower(a)
	if !finite(a, mat.Vector(w), v) {
		return math.Inf(1)
	}
	mat.MirrorLower(a)
	e := exponent(a)
	a, v = scaled(a, -e), v.Clone()
	small := scaled(mat.Vector(w), -e).Data
	r := symmetric(n, func(i, j int) float64 {
		vi, vj := v.Row(i), v.Row(j)
		var sum float64
		for k, x := range small {
			sum += float64(vi[k] * x * vj[k])
		}
		return a.At(i, j) - sum
	})
	return guarded(mat.Norm1(r), mat.Norm1(a), float64(n)*Eps)
}

// Orthogonality returns ‖I - Vᵀ·V‖₁ / (n·ε) for V with n rows (the second test of LAPACK's dsyt21; dort01). A non-finite entry
// gives +Inf.
func Orthogonality(v mat.Matrix) float64 {
	if !finite(v) {
		return math.Inf(1)
	}
	t := v.T().Clone()
	r := symmetric(v.Cols, func(i, j int) float64 {
		vi, vj := t.Row(i), t.Row(j)
		var sum float64
		if i == j {
			sum = -1
		}
		for k, x := range vj {
			sum += float64(vi[k] * x)
		}
		return sum
	})
	return guarded(mat.Norm1(r), 1, float64(max(v.Rows, 1))*Eps)
}

// EigenvalueError returns max|w[i] - c.Eigenvalues[i]| less c.Slack, in units of n·ε·‖A‖₂. It panics if the eigenvalues of the
// case are not known. A non-finite eigenvalue gives +Inf.
func EigenvalueError(c Case, w []float64) float64 {
	n := c.A.Rows
	if len(c.Eigenvalues) != n || len(w) != n {
		panic(fmt.Sprintf("fuzz: EigenvalueError: %d eigenvalues, %d known, of a %d×%d matrix", len(w), len(c.Eigenvalues), n, n))
	}
	if !finite(mat.Vector(w)) {
		return math.Inf(1)
	}
	var worst float64
	for i, known := range c.Eigenvalues {
		worst = max(worst, math.Abs(w[i]-known)-c.Slack)
	}
	return guarded(worst, mat.NormMax(mat.Vector(c.Eigenvalues)), float64(n)*Eps)
}
