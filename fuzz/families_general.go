package fuzz

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// General matrices, square and rectangular, for LU, QR and singular values.
var generalFamilies = []row{
	{"normal", nil, func(s *Source, n int) Case { return general("normal", Normal(s, n, n)) }},

	// Rows and columns of wide range.
	{"badly scaled", nil, func(s *Source, n int) Case { return general("badly scaled", Wide(s, n, n, 60)) }},

	// n-max(i, j) on and above the first subdiagonal (Frank, J. SIAM 6, 1958): det 1, small eigenvalues of condition near 2ⁿ.
	{"Frank", nil, fixed(func(n int) Case {
		return entries("Frank", n, func(i, j int) float64 { return is(i <= j+1) * float64(n-max(i, j)) }).determined(0, 1)
	})},

	// diag(1, s, s², …)·(I - c·N) with N the strict upper triangle of ones, c = cos 1.2, s = sin 1.2 (Kahan, Canad. Math. Bull.
	// 9, 1966): QR with column pivoting changes nothing and does not show the smallest singular value; the one before it is
	// s^(n-2)·√(1+c) (Zha, SIAM J. Matrix Anal. Appl. 14, 1993).
	{"Kahan", nil, fixed(func(n int) Case {
		const theta = 1.2
		c, s := math.Cos(theta), math.Sin(theta)
		return entries("Kahan", n, func(i, j int) float64 {
			row := math.Pow(s, float64(i))
			return side(i, j, 0, row, -c*row)
		}).determined(float64(n*(n-1)/2)*math.Log(s), 1)
	})},

	// The upper triangle of -1 with ones on the diagonal (Wilkinson 1965): inverse 2^(j-i-1) above a diagonal of ones, σ_n near
	// 2^(2-n).
	{"Triw", nil, fixed(func(n int) Case {
		c := entries("Triw", n, func(i, j int) float64 { return side(i, j, 0, 1, -1) }).determined(0, 1)
		return c.inverted(func(i, j int) float64 { return side(i, j, 0, 1, math.Ldexp(1, j-i-1)) })
	})},

	// Partial pivoting doubles the last column at every step: 1 on the diagonal and in the last column, -1 below (Wilkinson, J.
	// ACM 8, 1961): det 2^(n-1).
	{"growth", nil, fixed(func(n int) Case {
		return entries("growth", n, func(i, j int) float64 { return side(i, j, -1, 1, is(j == n-1)) }).
			determined(float64(max(n-1, 0))*math.Ln2, 1)
	})},

	// The Jordan block of the eigenvalue 0 with α = 2⁻²⁶ in the lower left corner: eigenvalues on a circle of radius α^(1/n), det
	// (-1)^(n-1)·α (MATLAB's gallery; after Forsythe).
	{"Forsythe", from(2), fixed(func(n int) Case {
		const alpha = 0x1p-26
		return entries("Forsythe", n, func(i, j int) float64 { return is(j == i+1) + alpha*is(i == n-1 && j == 0) }).
			determined(math.Log(alpha), math.Pow(-1, float64(n-1)))
	})},

	// The Jordan block of the eigenvalue 1: one eigenvector for n equal eigenvalues.
	{"Jordan", nil, fixed(func(n int) Case {
		c := entries("Jordan", n, func(i, j int) float64 { return is(j == i || j == i+1) }).determined(0, 1)
		if n > 1 {
			c.Claims |= Defective
		}
		return c
	})},

	{"companion", upTo(18), fixed(companion)},
	{"Redheffer", nil, fixed(redheffer)},
	{"unimodular", nil, unimodular},

	{"permutation", nil, func(s *Source, n int) Case {
		p := s.Perm(n)
		c := entries("permutation", n, func(i, j int) float64 { return is(p[i] == j) })
		return c.determined(0, parity(p)).claiming(Orthonormal)
	}},

	{"orthogonal", nil, func(s *Source, n int) Case {
		c := general("orthogonal", orthogonal(s, n)).singular(values(n, func(int) float64 { return 1 })...)
		return c.slackened(float64(n), 1).claiming(Orthonormal)
	}},
	{"singular values", nil, func(s *Source, n int) Case {
		return withSingularValues(s, "geometric singular values", Spectrum(s, Geometric, n, 1e10))
	}},

	// Singular values fall in steps of ten, three at a time, hard for rank-revealing factorisations (Stewart; Hansen's test
	// problems).
	{"devil's stairs", nil, func(s *Source, n int) Case {
		return withSingularValues(s, "devil's stairs", values(n, func(k int) float64 { return math.Pow(10, -float64(k/3)) }))
	}},

	{"rank deficient", nil, func(s *Source, n int) Case { return rankDeficient(s, n, n, n/2) }},
	{"rank deficient tall", nil, func(s *Source, n int) Case { return rankDeficient(s, n+2, n, n/2) }},
	{"tall normal", nil, func(s *Source, n int) Case { return general("tall normal", Normal(s, 2*n, n)) }},
	{"wide integer", nil, func(s *Source, n int) Case { return general("wide integer", Integers(s, n, 2*n+1, 9)) }},

	// Ones above μ·I for μ = 2⁻³⁰, (n+1)×n: singular values √(n+μ²) and μ, n-1 times; forming AᵀA loses μ where μ² is below ε
	// (Läuchli, Numer. Math. 3, 1961).
	{"Läuchli", from(1), fixed(func(n int) Case {
		const mu = 0x1p-30
		a := fill(n+1, n, func(i, j int) float64 { return is(i == 0) + mu*is(i == j+1) })
		return general("Läuchli", a).singular(values(n, func(k int) float64 {
			if k == 0 {
				return math.Sqrt(float64(n) + mu*mu)
			}
			return mu
		})...)
	})},
}

