package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// Infer sets the latent posterior to the best that is found from the best starting points. Errors: *lbfgs.NonFiniteError and those
// of Complete.
func (w *Workspace) Infer() error {
	best := &w.latent
	best.Start, best.Noise, best.Bound = -1, 1, 0
	copy(best.Mu, w.prior.Mean)
	copy(best.S, w.prior.Variance)
	if w.observed == 0 {
		return nil
	}
	if err := w.setEvidence(); err != nil {
		return err
	}
	w.chooseStarts()
	first := true
	s := &w.starts
	for _, c := range s.best {
		mu, variance := w.start(c.example)
		copy(s.mu, mu)
		copy(s.s, variance)
		bound, err := w.optimiser.Optimise(w.ctx, &w.evidence, s.mu, s.s, w.o.Iterations)
		if err != nil {
			return err
		}
		if first || bound > best.Bound {
			copy(best.Mu, s.mu)
			copy(best.S, s.s)
			best.Bound, best.Start = bound, c.example
		}
		first = false
	}
	if !math.IsInf(w.evidence.Strength, 1) {
		_, best.Noise = w.evidence.At(&w.optimiser.Scratch, best.Mu, best.S, nil, nil)
	}
	return nil
}

// start returns mean and variance of a starting point.
func (w *Workspace) start(example int) (mu, s []float64) {
	if example < 0 {
		return w.prior.Mean, w.prior.Variance
	}
	return w.m.mu.Row(example), w.m.s.Row(example)
}

// chooseStarts sets the best starting points by L*: of all training examples, or, where these are many and their values are kept, of
// those that are nearest to the observed values; and of the prior mean.
func (w *Workspace) chooseStarts() {
	s, o := &w.starts, &w.o
	for i := range s.all {
		s.all[i] = i
	}
	count := len(s.all)
	if count > o.Starts && w.m.kept() {
		w.setDistances()
		count = o.Starts
		leastFirst(s.all, w.distances, count)
	}
	s.best = s.best[:0]
	if of := w.m.c.Memory.Catalogue; of != nil {
		values := w.room.row[:count]
		of().ValuesAt(values, s.all[:count], &w.form, w.evidence.Square)
		for k, i := range s.all[:count] {
			value, _ := w.evidence.Value(values[k])
			mu, variance := w.start(i)
			w.consider(i, value-psi.KL(mat.NewDense(1, len(mu), mu), mat.NewDense(1, len(mu), variance), &w.prior))
		}
		count = 0
	}
	for _, i := range s.all[:count] {
		w.score(i)
	}
	w.score(-1)
}

// score considers a starting point by L*.
func (w *Workspace) score(example int) {
	mu, variance := w.start(example)
	bound, _ := w.evidence.At(&w.optimiser.Scratch, mu, variance, nil, nil)
	w.consider(example, bound)
}

// consider puts a starting point into its place among the best.
func (w *Workspace) consider(example int, bound float64) {
	s := &w.starts
	s.best = append(s.best, candidate{example, bound})
	for k := len(s.best) - 1; k > 0 && s.best[k].bound > s.best[k-1].bound; k-- {
		s.best[k], s.best[k-1] = s.best[k-1], s.best[k]
	}
	if len(s.best) > w.o.Candidates {
		s.best = s.best[:w.o.Candidates]
	}
}

// leastFirst brings the indices of the least values to the front of a list, in their order.
func leastFirst(list []int, values []float64, count int) {
	for k := range count {
		least := k
		for l := k + 1; l < len(list); l++ {
			if values[list[l]] < values[list[least]] {
				least = l
			}
		}
		at := list[least]
		copy(list[k+1:least+1], list[k:least])
		list[k] = at
	}
}
