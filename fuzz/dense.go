package fuzz

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Normal returns an r×c matrix of independent standard normal entries.
func Normal(s *Source, r, c int) mat.Matrix {
	return fill(r, c, func(int, int) float64 { return s.NormFloat64() })
}

// Uniform returns an r×c matrix of independent entries in [-1, 1).
func Uniform(s *Source, r, c int) mat.Matrix {
	return fill(r, c, func(int, int) float64 { return 2*s.Float64() - 1 })
}

// Integers returns an r×c matrix of independent integers from -bound to bound. Sums of products of such matrices are exact, in
// any order and with or without fused operations, while depth·bound² is at most 2⁵³.
func Integers(s *Source, r, c, bound int) mat.Matrix {
	return fill(r, c, func(int, int) float64 { return s.integer(bound) })
}

func (s *Source) integer(bound int) float64 { return float64(s.values.IntN(2*bound+1) - bound) }

// Wide returns an r×c matrix of entries ±x·2^e with x in [1, 2) and e an integer from -exponent to exponent, independent and
// uniform.
func Wide(s *Source, r, c, exponent int) mat.Matrix {
	return fill(r, c, func(int, int) float64 {
		x := math.Ldexp(1+s.Float64(), int(s.integer(exponent)))
		if s.values.IntN(2) == 1 {
			return -x
		}
		return x
	})
}

// Cancelling returns a of shape m×k and b of shape k×n whose product is small against the sums of absolute values behind it: the
// second half of the depth takes away what the first adds, up to a relative 2^-40.
func Cancelling(s *Source, m, k, n int) (a, b mat.Matrix) {
	a, b = Normal(s, m, k), Normal(s, k, n)
	h := k / 2
	for l := range h {
		for i := range m {
			a.Set(i, h+l, a.At(i, l))
		}
		for j := range n {
			b.Set(h+l, j, -b.At(l, j)*(1+float64(0x1p-40*s.NormFloat64())))
		}
	}
	return a, b
}

// orthogonal returns an n×n orthogonal matrix drawn from the Haar measure: the product of Householder reflections of normal
// vectors (Stewart, "The efficient generation of random orthogonal matrices", SIAM Journal on Numerical Analysis 17, 1980). Its
// columns are orthonormal to a few ε.
func orthogonal(s *Source, n int) mat.Matrix {
	q := mat.New(n, n)
	v, row := make([]float64, n), make([]float64, n)
	for k := n - 1; k >= 0; k-- {
		// Q_k = H_k·(±1 ⊕ Q_{k+1}); H_k takes x = v to ∓‖x‖·e₁.
		v := v[k:]
		var square float64
		for i := range v {
			v[i] = s.NormFloat64()
			square += float64(v[i] * v[i])
		}
		length := math.Copysign(math.Sqrt(square), v[0])
		q.Set(k, k, math.Copysign(1, -v[0]))
		if len(v) == 1 {
			continue
		}
		v[0] += length
		tau := 1 / float64(length*v[0]) // H = I - τ·v·vᵀ
		for j := k; j < n; j++ {
			var sum float64
			for i := range v {
				sum += float64(v[i] * q.At(k+i, j))
			}
			row[j] = tau * sum
		}
		for i := range v {
			for j := k; j < n; j++ {
				q.Set(k+i, j, q.At(k+i, j)-float64(v[i]*row[j]))
			}
		}
	}
	return q
}

// Triangular returns an n×n lower triangular matrix U·D whose condition number is about cond ≥ 1: D is diagonal, geometric from 1
// down to 1/cond, and U is unit lower triangular with entries below 1/n in size under the diagonal, well conditioned. With byRows
// it is D·U: the rows are graded, not the columns.
func Triangular(s *Source, n int, cond float64, byRows bool) mat.Matrix {
	if !(cond >= 1) {
		panic(fmt.Sprintf("fuzz: Triangular: condition %g below 1", cond))
	}
	d := Spectrum(s, Geometric, n, cond)
	return fill(n, n, func(i, j int) float64 {
		scale := d[j]
		if byRows {
			scale = d[i]
		}
		switch {
		case i == j:
			return scale
		case i > j:
			return scale * (2*s.Float64() - 1) / float64(n)
		}
		return 0
	})
}
