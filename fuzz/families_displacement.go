package fuzz

import (
	"math"
	"math/cmplx"
)

// Constant diagonals, or displacement structure.
var displacementFamilies = []row{
	// c[k] = c[n-k] in the first row: eigenvalues Σ_k c_k·cos(2πjk/n) (Davis, Circulant Matrices, 1979), rounded with Slack.
	{"symmetric circulant", nil, func(s *Source, n int) Case {
		first := integers(s, n, 5)
		at := func(k int) float64 { return first[min(k%n, n-k%n)%n] }
		c := entries("symmetric circulant", n, func(i, j int) float64 { return at(n + j - i) })
		var norm float64
		for k := range n {
			norm += math.Abs(at(k))
		}
		return c.spectrumOf(func(j int) float64 {
			var sum float64
			for k := range n {
				sum += at(k) * math.Cos(2*math.Pi*float64(j*k%n)/float64(n))
			}
			return sum
		}).slackened(float64(2*n), norm)
	}},

	// Singular values |Σ_k c_k·ω^(jk)|, ω = exp(2πi/n), of the first row c (Davis 1979), rounded with Slack.
	{"circulant", nil, func(s *Source, n int) Case {
		first := integers(s, n, 5)
		c := entries("circulant", n, func(i, j int) float64 { return first[(n+j-i)%n] })
		var norm float64
		for _, v := range first {
			norm += math.Abs(v)
		}
		return c.singular(values(n, func(j int) float64 {
			var sum complex128
			for k, v := range first {
				sum += complex(v, 0) * cmplx.Rect(1, 2*math.Pi*float64(j*k%n)/float64(n))
			}
			return cmplx.Abs(sum)
		})...).slackened(float64(2*n), norm)
	}},

	// b on the diagonal and a beside it: eigenvalues b + 2a·cos(kπ/(n+1)), k = 1 … n, rounded with Slack (Böttcher and Grudsky,
	// Spectral Properties of Banded Toeplitz Matrices, 2005).
	{"tridiagonal Toeplitz", nil, func(s *Source, n int) Case {
		a, b := s.integer(3), s.integer(3)
		c := entries("tridiagonal Toeplitz", n, func(i, j int) float64 { return near(i, j, b, a) })
		return c.spectrumOf(func(k int) float64 {
			return b + 2*a*math.Cos(float64(k+1)*math.Pi/float64(n+1))
		}).slackened(4, math.Abs(b)+2*math.Abs(a))
	}},

	// Integers from -9 to 9 (Horn and Johnson, Matrix Analysis, section 0.9).
	{"Toeplitz", nil, func(s *Source, n int) Case {
		t := integers(s, n, 9)
		return entries("Toeplitz", n, func(i, j int) float64 { return t[max(i-j, j-i)] })
	}},
	{"Hankel", nil, func(s *Source, n int) Case {
		t := integers(s, max(2*n-1, 0), 9)
		return entries("Hankel", n, func(i, j int) float64 { return t[i+j] })
	}},

	{"Cauchy", nil, fixed(cauchy)},

	// 1/(i-j+½), Cauchy and Toeplitz at once, with most singular values very near π (Parter, Linear Algebra Appl. 80, 1986).
	{"Parter", nil, fixed(func(n int) Case {
		return entries("Parter", n, func(i, j int) float64 { return 1 / (float64(i-j) + 0.5) }).claiming(Nonsingular)
	})},

	// -1 below the diagonal and 1 on it and on three diagonals above (Grcar, Sandia Report 89-8691, 1989): sensitive complex
	// eigenvalues.
	{"Grcar", nil, fixed(func(n int) Case {
		return entries("Grcar", n, func(i, j int) float64 { return is(j-i >= 0 && j-i <= 3) - is(i-j == 1) })
	})},

	// x_i^j for the points 1, 2, …: det = Π_{i<j}(x_j-x_i).
	{"Vandermonde", upTo(12), fixed(func(n int) Case {
		var log float64
		for j := range n {
			for i := range j {
				log += math.Log(float64(j - i))
			}
		}
		c := general("Vandermonde", fill(n, n, func(i, j int) float64 { return math.Pow(float64(i+1), float64(j)) }))
		if !Structure(c.A).Has(Integer) {
			return c
		}
		return c.determined(log, 1)
	})},
}

// cauchy returns 1/(x_i + y_j) for x_i = i+1, y_j = 2j-½: det = Π_{i<j}(x_j-x_i)(y_j-y_i)/Π(x_i+y_j) (Cauchy 1841; Higham,
// Accuracy and Stability, section 28.1). It is claimed up to order 8, where rounding of the entries does not yet drown it.
func cauchy(n int) Case {
	x, y := func(i int) float64 { return float64(i) + 1 }, func(j int) float64 { return float64(2*j) - 0.5 }
	c := general("Cauchy", fill(n, n, func(i, j int) float64 { return 1 / (x(i) + y(j)) }))
	if n > 8 {
		return c
	}
	var log float64
	for i := range n {
		for j := range n {
			log -= math.Log(x(i) + y(j))
			if i < j {
				log += math.Log(x(j) - x(i))
				log += math.Log(y(j) - y(i))
			}
		}
	}
	return c.determined(log, 1)
}
