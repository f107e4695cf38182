package fuzz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// NaiveMul returns alpha·a·b + beta·c by the definition, each entry summed from the first term to the last. As in [mat.Mul], c is
// not read with beta == 0, nor a and b with alpha == 0.
func NaiveMul(alpha float64, a, b mat.Matrix, beta float64, c mat.Matrix) mat.Matrix {
	if a.Cols != b.Rows || beta != 0 && (c.Rows != a.Rows || c.Cols != b.Cols) {
		panic(fmt.Sprintf("fuzz: NaiveMul: a %d×%d, b %d×%d, c %d×%d do not fit", a.Rows, a.Cols, b.Rows, b.Cols, c.Rows, c.Cols))
	}
	var columns mat.Matrix
	if alpha != 0 {
		a, columns = a.Clone(), b.T().Clone()
	}
	return fill(a.Rows, b.Cols, func(i, j int) float64 {
		var v float64
		if beta != 0 {
			v = beta * c.At(i, j)
		}
		if alpha == 0 || a.Cols == 0 {
			return v
		}
		var sum float64
		column := columns.Row(j)
		for l, x := range a.Row(i) {
			sum += float64(x * column[l])
		}
		return v + float64(alpha*sum)
	})
}

// NaiveKron returns the Kronecker product of the factors, from left to right: entry (i₁, i₂, …; j₁, j₂, …) is Π A_k[i_k, j_k],
// the last index running fastest. Without factors it is the 1×1 matrix 1.
func NaiveKron(factors ...mat.Matrix) mat.Matrix {
	k := mat.Identity(1)
	for _, f := range factors {
		left, r, c := k, f.Rows, f.Cols
		k = fill(left.Rows*r, left.Cols*c, func(i, j int) float64 {
			return left.At(i/r, j/c) * f.At(i%r, j%c)
		})
	}
	return k
}

// NaiveCholesky returns the lower triangular l with a = l·lᵀ, column by column, from the lower triangle of a. If a pivot is not a
// positive finite number, failed is its index, counted from 0; otherwise failed is a.Rows.
func NaiveCholesky(a mat.Matrix) (l mat.Matrix, failed int) {
	n := a.Rows
	l = mat.New(n, n)
	for j := range n {
		for i := j; i < n; i++ {
			v := a.At(i, j)
			for k := range j {
				v -= float64(l.At(i, k) * l.At(j, k))
			}
			if i > j {
				l.Set(i, j, v/l.At(j, j))
				continue
			}
			if !(v > 0 && v <= math.MaxFloat64) {
				return l, j
			}
			l.Set(j, j, math.Sqrt(v))
		}
	}
	return l, n
}

// NaiveSolveLower returns l⁻¹·b by forward substitution, from the lower triangle of l.
func NaiveSolveLower(l, b mat.Matrix) mat.Matrix {
	x := b.Clone()
	for j := range x.Cols {
		for i := range x.Rows {
			v := x.At(i, j)
			for k := range i {
				v -= float64(l.At(i, k) * x.At(k, j))
			}
			x.Set(i, j, v/l.At(i, i))
		}
	}
	return x
}

// NaiveSolveUpper returns u⁻¹·b by back substitution, from the upper triangle of u.
func NaiveSolveUpper(u, b mat.Matrix) mat.Matrix {
	x := b.Clone()
	for j := range x.Cols {
		for i := x.Rows - 1; i >= 0; i-- {
			v := x.At(i, j)
			for k := i + 1; k < x.Rows; k++ {
				v -= float64(u.At(i, k) * x.At(k, j))
			}
			x.Set(i, j, v/u.At(i, i))
		}
	}
	return x
}

// NaiveEig returns the eigenvalues w of a symmetric matrix in ascending order and orthonormal eigenvectors in the columns of v,
// by cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, section 8.5): O(n³) a sweep, about ten sweeps, no blocks,
// no cut-overs. Only the lower triangle of a is read; its entries must be finite.
func NaiveEig(a mat.Matrix) (w []float64, v mat.Matrix) {
	n := a.Rows
	e := exponent(Lower(a))
	t := scaled(Lower(a), -e) // entries below 1: nothing overflows
	mat.MirrorLower(t)
	v = mat.Identity(n)
	sweep(n, func(p, q int) bool { return rotate(t, v, p, q) })
	order := ordered(n, func(i, j int) int { return cmp.Compare(t.At(i, i), t.At(j, j)) })
	for _, i := range order {
		w = append(w, math.Ldexp(t.At(i, i), e))
	}
	vectors := v
	return w, fill(n, n, func(i, j int) float64 { return vectors.At(i, order[j]) })
}

// sweep goes through all pairs below n until a whole sweep rotates none.
func sweep(n int, rotate func(p, q int) bool) {
	for range 60 {
		rotated := false
		for p := range n {
			for q := p + 1; q < n; q++ {
				rotated = rotate(p, q) || rotated
			}
		}
		if !rotated {
			break
		}
	}
}

// ordered returns 0 … n-1 in the order that compare says.
func ordered(n int, compare func(i, j int) int) []int {
	order := values(n, func(i int) int { return i })
	slices.SortStableFunc(order, compare)
	return order
}

// rotation returns tangent, cosine and sine of the angle by which a rotation makes x zero between diagonal entries that differ by d.
func rotation(d, x float64) (tan, cos, sin float64) {
	theta := d / (2 * x)
	tan = math.Copysign(1/(math.Abs(theta)+math.Hypot(theta, 1)), theta)
	cos = 1 / math.Hypot(tan, 1)
	return tan, cos, cos * tan
}

// rotate makes t[p,q] zero by a rotation from both sides and applies it to the columns of v. It reports false, and does nothing,
// where t[p,q] is already negligible.
func rotate(t, v mat.Matrix, p, q int) bool {
	x := t.At(p, q)
	if math.Abs(x) <= 0x1p-56*math.Sqrt(math.Abs(t.At(p, p)))*math.Sqrt(math.Abs(t.At(q, q))) || math.Abs(x) < 0x1p-1000 {
		t.Set(p, q, 0)
		t.Set(q, p, 0)
		return false
	}
	tan, cos, sin := rotation(t.At(q, q)-t.At(p, p), x)
	turn := func(m mat.Matrix) {
		for i := range m.Rows {
			f, g := m.At(i, p), m.At(i, q)
			m.Set(i, p, float64(cos*f)-float64(sin*g))
			m.Set(i, q, float64(sin*f)+float64(cos*g))
		}
	}
	tp, tq := t.At(p, p)-float64(tan*x), t.At(q, q)+float64(tan*x)
	turn(t)
	turn(t.T())
	t.Set(p, p, tp)
	t.Set(q, q, tq)
	t.Set(p, q, 0)
	t.Set(q, p, 0)
	turn(v)
	return true
}

// exponent returns e such that every entry of a is below 2^e in size; 0 for a zero matrix.
func exponent(a mat.Matrix) int {
	_, e := math.Frexp(mat.NormMax(a))
	return e
}
