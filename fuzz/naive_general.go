package fuzz

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// NaiveLU returns p, l and u with row p[i] of a = row i of l·u by Gaussian
// elimination with partial pivoting; l has ones on the diagonal. It divides by
// zero only where a column of what is left is all zeros, and then goes on.
func NaiveLU(a mat.Matrix) (p []int, l, u mat.Matrix) {
	m, n := a.Rows, a.Cols
	k := min(m, n)
	w := a.Clone()
	p = make([]int, m)
	for i := range p {
		p[i] = i
	}
	for c := range k {
		best := c
		for i := c; i < m; i++ {
			if v := math.Abs(w.At(i, c)); v > math.Abs(w.At(best, c)) || v != v {
				best = i
			}
		}
		p[c], p[best] = p[best], p[c]
		for j := range n {
			x, y := w.At(c, j), w.At(best, j)
			w.Set(c, j, y)
			w.Set(best, j, x)
		}
		pivot := w.At(c, c)
		if pivot == 0 {
			continue
		}
		for i := c + 1; i < m; i++ {
			f := w.At(i, c) / pivot
			w.Set(i, c, f)
			for j := c + 1; j < n; j++ {
				w.Set(i, j, w.At(i, j)-float64(f*w.At(c, j)))
			}
		}
	}
	l = fill(m, k, func(i, j int) float64 {
		switch {
		case i == j:
			return 1
		case i > j:
			return w.At(i, j)
		}
		return 0
	})
	return p, l, fill(k, n, func(i, j int) float64 {
		if i > j {
			return 0
		}
		return w.At(i, j)
	})
}

// NaiveSolve returns a⁻¹·b by [NaiveLU].
func NaiveSolve(a, b mat.Matrix) mat.Matrix {
	p, l, u := NaiveLU(a)
	rows := fill(b.Rows, b.Cols, func(i, j int) float64 { return b.At(p[i], j) })
	return NaiveSolveUpper(u, NaiveSolveLower(l, rows))
}

// NaiveLogDet returns log|det a| and the sign of the determinant, 0 with -Inf
// where a pivot is 0, by [NaiveLU].
func NaiveLogDet(a mat.Matrix) (log, sign float64) {
	p, _, u := NaiveLU(a)
	sign = 1
	for i := range p {
		for j := range i {
			if p[j] > p[i] {
				sign = -sign
			}
		}
	}
	for i := range p {
		v := u.At(i, i)
		log += math.Log(math.Abs(v))
		switch {
		case v == 0:
			sign = 0
		case v < 0:
			sign = -sign
		}
	}
	return log, sign
}

// NaiveQR returns a = q·r for m ≥ n by Householder reflections, one column after
// the other (golub and Van Loan, Matrix Computations, section 5.2). r has a
// diagonal of any sign.
func NaiveQR(a mat.Matrix) (q, r mat.Matrix) {
	m, n := a.Rows, a.Cols
	w := a.Clone()
	full := mat.Identity(m)
	for c := range n {
		v := values(m-c, func(i int) float64 { return w.At(c+i, c) })
		norm := mat.NormFro(mat.Vector(v))
		if norm == 0 {
			continue
		}
		for i := range v {
			v[i] /= norm // of length 1: no overflow
		}
		v[0] += math.Copysign(1, v[0])
		tau := 1 / math.Abs(v[0])
		apply := func(b mat.Matrix) { // b ← (I - τ·v·vᵀ)·b from row c on
			for j := range b.Cols {
				var sum float64
				for i, x := range v {
					sum += float64(x * b.At(c+i, j))
				}
				for i, x := range v {
					b.Set(c+i, j, b.At(c+i, j)-float64(float64(tau*sum)*x))
				}
			}
		}
		apply(w)
		apply(full)
		for i := c + 1; i < m; i++ {
			w.Set(i, c, 0)
		}
	}
	return full.T().Slice(0, m, 0, n).Clone(), w.Slice(0, n, 0, n).Clone()
}

// NaiveSVD returns a = u·diag(s)·vᵀ with s descending, u m×k, v n×k, k = min(m,
// n), by one-sided Jacobi rotations (Hestenes 1958; Demmel and Veselić, SIAM J.
// Matrix Anal. Appl. 13, 1992). Where s is 0 the columns of u complete an
// orthonormal set. The entries of a must be finite.
func NaiveSVD(a mat.Matrix) (u mat.Matrix, s []float64, v mat.Matrix) {
	if a.Rows < a.Cols {
		v, s, u = NaiveSVD(a.T())
		return u, s, v
	}
	m, n := a.Rows, a.Cols
	e := exponent(a)
	w := scaled(a, -e).T().Clone() // rows are columns of a
	turns := mat.Identity(n)       // rows are columns of v
	for range 60 {
		rotated := false
		for p := range n {
			for q := p + 1; q < n; q++ {
				rotated = orthogonalize(w, turns, p, q) || rotated
			}
		}
		if !rotated {
			break
		}
	}
	s = values(n, func(i int) float64 { return mat.NormFro(w.Slice(i, i+1, 0, m)) })
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if s[i] > s[j] {
			return -1
		} else if s[i] < s[j] {
			return 1
		}
		return 0
	})
	v = fill(n, n, func(i, j int) float64 { return turns.At(order[j], i) })
	u = fill(m, n, func(i, j int) float64 {
		if k := order[j]; s[k] > float64(m)*Eps*s[order[0]] {
			return w.At(k, i) / s[k]
		}
		return 0
	})
	complete(u)
	return u, values(n, func(i int) float64 { return math.Ldexp(s[order[i]], e) }), v
}

// orthogonalize rotates rows p and q of w until they are orthogonal to rounding,
// and turns along with them; false where they are.
func orthogonalize(w, turns mat.Matrix, p, q int) bool {
	x, y := w.Row(p), w.Row(q)
	var xx, yy, xy float64
	for i := range x {
		xx += float64(x[i] * x[i])
		yy += float64(y[i] * y[i])
		xy += float64(x[i] * y[i])
	}
	if math.Abs(xy) <= 2*Eps*math.Sqrt(xx)*math.Sqrt(yy) || math.Abs(xy) < 0x1p-1000 {
		return false
	}
	theta := (yy - xx) / (2 * xy)
	tan := math.Copysign(1/(math.Abs(theta)+math.Hypot(theta, 1)), theta)
	cos := 1 / math.Hypot(tan, 1)
	sin := cos * tan
	for _, m := range []mat.Matrix{w, turns} {
		x, y := m.Row(p), m.Row(q)
		for i := range x {
			x[i], y[i] = float64(cos*x[i])-float64(sin*y[i]), float64(sin*x[i])+float64(cos*y[i])
		}
	}
	return true
}

// complete replaces columns of zeros of u, whose other columns are orthonormal,
// by unit vectors orthogonal to all others.
func complete(u mat.Matrix) {
	for j := range u.Cols {
		column := u.Slice(0, u.Rows, j, j+1)
		if mat.NormMax(column) > 0 {
			continue
		}
		for k := 0; k < u.Rows; k++ {
			column.Fill(0)
			column.Set(k, 0, 1)
			for range 2 { // twice is enough (kahan; Parlett)
				for l := range u.Cols {
					if l == j {
						continue
					}
					other := u.Slice(0, u.Rows, l, l+1)
					mat.Add(column, column, -mat.Dot(column, other), other)
				}
			}
			if norm := mat.NormFro(column); norm > 1e-2/float64(u.Rows+1) {
				mat.Scale(column, 1/norm, column)
				break
			}
		}
	}
}
