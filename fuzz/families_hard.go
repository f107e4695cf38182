package fuzz

import (
	"fmt"
	"math"
)

// Spectra that are hard to resolve.
var hardFamilies = []row{
	{"Wilkinson", nil, fixed(wilkinson)},
	{"glued Wilkinson", threefold, fixed(func(n int) Case { return GluedWilkinson(n/3, 3, 1e-14) })},
	{"loosely glued Wilkinson", threefold, fixed(func(n int) Case { return GluedWilkinson(n/3, 3, 1e-7) })},
	{"joined Wilkinson", threefold, fixed(func(n int) Case { return GluedWilkinson(n/3, 3, 1) })},

	// The diagonal of λ₁ + (k-1)/(n-1)·(λ_n-λ₁)·ρ^(n-k), k = 1 … n, on which Lanczos's method and conjugate gradients lose
	// orthogonality (Strakoš, Linear Algebra Appl. 154, 1991): λ from 0.1 to 100, ρ = 0.9.
	{"Strakoš", nil, fixed(func(n int) Case {
		c := diagonal(values(n, func(k int) float64 {
			return 0.1 + float64(k)/float64(max(n-1, 1))*(100-0.1)*math.Pow(0.9, float64(n-1-k))
		}))
		c.Name = "Strakoš " + c.Name
		return c
	})},

	// The Toeplitz matrix of sin(2πwk)/(πk) beside 2w for w = ¼ (Varah, Linear Algebra Appl. 187, 1993): eigenvalues in (0, 1),
	// nearly all of them within rounding of 0 or of 1.
	{"prolate", nil, fixed(func(n int) Case {
		const w = 0.25
		return entries("prolate", n, func(i, j int) float64 {
			if i == j {
				return 2 * w
			}
			k := math.Abs(float64(i - j))
			return math.Sin(2*math.Pi*w*k) / (math.Pi * k)
		})
	})},

	// 1/(2(n-i-j)-1), a Hankel matrix whose eigenvalues cluster about ±π/2 (Ris; in Nash, Compact Numerical Methods, 1979).
	{"Ris", nil, fixed(func(n int) Case {
		return entries("Ris", n, func(i, j int) float64 { return 1 / float64(2*(n-i-j)-1) })
	})},

	ofMode(OneLarge, 1e10), ofMode(OneSmall, 1e10), ofMode(Geometric, 1e10), ofMode(Arithmetic, 100), ofMode(LogUniform, 1e10),
	ofMode(Gaussian, 1), ofMode(Tiny, 1), ofMode(Cluster, 1), ofMode(Dense, 1),
}

func ofMode(m Mode, cond float64) row {
	return row{m.String(), nil, func(s *Source, n int) Case { return WithSpectrum(s, m.String(), Spectrum(s, m, n, cond)) }}
}

// wilkinson returns Wilkinson's W⁺: diagonal |i-(n-1)/2|, off-diagonal 1. Its large eigenvalues come in pairs that agree to
// working precision (Wilkinson, The Algebraic Eigenvalue Problem, 1965).
func wilkinson(n int) Case {
	return entries("Wilkinson", n, func(i, j int) float64 { return near(i, j, math.Abs(float64(i)-float64(n-1)/2), 1) })
}

// GluedWilkinson returns copies of Wilkinson's W⁺ of order n along the diagonal, joined by the off-diagonal element glue:
// clusters of copies eigenvalues, a hard case for every tridiagonal eigensolver (Dhillon, Parlett and Vömel, BIT 45, 2005).
func GluedWilkinson(n, copies int, glue float64) Case {
	w := wilkinson(n).A
	c := Case{Name: fmt.Sprintf("Wilkinson n=%d glued %d times by %g", n, copies, glue), Pivot: Unknown}
	c.A = fill(n*copies, n*copies, func(i, j int) float64 {
		switch {
		case i/n == j/n:
			return w.At(i%n, j%n)
		case max(i, j)%n == 0:
			return near(i, j, 0, glue)
		}
		return 0
	})
	return c
}