// parity returns the sign of a permutation.
func parity(p []int) float64 {
	sign := 1.0
	for i := range p {
		for j := range i {
			if p[j] > p[i] {
				sign = -sign
			}
		}
	}
	return sign
}

// companion returns the companion matrix of Π (x-k), k = 1 … n, whose roots move far for a small change of a coefficient
// (Wilkinson 1959): det n!. n is at most 18: beyond, coefficients exceed 2⁵³.
func companion(n int) Case {
	p := make([]float64, n+1) // coefficients of xⁱ
	p[0] = 1
	var log float64
	for k := 1; k <= n; k++ {
		log += math.Log(float64(k))
		for i := k; i >= 0; i-- {
			v := -float64(k) * p[i]
			if i > 0 {
				v += p[i-1]
			}
			p[i] = v
		}
	}
	return entries("companion", n, func(i, j int) float64 {
		if j == n-1 {
			return -p[i]
		}
		return is(i == j+1)
	}).determined(log, 1)
}

// redheffer returns 1 where j = 0 or i+1 divides j+1 (Redheffer, 1977): det is Mertens's function, the sum of μ(k).
func redheffer(n int) Case {
	c := entries("Redheffer", n, func(i, j int) float64 { return is(j == 0 || (j+1)%(i+1) == 0) })
	det := 0.0
	for k := 1; k <= n; k++ {
		mu, rest := 1.0, k
		for p := 2; rest > 1; p++ {
			if rest%p == 0 {
				rest /= p
				mu = -mu
				if rest%p == 0 {
					mu, rest = 0, 1
				}
			}
		}
		det += mu
	}
	switch {
	case n == 0:
		return c
	case det == 0:
		return c.claiming(Singular)
	}
	return c.determined(math.Log(math.Abs(det)), math.Copysign(1, det))
}

// unimodular returns L·U of random unit triangles of -1, 0 and 1 in a band of three: integers of det 1, with an inverse of
// integers.
func unimodular(s *Source, n int) Case {
	l := unitTriangle(s, n, 1, func(i, j int) bool { return i > j && i-j < 3 })
	u := unitTriangle(s, n, 1, func(i, j int) bool { return j > i && j-i < 3 })
	a := NaiveMul(1, l, u, 0, mat.Matrix{})
	return entries("unimodular", n, a.At).determined(0, 1)
}

// withSingularValues returns U·diag(d)·Vᵀ with random orthogonal U and V for values d ≥ 0; Slack is as in [WithSpectrum].
func withSingularValues(s *Source, name string, d []float64) Case {
	n := len(d)
	u, v := orthogonal(s, n), orthogonal(s, n)
	a := fill(n, n, func(i, j int) float64 {
		var sum float64
		for l, w := range d {
			sum += float64(u.At(i, l) * w * v.At(j, l))
		}
		return sum
	})
	return general(name, a).singular(d...).slackened(float64(n), mat.NormMax(mat.Vector(d)))
}

// rankDeficient returns the product of integer matrices m×rank and rank×n, each with an integer triangle in front: of that rank
// exactly.
func rankDeficient(s *Source, m, n, rank int) Case {
	g, h := Integers(s, m, rank, 2), Integers(s, rank, n, 2)
	mat.Copy(g.Slice(0, rank, 0, rank), IntegerFactor(s, rank))
	mat.Copy(h.Slice(0, rank, 0, rank), IntegerFactor(s, rank).T())
	return general("rank deficient", NaiveMul(1, g, h, 0, mat.Matrix{})).ranked(rank)
}
