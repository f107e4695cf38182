package fuzz

import (
	"fmt"
	"math"
	"slices"
)

// 4^±scaleUp is near the roots of the overflow and underflow thresholds, by which LAPACK's tests scale matrices up and down.
const scaleUp = 250

// SymmetricCases returns the 21 types of n×n matrices on which LAPACK tests its symmetric eigensolvers (dchkst, ddrvst): zero,
// identity, diagonal, full with a given spectrum of either sign and condition 1/ε, random entries, positive definite with
// condition 0.1/(nε), tridiagonal, and some of them scaled nearly to the root of overflow and underflow.
func SymmetricCases(s *Source, n int) []Case {
	signed := func(mode Mode) []float64 { return RandomSigns(s, Spectrum(s, mode, n, 1/Eps)) }
	full := func(mode Mode) Case { return WithSpectrum(s, mode.String(), signed(mode)) }
	positive := func(mode Mode) Case {
		return WithSpectrum(s, mode.String()+", positive", Spectrum(s, mode, n, 0.1/Eps/float64(max(n, 1))))
	}
	scaled := func(c Case) []Case { return []Case{c.Scaled(scaleUp), c.Scaled(-scaleUp)} }
	random := Case{Name: fmt.Sprintf("random n=%d", n), A: symmetric(n, func(int, int) float64 { return 2*s.Float64() - 1 }), Pivot: Unknown}
	uneven, even, definite := diagonal(signed(Arithmetic)), full(Arithmetic), positive(Arithmetic)
	return number(slices.Concat(
		[]Case{diagonal(make([]float64, n)), diagonal(slices.Repeat([]float64{1}, n)), uneven, diagonal(signed(Geometric)), diagonal(signed(OneLarge))},
		scaled(uneven),
		[]Case{even, full(Geometric), full(OneLarge)},
		scaled(even), []Case{random}, scaled(random),
		[]Case{definite, positive(Geometric), positive(OneLarge)},
		scaled(definite), []Case{dominant(s, n)}))
}

// dominant is a diagonally dominant tridiagonal matrix with a geometric diagonal, the last of LAPACK's types.
func dominant(s *Source, n int) Case {
	d := Spectrum(s, Geometric, n, 1/Eps)
	a := symmetric(n, func(i, j int) float64 {
		if i-j == 1 {
			return 0.25 * math.Sqrt(d[j]*d[i]) * (2*s.Float64() - 1)
		}
		return d[i] * is(i == j)
	})
	return Case{Name: fmt.Sprintf("dominant n=%d", n), A: a, Pivot: n}
}

// DefiniteCases returns the nine types of n×n matrices on which LAPACK tests its Cholesky factorisation (dchkpo, dlatb4):
// diagonal, well conditioned, with a zero row and column first, last and in the middle, at which the factorisation has to fail,
// ill-conditioned (√(0.1/ε), and 0.1/ε over 64n², where LAPACK leaves out the divisor that lets rounding spare every pivot), and
// scaled nearly to underflow and overflow.
func DefiniteCases(s *Source, n int) []Case {
	full := func(cond float64) Case {
		return WithSpectrum(s, fmt.Sprintf("condition %.1g", cond), Spectrum(s, Geometric, n, cond))
	}
	easy := full(2)
	cases := []Case{diagonal(Spectrum(s, Arithmetic, n, 2)), easy}
	if n > 0 {
		cases = append(cases, zeroed(easy, 0), zeroed(easy, n-1), zeroed(easy, n/2))
	}
	return number(append(cases, full(math.Sqrt(0.1/Eps)), full(max(2, 0.1/Eps/float64(64*max(n, 1)*max(n, 1)))),
		easy.Scaled(-480), easy.Scaled(480)))
}

// zeroed returns the case with row and column k of its matrix set to 0.
func zeroed(c Case, k int) Case {
	a := c.A.Clone()
	for i := range a.Rows {
		a.Set(i, k, 0)
		a.Set(k, i, 0)
	}
	return Case{Name: fmt.Sprintf("%s, row %d zero", c.Name, k), A: a, Pivot: k}
}

// number puts the number of its type, counted from 1, before each name.
func number(cases []Case) []Case {
	for i := range cases {
		cases[i].Name = fmt.Sprintf("%d: %s", i+1, cases[i].Name)
	}
	return cases
}

// Stetester returns full matrices with the spectra of STETESTER (see [Mode]): every mode, condition number cond, each with
// positive, negative and random signs.
func Stetester(s *Source, n int, cond float64) []Case {
	var cases []Case
	for mode := OneLarge; mode <= Dense; mode++ {
		d := Spectrum(s, mode, n, cond)
		name := fmt.Sprintf("%v, condition %.0e", mode, cond)
		cases = append(cases,
			WithSpectrum(s, name, d),
			WithSpectrum(s, fmt.Sprintf("%v, negative, condition %.0e", mode, cond), values(n, func(i int) float64 { return -d[i] })),
			WithSpectrum(s, fmt.Sprintf("%v, random signs, condition %.0e", mode, cond), RandomSigns(s, slices.Clone(d))))
	}
	return cases
}
