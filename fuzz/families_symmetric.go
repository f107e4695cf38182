package fuzz

import (
	"math"
	"slices"
)

// Symmetric matrices in closed form. Indices i, j count from 0.

// kms returns A[i,j] = ρ^|i-j|, the covariance of an autoregression or of an
// exponential kernel on equidistant points (Kac, Murdock and Szegő, J. Rational
// Mech. Anal. 2, 1953): det = (1-ρ²)^(n-1), the inverse is tridiagonal,
// 1/(1-ρ²) times -ρ beside a diagonal of 1+ρ², 1 at its ends. |rho| is below 1;
// where it is a power of two the entries are exact.
func kms(n int, rho float64) Case {
	q := 1 - rho*rho
	c := entries("KMS", n, func(i, j int) float64 { return math.Pow(rho, math.Abs(float64(i-j))) })
	return c.definite().determined(float64(max(n-1, 0))*math.Log(q), 1).inverted(func(i, j int) float64 {
		switch {
		case n == 1:
			return 1
		case i == j && (i == 0 || i == n-1):
			return 1 / q
		case i == j:
			return (1 + rho*rho) / q
		case i-j == 1 || j-i == 1:
			return -rho / q
		}
		return 0
	})
}

// lehmer returns A[i,j] = min(i+1, j+1)/max(i+1, j+1) (Newman and Todd, J. SIAM
// 6, 1958): totally positive, det = (2n)!/(2ⁿ·(n!)³), with k = i+1 the inverse
// is tridiagonal, 4k³/(4k²-1) beside -k(k+1)/(2k+1), n²/(2n-1) last.
func lehmer(n int) Case {
	var log float64
	for k := 1; k <= n; k++ { // from order k-1 to k: (2k-1)/k²
		log += math.Log(float64(2*k-1) / float64(k*k))
	}
	c := entries("Lehmer", n, func(i, j int) float64 { return float64(min(i, j)+1) / float64(max(i, j)+1) })
	return c.definite().determined(log, 1).claiming(Positive).inverted(func(i, j int) float64 {
		k := float64(min(i, j) + 1)
		switch {
		case i == n-1 && j == n-1:
			return k * k / (2*k - 1)
		case i == j:
			return 4 * k * k * k / (4*k*k - 1)
		case i-j == 1 || j-i == 1:
			return -k * (k + 1) / (2*k + 1)
		}
		return 0
	})
}

// moler returns L·Lᵀ for the L with ones on the diagonal and -1 below it (Nash,
// Compact Numerical Methods, 1979): A[i,j] = min(i, j) - 1 off the diagonal,
// i+1 on it; det 1, one eigenvalue near 4^-n.
func moler(n int) Case {
	c := entries("Moler", n, func(i, j int) float64 {
		if i == j {
			return float64(i + 1)
		}
		return float64(min(i, j) - 1)
	})
	return c.factored(func(i, j int) float64 {
		if i == j {
			return 1
		}
		return -1
	})
}

// pei returns α·I + ones (pei, Comm. ACM 5, 1962): eigenvalues α, n-1 times, and
// α+n; inverse (I - ones/(α+n))/α. alpha is positive.
func pei(n int, alpha float64) Case {
	c := entries("Pei", n, func(i, j int) float64 {
		if i == j {
			return 1 + alpha
		}
		return 1
	})
	if n == 0 {
		return c.spectrum().definite()
	}
	sum := alpha + float64(n)
	c.Inverse = fill(n, n, func(i, j int) float64 {
		if i == j {
			return (sum - 1) / (sum * alpha)
		}
		return -1 / (sum * alpha)
	})
	c = c.spectrum(append(slices.Repeat([]float64{alpha}, n-1), sum)...)
	return c.definite().determined(float64(n-1)*math.Log(alpha)+math.Log(sum), 1)
}

// fiedler returns A[i,j] = |i-j| (fiedler, in Todd, Basic Numerical
// Mathematics 2, 1977): one positive eigenvalue, the others negative, det =
// (-1)^(n-1)·2^(n-2)·(n-1).
func fiedler(n int) Case {
	c := entries("Fiedler", n, func(i, j int) float64 { return math.Abs(float64(i - j)) })
	switch {
	case n == 0:
		return c
	case n == 1:
		c.Pivot = 0
		return c.spectrum(0).claiming(Singular)
	}
	c.Pivot = 0
	return c.claiming(Indefinite|Nonsingular).determined(float64(n-2)*math.Ln2+math.Log(float64(n-1)), math.Pow(-1, float64(n-1)))
}

