package simple

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat"
)

const (
	tryRounds     = 8       // of EM with each number of components that is tried
	lastRounds    = 60      // at most with the number chosen
	lastTolerance = 1e-3    // relative change of the noise that ends them
	patience      = 3       // numbers without a better error that end the search
	triedValues   = 1 << 18 // of so many, and at least so many examples, the number of components is chosen
	triedExamples = 200
)

// fillComponents is probabilistic principal component analysis by EM with missing values (M. E. Tipping and C. M. Bishop, Journal of the Royal
// Statistical Society B 61(3), 1999; S. Roweis, Advances in Neural Information Processing Systems 10, 1998), with a noise variance for
// each column, so that units do not matter (D. B. Rubin and D. T. Thayer, Psychometrika 47(1), 1982). Hidden values choose the number of components and a factor of all
// variances of examples partly seen.
func fillComponents(ctx context.Context, d Data, mean, variance mat.Matrix) error {
	m := d.moments()
	some := d.some(max(triedExamples, triedValues/d.Y.Cols))
	left, cells := some.hide()
	model, scale, err := chooseComponents(ctx, newEM(left, m), some, cells)
	if err != nil {
		return err
	}
	e := newEM(d, m)
	e.model = model
	if err := e.climb(ctx, lastRounds, lastTolerance); err != nil {
		return err
	}
	return e.fill(ctx, mean, variance, scale)
}

// some returns every so manyeth example, about so many.
func (d Data) some(most int) Data {
	step := (d.Y.Rows + most - 1) / most
	if step == 1 {
		return d
	}
	n := (d.Y.Rows + step - 1) / step
	some := d
	some.Y = mat.New(n, d.Y.Cols)
	some.Missing = nil
	for i := range n {
		copy(some.Y.Row(i), d.Y.Row(i*step))
		some.Missing = append(some.Missing, d.missing(i*step)...)
	}
	some.Times, some.Sequences = nil, nil
	return some
}

// chooseComponents adds components as long as hidden values are predicted better. It returns the best model and by what factor
// the squared errors of hidden values exceed its variances.
func chooseComponents(ctx context.Context, e *em, truth Data, cells []int) (best factors, scale float64, err error) {
	n, p := e.d.Y.Rows, e.d.Y.Cols
	mean, variance := mat.New(n, p), mat.New(n, p)
	lowest, since := math.Inf(1), 0
	rng := rand.New(rand.NewPCG(truth.Seed, 0x656d))
	for q := 0; q < min(n, p); q += max(1, q/5) {
		if q > 0 {
			e.grow(q-e.model.w.Cols, rng)
		}
		if err := e.climb(ctx, tryRounds, lastTolerance); err != nil {
			return best, 0, err
		}
		if err := e.fill(ctx, mean, variance, 1); err != nil {
			return best, 0, err
		}
		var squares, chi float64
		for _, k := range cells {
			i, j := k/p, k%p
			r := square(truth.Y.At(i, j) - mean.At(i, j))
			squares += r / e.m.variance[j]
			chi += r / variance.At(i, j)
		}
		if squares < lowest {
			lowest, since, best, scale = squares, 0, e.model, chi/float64(len(cells))
			continue
		}
		if since++; since == patience {
			break
		}
	}
	if len(cells) == 0 {
		return best, 1, nil
	}
	return best, scale, nil
}
