package fuzz

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// General matrices, square and rectangular, for LU, QR and singular values.

// frank returns n-max(i, j) on and above the first subdiagonal (frank, J. SIAM
// 6, 1958): Hessenberg, det 1, small eigenvalues of condition near 2ⁿ.
func frank(n int) Case {
	return entries("Frank", n, func(i, j int) float64 {
		if i > j+1 {
			return 0
		}
		return float64(n - max(i, j))
	}).determined(0, 1)
}

// kahan returns diag(1, s, s², …)·(I - c·N) with N the strict upper triangle of
// ones, c = cos θ, s = sin θ (kahan, Canad. Math. Bull. 9, 1966): QR with column
// pivoting changes nothing and does not show the smallest singular value; the
// one before it is s^(n-2)·√(1+c) (Zha, SIAM J. Matrix Anal. Appl. 14, 1993).
func kahan(n int, theta float64) Case {
	c, s := math.Cos(theta), math.Sin(theta)
	return entries("Kahan", n, func(i, j int) float64 {
		switch row := math.Pow(s, float64(i)); {
		case i == j:
			return row
		case i < j:
			return -c * row
		}
		return 0
	}).determined(float64(n*(n-1)/2)*math.Log(s), 1)
}

// triw returns the upper triangle of -1 with ones on the diagonal (Wilkinson
// 1965): det 1, inverse 2^(j-i-1) above a diagonal of ones, σ_n near 2^(2-n).
func triw(n int) Case {
	c := entries("Triw", n, func(i, j int) float64 {
		switch {
		case i == j:
			return 1
		case i < j:
			return -1
		}
		return 0
	})
	return c.determined(0, 1).inverted(func(i, j int) float64 {
		switch {
		case i == j:
			return 1
		case i < j:
			return math.Ldexp(1, j-i-1)
		}
		return 0
	})
}

// growthMatrix returns Wilkinson's matrix on which partial pivoting doubles the last
// column at every step: 1 on the diagonal and in the last column, -1 below
// (Wilkinson, J. ACM 8, 1961): det 2^(n-1).
func growthMatrix(n int) Case {
	c := entries("growth", n, func(i, j int) float64 {
		switch {
		case i == j, j == n-1:
			return 1
		case i > j:
			return -1
		}
		return 0
	})
	return c.determined(float64(max(n-1, 0))*math.Ln2, 1)
}

// forsythe returns the jordan block of the eigenvalue 0 with alpha in the lower
// left corner: eigenvalues on a circle of radius |α|^(1/n), det
// (-1)^(n-1)·α (MATLAB's gallery; after forsythe).
func forsythe(n int, alpha float64) Case {
	c := entries("Forsythe", n, func(i, j int) float64 {
		switch {
		case i == n-1 && j == 0:
			return alpha
		case j == i+1:
			return 1
		}
		return 0
	})
	if n == 0 || alpha == 0 {
		return c
	}
	return c.determined(math.Log(math.Abs(alpha)), math.Copysign(1, alpha)*math.Pow(-1, float64(n-1)))
}

// jordan returns the jordan block of the given eigenvalue: one eigenvector for n
// equal eigenvalues.
func jordan(n int, eigenvalue float64) Case {
	c := entries("Jordan", n, func(i, j int) float64 {
		switch j - i {
		case 0:
			return eigenvalue
		case 1:
			return 1
		}
		return 0
	})
	if n > 1 {
		c = c.claiming(Defective)
	}
	if eigenvalue == 0 {
		return c.ranked(max(n-1, 0))
	}
	return c.determined(float64(n)*math.Log(math.Abs(eigenvalue)), math.Pow(math.Copysign(1, eigenvalue), float64(n)))
}

// companion returns the companion matrix of Π (x-k), k = 1 … n, whose roots move
// far for a small change of a coefficient (Wilkinson 1959): det n!. n is at most
// 18: beyond, coefficients exceed 2⁵³.
func companion(n int) Case {
	p := make([]float64, n+1) // coefficients of xⁱ
	p[0] = 1
	for k := 1; k <= n; k++ {
		for i := k; i >= 0; i-- {
			v := -float64(k) * p[i]
			if i > 0 {
				v += p[i-1]
			}
			p[i] = v
		}
	}
	var log float64
	for k := 1; k <= n; k++ {
		log += math.Log(float64(k))
	}
	return entries("companion", n, func(i, j int) float64 {
		switch {
		case j == n-1:
			return -p[i]
		case i == j+1:
			return 1
		}
		return 0
	}).determined(log, 1)
}

