package bound

// Constants of the evaluation, each as measured (docs/measurements.md).

// Tests lower them.
var (
	blockNumbers  = 1 << 15 // of a block of components, about: with what a sweep makes of it, it fits a level-2 cache
	fewestColumns = 96      // of a block, if there are so many components
)

const (
	mostParts  = 16 // into how many parts a sweep is divided at most
	scaleParts = 4  // into how many parts the scaling of one channel of an example is divided
)
