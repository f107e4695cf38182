package fuzz

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Matrices at the ends of what a float64 can be.
var extremeFamilies = []row{
	withEntries("NaN", math.NaN()), withEntries("Inf", math.Inf(1)), withEntries("-Inf", math.Inf(-1)),

	// [SPD] times 2^-1074: every number subnormal or 0. Its factor is of size 2^-537.
	{"subnormal", nil, func(s *Source, n int) Case {
		c := SPD(s, n)
		return Case{Name: "subnormal " + c.Name, A: scaled(c.A, -1074), Pivot: Unknown}
	}},

	// Entries about ±2^1020 in full, whose sums of rows overflow though the eigenvalues do not.
	{"near overflow", nil, fixed(func(n int) Case {
		c := sineBasis(n)
		c.Name = "near overflow, " + c.Name
		c.A = scaled(c.A, 1022)
		c.Eigenvalues = scaledValues(c.Eigenvalues, 1022)
		c.Slack = math.Ldexp(c.Slack, 1022)
		c.Claims = 0
		return c
	})},

	// diag(2^e) with e from -1060 to 1000: the first numbers subnormal, the last near overflow.
	{"straddling", nil, fixed(func(n int) Case {
		c := diagonal(values(n, func(i int) float64 { return math.Ldexp(1, -1060+2060*i/max(n-1, 1)) }))
		c.Name = "straddling " + c.Name
		return c
	})},
}

func withEntries(name string, v float64) row {
	return row{name, from(1), func(s *Source, n int) Case { return withEntry(n, s.values.IntN(n), s.values.IntN(n), v) }}
}

// withEntry returns n·I plus ones with v at (i, j), and at (j, i): for v = NaN or ±Inf, which an implementation has to refuse or
// to spread.
func withEntry(n, i, j int, v float64) Case {
	c := entries(fmt.Sprintf("%g at (%d, %d)", v, i, j), n, func(p, q int) float64 { return 1 + float64(n)*is(p == q) })
	c.A.Set(i, j, v)
	c.A.Set(j, i, v)
	return c
}

// Regressions returns matrices on which well-known libraries have hung, crashed, overflowed or answered wrongly, each named by
// its report; and some of the kind that a report describes without its numbers. All are symmetric but those said not to be.
func Regressions() []Case {
	inf, nan := math.Inf(1), math.NaN()
	dense := func(name string, n int, v ...float64) Case {
		return Case{Name: name, A: mat.NewDense(len(v)/n, n, v), Pivot: Unknown}
	}
	one := func(name string, n, i, j int, v float64) Case {
		a := mat.New(n, n)
		a.Fill(1)
		a.Set(i, j, v)
		a.Set(j, i, v)
		return Case{Name: name, A: a, Pivot: Unknown}
	}
	cases := []Case{
		dense("eigenvalues made up from NaN (numpy #20280)", 2, nan, 0.1, 0.1, 1),
		dense("eigenvalues made up from NaN (LinearAlgebra.jl #1504)", 2, nan, 5, 5, nan),
		dense("eigenvalues of NaN never end (julia #38346)", 3, 1, 2, 3, 2, nan, 4, 3, 4, 5),
		dense("pseudoinverse never ends (LinearAlgebra.jl #425)", 2, 0, nan, nan, inf),
		one("singular values of Inf never end (lapack #1409, numpy #32591)", 3, 0, 0, inf),
		dense("singular values of NaN never end, not symmetric (OpenBLAS #1490)", 3, 1, 0, nan, 0, 0, nan, 0, 0, nan),
		one("pivot search out of range on NaN (OpenBLAS #723)", 4, 3, 0, nan),
		dense("eigenvalues of a zero row give NaN (num.zig #3)", 3, -0.8, 0, 2, 0, 0, 0, 2, 0, -5),
		dense("no real eigenvectors, not symmetric (opencv #14088)", 3, 0, -1, 0, 1, 0, 1, 0, -1, 0),
		dense("equal couplings (root #7850)", 3, 1, .01, .01, .01, 1, .01, .01, .01, 1),
		dense("a double eigenvalue (numpy #20012)", 3, 2, 1, 1, 1, 2, 1, 1, 1, 2),
		dense("one element first (GenericLinearAlgebra.jl #52)", 3, .01, 0, 0, 0, 0, 0, 0, 0, 0),
		dense("one element last (GenericLinearAlgebra.jl #52)", 3, 0, 0, 0, 0, 0, 0, 0, 0, .01),
		dense("a metric tensor (UVAtlas #23)", 4,
			6.132586, -3.655639, -1.498916, -0.977926,
			-3.655639, 5.032224, -0.073074, -1.303757,
			-1.498916, -0.073074, 0.693752, 0.878438,
			-0.977926, -1.303757, 0.878438, 3.228775),
	}
	s := New(0x5eed)
	kind := func(report string, c Case) {
		c.Name += " (" + report + ")"
		cases = append(cases, c)
	}
	kind("as RSpectra #20", cliques(12))
	kind("as faer #82", fromGraph(randomGraph(s, 20)))
	kind("rows of 0 and ±1 repeated, as nalgebra #1025", Case{Name: "Gram", A: squareOf(Integers(s, 33, 4, 1)), Pivot: Unknown})
	kind("interleaved equal blocks, as faer #136", blockRepeated(fromGraph(randomGraph(s, 7)), 3).Permuted(s))
	kind("small vector components, as lapack #351", hermite(24))
	kind("no convergence of a secular root, as lapack #1166", GluedWilkinson(9, 3, 1e-14))
	skew := wilkinson(21)
	skew.A = scaled(skew.A, -1)
	kind("W₂₁ upside down, as lapack #151", Case{Name: "-" + skew.Name, A: skew.A, Pivot: Unknown})
	return cases
}

// fromGraph returns the adjacency matrix of a Laplacian's graph.
func fromGraph(c Case) Case {
	n := c.A.Rows
	a := fill(n, n, func(i, j int) float64 { return math.Abs(c.A.At(i, j)) * is(i != j) })
	return Case{Name: "adjacency of " + c.Name, Pivot: Unknown, A: a}
}
