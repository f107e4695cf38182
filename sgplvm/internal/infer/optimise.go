package infer

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// latentTolerance ends an optimisation of q(x) that gained no more in ten steps, in nats:
// what is left then moves its mean by a small fraction of its standard deviations.
const latentTolerance = 1e-2

// An Optimiser finds latent posteriors, for one goroutine at a time. It allocates only when it first meets a number of steps.
type Optimiser struct {
	Scratch psi.Scratch // of Evidence.At, for the optimiser's user too

	minimizer     lbfgs.Minimizer
	objective     lbfgs.Objective
	evidence      *Evidence
	x, s, dmu, ds []float64 // 2·d_ξ, and d_ξ each
}

// NewOptimiser returns one for d latent dimensions.
func NewOptimiser(d int) *Optimiser {
	w := &Optimiser{x: make([]float64, 2*d), s: make([]float64, d), dmu: make([]float64, d), ds: make([]float64, d)}
	w.objective = func(x, slope []float64) float64 {
		for i, l := range x[d:] {
			w.s[i] = math.Exp(l)
		}
		value := w.evidence.At(&w.Scratch, x[:d], w.s, w.dmu, w.ds)
		for i := range d {
			slope[i] = -w.dmu[i]
			slope[d+i] = -w.ds[i] * w.s[i]
		}
		return -value
	}
	return w
}

// Optimise moves N(mu, diag s) to the posterior with the highest L* that L-BFGS over (μ, log S) finds from there, in at
// most so many iterations, and returns its L*. Where ctx is nil nothing cancels it. Errors: *lbfgs.NonFiniteError, ctx.Err().
func (w *Optimiser) Optimise(ctx context.Context, v *Evidence, mu, s []float64, iterations int) (bound float64, err error) {
	d := len(w.s)
	copy(w.x, mu)
	for i, v := range s {
		w.x[d+i] = math.Log(v)
	}
	w.evidence = v
	r, err := w.minimizer.Minimize(ctx, w.objective, w.x, lbfgs.Options{MaxIterations: iterations, GradTolerance: 1e-4, Decrease: latentTolerance, Noise: 1e-13})
	w.evidence = nil
	if err != nil {
		return 0, err
	}
	copy(mu, r.X[:d])
	for i, log := range r.X[d:] {
		s[i] = math.Exp(log)
	}
	return -r.F, nil
}
