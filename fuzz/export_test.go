package fuzz

// OneOfBy is what OneOf does with an input.
var OneOfBy = oneOf

// Generators that tests take by themselves.
var (
	Arrow         = arrow
	CompleteGraph = completeGraph
	Dot2          = dot2
	Fill          = fill
	Hadamard      = hadamard
	Kronecker     = kronecker
	Orthogonal    = orthogonal
	RankDeficient = rankDeficient
	WithEntry     = withEntry
)

// AllProperties lists every property by itself.
func AllProperties() []Properties {
	return values(len(propertyNames), func(i int) Properties { return 1 << i })
}
