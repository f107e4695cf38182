package fuzz

import (
	"fmt"
	"math"
	"slices"
)

// Family is a kind of matrices, one or none for each order. The functions that
// make them say formula and source, and take parameters that are fixed here.
type Family struct {
	Name  string
	Group string
	Takes func(n int) bool // whether there is one of order n; nil: of every order
	Make  func(s *Source, n int) Case
}

// Groups of the [Collection], in its order.
const (
	exactGroup     = "exact" // integers or powers of two, factor or eigenvalues to the bit
	closedGroup    = "closed form"
	hardGroup      = "hard spectra"
	structureGroup = "displacement"
	graphGroup     = "graphs"
	kroneckerGroup = "Kronecker"
	generalGroup   = "general"
	extremeGroup   = "extremes"
)

// Collection lists all families. Orders are those of square matrices; of a
// rectangular one the order is the smaller dimension.
func Collection() []Family {
	return slices.Concat(exactFamilies(), closedFamilies(), hardFamilies(), displacementFamilies(), graphFamilies(),
		kroneckerFamilies(), generalFamilies(), extremeFamilies())
}

// FamilyNamed returns the family of that name; it panics if there is none.
func FamilyNamed(name string) Family {
	for _, f := range collection {
		if f.Name == name {
			return f
		}
	}
	panic("fuzz: no family is named " + name)
}

// fixed makes a family of what takes no source.
func fixed(make func(n int) Case) func(*Source, int) Case {
	return func(_ *Source, n int) Case { return make(n) }
}

// Orders that a family takes.
func upTo(most int) func(int) bool  { return func(n int) bool { return n <= most } }
func from(least int) func(int) bool { return func(n int) bool { return n >= least } }
func threefold(n int) bool          { return n%3 == 0 }
func power(n int) bool              { return n > 0 && n&(n-1) == 0 }
func root(n int) int                { return int(math.Sqrt(float64(n)) + 0.5) }
func square(n int) bool             { return root(n)*root(n) == n }
func even(n int) bool               { return n > 0 && n%2 == 0 }

func exactFamilies() []Family {
	return []Family{
		{"integer factor", exactGroup, nil, SPD},
		{"failing pivot", exactGroup, from(1), func(s *Source, n int) Case { return FailingPivot(s, n, s.values.IntN(n), -s.values.IntN(2)) }},
		{"low rank", exactGroup, nil, func(s *Source, n int) Case { return LowRank(s, n, n/2) }},
		{"graded", exactGroup, nil, func(s *Source, n int) Case { return Graded(s, n, 100) }},
		{"Pascal", exactGroup, upTo(29), fixed(pascal)},
		{"Moler", exactGroup, nil, fixed(moler)},
		{"arrow", exactGroup, from(1), func(s *Source, n int) Case { return arrow(integers(s, n-1, 3)) }},
		{"grounded tree", exactGroup, nil, groundedTree},
		{"Golub", exactGroup, nil, golub},
		{"min(i,j)", exactGroup, nil, fixed(minIJ)},
		{"Hadamard", exactGroup, power, func(s *Source, n int) Case { return hadamard(integers(s, n, n)) }},
		{"rank one", exactGroup, nil, func(s *Source, n int) Case { return rankOne(integers(s, n, 4)) }},
		{"diagonal", exactGroup, nil, func(s *Source, n int) Case { return diagonal(values(n, func(int) float64 { return s.integer(9) })) }},
		{"exchange", exactGroup, nil, fixed(exchange)},
		{"zero", exactGroup, nil, fixed(zeroMatrix)},
	}
}

func closedFamilies() []Family {
	return []Family{
		{"KMS", closedGroup, nil, func(_ *Source, n int) Case { return kms(n, 0.5) }},
		{"Lehmer", closedGroup, nil, fixed(lehmer)},
		{"Pei", closedGroup, nil, func(_ *Source, n int) Case { return pei(n, 1) }},
		{"Fiedler", closedGroup, nil, fixed(fiedler)},
		{"gcd", closedGroup, nil, fixed(gcdMatrix)},
		{"second difference", closedGroup, nil, fixed(secondDifference)},
		{"Clement", closedGroup, nil, fixed(clement)},
		{"Hermite", closedGroup, nil, fixed(hermite)},
		{"Laguerre", closedGroup, nil, fixed(laguerre)},
		{"Legendre", closedGroup, nil, fixed(legendre)},
		{"Hilbert", closedGroup, nil, fixed(hilbert)},
		{"inverse Hilbert", closedGroup, upTo(10), fixed(inverseHilbert)},
		{"Rosser", closedGroup, func(n int) bool { return n == 8 }, func(*Source, int) Case { return rosser() }},
		{"sine basis", closedGroup, nil, fixed(sineBasis)},
		{"reflector", closedGroup, from(1), func(s *Source, n int) Case { v := integers(s, n, 3); v[0] = 1; return reflector(v) }},
		{"bipartite", closedGroup, nil, bipartite},
	}
}