// redheffer returns A[i,j] = 1 where j = 0 or i+1 divides j+1 (redheffer, 1977):
// det is Mertens's function, the sum of μ(k).
func redheffer(n int) Case {
	c := entries("Redheffer", n, func(i, j int) float64 {
		if j == 0 || (j+1)%(i+1) == 0 {
			return 1
		}
		return 0
	})
	det := 0
	for k := 1; k <= n; k++ {
		mu, rest := 1, k
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
	return c.determined(math.Log(math.Abs(float64(det))), math.Copysign(1, float64(det)))
}

// unimodular returns L·U of random unit triangles of -1, 0 and 1 in a band of
// three: integers of det 1, with an inverse of integers.
func unimodular(s *Source, n int) Case {
	l := fill(n, n, func(i, j int) float64 {
		switch {
		case i == j:
			return 1
		case i > j && i-j < 3:
			return s.integer(1)
		}
		return 0
	})
	u := fill(n, n, func(i, j int) float64 {
		switch {
		case i == j:
			return 1
		case j > i && j-i < 3:
			return s.integer(1)
		}
		return 0
	})
	return entries("unimodular", n, elements(NaiveMul(1, l, u, 0, mat.Matrix{}))).determined(0, 1)
}

// permutation returns a random permutation matrix.
func permutation(s *Source, n int) Case {
	p := s.Perm(n)
	sign := 1.0
	for i := range p {
		for j := range i {
			if p[j] > p[i] {
				sign = -sign
			}
		}
	}
	c := entries("permutation", n, func(i, j int) float64 {
		if p[i] == j {
			return 1
		}
		return 0
	})
	return c.determined(0, sign).claiming(Orthonormal)
}

// withSingularValues returns U·diag(d)·Vᵀ, m×n, with U and V from orthogonal,
// for min(m, n) values d ≥ 0; Slack is as in [WithSpectrum].
func withSingularValues(s *Source, name string, m, n int, d []float64) Case {
	u, v := orthogonal(s, m), orthogonal(s, n)
	a := fill(m, n, func(i, j int) float64 {
		var sum float64
		for l, w := range d {
			sum += float64(u.At(i, l) * w * v.At(j, l))
		}
		return sum
	})
	return general(name, a).singular(d...).slackened(float64(max(m, n)), mat.NormMax(mat.Vector(d)))
}

// haarOrthogonal returns orthogonal as a case.
func haarOrthogonal(s *Source, n int) Case {
	one := values(n, func(int) float64 { return 1 })
	c := general("orthogonal", orthogonal(s, n)).singular(one...).slackened(float64(n), 1)
	return c.claiming(Orthonormal)
}

// lauchli returns ones above μ·I, (n+1)×n: singular values √(n+μ²) and μ, n-1
// times; forming AᵀA loses μ where μ² is below ε (Läuchli, Numer. Math. 3, 1961).
func lauchli(n int, mu float64) Case {
	a := fill(n+1, n, func(i, j int) float64 {
		switch {
		case i == 0:
			return 1
		case i == j+1:
			return mu
		}
		return 0
	})
	return general("Läuchli", a).singular(values(n, func(k int) float64 {
		if k == 0 {
			return math.Sqrt(float64(n) + mu*mu)
		}
		return mu
	})...)
}

// rankDeficient returns the product of integer matrices m×rank and rank×n, each
// with an integer triangle in front: of that rank exactly.
func rankDeficient(s *Source, m, n, rank int) Case {
	g, h := Integers(s, m, rank, 2), Integers(s, rank, n, 2)
	mat.Copy(g.Slice(0, rank, 0, rank), IntegerFactor(s, rank))
	mat.Copy(h.Slice(0, rank, 0, rank), IntegerFactor(s, rank).T())
	return general("rank deficient", NaiveMul(1, g, h, 0, mat.Matrix{})).ranked(rank)
}

// devilsStairs returns a matrix whose singular values fall in steps of ten, three
// at a time, hard for rank-revealing factorisations (Stewart; Hansen's test
// problems).
func devilsStairs(s *Source, n int) Case {
	return withSingularValues(s, "devil's stairs", n, n, values(n, func(k int) float64 { return math.Pow(10, -float64(k/3)) }))
}

// tallNormal returns a tall matrix of independent normal entries, 2n×n.
func tallNormal(s *Source, n int) Case { return general("tall normal", Normal(s, 2*n, n)) }

// wideInteger returns a wide matrix of integers, n×(2n+1).
func wideInteger(s *Source, n int) Case { return general("wide integer", Integers(s, n, 2*n+1, 9)) }

// squareNormal returns independent normal entries.
func squareNormal(s *Source, n int) Case { return general("normal", Normal(s, n, n)) }

// badlyScaled returns rows and columns of wide range: entries ±x·2^e, |e| ≤ 60.
func badlyScaled(s *Source, n int) Case { return general("badly scaled", Wide(s, n, n, 60)) }