// ris returns A[i,j] = 1/(2(n-i-j)-1), a Hankel matrix whose eigenvalues cluster
// about ±π/2 (ris; in Nash, Compact Numerical Methods, 1979).
func ris(n int) Case {
	return entries("Ris", n, func(i, j int) float64 { return 1 / float64(2*(n-i-j)-1) })
}

// prolate returns the Toeplitz matrix of sin(2πwk)/(πk) beside 2w (Varah, Linear
// Algebra Appl. 187, 1993): eigenvalues in (0, 1), nearly all of them within
// rounding of 0 or of 1. w is in (0, ½).
func prolate(n int, w float64) Case {
	return entries("prolate", n, func(i, j int) float64 {
		if i == j {
			return 2 * w
		}
		k := math.Abs(float64(i - j))
		return math.Sin(2*math.Pi*w*k) / (math.Pi * k)
	})
}

// strakos returns the diagonal matrix of
//
//	λ_k = λ₁ + (k-1)/(n-1)·(λ_n-λ₁)·ρ^(n-k), k = 1 … n,
//
// on which Lanczos's method and conjugate gradients lose orthogonality (Strakoš,
// Linear Algebra Appl. 154, 1991). 0 < least < most, 0 < rho ≤ 1.
func strakos(n int, least, most, rho float64) Case {
	c := diagonal(values(n, func(k int) float64 {
		return least + float64(k)/float64(max(n-1, 1))*(most-least)*math.Pow(rho, float64(n-1-k))
	}))
	c.Name = "Strakoš " + c.Name
	return c
}

// rosser returns rosser's matrix of order 8 (rosser, Lanczos, Hestenes and
// Karush, J. Res. Nat. Bur. Standards 47, 1951): eigenvalues ±10√10405,
// 510±100√26, 1020, 1000 twice and 0.
func rosser() Case {
	rows := [8][8]float64{
		{611, 196, -192, 407, -8, -52, -49, 29},
		{196, 899, 113, -192, -71, -43, -8, -44},
		{-192, 113, 899, 196, 61, 49, 8, 52},
		{407, -192, 196, 611, 8, 44, 59, -23},
		{-8, -71, 61, 8, 411, -599, 208, 208},
		{-52, -43, 49, 44, -599, 411, 208, 208},
		{-49, -8, 8, 59, 208, 208, 99, -911},
		{29, -44, 52, -23, 208, 208, -911, 99},
	}
	c := entries("Rosser", 8, func(i, j int) float64 { return rows[i][j] })
	a, b := 10*math.Sqrt(10405), 100*math.Sqrt(26)
	return c.spectrum(-a, a, 510-b, 510+b, 1020, 1000, 1000, 0).ranked(7)
}

