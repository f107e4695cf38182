package dynamics

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Params are the prior and the variational parameters of q(X), μ̄ and Λ > 0, n×d for n examples and
// d latent dimensions: for every sequence and dimension
//
//	q(x) = N(K·μ̄, (K⁻¹ + diag Λ)⁻¹)
//
// The same type holds the gradient of a scalar with respect to μ̄, Λ and the kernel's parameters.
// package record can store it.
type Params struct {
	Prior         Prior
	MuBar, Lambda mat.Matrix
}

// Clone returns a copy that shares nothing with p.
func (p *Params) Clone() *Params {
	return &Params{p.Prior.Clone(), p.MuBar.Clone(), p.Lambda.Clone()}
}

// Validate checks times, labels, kernel, shapes and values, as those read from a file, for n examples
// and d latent dimensions.
func (p *Params) Validate(n, d int) error {
	if err := p.Prior.Validate(n); err != nil {
		return err
	}
	if err := p.Prior.Kernel.ValidateTime(); err != nil {
		return err
	}
	if p.Prior.Own != nil && len(p.Prior.Own) != d {
		return fmt.Errorf("%d time kernels of latent dimensions, expected %d", len(p.Prior.Own), d)
	}
	for q := range p.Prior.Own {
		if err := p.Prior.Own[q].ValidateTime(); err != nil {
			return fmt.Errorf("latent dimension %d: %w", q, err)
		}
	}
	if p.MuBar.Rows != n || p.MuBar.Cols != d || p.Lambda.Rows != n || p.Lambda.Cols != d {
		return fmt.Errorf("coefficients μ̄ are %d×%d and precisions Λ %d×%d, expected %d×%d like the latent means", p.MuBar.Rows, p.MuBar.Cols, p.Lambda.Rows, p.Lambda.Cols, n, d)
	}
	if i, q, bad := mat.NonFinite(p.MuBar); bad {
		return fmt.Errorf("coefficient %v of example %d, dimension %d, expected a finite number", p.MuBar.At(i, q), i, q)
	}
	for i := range n {
		for q, v := range p.Lambda.Row(i) {
			if !(v > 0) || math.IsInf(v, 0) {
				return fmt.Errorf("precision %v of example %d, dimension %d, expected a positive number", v, i, q)
			}
		}
	}
	return nil
}

// Visit calls f for all parameters in a fixed order, μ̄, Λ and, unless dimensions have kernels of their own, the kernel's: value is a slice of them,
// which f may change, slope the same slice of other, a gradient say, and positive says that the
// parameter is optimised through its logarithm. With a preconditioner, f sees x = Rᵀ·μ̄ in place of
// μ̄, with the slope R⁻¹·∂L/∂μ̄; nil: μ̄ itself. The slices are f's until it returns.
func (p *Params) Visit(other *Params, c *Preconditioner, f func(value, slope []float64, positive bool)) {
	if c == nil {
		f(p.MuBar.Data, other.MuBar.Data, false)
	} else {
		n, d := p.MuBar.Rows, p.MuBar.Cols
		buffer := mat.Borrow(3 * n * d)
		x, slope := mat.NewDense(n, d, (*buffer)[:n*d]), mat.NewDense(n, d, (*buffer)[n*d:2*n*d])
		before := (*buffer)[2*n*d:]
		c.To(x, p.MuBar)
		c.Gradient(slope, other.MuBar)
		copy(before, x.Data)
		f(x.Data, slope.Data, false)
		if !slices.Equal(x.Data, before) {
			c.From(p.MuBar, x)
		}
		mat.GiveBack(buffer)
	}
	f(p.Lambda.Data, other.Lambda.Data, true)
	if p.Prior.Own == nil {
		before := p.Prior.Kernel.Clone()
		p.Prior.Kernel.Visit(&other.Prior.Kernel, f)
		if span := slices.Max(p.Prior.Times) - slices.Min(p.Prior.Times); span > 0 && !p.Prior.Kernel.Equal(before) {
			limitLengths(&p.Prior.Kernel, maxSpans*span)
		}
	}
}

// maxSpans is how many times as long as all times together a length scale of the kernel becomes at most. Longer ones say the same but for rounding, in which
// training loses its way: to latent variables that hardly move, under a latent kernel of so large a variance that its jitter counts.
const maxSpans = 1000

func limitLengths(k *kernel.Kernel, most float64) {
	if k.Kind != kernel.Periodic { // whose length scale has no unit
		for i, l := range k.LengthScale {
			k.LengthScale[i] = min(l, most)
		}
	}
	for i := range k.Terms {
		limitLengths(&k.Terms[i], most)
	}
}
