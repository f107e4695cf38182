package fuzz

import (
	"math"
	"slices"
)

// Symmetric matrices in closed form. Indices i, j count from 0.
var closedFamilies = []row{
	{"KMS", nil, fixed(func(n int) Case { return kms(n, 0.5) })},

	// min(i+1, j+1)/max(i+1, j+1) (Newman and Todd, J. SIAM 6, 1958): totally positive, det = (2n)!/(2ⁿ·(n!)³), with k = i+1 the
	// inverse is tridiagonal, 4k³/(4k²-1) beside -k(k+1)/(2k+1), n²/(2n-1) last.
	{"Lehmer", nil, fixed(func(n int) Case {
		var log float64
		for k := 1; k <= n; k++ { // from order k-1 to k: (2k-1)/k²
			log += math.Log(float64(2*k-1) / float64(k*k))
		}
		c := entries("Lehmer", n, func(i, j int) float64 { return float64(min(i, j)+1) / float64(max(i, j)+1) })
		return c.definite().determined(log, 1).claiming(Positive).inverted(func(i, j int) float64 {
			k := float64(min(i, j) + 1)
			if i == n-1 && j == n-1 {
				return k * k / (2*k - 1)
			}
			return near(i, j, 4*k*k*k/(4*k*k-1), -k*(k+1)/(2*k+1))
		})
	})},

	// α·I + ones for α = 1 (Pei, Comm. ACM 5, 1962): eigenvalues α, n-1 times, and α+n; inverse (I - ones/(α+n))/α.
	{"Pei", nil, fixed(func(n int) Case {
		c := entries("Pei", n, func(i, j int) float64 { return 1 + is(i == j) }).definite()
		if n == 0 {
			return c.spectrum()
		}
		sum := float64(1 + n)
		c = c.inverted(func(i, j int) float64 { return (is(i == j)*sum - 1) / sum })
		return c.spectrum(append(slices.Repeat([]float64{1}, n-1), sum)...).determined(math.Log(sum), 1)
	})},

	// |i-j| (Fiedler, in Todd, Basic Numerical Mathematics 2, 1977): one positive eigenvalue, the others negative, det =
	// (-1)^(n-1)·2^(n-2)·(n-1).
	{"Fiedler", nil, fixed(func(n int) Case {
		c := entries("Fiedler", n, func(i, j int) float64 { return math.Abs(float64(i - j)) })
		switch n {
		case 0:
			return c
		case 1:
			return c.failing(0).spectrum(0).claiming(Singular)
		}
		return c.failing(0).claiming(Indefinite|Nonsingular).
			determined(float64(n-2)*math.Ln2+math.Log(float64(n-1)), math.Pow(-1, float64(n-1)))
	})},

	// gcd(i+1, j+1) (Smith, Proc. London Math. Soc. 7, 1876): det = Π φ(k), k = 1 … n, with Euler's φ.
	{"gcd", nil, fixed(func(n int) Case {
		var log float64
		for k := 1; k <= n; k++ {
			phi := 0
			for i := 1; i <= k; i++ {
				if gcd(i, k) == 1 {
					phi++
				}
			}
			log += math.Log(float64(phi))
		}
		c := entries("gcd", n, func(i, j int) float64 { return float64(gcd(i+1, j+1)) })
		return c.definite().determined(log, 1)
	})},

	{"second difference", nil, fixed(secondDifference)},

	// The symmetric form of Clement's matrix (Kac's): zero diagonal, √(i·(n-i)) beside it, eigenvalues -(n-1), -(n-3), …, n-1
	// (Clement, SIAM Review 1, 1959). The roots are rounded: Slack is ε·n.
	{"Clement", nil, fixed(func(n int) Case {
		c := entries("Clement", n, func(i, j int) float64 {
			k := min(i, j) + 1
			return near(i, j, 0, math.Sqrt(float64(k*(n-k))))
		})
		return c.failing(0).spectrumOf(func(k int) float64 { return float64(2*k - n + 1) }).slackened(float64(n), 1)
	})},

	// The Jacobi matrices of three families of orthogonal polynomials: the eigenvalues are the nodes of Gauss's quadrature, the
	// squares of the first components of the eigenvectors its weights over the weight function's integral (Golub and Welsch,
	// Mathematics of Computation 23, 1969).
	{"Hermite", nil, fixed(hermite)},
	{"Laguerre", nil, fixed(func(n int) Case {
		return entries("Laguerre", n, func(i, j int) float64 {
			k := min(i, j)
			return near(i, j, float64(2*k+1), float64(k+1))
		}).definite()
	})},
	{"Legendre", nil, fixed(func(n int) Case {
		return entries("Legendre", n, func(i, j int) float64 {
			k := float64(min(i, j) + 1)
			return near(i, j, 0, k/math.Sqrt(4*k*k-1))
		}).failing(0)
	})},

	// 1/(i+j+1) (Hilbert, Acta Math. 18, 1894): condition about e^(3.5n). Up to n = 10 it is definite by a margin above rounding.
	{"Hilbert", nil, fixed(func(n int) Case {
		c := entries("Hilbert", n, func(i, j int) float64 { return 1 / float64(i+j+1) })
		if n <= 10 {
			c.Pivot = n
		}
		return c
	})},

	{"inverse Hilbert", upTo(10), fixed(inverseHilbert)},

	// Of order 8 (Rosser, Lanczos, Hestenes and Karush, J. Res. Nat. Bur. Standards 47, 1951): eigenvalues ±10√10405, 510±100√26,
	// 1020, 1000 twice and 0.
	{"Rosser", func(n int) bool { return n == 8 }, fixed(func(int) Case {
		c := entries("Rosser", 8, func(i, j int) float64 { return rosser[i][j] })
		a, b := 10*math.Sqrt(10405), 100*math.Sqrt(26)
		return c.spectrum(-a, a, 510-b, 510+b, 1020, 1000, 1000, 0).ranked(7)
	})},

	{"sine basis", nil, fixed(sineBasis)},

	// The Householder matrix I - 2v·vᵀ/‖v‖² of an integer vector: eigenvalues 1, n-1 times, and -1 (Householder, J. ACM 5, 1958).
	{"reflector", from(1), func(s *Source, n int) Case {
		v := integers(s, n, 3)
		v[0] = 1
		c := entries("reflector", n, func(i, j int) float64 { return is(i == j) + -2*v[i]*v[j]/square(v) })
		return signs(c, n-1).slackened(float64(4*n), 1).claiming(Orthonormal)
	}},

	// [[0, B], [Bᵀ, 0]] for a matrix B of integers: eigenvalues in pairs ±σ, the singular values of B (Golub and Kahan, SIAM J.
	// Numer. Anal. B 2, 1965).
	{"bipartite", nil, func(s *Source, n int) Case {
		h := n / 2
		b := Integers(s, h, n-h, 3)
		c := entries("bipartite", n, func(i, j int) float64 {
			if low, high := min(i, j), max(i, j); low < h && high >= h {
				return b.At(low, high-h)
			}
			return 0
		})
		if n > 1 {
			c.Pivot = 0
		}
		return c
	}},
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// kms returns ρ^|i-j|, the covariance of an autoregression or of an exponential kernel on equidistant points (Kac, Murdock and
// Szegő, J. Rational Mech. Anal. 2, 1953): det = (1-ρ²)^(n-1), the inverse is tridiagonal, 1/(1-ρ²) times -ρ beside a diagonal of
// 1+ρ², 1 at its ends. rho is a power of two below 1: the entries are exact.
func kms(n int, rho float64) Case {
	q := 1 - rho*rho
	c := entries("KMS", n, func(i, j int) float64 { return math.Pow(rho, math.Abs(float64(i-j))) })
	return c.definite().determined(float64(max(n-1, 0))*math.Log(q), 1).inverted(func(i, j int) float64 {
		switch {
		case n == 1:
			return 1
		case i == j && (i == 0 || i == n-1):
			return 1 / q
		}
		return near(i, j, (1+rho*rho)/q, -rho/q)
	})
}

// secondDifference returns the tridiagonal matrix (-1, 2, -1), whose eigenvalues are 4·sin²(kπ/(2n+2)), k = 1 … n (Todd, Basic
// Numerical Mathematics 2, 1977).
func secondDifference(n int) Case {
	c := entries("second difference", n, func(i, j int) float64 { return near(i, j, 2, -1) })
	return c.definite().spectrumOf(func(k int) float64 {
		sin := math.Sin(float64(k+1) * math.Pi / float64(2*n+2))
		return 4 * sin * sin
	})
}

func hermite(n int) Case {
	return entries("Hermite", n, func(i, j int) float64 { return near(i, j, 0, math.Sqrt(float64(min(i, j)+1)/2)) }).failing(0)
}

var rosser = [8][8]float64{
	{611, 196, -192, 407, -8, -52, -49, 29},
	{196, 899, 113, -192, -71, -43, -8, -44},
	{-192, 113, 899, 196, 61, 49, 8, 52},
	{407, -192, 196, 611, 8, 44, 59, -23},
	{-8, -71, 61, 8, 411, -599, 208, 208},
	{-52, -43, 49, 44, -599, 411, 208, 208},
	{-49, -8, 8, 59, 208, 208, 99, -911},
	{29, -44, 52, -23, 208, 208, -911, 99},
}

// inverseHilbert returns the inverse of Hilbert's matrix, of integers (Todd, Basic Numerical Mathematics 2, 1977). n is at most
// 10.
func inverseHilbert(n int) Case {
	c := entries("inverse Hilbert", n, func(i, j int) float64 {
		v := float64(i+j+1) * binomial(n+i, n-1-j) * binomial(n+j, n-1-i) * binomial(i+j, i) * binomial(i+j, i)
		return v * (1 - 2*float64((i+j)%2))
	})
	var log float64 // of det Hilbert: Π (k!)⁴/((2k)!(2k+1)!)
	for k := 1; k < n; k++ {
		for i := 1; i <= k; i++ {
			log += 4 * math.Log(float64(i))
		}
		for i := 2; i <= 2*k+1; i++ {
			log -= math.Log(float64(i))
		}
		for i := 2; i <= 2*k; i++ {
			log -= math.Log(float64(i))
		}
	}
	return c.definite().determined(-log, 1)
}

// sineBasis returns √(2/(n+1))·sin((i+1)(j+1)π/(n+1)), symmetric and orthogonal: eigenvalues 1 and -1 (the eigenvectors of
// secondDifference; Golub and Van Loan, Matrix Computations, section 4.8).
func sineBasis(n int) Case {
	c := entries("sine basis", n, func(i, j int) float64 {
		return math.Sqrt(2/float64(n+1)) * math.Sin(float64((i+1)*(j+1)%(2*n+2))*math.Pi/float64(n+1))
	})
	return signs(c, (n+1)/2).slackened(float64(8*n), 1).claiming(Orthonormal)
}

// signs adds eigenvalues 1, as often as given, and -1.
func signs(c Case, ones int) Case {
	c = c.spectrumOf(func(k int) float64 { return 2*is(k < ones) - 1 })
	return c.determined(0, math.Pow(-1, float64(c.A.Rows-ones)))
}
