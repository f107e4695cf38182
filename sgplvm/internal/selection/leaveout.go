package selection

import (
	"context"
	"math"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// A leaveOutValidator has everything learned, and scores how well examples are predicted from all others.
type leaveOutValidator struct {
	data     Data
	trainers Trainers
	journal  *journal.Journal
}

func (j leaveOutValidator) validate(ctx context.Context, cfg training.Settings, _ func(validation.Scores) bool) (validation.Scores, error) {
	return validatedOnce(ctx, j.journal, "examples left out by "+cfg.String(), func() (validation.Scores, error) { return j.leftOut(ctx, cfg) })
}

// leftOut returns how well examples are predicted.
func (j leaveOutValidator) leftOut(ctx context.Context, cfg training.Settings) (v validation.Scores, err error) {
	cfg.Training.Uncalibrated = false
	t, err := j.trainers.New(j.data, cfg, nil)
	if err != nil {
		return v, err
	}
	if err := t.CanLeaveOut(); err != nil {
		return v, err
	}
	if _, err := t.Fit(ctx); err != nil {
		return v, err
	}
	scale := t.Scales()
	n, _, _ := j.data.Source.Dims()
	v = validation.Scores{Losses: make([]float64, n), Errors: make([]float64, n)}
	err = t.LeaveOut(ctx, func(example int, residual, variance mat.Matrix) {
		per := 1 / float64(residual.Rows*residual.Cols)
		for i := range residual.Rows {
			for k, r := range residual.Row(i) {
				s2 := variance.At(i, k)
				v.Losses[example] += 0.5 * per * (math.Log(2*math.Pi*s2) + r*r/s2)
				v.Errors[example] += per * (r / scale[k]) * (r / scale[k])
			}
		}
	})
	for i, square := range v.Errors {
		v.Errors[i] = math.Sqrt(square)
	}
	return v, err
}

// probe measures a configuration in time.
func (j leaveOutValidator) probe(ctx context.Context, cfg training.Settings) (p probe, err error) {
	t, err := probing(j.trainers, j.data, cfg)
	if err != nil {
		return p, err
	}
	if p, err = paced(ctx, t); err != nil {
		return p, err
	}
	begin := time.Now()
	if t.CanLeaveOut() == nil {
		err = t.LeaveOut(ctx, func(int, mat.Matrix, mat.Matrix) {})
	}
	p.validated = time.Since(begin)
	return p, err
}
