package bound

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// Latents is q(X) = Π N(μ_n, diag S_n) and its prior. Where examples are independent, with all
// coordinates standard normal beforehand, Mu and S are variational parameters. With Paths the
// coordinates are Gaussian processes in time, and Mu and S follow from Paths.
type Latents struct {
	Mu, S mat.Matrix       // n_ξ×d_ξ
	Paths *dynamics.Params // nil: independent examples

	at []data.Instant // of Paths, when first asked for
}

// At returns the times of the examples; nil where they have none.
func (x *Latents) At() []data.Instant {
	if x.Paths == nil {
		return nil
	}
	if x.at == nil {
		x.at = x.Paths.Prior.Instants()
	}
	return x.at
}

func (x *Latents) clone() Latents {
	c := Latents{Mu: x.Mu.Clone(), S: x.S.Clone(), at: x.at}
	if x.Paths != nil {
		c.Paths = x.Paths.Clone()
	}
	return c
}

func (x *Latents) zero() {
	x.Mu.Fill(0)
	x.S.Fill(0)
	if x.Paths != nil {
		x.Paths.MuBar.Fill(0)
		x.Paths.Lambda.Fill(0)
		x.Paths.Prior.Kernel.Zero()
	}
}

func (x *Latents) validate() error {
	n, d := x.Mu.Rows, x.Mu.Cols
	switch {
	case n < 1 || d < 1:
		return fmt.Errorf("latent means are %d×%d, expected at least one example and one dimension", n, d)
	case x.S.Rows != n || x.S.Cols != d:
		return fmt.Errorf("latent variances are %d×%d, expected %d×%d like the means", x.S.Rows, x.S.Cols, n, d)
	}
	for i := range n {
		for q, v := range x.S.Row(i) {
			if !(v > 0) || math.IsInf(v, 0) {
				return fmt.Errorf("latent variance %v of example %d, dimension %d, expected a positive number", v, i, q)
			}
		}
	}
	if i, q, bad := mat.NonFinite(x.Mu); bad {
		return fmt.Errorf("latent mean %v of example %d, dimension %d, expected a finite number", x.Mu.At(i, q), i, q)
	}
	return nil
}

// A prior of the latent variables says what of q(X) is free and how far q(X) is from it.
type prior interface {
	// derive sets Mu and S where they follow from other parameters.
	derive(x *Latents) error

	// divergence returns KL(q(X) ‖ p(X)) after derive.
	divergence(x *Latents) float64

	// backward completes a gradient that has in Mu and S the derivatives of all terms of the bound
	// but the divergence.
	backward(grad, x *Latents)
}

// newPrior returns the prior of x.
func newPrior(x *Latents) prior {
	if x.Paths == nil {
		return independent{}
	}
	return &moving{evaluator: dynamics.NewEvaluator(x.Paths.Prior)}
}

type independent struct{}

func (independent) derive(*Latents) error         { return nil }
func (independent) divergence(x *Latents) float64 { return psi.KL(x.Mu, x.S, nil) }
func (independent) backward(grad, x *Latents)     { psi.SubtractKL(grad.Mu, grad.S, x.Mu, x.S, nil) }

// moving is the dynamical prior.
type moving struct {
	evaluator *dynamics.Evaluator
	kl        float64
}

func (m *moving) derive(x *Latents) (err error) {
	m.kl, err = m.evaluator.Marginals(x.Paths, x.Mu, x.S)
	return err
}

func (m *moving) divergence(*Latents) float64 { return m.kl }

func (m *moving) backward(grad, x *Latents) {
	m.evaluator.Backward(grad.Paths, x.Paths, grad.Mu, grad.S)
}
