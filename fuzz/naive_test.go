package fuzz_test

import (
	"math"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

// naiveLU returns p, l and u with row p[i] of a = row i of l·u by Gaussian
// elimination with partial pivoting; l has ones on the diagonal. It divides by
// zero only where a column of what is left is all zeros, and then goes on.
func naiveLU(a mat.Matrix) (p []int, l, u mat.Matrix) {
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
	l = fuzz.Fill(m, k, func(i, j int) float64 {
		switch {
		case i == j:
			return 1
		case i > j:
			return w.At(i, j)
		}
		return 0
	})
	return p, l, fuzz.Fill(k, n, func(i, j int) float64 {
		if i > j {
			return 0
		}
		return w.At(i, j)
	})
}

// naiveSolve returns a⁻¹·b by naiveLU.
func naiveSolve(a, b mat.Matrix) mat.Matrix {
	p, l, u := naiveLU(a)
	rows := fuzz.Fill(b.Rows, b.Cols, func(i, j int) float64 { return b.At(p[i], j) })
	return fuzz.NaiveSolveUpper(u, fuzz.NaiveSolveLower(l, rows))
}

// naiveLogDet returns log|det a| and the sign of the determinant, 0 with -Inf
// where a pivot is 0, by naiveLU.
func naiveLogDet(a mat.Matrix) (log, sign float64) {
	p, _, u := naiveLU(a)
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

// naiveQR returns a = q·r for m ≥ n by Householder reflections, one column after
// the other (golub and Van Loan, Matrix Computations, section 5.2). r has a
// diagonal of any sign.
func naiveQR(a mat.Matrix) (q, r mat.Matrix) {
	m, n := a.Rows, a.Cols
	w := a.Clone()
	full := mat.Identity(m)
	for c := range n {
		v := w.Slice(c, m, c, c+1).Clone().Data
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
