package bound

import (
	"fmt"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/record"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Params are the model's parameters in their natural units (scaled data, spatial coordinates as
// given): hyperparameters of kernels and noise, the variational parameters of q(X), and inducing
// inputs. The same type holds the gradient of a scalar with respect to each of them.
type Params struct {
	Noise  Noise
	Latent psi.Kernel // covariance function of the latent variables
	X      Latents    // q(X)
	Z      mat.Matrix // latent inducing inputs, m_ξ×d_ξ

	// ZExamples are the examples whose times the latent inducing points have, m_ξ, where the
	// latent kernel depends on time; nil elsewhere.
	ZExamples []int

	Space []Spatial // kernel and inducing inputs of each spatial factor
}

// Package record, with which parameters are stored, must know the kinds of what Latent holds.
func init() { record.Register(psi.Parts()...) }

// Spatial are the parameters of one spatial factor.
type Spatial struct {
	Kernel kernel.Kernel
	Xu     mat.Matrix // inducing inputs, m_f×d_f; 0×0 where they are the data points (tied)
}

// Tied reports whether the inducing points are the data points.
func (s *Spatial) Tied() bool { return s.Xu.Rows == 0 }

// tiedWhite reports whether the kernel is white besides.
func (s *Spatial) tiedWhite() bool { return s.Kernel.Kind == kernel.White && s.Tied() }

func (s *Spatial) clone() Spatial { return Spatial{s.Kernel.Clone(), s.Xu.Clone()} }

// Q returns q(X) with the examples' times.
func (p *Params) Q() psi.Q { return psi.Q{Mu: p.X.Mu, S: p.X.S, At: p.X.At()} }

// Inducing returns the latent inducing points with their times.
func (p *Params) Inducing() psi.Inducing {
	u := psi.Inducing{Z: p.Z}
	if p.ZExamples != nil {
		u.At = make([]data.Instant, len(p.ZExamples))
		for k, i := range p.ZExamples {
			u.At[k] = p.X.At()[i]
		}
	}
	return u
}

// SpatialVariance is Π σ²_f, the prior variance of f anywhere for a latent one of 1.
func (p *Params) SpatialVariance() float64 {
	v := 1.0
	for _, s := range p.Space {
		v *= s.Kernel.Variance
	}
	return v
}

// Clone returns a copy that shares nothing with p.
func (p *Params) Clone() *Params {
	c := p.ofSpace()
	c.Latent, c.X, c.Z, c.ZExamples = p.Latent.Clone(), p.X.clone(), p.Z.Clone(), slices.Clone(p.ZExamples)
	return c
}

// ofSpace returns a copy of the parameters of space and noise alone.
func (p *Params) ofSpace() *Params {
	c := &Params{Noise: p.Noise.clone()}
	for i := range p.Space {
		c.Space = append(c.Space, p.Space[i].clone())
	}
	return c
}

// sameSpace reports whether spatial factor f has the same kernel and inducing points in two sets of parameters.
func sameSpace(p, q *Params, f int) bool {
	return p.Space[f].Kernel.Equal(q.Space[f].Kernel) && work.Equal(p.Space[f].Xu, q.Space[f].Xu)
}

// zero sets every parameter to 0, to collect a gradient.
func (p *Params) zero() {
	p.Noise.Beta = 0
	p.Noise.Residual.Zero()
	p.Latent.Zero()
	p.X.zero()
	p.Z.Fill(0)
	for i := range p.Space {
		p.Space[i].Kernel.Zero()
		p.Space[i].Xu.Fill(0)
	}
}

// Validate checks parameters read from a file or set by a caller against one
// another and against the spatial inputs.
func (p *Params) Validate(x []mat.Matrix) error {
	if err := p.X.validate(); err != nil {
		return err
	}
	n, d := p.X.Mu.Rows, p.X.Mu.Cols
	switch {
	case p.Z.Rows < 1 || p.Z.Cols != d:
		return fmt.Errorf("latent inducing inputs are %d×%d, expected %d columns", p.Z.Rows, p.Z.Cols, d)
	case len(p.Space) != len(x):
		return fmt.Errorf("%d spatial kernels for %d spatial factors", len(p.Space), len(x))
	}
	if k, q, bad := mat.NonFinite(p.Z); bad {
		return fmt.Errorf("latent inducing point %d, dimension %d: %v, expected a finite number", k, q, p.Z.At(k, q))
	}
	for f := range p.Space {
		if err := p.Space[f].validate(x[f]); err != nil {
			return fmt.Errorf("spatial factor %d: %w", f, err)
		}
	}
	if err := p.Latent.Validate(d, p.X.Paths != nil); err != nil {
		return fmt.Errorf("latent %w", err)
	}
	if p.X.Paths != nil {
		if err := p.X.Paths.Validate(n, d); err != nil {
			return err
		}
	}
	if err := p.validateTimes(); err != nil {
		return err
	}
	return p.Noise.validate(x, p.Space)
}

// validate checks the parameters of a factor with points x.
func (s *Spatial) validate(x mat.Matrix) error {
	if err := s.Kernel.Validate(x.Cols); err != nil {
		return err
	}
	if u := s.Xu; u.Rows > 0 && u.Cols != x.Cols {
		return fmt.Errorf("inducing points have %d dimensions, the points %d", u.Cols, x.Cols)
	}
	if k, q, bad := mat.NonFinite(s.Xu); bad {
		return fmt.Errorf("inducing point %d, dimension %d: coordinate %v, expected a finite number", k, q, s.Xu.At(k, q))
	}
	return nil
}

// validateTimes checks the examples whose times the inducing points have.
func (p *Params) validateTimes() error {
	timed := p.Latent.Timed()
	switch {
	case !timed && p.ZExamples == nil:
		return nil
	case !timed:
		return fmt.Errorf("times of latent inducing points, but the latent kernel has no time part")
	case len(p.ZExamples) != p.Z.Rows:
		return fmt.Errorf("times of %d latent inducing points, expected %d", len(p.ZExamples), p.Z.Rows)
	}
	for k, i := range p.ZExamples {
		if i < 0 || i >= p.X.Mu.Rows {
			return fmt.Errorf("latent inducing point %d has the time of example %d, of %d", k, i, p.X.Mu.Rows)
		}
	}
	return nil
}
