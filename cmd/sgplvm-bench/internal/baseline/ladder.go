package baseline

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A holeModel is a fitted distribution of pictures with holes.
type holeModel interface {
	// complete sets mean and variance (noise included), n×p each, of all missing values of y; the observed ones
	// of mean are as they are.
	complete(mean, variance, y mat.Matrix) error
}

// A ladder is a kind of model with one parameter, whose values are tried one after another.
type ladder struct {
	name   string
	values []float64

	// patience is how many values that are not better than the best end the climb.
	patience int

	// fit fits the kind of model to pictures with holes, from what was fitted before (nil for the first).
	fit func(ctx context.Context, y mat.Matrix, value float64, before holeModel) (holeModel, error)

	// squares judges by squared residuals instead of densities, whose noise is then chosen by itself.
	squares bool
}

// A noisyModel is a model whose noise does not change its means.
type noisyModel interface {
	holeModel
	withNoise(v float64) holeModel
}

// noiseGrid are the multiples of the least noise among which the best is chosen.
var noiseGrid = geometric(1, 2, 28)

// bestNoise returns the noise under which hidden values are likeliest, and the best factor of all variances then.
func bestNoise(h hidden, m noisyModel) (noise, scale float64, err error) {
	lowest := math.Inf(1)
	for _, times := range noiseGrid {
		v := times * least * seenSpread(h.pictures, 1)
		s, _, err := h.scoreModel(m.withNoise(v))
		if err != nil {
			return 0, 0, err
		}
		if loss := s.negativeLogDensity(); loss < lowest {
			lowest, noise, scale = loss, v, s.scale()
		}
	}
	return noise, scale, nil
}

// climb returns the value that predicts hidden values best, its model and the best factor of its variances.
func (l ladder) climb(ctx context.Context, h hidden) (best float64, model holeModel, scale float64, err error) {
	if len(h.cells) == 0 { // too few values to hide one: the simplest
		model, err = l.fit(ctx, h.pictures, l.values[0], nil)
		return l.values[0], model, 1, err
	}
	lowest, since := math.Inf(1), 0
	var last holeModel
	for _, value := range l.values {
		if err := ctx.Err(); err != nil {
			return 0, nil, 0, err
		}
		m, err := l.fit(ctx, h.pictures, value, last)
		if err != nil {
			return 0, nil, 0, err
		}
		last = m
		s, squares, err := h.scoreModel(m)
		if err != nil {
			return 0, nil, 0, err
		}
		loss := s.negativeLogDensity()
		if l.squares {
			loss = squares
		}
		if loss < lowest {
			lowest, since, best, model, scale = loss, 0, value, m, s.scale()
			continue
		}
		if since++; since == l.patience {
			break
		}
	}
	if model == nil {
		return 0, nil, 0, fmt.Errorf("baseline: no %s with a finite score", l.name)
	}
	return best, model, scale, nil
}

// scoreModel judges a model by the hidden values: their densities, and their mean squared residual.
func (h *hidden) scoreModel(m holeModel) (s score, squares float64, err error) {
	y := h.pictures
	mean, variance := y.Clone(), mat.New(y.Rows, y.Cols)
	if err := m.complete(mean, variance, y); err != nil {
		return s, 0, err
	}
	mu, v := make([]float64, len(h.cells)), make([]float64, len(h.cells))
	for k, c := range h.cells {
		mu[k], v[k] = mean.At(c.picture, c.value), variance.At(c.picture, c.value)
		squares += square(mu[k]-h.truth[k]) / float64(len(h.cells))
	}
	return judge(h.truth, mu, v), squares, nil
}

// fillGroups has a conditional fill in all missing values of y; those with one pattern together.
func fillGroups(m conditional, mean, variance, y mat.Matrix) error {
	groups := byPattern(y, y.Rows)
	failures := make([]error, len(groups))
	mat.Parallel(len(groups), func(g int) {
		list, pattern := groups[g].pictures, groups[g].pattern
		if len(pattern.missing) == 0 {
			return
		}
		mu, v := mat.New(len(list), len(pattern.missing)), mat.New(len(list), len(pattern.missing))
		if failures[g] = m.fill(mu, v, columns(rows(y, list), pattern.seen), pattern); failures[g] != nil {
			return
		}
		for k, i := range list {
			for l, j := range pattern.missing {
				mean.Set(i, j, mu.At(k, l))
				variance.Set(i, j, v.At(k, l))
			}
		}
	})
	return firstError(context.Background(), failures)
}
