package motion

import (
	"context"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// maxSteps bounds the tries of a step on one level.
const maxSteps = 12

// estimate returns the displacements of a chain's frames, one row each: damped Gauss-Newton steps on
// the coarsest level first and the finest last.
func estimate(ctx context.Context, frames *pyramids, c chain, l Lattice, strength float64) (mat.Matrix, error) {
	q := priorOf(c, l, strength*frames.gradient/float64(l.nodes()))
	d := mat.New(len(c.frames), l.size())
	factors := make([]chol.Factor, len(c.frames))
	for level := len(frames.levels) - 1; level >= frames.estimated; level-- {
		w := frames.levels[level][0]
		if level > frames.estimated && (w.Width < 2*l.Across || w.Height < 2*l.Down) {
			continue
		}
		s := newSolver(l, c, q, frames.levels[level], factors)
		if err := s.minimize(ctx, d); err != nil {
			return d, err
		}
	}
	return d, nil
}

// newSolver prepares the level of a film whose pictures are given; factors is storage, one for
// each frame of the chain.
func newSolver(l Lattice, c chain, q precision, level []frame.Image[float32], factors []chol.Factor) *solver {
	w, h := level[0].Width, level[0].Height
	s := &solver{pairing: newPairing(l, w, h), chain: c, prior: q, factors: factors}
	for _, f := range c.frames {
		s.frames = append(s.frames, level[f])
		s.warped = append(s.warped, frame.NewImage[float32](w, h, level[f].Channels))
	}
	return s
}

// minimize lowers the cost from d on, and sets d.
func (s *solver) minimize(ctx context.Context, d mat.Matrix) error {
	now, next := s.newState(), s.newState()
	mat.Copy(now.d, d)
	s.evaluate(now)
	damping := 1e-4
	for range maxSteps {
		if err := ctx.Err(); err != nil {
			return err
		}
		step, err := s.step(now, damping)
		if err != nil {
			return err
		}
		for p := range step.Rows {
			s.move(next.d.Row(p), now.d.Row(p), step.Row(p))
		}
		s.evaluate(next)
		if !(next.cost < now.cost) {
			if damping *= 10; damping > 1e4 {
				break
			}
			continue
		}
		gain := now.cost - next.cost
		now, next = next, now
		damping = max(damping/10, 1e-6)
		if gain < 1e-3*now.cost {
			break
		}
	}
	mat.Copy(d, now.d)
	return nil
}

// move sets dst to d + step, or to d and as much of the step as leaves the displacement valid:
// a half, a quarter, and so on.
func (l Lattice) move(dst, d, step []float64) {
	for part := 1.; part > 1e-3; part /= 2 {
		for i, v := range step {
			dst[i] = d[i] + part*v
		}
		if l.valid(dst) {
			return
		}
	}
	copy(dst, d)
}

// evaluate computes the cost of st.d and the sums of its links.
func (s *solver) evaluate(st *state) {
	n := len(s.frames)
	mat.Parallel(n, func(p int) { Resample(s.warped[p], s.frames[p], s.displacement.of(st.d.Row(p))) })
	costs := make([]float64, n)
	mat.Parallel(n, func(p int) {
		if s.linked[p] {
			costs[p] = s.sum(st.cells[p], s.warped[p], s.warped[p+1])
		}
	})
	st.cost = 0
	product := make([]float64, s.size())
	for p := range n {
		d := st.d.Row(p)
		clear(product)
		s.multiply(product, d, s.prior.diagonal[p])
		st.cost += costs[p] + frame.Dot(product, d)
		if s.linked[p] {
			clear(product)
			s.multiply(product, d, s.prior.next[p])
			st.cost += 2 * frame.Dot(product, st.d.Row(p+1))
		}
	}
}
