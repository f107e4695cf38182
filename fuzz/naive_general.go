package fuzz

import (
	"cmp"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// NaiveSVD returns a = u·diag(s)·vᵀ with s descending, u m×k, v n×k, k = min(m, n), by one-sided Jacobi rotations (Hestenes 1958;
// Demmel and Veselić, SIAM J. Matrix Anal. Appl. 13, 1992). Where s is 0 the columns of u complete an orthonormal set. The
// entries of a must be finite.
func NaiveSVD(a mat.Matrix) (u mat.Matrix, s []float64, v mat.Matrix) {
	if a.Rows < a.Cols {
		v, s, u = NaiveSVD(a.T())
		return u, s, v
	}
	m, n := a.Rows, a.Cols
	e := exponent(a)
	w := scaled(a, -e).T().Clone() // rows are columns of a
	turns := mat.Identity(n)       // rows are columns of v
	sweep(n, func(p, q int) bool { return orthogonalize(w, turns, p, q) })
	s = values(n, func(i int) float64 { return mat.NormFro(w.Slice(i, i+1, 0, m)) })
	order := ordered(n, func(i, j int) int { return cmp.Compare(s[j], s[i]) })
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

// orthogonalize rotates rows p and q of w until they are orthogonal to rounding, and turns along with them; false where they are.
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
	_, cos, sin := rotation(yy-xx, xy)
	for _, m := range []mat.Matrix{w, turns} {
		x, y := m.Row(p), m.Row(q)
		for i := range x {
			x[i], y[i] = float64(cos*x[i])-float64(sin*y[i]), float64(sin*x[i])+float64(cos*y[i])
		}
	}
	return true
}

// complete replaces columns of zeros of u, whose other columns are orthonormal, by unit vectors orthogonal to all others.
func complete(u mat.Matrix) {
	for j := range u.Cols {
		column := u.Slice(0, u.Rows, j, j+1)
		if mat.NormMax(column) > 0 {
			continue
		}
		for k := 0; k < u.Rows; k++ {
			column.Fill(0)
			column.Set(k, 0, 1)
			for range 2 { // twice is enough (Kahan; Parlett)
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