// inverseHilbert returns the inverse of [hilbert](n), of integers (Todd, Basic
// Numerical Mathematics 2, 1977). n is at most 10.
func inverseHilbert(n int) Case {
	c := entries("inverse Hilbert", n, func(i, j int) float64 {
		v := float64(i+j+1) * binomial(n+i, n-1-j) * binomial(n+j, n-1-i) * binomial(i+j, i) * binomial(i+j, i)
		if (i+j)%2 == 1 {
			return -v
		}
		return v
	})
	var log float64 // of det hilbert: Π (k!)⁴/((2k)!(2k+1)!)
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

// arrow returns an arrowhead matrix of integers: the identity bordered by v, and
// 1+‖v‖² last. Factor and inverse are of integers; eigenvalues are 1, n-2
// times, and (2+s±√(s²+4s))/2 with s = ‖v‖².
func arrow(v []int) Case {
	n := len(v) + 1
	var s float64
	for _, x := range v {
		s += float64(x) * float64(x)
	}
	border := func(i, j int) float64 { return float64(v[min(i, j)]) }
	c := entries("arrow", n, func(i, j int) float64 {
		switch {
		case i == n-1 && j == n-1:
			return 1 + s
		case i == j:
			return 1
		case max(i, j) == n-1:
			return border(i, j)
		}
		return 0
	})
	c = c.factored(func(i, j int) float64 {
		switch {
		case i == j:
			return 1
		case i == n-1:
			return border(i, j)
		}
		return 0
	})
	c = c.inverted(func(i, j int) float64 {
		switch {
		case i == n-1 && j == n-1:
			return 1
		case max(i, j) == n-1:
			return -border(i, j)
		case i == j:
			return 1 + border(i, i)*border(j, j)
		}
		return float64(v[i]) * float64(v[j])
	})
	if n < 2 {
		return c.spectrum(1)
	}
	most := (2 + s + math.Sqrt(s*s+4*s)) / 2
	return c.spectrum(append(slices.Repeat([]float64{1}, n-2), most, 1/most)...)
}

// gcdMatrix returns A[i,j] = gcd(i+1, j+1) (Smith, Proc. London Math. Soc. 7, 1876):
// det = Π φ(k), k = 1 … n, with Euler's φ.
func gcdMatrix(n int) Case {
	gcd := func(a, b int) int {
		for b != 0 {
			a, b = b, a%b
		}
		return a
	}
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
}

// sineBasis returns √(2/(n+1))·sin((i+1)(j+1)π/(n+1)), symmetric and orthogonal:
// eigenvalues 1 and -1 (the eigenvectors of secondDifference; golub and Van
// Loan, Matrix Computations, section 4.8).
func sineBasis(n int) Case {
	c := entries("sine basis", n, func(i, j int) float64 {
		return math.Sqrt(2/float64(n+1)) * math.Sin(float64((i+1)*(j+1)%(2*n+2))*math.Pi/float64(n+1))
	})
	return signs(c, (n+1)/2).slackened(float64(8*n), 1).claiming(Orthonormal)
}

// exchange returns the identity with its columns in reverse order: eigenvalues
// 1 and -1, exactly orthogonal (Horn and Johnson, Matrix Analysis, section 0.9).
func exchange(n int) Case {
	c := entries("exchange", n, func(i, j int) float64 {
		if i+j == n-1 {
			return 1
		}
		return 0
	})
	if n > 1 {
		c.Pivot = 0
	}
	return signs(c, (n+1)/2).claiming(Orthonormal)
}

// reflector returns the Householder matrix I - 2v·vᵀ/‖v‖² of an integer vector
// that is not 0: eigenvalues 1, n-1 times, and -1 (Householder, J. ACM 5, 1958).
func reflector(v []int) Case {
	var s float64
	for _, x := range v {
		s += float64(x) * float64(x)
	}
	n := len(v)
	c := entries("reflector", n, func(i, j int) float64 {
		w := -2 * float64(v[i]) * float64(v[j]) / s
		if i == j {
			return 1 + w
		}
		return w
	})
	return signs(c, n-1).slackened(float64(4*n), 1).claiming(Orthonormal)
}

// signs adds eigenvalues 1, as often as given, and -1.
func signs(c Case, ones int) Case {
	n := c.A.Rows
	c = c.spectrum(values(n, func(k int) float64 {
		if k < ones {
			return 1
		}
		return -1
	})...)
	return c.determined(0, math.Pow(-1, float64(n-ones)))
}

// golub returns L·Lᵀ for a random unit lower triangular L of integers up to 9
// in size: integers of det 1 and a condition number far above what they look
// like (Trefethen and Bau, Numerical Linear Algebra, 1997, on golub's matrices).
func golub(s *Source, n int) Case {
	l := fill(n, n, func(i, j int) float64 {
		switch {
		case i == j:
			return 1
		case i > j:
			return s.integer(9)
		}
		return 0
	})
	c := Case{A: timesTransposed(l), Pivot: n}
	c.Name = entries("Golub", n, func(int, int) float64 { return 0 }).Name
	return c.factored(l.At)
}

// bipartite returns [[0, B], [Bᵀ, 0]] for a matrix B of integers: eigenvalues
// in pairs ±σ, the singular values of B (golub and kahan, SIAM J. Numer. Anal. B
// 2, 1965).
func bipartite(s *Source, n int) Case {
	h := n / 2
	b := Integers(s, h, n-h, 3)
	c := entries("bipartite", n, func(i, j int) float64 {
		switch {
		case i < h && j >= h:
			return b.At(i, j-h)
		case i >= h && j < h:
			return b.At(j, i-h)
		}
		return 0
	})
	if n > 1 {
		c.Pivot = 0
	}
	return c
}
