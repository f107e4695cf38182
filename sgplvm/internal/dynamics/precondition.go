package dynamics

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A Preconditioner holds R of K + 0.1·I = R·Rᵀ for every sequence. The divergence holds ½·μ̄ᵀ·K·μ̄,
// which is about ½·‖x‖² with x = Rᵀ·μ̄, and the means K·μ̄ are about R·x: in the coordinates x an
// optimiser is not held up by the condition number of K, as long as the kernel stays near that of the
// preconditioner. It belongs to the optimiser, not to the parameters. It does not change, and may be
// used from many goroutines.
type Preconditioner struct {
	sequences []data.Sequence
	roots     []root
}

// preconditionerNugget is, in prior variances, what of K may be nearly singular. A smaller one holds
// on to the kernel of the start.
const preconditionerNugget = 0.1

// NewPreconditioner factors K + 0.1·I of the prior, in general that where training starts. It fails
// where rounding leaves that matrix indefinite, as by a kernel whose values are not finite.
func NewPreconditioner(prior Prior) (*Preconditioner, error) {
	c := &Preconditioner{sequences: prior.sequences()}
	for _, s := range c.sequences {
		r, err := rootOf(prior.Kernel, s.Times, preconditionerNugget)
		if err != nil {
			return nil, fmt.Errorf("sgplvm: dynamical prior, sequence %d: %w", s.Label, err)
		}
		c.roots = append(c.roots, r)
	}
	return c, nil
}

// To sets x to Rᵀ·μ̄, both n×d.
func (c *Preconditioner) To(x, muBar mat.Matrix) { c.each(x, muBar, root.mulT) }

// From sets μ̄ to R⁻ᵀ·x, both n×d.
func (c *Preconditioner) From(muBar, x mat.Matrix) { c.each(muBar, x, root.SolveHalfT) }

// Gradient sets dx = ∂L/∂x to R⁻¹·dMuBar, where dMuBar = ∂L/∂μ̄, both n×d.
func (c *Preconditioner) Gradient(dx, dMuBar mat.Matrix) { c.each(dx, dMuBar, root.SolveHalf) }

// each sets the rows of dst (n×d) of every sequence to those of src after do.
func (c *Preconditioner) each(dst, src mat.Matrix, do func(r root, block mat.Matrix)) {
	for i, s := range c.sequences {
		buffer := mat.Borrow(len(s.Examples) * src.Cols)
		block := mat.NewDense(len(s.Examples), src.Cols, *buffer)
		for k, n := range s.Examples {
			copy(block.Row(k), src.Row(n))
		}
		do(c.roots[i], block)
		for k, n := range s.Examples {
			copy(dst.Row(n), block.Row(k))
		}
		mat.GiveBack(buffer)
	}
}

// A root is a lower triangular R, n×n. Its methods overwrite the columns of b (n×k).
type root interface {
	mul(b mat.Matrix)        // R·b
	mulT(b mat.Matrix)       // Rᵀ·b
	SolveHalf(b mat.Matrix)  // R⁻¹·b
	SolveHalfT(b mat.Matrix) // R⁻ᵀ·b
}

// rootOf returns R of K + nugget·I for ascending times.
func rootOf(k kernel.Kernel, times []float64, nugget float64) (root, error) {
	if useStates(k, len(times)) {
		return new(innovations).set(k, times, nuggets(len(times), nugget)), nil
	}
	matrix, f := mat.New(len(times), len(times)), new(chol.Factor)
	k.TimeMatrix(matrix, times, times)
	if err := f.RefactorizeShifted(matrix, nugget); err != nil {
		return nil, fmt.Errorf("kernel matrix of %d times plus %v·I: %w", len(times), nugget, err)
	}
	return denseRoot{f}, nil
}

type denseRoot struct{ *chol.Factor }

func (f denseRoot) mul(b mat.Matrix)  { f.MulHalf(b) }
func (f denseRoot) mulT(b mat.Matrix) { mat.MulUpper(f.L().T(), b) }
