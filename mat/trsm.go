package mat

import "fmt"

// SolveLower overwrites b with l⁻¹·b, where l is n×n lower triangular and b is
// n×k (forward substitution; the BLAS's TRSM). The strict upper triangle of l
// is not read; a zero on its diagonal gives infinities or NaN. b must not
// overlap l.
func SolveLower(l, b Matrix) { checkTriangular("SolveLower", l, b); solveLower(l, b) }

// SolveUpper overwrites b with u⁻¹·b, where u is n×n upper triangular and b is
// n×k (back substitution; the BLAS's TRSM). The strict lower triangle of u is
// not read; a zero on its diagonal gives infinities or NaN. b must not overlap
// u.
func SolveUpper(u, b Matrix) { checkTriangular("SolveUpper", u, b); solveUpper(u, b) }

// MulLower overwrites b with l·b, where l is n×n lower triangular and b is n×k
// (the BLAS's TRMM). The strict upper triangle of l is not read. b must not
// overlap l.
func MulLower(l, b Matrix) { checkTriangular("MulLower", l, b); mulLower(l, b) }

// MulUpper overwrites b with u·b, where u is n×n upper triangular and b is n×k
// (the BLAS's TRMM). The strict lower triangle of u is not read. b must not
// overlap u.
func MulUpper(u, b Matrix) { checkTriangular("MulUpper", u, b); mulUpper(u, b) }

func checkTriangular(op string, t, b Matrix) {
	if t.Rows != t.Cols || t.Rows != b.Rows {
		panic(fmt.Sprintf("mat: %s: triangle %s and b %s do not fit", op, t.shape(), b.shape()))
	}
	if Overlap(t, b) {
		panic(fmt.Sprintf("mat: %s: b %s overlaps the triangle %s", op, b.shape(), t.shape()))
	}
}

// quarters splits a triangle at h.
func quarters(t Matrix, h int) (t11, t12, t21, t22 Matrix) {
	n := t.Rows
	return t.Slice(0, h, 0, h), t.Slice(0, h, h, n), t.Slice(h, n, 0, h), t.Slice(h, n, h, n)
}

func solveLower(l, b Matrix) {
	n := l.Rows
	if n <= tune.triangle {
		for i := range n {
			subtractRows(b, i, l, 0, i)
			scaleRow(b, i, l, true)
		}
		return
	}
	h := half(n)
	l11, _, l21, l22 := quarters(l, h)
	b1, b2 := b.Slice(0, h, 0, b.Cols), b.Slice(h, n, 0, b.Cols)
	solveLower(l11, b1)
	Mul(b2, -1, l21, b1, 1)
	solveLower(l22, b2)
}

func solveUpper(u, b Matrix) {
	n := u.Rows
	if n <= tune.triangle {
		for i := n - 1; i >= 0; i-- {
			subtractRows(b, i, u, i+1, n)
			scaleRow(b, i, u, true)
		}
		return
	}
	h := half(n)
	u11, u12, _, u22 := quarters(u, h)
	b1, b2 := b.Slice(0, h, 0, b.Cols), b.Slice(h, n, 0, b.Cols)
	solveUpper(u22, b2)
	Mul(b1, -1, u12, b2, 1)
	solveUpper(u11, b1)
}

func mulLower(l, b Matrix) {
	n := l.Rows
	if n <= tune.triangle {
		for i := n - 1; i >= 0; i-- {
			scaleRow(b, i, l, false)
			addRows(b, i, l, 0, i)
		}
		return
	}
	h := half(n)
	l11, _, l21, l22 := quarters(l, h)
	b1, b2 := b.Slice(0, h, 0, b.Cols), b.Slice(h, n, 0, b.Cols)
	mulLower(l22, b2)
	Mul(b2, 1, l21, b1, 1)
	mulLower(l11, b1)
}

func mulUpper(u, b Matrix) {
	n := u.Rows
	if n <= tune.triangle {
		for i := range n {
			scaleRow(b, i, u, false)
			addRows(b, i, u, i+1, n)
		}
		return
	}
	h := half(n)
	u11, u12, _, u22 := quarters(u, h)
	b1, b2 := b.Slice(0, h, 0, b.Cols), b.Slice(h, n, 0, b.Cols)
	mulUpper(u11, b1)
	Mul(b1, 1, u12, b2, 1)
	mulUpper(u22, b2)
}

// subtractRows subtracts Σ t[i,l]·b[l,:] over l0 ≤ l < l1 from row i of b.
func subtractRows(b Matrix, i int, t Matrix, l0, l1 int) { combineRows(b, i, -1, t, l0, l1) }

// addRows adds Σ t[i,l]·b[l,:] over l0 ≤ l < l1 to row i of b.
func addRows(b Matrix, i int, t Matrix, l0, l1 int) { combineRows(b, i, 1, t, l0, l1) }

func combineRows(b Matrix, i int, sign float64, t Matrix, l0, l1 int) {
	if l0 == l1 || b.Cols == 0 {
		return
	}
	mulVector(b.Slice(i, i+1, 0, b.Cols), sign, t.Slice(i, i+1, l0, l1), b.Slice(l0, l1, 0, b.Cols))
}

// scaleRow multiplies row i of b by t[i,i], or divides it.
func scaleRow(b Matrix, i int, t Matrix, divide bool) {
	d := t.Data[i*(t.RowStride+t.ColStride)]
	for j := range b.Cols {
		if p := i*b.RowStride + j*b.ColStride; divide {
			b.Data[p] /= d
		} else {
			b.Data[p] *= d
		}
	}
}