func hardFamilies() []Family {
	mode := func(m Mode, cond float64) func(*Source, int) Case {
		return func(s *Source, n int) Case { return WithSpectrum(s, m.String(), Spectrum(s, m, n, cond)) }
	}
	return []Family{
		{"Wilkinson", hardGroup, nil, fixed(wilkinson)},
		{"glued Wilkinson", hardGroup, threefold, func(_ *Source, n int) Case { return GluedWilkinson(n/3, 3, 1e-14) }},
		{"loosely glued Wilkinson", hardGroup, threefold, func(_ *Source, n int) Case { return GluedWilkinson(n/3, 3, 1e-7) }},
		{"joined Wilkinson", hardGroup, threefold, func(_ *Source, n int) Case { return GluedWilkinson(n/3, 3, 1) }},
		{"Strakoš", hardGroup, nil, func(_ *Source, n int) Case { return strakos(n, 0.1, 100, 0.9) }},
		{"prolate", hardGroup, nil, func(_ *Source, n int) Case { return prolate(n, 0.25) }},
		{"Ris", hardGroup, nil, fixed(ris)},
		{"one large", hardGroup, nil, mode(OneLarge, 1e10)},
		{"one small", hardGroup, nil, mode(OneSmall, 1e10)},
		{"geometric", hardGroup, nil, mode(Geometric, 1e10)},
		{"arithmetic", hardGroup, nil, mode(Arithmetic, 100)},
		{"log-uniform", hardGroup, nil, mode(LogUniform, 1e10)},
		{"Gaussian", hardGroup, nil, mode(Gaussian, 1)},
		{"tiny", hardGroup, nil, mode(Tiny, 1)},
		{"cluster", hardGroup, nil, mode(Cluster, 1)},
		{"dense", hardGroup, nil, mode(Dense, 1)},
	}
}

func displacementFamilies() []Family {
	return []Family{
		{"symmetric circulant", structureGroup, nil, func(s *Source, n int) Case { return circulantSymmetric(integers(s, n, 5)) }},
		{"circulant", structureGroup, nil, func(s *Source, n int) Case { return circulantMatrix(integers(s, n, 5)) }},
		{"tridiagonal Toeplitz", structureGroup, nil, func(s *Source, n int) Case { return toeplitzTridiagonal(n, s.integer(3), s.integer(3)) }},
		{"Toeplitz", structureGroup, nil, randomToeplitz},
		{"Hankel", structureGroup, nil, randomHankel},
		{"Cauchy", structureGroup, nil, func(_ *Source, n int) Case {
			x := values(n, func(k int) float64 { return float64(k) + 1 })
			y := values(n, func(k int) float64 { return float64(2*k) - 0.5 })
			return cauchy(x, y)
		}},
		{"Parter", structureGroup, nil, fixed(parter)},
		{"Grcar", structureGroup, nil, fixed(grcar)},
		{"Vandermonde", structureGroup, upTo(12), func(_ *Source, n int) Case { return vandermonde(counting(n), n) }},
	}
}

func graphFamilies() []Family {
	return []Family{
		{"path", graphGroup, nil, fixed(pathGraph)},
		{"cycle", graphGroup, nil, fixed(cycleGraph)},
		{"complete graph", graphGroup, nil, fixed(completeGraph)},
		{"star", graphGroup, from(2), fixed(starGraph)},
		{"hypercube", graphGroup, power, fixed(hypercube)},
		{"complete bipartite graph", graphGroup, from(2), func(_ *Source, n int) Case { return completeBipartite(n/2, n-n/2) }},
		{"tree", graphGroup, nil, randomTree},
		{"random graph", graphGroup, nil, randomGraph},
		{"cliques", graphGroup, nil, fixed(adjacency)},
		{"Poisson", graphGroup, square, func(_ *Source, n int) Case { return poisson(root(n)) }},
	}
}

func kroneckerFamilies() []Family {
	return []Family{
		{"Kronecker of factors", kroneckerGroup, even, func(s *Source, n int) Case { return kronecker(SPD(s, 2), SPD(s, n/2)) }},
		{"Kronecker of spectra", kroneckerGroup, even, func(s *Source, n int) Case { return kronecker(hadamard(integers(s, 2, 5)), completeGraph(n/2)) }},
		{"Kronecker of KMS", kroneckerGroup, square, func(_ *Source, n int) Case { return kronecker(kms(root(n), 0.5), kms(root(n), 0.25)) }},
		{"repeated blocks", kroneckerGroup, even, func(s *Source, n int) Case { return blockRepeated(arrow(integers(s, n/2-1, 2)), 2) }},
	}
}

