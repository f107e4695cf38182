package sgplvm

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Calibrate compares what the model says of every training example from the others
// (LeaveOneOut) with the example itself and calibrates the variances that models give
// at a time by it (docs/math.md, "Calibration"): point by point by the ratio of the mean squares that were
// found to those expected, in how they grow from what is well known to what is not, and by
// how large errors are at some times. The model file keeps that. Means stay as they are. When it
// fails, an earlier calibration stays. Errors: as LeaveOneOut's.
func (t *Trainer) Calibrate(ctx context.Context) error {
	earlier := t.calibration
	t.calibration = nil
	c, err := t.calibrated(ctx)
	if err != nil {
		t.calibration = earlier
		return err
	}
	t.calibration = c
	return nil
}

// calibrated finds the calibration in three passes over examples left out: the mean variances with first
// factors, then power and inflation over time, then the factors for what these leave to them. Of a film there is one pass:
// it tells the first factors, and the film itself learns where and when its variances are to grow.
func (t *Trainer) calibrated(ctx context.Context) (*predict.Calibration, error) {
	y, grid := t.evaluator.Data(), t.data.Grid
	wanted, film := every, t.data.registered
	if film != nil {
		wanted = film.film.Examined()
	}
	n := 0
	for i := range y.Examples {
		if wanted(i) {
			n++
		}
	}
	square, expected := mat.New(y.Points, y.Channels), mat.New(y.Points, y.Channels)
	logs, missing := make([]float64, y.Channels), make([]int, y.Channels)
	err := t.leftUnexplained(ctx, wanted, func(_ int, residual, variance mat.Matrix) {
		mat.Parallel(residual.Cols, func(c int) {
			for i := range residual.Rows {
				r, v := residual.At(i, c), variance.At(i, c)
				if r != r {
					missing[c]++
					continue
				}
				square.Set(i, c, square.At(i, c)+r*r)
				expected.Set(i, c, expected.At(i, c)+v)
				logs[c] += math.Log(v) / float64(n*residual.Rows)
			}
		})
	})
	if err != nil {
		return nil, err
	}
	c := &predict.Calibration{Factor: predict.Factors(grid, square, expected, n)}
	for k, l := range logs {
		all := n * y.Points
		c.Mean = append(c.Mean, math.Exp(l*(float64(all)/float64(all-missing[k]))))
	}
	if film != nil {
		c.Power, c.Inflation = 1, predict.Inflation{Ratios: make([]float64, y.Examples)}
		return c, nil
	}
	if err := t.calibrateInTime(ctx, c); err != nil {
		return nil, err
	}
	square.Fill(0)
	expected.Fill(0)
	examples := t.params.X.At()
	err = t.leftUnexplained(ctx, every, func(example int, residual, variance mat.Matrix) {
		inflation := c.Inflation.At(examples[example], examples, example)
		for i := range residual.Rows {
			for k, r := range residual.Row(i) {
				v := variance.At(i, k)
				if r != r {
					continue
				}
				square.Set(i, k, square.At(i, k)+r*r/(inflation*v*math.Pow(v/c.Mean[k], c.Power-1)))
				expected.Set(i, k, expected.At(i, k)+1)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	c.Factor = predict.Factors(grid, square, expected, n)
	if i, k, bad := mat.NonFinite(c.Factor); bad {
		return nil, fmt.Errorf("sgplvm: calibration: factor %v at point %d, channel %d", c.Factor.At(i, k), i, k)
	}
	return c, nil
}

// calibrateInTime sets power and inflation from one number each for every example: how large its squares
// are, and its variances.
func (t *Trainer) calibrateInTime(ctx context.Context, c *predict.Calibration) error {
	n := t.evaluator.Data().Examples
	ratios, sizes := make([]float64, n), make([]float64, n)
	err := t.leftUnexplained(ctx, every, func(example int, residual, variance mat.Matrix) {
		per := 1 / float64(observed(residual))
		if math.IsInf(per, 0) { // nothing is known of it
			ratios[example] = 1
			return
		}
		for i := range residual.Rows {
			for k, r := range residual.Row(i) {
				v := variance.At(i, k)
				if r != r {
					continue
				}
				ratios[example] += per * r * r / (c.Factor.At(i, k) * v)
				sizes[example] += per * math.Log(v/c.Mean[k])
			}
		}
	})
	if err != nil {
		return err
	}
	_, slope := work.LogLinearVariance(ratios, sizes, -1, 1)
	c.Power = 1 + slope
	for i := range ratios {
		ratios[i] *= math.Exp(-(c.Power - 1) * sizes[i])
	}
	c.Inflation = predict.NewInflation(ratios, t.params.X.At())
	return nil
}

// calibrateFilm finds where variances of the film's frames are too small or too large, and how their errors are
// correlated, by predicting every frame from the others. Progress may stop it.
func (t *Trainer) calibrateFilm(ctx context.Context) error {
	f, err := t.data.registered.film.Calibrated(ctx, t.leaveSomeOut, func(done, total int) error {
		if step := t.config.Training.Progress; step != nil && !step(Progress{Phase: filmPhase, Iteration: done, Total: total, Bound: t.state.BestBound}) {
			return errStopped
		}
		return nil
	})
	if err == nil {
		t.film = f
	}
	if err == errStopped {
		t.stopped, err = true, nil
	}
	return err
}

// filmPhase is the phase that Progress tells of meanwhile. Interrupted, it begins anew.
const filmPhase = "film"

// errStopped ends what Progress stops.
var errStopped = errors.New("stopped")
