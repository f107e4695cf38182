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
	ExactGroup     = "exact" // integers or powers of two, factor or eigenvalues to the bit
	ClosedGroup    = "closed form"
	HardGroup      = "hard spectra"
	StructureGroup = "displacement"
	GraphGroup     = "graphs"
	KroneckerGroup = "Kronecker"
	GeneralGroup   = "general"
	ExtremeGroup   = "extremes"
)

// Collection lists all families. Orders are those of square matrices; of a
// rectangular one the order is the smaller dimension.
func Collection() []Family {
	return slices.Concat(exactFamilies(), closedFamilies(), hardFamilies(), displacementFamilies(), graphFamilies(),
		kroneckerFamilies(), generalFamilies(), extremeFamilies())
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
		{"integer factor", ExactGroup, nil, SPD},
		{"failing pivot", ExactGroup, from(1), func(s *Source, n int) Case { return FailingPivot(s, n, s.values.IntN(n), -s.values.IntN(2)) }},
		{"low rank", ExactGroup, nil, func(s *Source, n int) Case { return LowRank(s, n, n/2) }},
		{"graded", ExactGroup, nil, func(s *Source, n int) Case { return Graded(s, n, 100) }},
		{"Pascal", ExactGroup, upTo(29), fixed(Pascal)},
		{"Moler", ExactGroup, nil, fixed(Moler)},
		{"arrow", ExactGroup, from(1), func(s *Source, n int) Case { return Arrow(integers(s, n-1, 3)) }},
		{"grounded tree", ExactGroup, nil, GroundedTree},
		{"Golub", ExactGroup, nil, Golub},
		{"min(i,j)", ExactGroup, nil, fixed(MinIJ)},
		{"Hadamard", ExactGroup, power, func(s *Source, n int) Case { return Hadamard(integers(s, n, n)) }},
		{"rank one", ExactGroup, nil, func(s *Source, n int) Case { return RankOne(integers(s, n, 4)) }},
		{"diagonal", ExactGroup, nil, func(s *Source, n int) Case { return Diagonal(values(n, func(int) float64 { return s.integer(9) })) }},
		{"exchange", ExactGroup, nil, fixed(Exchange)},
		{"zero", ExactGroup, nil, fixed(ZeroMatrix)},
	}
}

func closedFamilies() []Family {
	return []Family{
		{"KMS", ClosedGroup, nil, func(_ *Source, n int) Case { return KMS(n, 0.5) }},
		{"Lehmer", ClosedGroup, nil, fixed(Lehmer)},
		{"Pei", ClosedGroup, nil, func(_ *Source, n int) Case { return Pei(n, 1) }},
		{"Fiedler", ClosedGroup, nil, fixed(Fiedler)},
		{"gcd", ClosedGroup, nil, fixed(GCD)},
		{"second difference", ClosedGroup, nil, fixed(SecondDifference)},
		{"Clement", ClosedGroup, nil, fixed(Clement)},
		{"Hermite", ClosedGroup, nil, fixed(Hermite)},
		{"Laguerre", ClosedGroup, nil, fixed(Laguerre)},
		{"Legendre", ClosedGroup, nil, fixed(Legendre)},
		{"Hilbert", ClosedGroup, nil, fixed(Hilbert)},
		{"inverse Hilbert", ClosedGroup, upTo(10), fixed(InverseHilbert)},
		{"Rosser", ClosedGroup, func(n int) bool { return n == 8 }, func(*Source, int) Case { return Rosser() }},
		{"sine basis", ClosedGroup, nil, fixed(SineBasis)},
		{"reflector", ClosedGroup, from(1), func(s *Source, n int) Case { v := integers(s, n, 3); v[0] = 1; return Reflector(v) }},
		{"bipartite", ClosedGroup, nil, Bipartite},
	}
}

func hardFamilies() []Family {
	mode := func(m Mode, cond float64) func(*Source, int) Case {
		return func(s *Source, n int) Case { return WithSpectrum(s, m.String(), Spectrum(s, m, n, cond)) }
	}
	return []Family{
		{"Wilkinson", HardGroup, nil, fixed(Wilkinson)},
		{"glued Wilkinson", HardGroup, threefold, func(_ *Source, n int) Case { return GluedWilkinson(n/3, 3, 1e-14) }},
		{"loosely glued Wilkinson", HardGroup, threefold, func(_ *Source, n int) Case { return GluedWilkinson(n/3, 3, 1e-7) }},
		{"joined Wilkinson", HardGroup, threefold, func(_ *Source, n int) Case { return GluedWilkinson(n/3, 3, 1) }},
		{"Strakoš", HardGroup, nil, func(_ *Source, n int) Case { return Strakos(n, 0.1, 100, 0.9) }},
		{"prolate", HardGroup, nil, func(_ *Source, n int) Case { return Prolate(n, 0.25) }},
		{"Ris", HardGroup, nil, fixed(Ris)},
		{"one large", HardGroup, nil, mode(OneLarge, 1e10)},
		{"one small", HardGroup, nil, mode(OneSmall, 1e10)},
		{"geometric", HardGroup, nil, mode(Geometric, 1e10)},
		{"arithmetic", HardGroup, nil, mode(Arithmetic, 100)},
		{"log-uniform", HardGroup, nil, mode(LogUniform, 1e10)},
		{"Gaussian", HardGroup, nil, mode(Gaussian, 1)},
		{"tiny", HardGroup, nil, mode(Tiny, 1)},
		{"cluster", HardGroup, nil, mode(Cluster, 1)},
		{"dense", HardGroup, nil, mode(Dense, 1)},
	}
}

