package sgplvm

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
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

// advanceCoarse goes on with training on some of the points and, at its end, takes its parameters over.
func (t *Trainer) advanceCoarse(ctx context.Context) (err error) {
	if t.coarse == nil {
		if t.coarse, err = t.coarseTrainer(ctx, t.config.Training.CoarsePoints); err != nil {
			return err
		}
	}
	more, err := t.coarse.Step(ctx)
	t.stopped = t.coarse.stopped
	if t.coarse.Report().Iterations > 0 {
		t.replace(t.coarse.params)
	}
	if err != nil || more || t.stopped {
		return err
	}
	o := t.config.Training
	o.Iterations, o.Warmup, o.Restarts = adaptSteps, adaptSteps, 1
	return t.beginAt(o)
}

// coarseTrainer returns a trainer of the same examples, at the same parameters, on a random
// subset of count points of the one spatial factor.
func (t *Trainer) coarseTrainer(ctx context.Context, count int) (*Trainer, error) {
	y := t.evaluator.Data()
	rng := rand.New(rand.NewPCG(t.config.Seed, 0x636f61727365))
	points := rng.Perm(y.Points)[:count]
	slices.Sort(points)
	values := make([]float64, 0, y.Examples*count*y.Channels)
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
	d.registered, d.unsure = nil, unsure{}
	d.Grid = Grid{work.Gather(t.data.Grid[0], points)}
	d.Source = NewSource(values, y.Examples, count, y.Channels)
	cfg.Training.CoarsePoints, cfg.Training.Uncalibrated = 0, true
	cfg.Residual.Rounds, cfg.Residual.Local = 0, Off
	params := t.params.Clone()
	params.Noise.Covariance, params.Noise.Taper = mat.Matrix{}, nil
	scaled := &data.Scaled{Source: d.Source, Examples: y.Examples, Points: count, Channels: y.Channels, Scaler: y.Scaler}
	coarse, err := newTrainer(scaled, d, cfg, "Start", params)
	if err == nil {
		coarse.part = true
	}
	return coarse, err
}
