package sgplvm

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Params are the model's parameters in their natural units (scaled data,
// spatial coordinates as given). The same type holds the gradient of a scalar
// with respect to each of them.
type Params struct {
	Beta   float64      // noise precision 1/σ_y² of the scaled data
	Latent LatentKernel // covariance function of the latent variables
	Mu, S  mat.Matrix   // mean and diagonal variance of q(X), n_ξ×d_ξ
	Z      mat.Matrix   // latent inducing inputs, m_ξ×d_ξ
	// ZExamples are the examples whose times the latent inducing points have, m_ξ, where the
	// latent kernel has a time part; nil elsewhere.
	ZExamples []int
	Spatial   []Kernel     // kernel of each spatial factor
	Xu        []mat.Matrix // inducing inputs of each spatial factor, m_f×d_f; 0×0 where tied to the data points

	// Residual is the kernel of the noise's structured part, of zero Kind where there is
	// none; see residual.go.
	Residual Kernel

	// Covariance is Σ, the noise's covariance at the training points (n_s×n_s), where it
	// has been learned freely; 0×0 elsewhere. Residual and β are what it was drawn to.
	Covariance mat.Matrix

	// Taper is the distance along each spatial dimension over which what examples say of two
	// points together is believed, where Σ is learned: ℓ of exp(−Σ_q (x_q − x′_q)²/ℓ_q²);
	// nil: any.
	Taper []float64

	// NoiseFloor is what the white noise variance 1/β does not fall below.
	NoiseFloor float64

	// Of latent variables that move over time (dynamics.go), of zero size elsewhere: the
	// dynamical prior with its kernel, the coefficients μ̄ and the precisions Λ, n_ξ×d_ξ,
	// that q(X) is made of. Mu and S follow from them then, and a gradient holds in Mu and
	// S the derivatives of all terms but the divergence.
	Dynamics      Dynamics
	MuBar, Lambda mat.Matrix

	// Whitening is the time kernel in whose terms the optimiser sees μ̄, for the length of a
	// training run; the zero TimeKernel: as it is.
	Whitening TimeKernel
	whitening *whitener // shared with clones
}

func (p *Params) clone() *Params {
	c := &Params{Beta: p.Beta, Latent: p.Latent.clone(), Mu: p.Mu.Clone(), S: p.S.Clone(), Z: p.Z.Clone(),
		Residual: p.Residual.clone(), Covariance: p.Covariance.Clone(), Taper: slices.Clone(p.Taper), NoiseFloor: p.NoiseFloor,
		ZExamples: slices.Clone(p.ZExamples), Dynamics: p.Dynamics.clone(), MuBar: p.MuBar.Clone(), Lambda: p.Lambda.Clone(), Whitening: p.Whitening.clone(), whitening: p.whitening}
	for f, k := range p.Spatial {
		c.Spatial = append(c.Spatial, k.clone())
		c.Xu = append(c.Xu, p.Xu[f].Clone())
	}
	return c
}

// zero sets every parameter to 0, to collect a gradient.
func (p *Params) zero() {
	p.Beta = 0
	p.Mu.Fill(0)
	p.S.Fill(0)
	p.Z.Fill(0)
	p.Latent.zero()
	p.Residual.Variance = 0
	clear(p.Residual.LengthScale)
	p.MuBar.Fill(0)
	p.Lambda.Fill(0)
	p.Dynamics.Kernel.zero()
	for f := range p.Spatial {
		p.Spatial[f].Variance = 0
		clear(p.Spatial[f].LengthScale)
		p.Xu[f].Fill(0)
	}
}

// A group is a set of parameters that a training phase frees or holds.
type group int

const (
	groupLatent  group = 1 << iota // μ and S, or μ̄, Λ and the time kernel; Z and the latent kernel
	groupNoise                     // β; with a structured residual together with the next only
	groupSpatial                   // spatial length scales, free inducing points and the residual
	groupAll     = groupLatent | groupNoise | groupSpatial
)

// visit calls f for every free parameter in a fixed order: value is a slice of
// the parameters, slope the same slice of other (a gradient, say), and positive
// says that the parameter is optimised through its logarithm. The spatial
// variances are never free: only their product with the latent variance is
// identified, so they stay as configured.
func (p *Params) visit(other *Params, free group, f func(value, slope []float64, positive bool)) {
	if free&groupNoise != 0 && p.Covariance.Rows == 0 && (!p.structured() || free&groupSpatial != 0) {
		p.visitNoise(other, f)
	}
	if free&groupLatent != 0 {
		p.Latent.visit(&other.Latent, f)
		if p.dynamic() {
			p.visitDynamics(other, f)
		} else {
			f(p.Mu.Data, other.Mu.Data, false)
			f(p.S.Data, other.S.Data, true)
		}
		f(p.Z.Data, other.Z.Data, false)
	}
	if free&groupSpatial != 0 {
		for i := range p.Spatial {
			f(p.Spatial[i].LengthScale, other.Spatial[i].LengthScale, true)
			f(p.Xu[i].Data, other.Xu[i].Data, false)
		}
		if p.structured() && p.Covariance.Rows == 0 {
			scalar(&p.Residual.Variance, &other.Residual.Variance, f)
			f(p.Residual.LengthScale, other.Residual.LengthScale, true)
		}
	}
}