func displacementFamilies() []Family {
	return []Family{
		{"symmetric circulant", StructureGroup, nil, func(s *Source, n int) Case { return CirculantSymmetric(integers(s, n, 5)) }},
		{"circulant", StructureGroup, nil, func(s *Source, n int) Case { return CirculantMatrix(integers(s, n, 5)) }},
		{"tridiagonal Toeplitz", StructureGroup, nil, func(s *Source, n int) Case { return ToeplitzTridiagonal(n, s.integer(3), s.integer(3)) }},
		{"Toeplitz", StructureGroup, nil, RandomToeplitz},
		{"Hankel", StructureGroup, nil, RandomHankel},
		{"Cauchy", StructureGroup, nil, func(_ *Source, n int) Case {
			x := values(n, func(k int) float64 { return float64(k) + 1 })
			y := values(n, func(k int) float64 { return float64(2*k) - 0.5 })
			return Cauchy(x, y)
		}},
		{"Parter", StructureGroup, nil, fixed(Parter)},
		{"Grcar", StructureGroup, nil, fixed(Grcar)},
		{"Vandermonde", StructureGroup, upTo(12), func(_ *Source, n int) Case { return Vandermonde(counting(n), n) }},
	}
}

func graphFamilies() []Family {
	return []Family{
		{"path", GraphGroup, nil, fixed(PathGraph)},
		{"cycle", GraphGroup, nil, fixed(CycleGraph)},
		{"complete graph", GraphGroup, nil, fixed(CompleteGraph)},
		{"star", GraphGroup, from(2), fixed(StarGraph)},
		{"hypercube", GraphGroup, power, fixed(Hypercube)},
		{"complete bipartite graph", GraphGroup, from(2), func(_ *Source, n int) Case { return CompleteBipartite(n/2, n-n/2) }},
		{"tree", GraphGroup, nil, RandomTree},
		{"random graph", GraphGroup, nil, RandomGraph},
		{"cliques", GraphGroup, nil, fixed(Adjacency)},
		{"Poisson", GraphGroup, square, func(_ *Source, n int) Case { return Poisson(root(n)) }},
	}
}

func kroneckerFamilies() []Family {
	return []Family{
		{"Kronecker of factors", KroneckerGroup, even, func(s *Source, n int) Case { return Kronecker(SPD(s, 2), SPD(s, n/2)) }},
		{"Kronecker of spectra", KroneckerGroup, even, func(s *Source, n int) Case { return Kronecker(Hadamard(integers(s, 2, 5)), CompleteGraph(n/2)) }},
		{"Kronecker of KMS", KroneckerGroup, square, func(_ *Source, n int) Case { return Kronecker(KMS(root(n), 0.5), KMS(root(n), 0.25)) }},
		{"repeated blocks", KroneckerGroup, even, func(s *Source, n int) Case { return BlockRepeated(Arrow(integers(s, n/2-1, 2)), 2) }},
	}
}

func generalFamilies() []Family {
	return []Family{
		{"normal", GeneralGroup, nil, SquareNormal},
		{"badly scaled", GeneralGroup, nil, BadlyScaled},
		{"Frank", GeneralGroup, nil, fixed(Frank)},
		{"Kahan", GeneralGroup, nil, func(_ *Source, n int) Case { return Kahan(n, 1.2) }},
		{"Triw", GeneralGroup, nil, fixed(Triw)},
		{"growth", GeneralGroup, nil, fixed(Growth)},
		{"Forsythe", GeneralGroup, from(2), func(_ *Source, n int) Case { return Forsythe(n, 0x1p-26) }},
		{"Jordan", GeneralGroup, nil, func(_ *Source, n int) Case { return Jordan(n, 1) }},
		{"companion", GeneralGroup, upTo(18), fixed(Companion)},
		{"Redheffer", GeneralGroup, nil, fixed(Redheffer)},
		{"unimodular", GeneralGroup, nil, Unimodular},
		{"permutation", GeneralGroup, nil, Permutation},
		{"orthogonal", GeneralGroup, nil, HaarOrthogonal},
		{"singular values", GeneralGroup, nil, func(s *Source, n int) Case {
			return WithSingularValues(s, "geometric singular values", n, n, Spectrum(s, Geometric, n, 1e10))
		}},
		{"devil's stairs", GeneralGroup, nil, DevilsStairs},
		{"rank deficient", GeneralGroup, nil, func(s *Source, n int) Case { return RankDeficient(s, n, n, n/2) }},
		{"rank deficient tall", GeneralGroup, nil, func(s *Source, n int) Case { return RankDeficient(s, n+2, n, n/2) }},
		{"tall normal", GeneralGroup, nil, TallNormal},
		{"wide integer", GeneralGroup, nil, WideInteger},
		{"Läuchli", GeneralGroup, from(1), func(_ *Source, n int) Case { return Lauchli(n, 0x1p-30) }},
	}
}

func extremeFamilies() []Family {
	return []Family{
		{"NaN", ExtremeGroup, from(1), func(s *Source, n int) Case { return WithEntry(n, s.values.IntN(n), s.values.IntN(n), math.NaN()) }},
		{"Inf", ExtremeGroup, from(1), func(s *Source, n int) Case { return WithEntry(n, s.values.IntN(n), s.values.IntN(n), math.Inf(1)) }},
		{"-Inf", ExtremeGroup, from(1), func(s *Source, n int) Case { return WithEntry(n, s.values.IntN(n), s.values.IntN(n), math.Inf(-1)) }},
		{"subnormal", ExtremeGroup, nil, SubnormalSPD},
		{"near overflow", ExtremeGroup, nil, fixed(NearOverflow)},
		{"straddling", ExtremeGroup, nil, fixed(Straddling)},
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