func generalFamilies() []Family {
	return []Family{
		{"normal", generalGroup, nil, squareNormal},
		{"badly scaled", generalGroup, nil, badlyScaled},
		{"Frank", generalGroup, nil, fixed(frank)},
		{"Kahan", generalGroup, nil, func(_ *Source, n int) Case { return kahan(n, 1.2) }},
		{"Triw", generalGroup, nil, fixed(triw)},
		{"growth", generalGroup, nil, fixed(growthMatrix)},
		{"Forsythe", generalGroup, from(2), func(_ *Source, n int) Case { return forsythe(n, 0x1p-26) }},
		{"Jordan", generalGroup, nil, func(_ *Source, n int) Case { return jordan(n, 1) }},
		{"companion", generalGroup, upTo(18), fixed(companion)},
		{"Redheffer", generalGroup, nil, fixed(redheffer)},
		{"unimodular", generalGroup, nil, unimodular},
		{"permutation", generalGroup, nil, permutation},
		{"orthogonal", generalGroup, nil, haarOrthogonal},
		{"singular values", generalGroup, nil, func(s *Source, n int) Case {
			return withSingularValues(s, "geometric singular values", n, n, Spectrum(s, Geometric, n, 1e10))
		}},
		{"devil's stairs", generalGroup, nil, devilsStairs},
		{"rank deficient", generalGroup, nil, func(s *Source, n int) Case { return rankDeficient(s, n, n, n/2) }},
		{"rank deficient tall", generalGroup, nil, func(s *Source, n int) Case { return rankDeficient(s, n+2, n, n/2) }},
		{"tall normal", generalGroup, nil, tallNormal},
		{"wide integer", generalGroup, nil, wideInteger},
		{"Läuchli", generalGroup, from(1), func(_ *Source, n int) Case { return lauchli(n, 0x1p-30) }},
	}
}

func extremeFamilies() []Family {
	return []Family{
		{"NaN", extremeGroup, from(1), func(s *Source, n int) Case { return withEntry(n, s.values.IntN(n), s.values.IntN(n), math.NaN()) }},
		{"Inf", extremeGroup, from(1), func(s *Source, n int) Case { return withEntry(n, s.values.IntN(n), s.values.IntN(n), math.Inf(1)) }},
		{"-Inf", extremeGroup, from(1), func(s *Source, n int) Case { return withEntry(n, s.values.IntN(n), s.values.IntN(n), math.Inf(-1)) }},
		{"subnormal", extremeGroup, nil, subnormalSPD},
		{"near overflow", extremeGroup, nil, fixed(nearOverflow)},
		{"straddling", extremeGroup, nil, fixed(straddling)},
	}
}

// integers returns n integers from -bound to bound.
func integers(s *Source, n, bound int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = s.values.IntN(2*bound+1) - bound
	}
	return v
}

// counting returns 1, 2, …, n.
func counting(n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = i + 1
	}
	return v
}

// Cases returns one matrix of order n of each family that has all properties of
// want and none of not:
//
//	fuzz.Cases(s, 20, fuzz.Definite|fuzz.Toeplitz, fuzz.IllConditioned)
func Cases(s *Source, n int, want, not Properties) []Case {
	var cases []Case
	for _, f := range collection {
		if f.Takes != nil && !f.Takes(n) {
			continue
		}
		c := f.Make(s, n)
		if p := c.Properties(); p.Has(want) && !p.Any(not) {
			cases = append(cases, c)
		}
	}
	return cases
}

var collection = Collection()

// Draw returns a matrix of order n with all properties of want and none of not,
// of a family drawn from the [Collection]. It panics if no family has one.
func (s *Source) Draw(n int, want, not Properties) Case {
	c, found := s.draw(n, want, not)
	if !found {
		panic(fmt.Sprintf("fuzz: Draw: no family has a matrix of order %d that is %v and not %v", n, want, not))
	}
	return c
}

// Draw is [Source.Draw]; a trial ends without a verdict if there is none.
func (t *Trial) Draw(n int, want, not Properties) Case {
	c, found := t.draw(n, want, not)
	t.Assume(found)
	return c
}

func (s *Source) draw(n int, want, not Properties) (c Case, found bool) {
	start := s.IntN(len(collection))
	for k := range collection {
		f := collection[(start+k*stride)%len(collection)]
		if f.Takes != nil && !f.Takes(n) {
			continue
		}
		c := f.Make(s, n)
		if p := c.Properties(); p.Has(want) && !p.Any(not) {
			return c, true
		}
	}
	return c, false
}

// stride takes a search through the collection, which it has no divisor in
// common with, away from neighbours that are alike.
const stride = 37
