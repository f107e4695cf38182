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

	// farthestInducing is the distance from their mean, in length scales, up to which
	// inducing inputs are accepted: the exponents of the psi statistics keep an absolute error
	// below about 2e-6.
	farthestInducing = 1e5

	// flattestPrior bounds the prior variance that the parts of the latent kernel beside RBF give f, in
	// units of the data's. Beyond it they say nothing more: the bound falls like a logarithm,
	// while rounding in ψ0 − tr K⁻¹Ψ2, of relative size ε/jitter, grows in proportion.
	flattestPrior = 1e4
)
