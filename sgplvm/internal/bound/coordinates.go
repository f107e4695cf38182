package bound

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// Group is a set of parameters that a training phase frees or holds.
type Group int

// The groups.
const (
	GroupX       Group = 1 << iota // q(X) and the time kernel
	GroupKernel                    // Z and the latent kernel
	GroupNoise                     // β; with a structured residual together with the next only
	GroupSpatial                   // spatial length scales, free inducing points and the residual
	GroupLatent  = GroupX | GroupKernel
	GroupAll     = GroupLatent | GroupNoise | GroupSpatial
)

// Coordinates are what an optimiser sees of parameters: the free groups in a fixed order, positive
// parameters by their logarithms, and coefficients μ̄ of a dynamical prior preconditioned. The
// spatial variances are never free: only their product with the latent variance is identified, so
// they stay as configured.
type Coordinates struct {
	Free           Group
	Preconditioner *dynamics.Preconditioner // nil: μ̄ as it is
}

// minPositive and maxPositive bound what a positive parameter unpacks to, so that squares have inverses, as all that checks
// parameters expects: one that vanished would be another kernel, and where a bound is flat a step may go very far.
const minPositive, maxPositive = 1e-100, 1e100

// Count returns the number of coordinates.
func (c Coordinates) Count(p *Params) int {
	n := 0
	c.visit(p, p, func(value, _ []float64, _ bool) { n += len(value) })
	return n
}

// Pack writes the coordinates of p to x.
func (c Coordinates) Pack(x []float64, p *Params) {
	c.visit(p, p, func(value, _ []float64, positive bool) {
		for i, v := range value {
			if positive {
				v = math.Log(v)
			}
			x[i] = v
		}
		x = x[len(value):]
	})
}

// Unpack sets the free parameters of p from x; the others keep their values.
func (c Coordinates) Unpack(p *Params, x []float64) {
	c.visit(p, p, func(value, _ []float64, positive bool) {
		for i := range value {
			v := x[i]
			if positive {
				v = min(max(math.Exp(v), minPositive), maxPositive)
			}
			value[i] = v
		}
		x = x[len(value):]
	})
}

// PackGradient writes the derivatives with respect to the coordinates to x, given those with
// respect to the natural parameters at p.
func (c Coordinates) PackGradient(x []float64, p, grad *Params) {
	c.visit(p, grad, func(value, slope []float64, positive bool) {
		for i, g := range slope {
			if positive {
				g *= value[i]
			}
			x[i] = g
		}
		x = x[len(value):]
	})
}

// visit calls f for every free parameter in a fixed order: value is a slice of
// the parameters, slope the same slice of other (a gradient, say), and positive
// says that the parameter is optimised through its logarithm.
func (c Coordinates) visit(p, other *Params, f func(value, slope []float64, positive bool)) {
	noise := &p.Noise
	if c.Free&GroupNoise != 0 && !noise.Learned() && (!noise.Structured() || c.Free&GroupSpatial != 0) {
		noise.visit(&other.Noise, f)
	}
	if c.Free&GroupKernel != 0 {
		p.Latent.Visit(other.Latent, f)
	}
	if c.Free&GroupX != 0 {
		if p.X.Paths != nil {
			p.X.Paths.Visit(other.X.Paths, c.Preconditioner, f)
		} else {
			f(p.X.Mu.Data, other.X.Mu.Data, false)
			f(p.X.S.Data, other.X.S.Data, true)
		}
	}
	if c.Free&GroupKernel != 0 {
		f(p.Z.Data, other.Z.Data, false)
	}
	if c.Free&GroupSpatial != 0 {
		for i := range p.Space {
			p.Space[i].Kernel.Visit(&other.Space[i].Kernel, f)
			f(p.Space[i].Xu.Data, other.Space[i].Xu.Data, false)
		}
		if noise.Structured() && !noise.Learned() {
			psi.VisitScalar(&noise.Residual.Variance, &other.Noise.Residual.Variance, f)
			noise.Residual.Visit(&other.Noise.Residual, f)
		}
	}
}

// visit visits β, or, where the noise has a floor, the variance above it. That is at least a few
// units of rounding of the floor, or a noise that an optimiser drives to the floor would have the
// logarithm of 0 for a coordinate, and would not be valid.
func (n *Noise) visit(other *Noise, f func(value, slope []float64, positive bool)) {
	if n.Floor == 0 {
		psi.VisitScalar(&n.Beta, &other.Beta, f)
		return
	}
	least := 0x1p-50 * n.Floor
	above := max(1/n.Beta-n.Floor, least)
	v := []float64{above}
	f(v, []float64{-other.Beta * n.Beta * n.Beta}, true)
	if v[0] != above {
		n.Beta = 1 / (n.Floor + max(v[0], least))
	}
}
