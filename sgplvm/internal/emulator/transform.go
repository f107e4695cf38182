package emulator

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// transforms returns what may serve better than the values of each channel; nil: nothing.
func transforms(y *data.Scaled) (list []work.Transform, err error) {
	low, high := make([]float64, y.Channels), make([]float64, y.Channels)
	for c := range low {
		low[c], high[c] = math.Inf(1), math.Inf(-1)
	}
	err = y.EachRows(func(rows mat.Matrix, _ int) error {
		for i := range rows.Rows {
			for k, v := range rows.Row(i) {
				if c := k % y.Channels; v == v {
					low[c], high[c] = min(low[c], v), max(high[c], v)
				}
			}
		}
		return nil
	})
	some := false
	for c := range low {
		least, most := y.Scaler.Mean[c]+y.Scaler.Scale[c]*low[c], y.Scaler.Mean[c]+y.Scaler.Scale[c]*high[c]
		t := work.TransformOf(least, most)
		list, some = append(list, t), some || t != work.Identity
	}
	if !some {
		list = nil
	}
	return list, err
}

// A transformed source has t of the values of another.
type transformed struct {
	field.Source
	by []work.Transform
}

// ReadExamples sets dst to t of the values.
func (s transformed) ReadExamples(dst []float64, from, to int) error {
	err := s.Source.ReadExamples(dst, from, to)
	for i, v := range dst {
		dst[i] = s.by[i%len(s.by)].To(v)
	}
	return err
}

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
		if o.y, err = data.NewScaled(transformed{y.Source, by}); err != nil {
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
	by, err := transforms(y)
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
