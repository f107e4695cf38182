package bound

// Constants of the evaluation, each as measured (docs/measurements.md).

// Tests lower them.
var (
	blockNumbers  = 1 << 15 // of a block of components, about: with what a sweep makes of it, it fits a level-2 cache
	fewestColumns = 96      // of a block, if there are so many components

	maskedBlock = 1 << 20 // numbers of a block of sums of Ψ2 over examples, of data with holes
	maskedKept  = 1 << 28 // of all such sums, 2 GiB: beyond, they are formed again in every step of conjugate gradients
)

const (
	maxParts   = 16 // into how many parts a sweep is divided at most
	scaleParts = 4  // into how many parts the scaling of one channel of an example is divided

	maskedParts = 32   // into how many parts the products of M_p with a_p are divided
	minFeature  = 1e-9 // of a tied factor: eigenvalues kept, relative to the largest
)
