package sgplvm

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Coarse training. Moving a spatial parameter of one factor with n_s points costs an
// eigenproblem of that order, while the parameters of kernels and noise, and the latent
// variables, are known well from some of the points. So a model with many points in one
// factor is trained on a random subset of them first, and at all of them only the latent side
// adapts and the covariance of the noise is learned (a subset of data for the
// hyperparameters: Rasmussen and Williams, "Gaussian Processes for Machine Learning", section
// 8.3.1).

// adaptSteps is how long the latent side then adapts to all points.
const adaptSteps = 20

// coarse returns a model of the same examples, at the same parameters, on a random
// subset of count points of its one spatial factor.
func (m *Model) coarse(count int) (*Model, error) {
	y := m.problem.y
	rng := rand.New(rand.NewPCG(m.seed, 0x636f61727365))
	points := rng.Perm(y.points)[:count]
	slices.Sort(points)
	values := make([]float64, 0, y.examples*count*y.channels)
	err := y.eachSlab(func(slab []float64, _ int) error {
		for ; len(slab) > 0; slab = slab[y.size():] {
			for _, i := range points {
				values = append(values, slab[i*y.channels:(i+1)*y.channels]...)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	c := &Model{space: Grid{gather(m.space[0], points)}, channels: m.channels, scaler: m.scaler, params: m.params.clone(), jitter: m.jitter, seed: m.seed}
	c.params.Covariance, c.params.Taper = mat.Matrix{}, nil
	source := &scaledSource{NewSource(values, y.examples, count, y.channels), y.examples, count, y.channels, m.scaler}
	c.problem = newProblem(source, c.space, c.jitter)
	return c, nil
}

// fitCoarse trains on o.CoarsePoints points, sets the model's parameters to what comes out
// and o to the rest of training. It reports whether Progress let it go on.
func (m *Model) fitCoarse(ctx context.Context, o *FitOptions) (r FitResult, on bool, err error) {
	c, err := m.coarse(o.CoarsePoints)
	if err != nil {
		return r, false, err
	}
	first, progress := *o, o.Progress
	first.CoarsePoints, first.ResidualRounds, first.LocalResiduals = 0, 0, false
	on = true
	if progress != nil {
		first.Progress = func(p Progress) bool {
			on = progress(p)
			return on
		}
		o.Progress = func(p Progress) bool {
			p.Iteration += r.Iterations
			p.Total += r.Iterations
			return progress(p)
		}
	}
	if r, err = c.Fit(ctx, first); r.Iterations > 0 {
		m.params = c.params
	}
	o.Iterations, o.Warmup, o.Restarts = adaptSteps, adaptSteps, 1
	return r, on, err
}

// follow puts what happened in an earlier training before the rest.
func (r *FitResult) follow(earlier FitResult) {
	r.Iterations += earlier.Iterations
	r.Evaluations += earlier.Evaluations
	r.Phases = append(earlier.Phases, r.Phases...)
	r.Starts = append(earlier.Starts, r.Starts...)
	r.Collapses += earlier.Collapses
	for _, w := range earlier.Warnings {
		if !slices.Contains(r.Warnings, w) {
			r.Warnings = append(r.Warnings, w)
		}
	}
}