// visitNoise visits β, or, where the noise has a floor, the variance above it.
func (p *Params) visitNoise(other *Params, f func(value, slope []float64, positive bool)) {
	if p.NoiseFloor == 0 {
		scalar(&p.Beta, &other.Beta, f)
		return
	}
	above := 1/p.Beta - p.NoiseFloor
	v := []float64{above}
	f(v, []float64{-other.Beta * p.Beta * p.Beta}, true)
	if v[0] != above {
		p.Beta = 1 / (p.NoiseFloor + v[0])
	}
}

// scalar visits a positive parameter that is not a slice.
func scalar(value, slope *float64, f func(value, slope []float64, positive bool)) {
	v, s := []float64{*value}, []float64{*slope}
	f(v, s, true)
	*slope = s[0] // first: the two may be one
	*value = v[0]
}

// count returns the number of free parameters.
func (p *Params) count(free group) int {
	n := 0
	p.visit(p, free, func(value, _ []float64, _ bool) { n += len(value) })
	return n
}

// pack writes the free parameters to x: logarithms of the positive ones.
func (p *Params) pack(x []float64, free group) {
	p.visit(p, free, func(value, _ []float64, positive bool) {
		for i, v := range value {
			if positive {
				v = math.Log(v)
			}
			x[i] = v
		}
		x = x[len(value):]
	})
}

// leastPositive is what a positive parameter unpacks to at least, the smallest
// number with an inverse: one that vanished would be another kernel.
const leastPositive = 0x1p-1022

// unpack sets the free parameters from x; the others keep their values.
func (p *Params) unpack(x []float64, free group) {
	p.visit(p, free, func(value, _ []float64, positive bool) {
		for i := range value {
			v := x[i]
			if positive {
				v = max(math.Exp(v), leastPositive)
			}
			value[i] = v
		}
		x = x[len(value):]
	})
}

// packGradient writes the derivatives with respect to pack's numbers to x,
// given those with respect to the natural parameters.
func (p *Params) packGradient(x []float64, grad *Params, free group) {
	p.visit(grad, free, func(value, slope []float64, positive bool) {
		for i, g := range slope {
			if positive {
				g *= value[i]
			}
			x[i] = g
		}
		x = x[len(value):]
	})
}

// validate checks parameters read from a file or set by a caller against one
// another and against the spatial inputs.
func (p *Params) validate(x []mat.Matrix) error {
	d := p.Mu.Cols
	switch {
	case p.Mu.Rows < 1 || d < 1:
		return fmt.Errorf("latent means are %d×%d, expected at least one example and one dimension", p.Mu.Rows, d)
	case p.S.Rows != p.Mu.Rows || p.S.Cols != d:
		return fmt.Errorf("latent variances are %d×%d, expected %d×%d like the means", p.S.Rows, p.S.Cols, p.Mu.Rows, d)
	case p.Z.Rows < 1 || p.Z.Cols != d:
		return fmt.Errorf("latent inducing inputs are %d×%d, expected %d columns", p.Z.Rows, p.Z.Cols, d)
	case !(p.Beta > 0) || math.IsInf(p.Beta, 0):
		return fmt.Errorf("noise precision %v, expected a positive number", p.Beta)
	case len(p.Spatial) != len(x) || len(p.Xu) != len(x):
		return fmt.Errorf("%d spatial kernels for %d spatial factors", len(p.Spatial), len(x))
	}
	for n := range p.S.Rows {
		for q, v := range p.S.Row(n) {
			if !(v > 0) || math.IsInf(v, 0) {
				return fmt.Errorf("latent variance %v of example %d, dimension %d, expected a positive number", v, n, q)
			}
		}
	}
	if n, q, bad := mat.NonFinite(p.Mu); bad {
		return fmt.Errorf("latent mean %v of example %d, dimension %d, expected a finite number", p.Mu.At(n, q), n, q)
	}
	if k, q, bad := mat.NonFinite(p.Z); bad {
		return fmt.Errorf("latent inducing point %d, dimension %d: %v, expected a finite number", k, q, p.Z.At(k, q))
	}
	for f, k := range p.Spatial {
		if err := k.validate(x[f].Cols); err != nil {
			return fmt.Errorf("spatial factor %d: %w", f, err)
		}
		u := p.Xu[f]
		if u.Rows > 0 && u.Cols != x[f].Cols {
			return fmt.Errorf("spatial factor %d: inducing points have %d dimensions, the points %d", f, u.Cols, x[f].Cols)
		}
		if k, q, bad := mat.NonFinite(u); bad {
			return fmt.Errorf("spatial factor %d: inducing point %d, dimension %d: coordinate %v, expected a finite number", f, k, q, u.At(k, q))
		}
	}
	if err := p.Latent.validate(d); err != nil {
		return fmt.Errorf("latent %w", err)
	}
	if !(p.NoiseFloor >= 0 && p.NoiseFloor < 1/p.Beta) {
		return fmt.Errorf("noise floor %v, expected at least 0 and less than the noise variance %v", p.NoiseFloor, 1/p.Beta)
	}
	if err := p.validateDynamics(); err != nil {
		return err
	}
	if err := p.validateTime(); err != nil {
		return err
	}
	return p.validateResidual(x)
}
