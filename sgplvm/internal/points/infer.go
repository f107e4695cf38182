package points

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// Infer sets the latent posterior to the best that is found from the best starting points. Where refinement
// corrects x afterwards a search is brief. Errors: *lbfgs.NonFiniteError and those of Complete.
func (w *Workspace) Infer() error {
	best := &w.latent
	best.Start, best.Bound = -1, 0
	copy(best.Mu, w.prior.Mean)
	copy(best.S, w.prior.Variance)
	if w.observed == 0 {
		return nil
	}
	o := &w.o
	w.brief = !o.Thorough && w.exactly() && !o.FirstOrder && !o.LatentOnly && !o.Moments
	if err := w.setEvidence(); err != nil {
		return err
	}
	w.chooseStarts()
	first, iterations := true, o.Iterations
	s := &w.starts
	if w.brief {
		iterations = min(iterations, max(briefIterations, w.m.c.Latents/2))
		if w.m.kept() {
			s.best = s.best[:1]
		}
	}
	for _, c := range s.best {
		mu, variance := w.start(c.example)
		copy(s.mu, mu)
		copy(s.s, variance)
		bound, err := w.optimiser.Optimise(w.ctx, &w.evidence, s.mu, s.s, iterations)
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
	return nil
}

// A brief search has half as many steps of L-BFGS as latent variables, and six at least: refinement is a Gauss-Newton step from there. Errors of four tables, fields, maps and faces
// are .991 to 1.006 of those of 200 steps, densities .01 nats higher to .04 lower; with six steps for 30 variables errors are 1.009. One candidate in place of three cost a table
// .07 nats, but none where the nearest examples are known; so many starting points are tried there.
const briefIterations, briefStarts = 6, 16

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
	s := &w.starts
	for i := range s.all {
		s.all[i] = i
	}
	count := len(s.all)
	if starts := w.startCount(); count > starts && w.m.kept() {
		w.setDistances()
		count = starts
		nearestFirst(s.all, w.distances, count)
	}
	s.best = s.best[:0]
	if of := w.m.c.Memory.Catalogue; of != nil {
		values := w.room.row[:count]
		if count == len(s.all) && w.m.starts.rows.Rows > 0 {
			w.scoreStarts(values)
		} else {
			of().ValuesAt(values, s.all[:count], &w.form, w.evidence.Square)
		}
		for k, i := range s.all[:count] {
			mu, variance := w.start(i)
			w.consider(i, w.evidence.Constant+values[k]-psi.KL(mat.NewDense(1, len(mu), mu), mat.NewDense(1, len(mu), variance), &w.prior))
		}
		count = 0
	}
	for _, i := range s.all[:count] {
		w.score(i)
	}
	w.score(-1)
}

// startCount returns of how many training examples, the nearest, the posteriors are starting points.
func (w *Workspace) startCount() int {
	if w.brief {
		return min(w.o.Starts, briefStarts)
	}
	return w.o.Starts
}

// score considers a starting point by L*.
func (w *Workspace) score(example int) {
	mu, variance := w.start(example)
	bound := w.evidence.At(&w.optimiser.Scratch, mu, variance, nil, nil)
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

// nearestFirst brings the indices of the least values to the front of a list, in their order.
func nearestFirst(list []int, values []float64, count int) {
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
