package fuzz

// OneOfBy is what OneOf does with an input.
var OneOfBy = oneOf

// Generators that tests take by themselves.
var (
	Arrow               = arrow
	CompleteBipartite   = completeBipartite
	CompleteGraph       = completeGraph
	Hadamard            = hadamard
	KMS                 = kms
	RankDeficient       = rankDeficient
	ToeplitzTridiagonal = toeplitzTridiagonal
	WithEntry           = withEntry
)
