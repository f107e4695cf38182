package bound

import (
	"context"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// ResidualCovariance and AllFactors, latent first, show what tests compare by definition.
func (e *Evaluator) ResidualCovariance(ctx context.Context, p *Params) (mat.Matrix, error) {
	return e.residualCovariance(ctx, p)
}

func (e *Evaluator) AllFactors() []*Factor { return e.factors }

// Possible refuses a bound above another.
var Possible = possible

// Divergence returns KL(q(X) ‖ p(X)) of the last evaluation.
func (e *Evaluator) Divergence(p *Params) float64 { return e.prior.divergence(&p.X) }

// Magnitude returns β·(‖Y‖² + ψ0): rounding in the bound is in proportion.
func (e *Evaluator) Magnitude(p *Params) float64 { return p.Noise.Precision() * (e.yy + e.psi0(p)) }

// NewSpatialFactor decomposes one spatial factor.
func NewSpatialFactor(k kernel.Kernel, x, xu mat.Matrix, jitter float64) (*Factor, error) {
	f := new(Factor)
	return f, f.setSpatial(new(factorWork), k, x, xu, jitter)
}

// WithBlocks calls f with sweeps of other sizes.
func WithBlocks(numbers, fewest int, f func()) {
	defer func(a, b int) { blockNumbers, fewestColumns = a, b }(blockNumbers, fewestColumns)
	blockNumbers, fewestColumns = numbers, fewest
	f()
}

// Zero sets every parameter to 0.
func (p *Params) Zero() { p.zero() }

// Mask makes the evaluator take the path of data with holes whatever its data.
func (e *Evaluator) Mask() { e.masked = newMasked(e.y, e.x, e.jitter, &e.prior) }

// WithResidual calls f with conjugate gradients that end with another residual.
func WithResidual(r float64, f func()) {
	defer func(before float64) { solveTolerance = before }(solveTolerance)
	solveTolerance = r
	f()
}

// WithMaskedBlocks calls f with other blocks of sums of Ψ2 over examples, of which so many numbers are kept.
func WithMaskedBlocks(block, kept int, f func()) {
	defer func(a, b int) { maskedBlock, maskedKept = a, b }(maskedBlock, maskedKept)
	maskedBlock, maskedKept = block, kept
	f()
}

// WithFewestMirrored calls f with another number of points that are worth blocks by parity.
func WithFewestMirrored(n int, f func()) {
	defer func(before int) { fewestMirrored = before }(fewestMirrored)
	fewestMirrored = n
	f()
}

// Parities returns in how many blocks spatial factor f was decomposed, 0: as a whole.
func (e *Evaluator) Parities(f int) int { return len(e.factors[f+1].parities()) }

func (f *Factor) parities() []parity {
	if f.blocks.space == nil {
		return nil
	}
	return f.blocks.space.parities
}
