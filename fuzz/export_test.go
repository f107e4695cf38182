package fuzz

// OneOfBy is what OneOf does with an input.
var OneOfBy = oneOf

// Generators that tests take by themselves.
var (
	Arrow               = arrow
	CompleteBipartite   = completeBipartite
	CompleteGraph       = completeGraph
	Dot2                = dot2
	Fill                = fill
	Hadamard            = hadamard
	Kronecker           = kronecker
	KMS                 = kms
	Orthogonal          = orthogonal
	RankDeficient       = rankDeficient
	ToeplitzTridiagonal = toeplitzTridiagonal
	WithEntry           = withEntry
)

// AllProperties lists every property by itself.
func AllProperties() []Properties {
	return values(len(propertyNames), func(i int) Properties { return 1 << i })
}
