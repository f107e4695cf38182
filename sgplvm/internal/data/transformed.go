package data

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Transforms returns what may serve better than the values of each channel, NaN where they are missing; nil: nothing may. Errors: *field.ReadError.
func Transforms(y field.Source) (list []work.Transform, err error) {
	n, points, channels := y.Dims()
	low, high, some := make([]float64, channels), make([]float64, channels), false
	for c := range low {
		low[c], high[c] = math.Inf(1), math.Inf(-1)
	}
	example := make([]float64, points*channels)
	for i := range n {
		if err := y.ReadExamples(example, i, i+1); err != nil {
			return nil, &field.ReadError{From: i, To: i + 1, Err: err}
		}
		for k, v := range example {
			if c := k % channels; v == v {
				low[c], high[c] = min(low[c], v), max(high[c], v)
			}
		}
	}
	for c := range low {
		t := work.TransformOf(low[c], high[c])
		list, some = append(list, t), some || t != work.Identity
	}
	if !some {
		return nil, nil
	}
	return list, nil
}

// A Transformed source has t of the values of another.
type Transformed[T interface{ To(y float64) float64 }] struct {
	field.Source
	By []T // of each channel
}

// ReadExamples sets dst to t of the values; NaN stays.
func (s Transformed[T]) ReadExamples(dst []float64, from, to int) error {
	err := s.Source.ReadExamples(dst, from, to)
	for i, v := range dst {
		dst[i] = s.By[i%len(s.By)].To(v)
	}
	return err
}
