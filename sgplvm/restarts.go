package sgplvm

import (
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
)

// nextStart keeps the start just tried if it is the best, and goes on to the next or,
// after the last, to the warm-up of the best, where that start's steps left it.
func (t *Trainer) nextStart() (err error) {
	s := &t.state
	s.Result.Starts = append(s.Result.Starts, s.Bound)
	if s.Chosen == nil || s.Bound > s.Chosen.Bound {
		s.Chosen = &startState{s.Start, s.Params, s.Bound, s.Optimiser}
	}
	if s.Start++; s.Start < t.config.Training.Restarts {
		s.Params, err = perturbed(s.Origin, t.coordinates.Preconditioner, t.config.Seed, s.Start)
		s.Bound, s.Optimiser = math.Inf(-1), nil
	} else {
		s.Start, s.Params, s.Bound, s.Optimiser = s.Chosen.Start, s.Chosen.Params, s.Chosen.Bound, s.Chosen.Optimiser
		s.Chosen = nil
		s.Stage = stageWarmup
	}
	t.enter()
	return err
}

// perturbed returns start k ≥ 1: p with the latent means mixed with independent noise of
// their own variance (a share of 0.1, 0.4 and 0.8 of it in turn), other examples'
// means as inducing inputs and, for every other three starts, a third of the latent variances.
// With a dynamical prior the noise is a path of that prior, and Λ is three times as large.
// Noise and kernels stay: held as they are during the first steps, they would
// decide which start looks best.
func perturbed(p *bound.Params, c *dynamics.Preconditioner, seed uint64, k int) (*bound.Params, error) {
	p = p.Clone()
	rng := rand.New(rand.NewPCG(seed, 0x7265737461727400+uint64(k)))
	share := []float64{0.1, 0.4, 0.8}[(k-1)%3]
	n, d := p.X.Mu.Rows, p.X.Mu.Cols
	paths := p.X.Paths
	means, narrow := p.X.Mu, func() { mat.Scale(p.X.S, 1.0/3, p.X.S) }
	if paths != nil {
		means, narrow = mat.New(n, d), func() { mat.Scale(paths.Lambda, 3, paths.Lambda) }
		c.To(means, paths.MuBar)
	}
	for q := range d {
		column := means.Slice(0, n, q, q+1)
		spread := mat.NormFro(column) / math.Sqrt(float64(n))
		for i := range n {
			column.Set(i, 0, math.Sqrt(1-share)*column.At(i, 0)+math.Sqrt(share)*spread*rng.NormFloat64())
		}
	}
	if (k-1)/3%2 == 0 {
		narrow()
	}
	if paths != nil {
		c.From(paths.MuBar, means)
		if _, err := dynamics.NewEvaluator(paths.Prior).Marginals(paths, p.X.Mu, p.X.S); err != nil {
			return nil, err
		}
	}
	order := rng.Perm(n)
	for j := range min(p.Z.Rows, n) {
		copy(p.Z.Row(j), p.X.Mu.Row(order[j]))
		if p.ZExamples != nil {
			p.ZExamples[j] = order[j]
		}
	}
	return p, nil
}
