package training

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Coarse training. Moving a spatial parameter of one factor with n_s points costs an
// eigenproblem of that order, while the parameters of kernels and noise, and the latent
// variables, are known well from some of the points. So a model with many points in one
// factor is trained on a random subset of them first, and at all of them only the latent side
// adapts and the covariance of the noise is learned (a subset of data for the
// hyperparameters: Rasmussen and Williams, "Gaussian Processes for Machine Learning", section
// 8.3.1). Of several factors it is every second, third, … point along each, so that factors remain; at all points
// the schedule goes on for some rounds, since such points are too far apart to tell length scales in space.

// advanceCoarse goes on with training on some of the points and, at its end, takes its parameters over.
func (t *Trainer) advanceCoarse(ctx context.Context) (err error) {
	if t.coarse == nil {
		if t.coarse, err = t.coarseTrainer(ctx, t.config.Training.CoarsePoints); err != nil {
			return err
		}
	}
	t.coarse.Progress = t.Progress
	more, err := t.coarse.Step(ctx)
	t.stopped = t.coarse.stopped
	if t.coarse.Report().Iterations > 0 {
		t.replace(t.coarse.params)
	}
	if err != nil || more || t.stopped {
		return err
	}
	if err := t.beginAt(t.atAll()); err != nil {
		return err
	}
	if _, err := t.raiseNoise(ctx, t.state.Params); err != nil {
		return err
	}
	t.state.Origin = t.state.Params.Clone()
	return nil
}

// coarsePoints returns the points of coarse training, count of them or of several factors fewer, and their grid.
func (t *Trainer) coarsePoints(count int) (points []int, grid field.Grid) {
	g := t.data.Grid
	if len(g) == 1 {
		points = subset(g[0], count, rand.New(rand.NewPCG(t.config.Seed, 0x636f61727365)))
		return points, field.Grid{work.Gather(g[0], points)}
	}
	points, grid = data.Thinned(g, 2)
	for every := 3; grid.Len() > count && len(points) > 1; every++ {
		points, grid = data.Thinned(g, every)
	}
	return points, grid
}

// subset returns at most count of the points x (n×d) at random, in order: where so many allow it all or none of those that reflections
// take to one another, so that what is solved by parity still is.
func subset(x mat.Matrix, count int, rng *rand.Rand) (points []int) {
	m := data.FindMirrors(x)
	if m == nil || count < len(m.Orbits[0]) {
		points = rng.Perm(x.Rows)[:count]
		slices.Sort(points)
		return points
	}
	taken := make([]bool, len(m.Orbits))
	for _, a := range rng.Perm(len(m.Orbits)) {
		if m.Sizes[a] <= count {
			taken[a] = true
			count -= m.Sizes[a]
		}
	}
	for i, a := range m.Orbit {
		if taken[a] {
			points = append(points, i)
		}
	}
	return points
}

// coarseTrainer returns a trainer of the same examples, at the same parameters, on count of the points.
func (t *Trainer) coarseTrainer(ctx context.Context, count int) (*Trainer, error) {
	y := t.evaluator.Data()
	points, grid := t.coarsePoints(count)
	values := make([]float64, 0, y.Examples*len(points)*y.Channels)
	err := y.EachSlab(func(slab []float64, _ int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		for ; len(slab) > 0; slab = slab[y.Size():] {
			for _, i := range points {
				values = append(values, slab[i*y.Channels:(i+1)*y.Channels]...)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	d, cfg := t.data, t.config
	d.Motion, d.Imputed = nil, completion.Errors{}
	d.Grid = grid
	d.Source = field.NewSource(values, y.Examples, len(points), y.Channels)
	cfg.Training.CoarsePoints, cfg.Training.Uncalibrated = 0, true
	cfg.Residual.Rounds, cfg.Residual.Local = 0, field.Off
	params := t.params.Clone()
	params.Noise.Covariance, params.Noise.Taper = mat.Matrix{}, nil
	scaled := &data.Scaled{Source: d.Source, Examples: y.Examples, Points: len(points), Channels: y.Channels, Scaler: y.Scaler}
	coarse, err := At(scaled, d, cfg, "Start", params)
	if err == nil {
		coarse.of = t
	}
	return coarse, err
}
