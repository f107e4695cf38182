package sgplvm

import (
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat"
)

// nextStart keeps the start just tried if it is the best, and goes on to the next or,
// after the last, to the warm-up of the best, where that start's steps left it.
func (t *trainer) nextStart() (err error) {
	t.Result.Starts = append(t.Result.Starts, t.Bound)
	if t.Chosen == nil || t.Bound > t.Chosen.Bound {
		t.Chosen = &startState{t.Start, t.Params, t.Bound, t.Optimiser}
	}
	if t.Start++; t.Start < t.options.Restarts {
		t.Params, err = perturbed(t.origin(), t.model.seed, t.Start)
		t.Bound, t.Optimiser = math.Inf(-1), nil
	} else {
		t.Start, t.Params, t.Bound, t.Optimiser = t.Chosen.Start, t.Chosen.Params, t.Chosen.Bound, t.Chosen.Optimiser
		t.Chosen = nil
		t.Stage = stageWarmup
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
func perturbed(p *Params, seed uint64, k int) (*Params, error) {
	p = p.clone()
	rng := rand.New(rand.NewPCG(seed, 0x7265737461727400+uint64(k)))
	share := []float64{0.1, 0.4, 0.8}[(k-1)%3]
	n, d := p.Mu.Rows, p.Mu.Cols
	means, narrow := p.Mu, func() { mat.Scale(p.S, 1.0/3, p.S) }
	if p.dynamic() {
		means, narrow = mat.New(n, d), func() { mat.Scale(p.Lambda, 3, p.Lambda) }
		p.whitener().white(means, p.MuBar)
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
	if p.dynamic() {
		p.whitener().coefficients(p.MuBar, means)
		if err := newTimePrior(p.Dynamics).set(p); err != nil {
			return nil, err
		}
	}
	order := rng.Perm(n)
	for j := range min(p.Z.Rows, n) {
		copy(p.Z.Row(j), p.Mu.Row(order[j]))
		if p.ZExamples != nil {
			p.ZExamples[j] = order[j]
		}
	}
	return p, nil
}
