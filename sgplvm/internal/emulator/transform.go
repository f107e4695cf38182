package emulator

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// An outcome is outputs as they are learned: complete, with their products.
type outcome struct {
	y      *data.Scaled
	unseen []int // values that no run has
	gram   mat.Matrix
	by     []work.Transform // nil: none
}

// outcomeOf fills in missing values and makes products.
func outcomeOf(ctx context.Context, in *Inputs, y *data.Scaled, by []work.Transform) (o outcome, err error) {
	o = outcome{y: y, by: by}
	if by != nil {
		if o.y, err = data.NewScaled(data.Transformed[work.Transform]{Source: y.Source, By: by}); err != nil {
			return o, err
		}
	}
	if o.y.Missing > 0 {
		if o.y, o.unseen, err = completed(ctx, in, o.y); err != nil {
			return o, err
		}
	}
	o.gram, err = o.y.Gram()
	return o, err
}

// density returns the mean log density of the values of runs held out in the folds of a validator, by the first candidate, and the sum of their squared errors, of a channel
// in units of its scale.
func (o *outcome) density(ctx context.Context, j *Validator, runs []int, scale []float64) (density, squares float64, err error) {
	v, err := j.try(ctx, nil, Choice{Single: true}, j.fewest())
	if err != nil {
		return 0, 0, err
	}
	s, slopes, by := calibration{}, 0., o.by
	if by == nil {
		by = make([]work.Transform, len(scale))
	}
	err = s.collect(ctx, o.y, j, v, runs, nil, func(k int, t, mean, variance float64) {
		c := k % len(scale)
		a, b := o.y.Scaler.Mean[c], o.y.Scaler.Scale[c]
		t = a + float64(b*t)
		slopes += by[c].LogSlope(t) - math.Log(b)
		y, _ := by[c].Moments(a+float64(b*mean), b*b*variance)
		e := (y - by[c].Back(t)) / scale[c]
		squares += e * e
	})
	f := s.factor()
	return (slopes-0.5*s.logs-0.5*s.sum/f)/s.count - 0.5*math.Log(2*math.Pi*f), squares, err
}

// transform replaces an outcome, and its validator, by that of transformed outputs where their density is higher, and squared errors are less.
func (o *outcome) transform(ctx context.Context, in *Inputs, y *data.Scaled, validator **Validator, runs []int, validate func(in *Inputs, out *outcome) *Validator) error {
	by, err := data.Transforms(y.Source)
	if err != nil || by == nil {
		return err
	}
	other, err := outcomeOf(ctx, in, y, by)
	if err != nil {
		return err
	}
	j := validate(in, &other)
	before, squares, err := o.density(ctx, *validator, runs, y.Scaler.Scale)
	if err != nil {
		return err
	}
	after, transformed, err := other.density(ctx, j, runs, y.Scaler.Scale)
	if err == nil && after > before && transformed < squares {
		*o, *validator = other, j
	}
	return err
}
