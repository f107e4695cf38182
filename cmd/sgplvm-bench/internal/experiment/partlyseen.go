package experiment

import (
	"context"
	"errors"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// partlySeen is what may be seen of some frames.
type partlySeen struct {
	frames *dataset.Training
	mask   *dataset.Mask
	row    map[int]int // of the mask, by the frame's number
}

// values returns a frame (points×channels) with NaN where it is not seen.
func (s *partlySeen) values(frame int) (mat.Matrix, error) {
	v := mat.New(s.frames.Points(), s.frames.Channels)
	if err := s.frames.ReadExamples(v.Data, frame, frame+1); err != nil {
		return v, err
	}
	for i := range v.Rows {
		for c := range v.Cols {
			if !s.mask.Observed(s.row[frame], i, c) {
				v.Set(i, c, math.NaN())
			}
		}
	}
	return v, nil
}

// rows returns some rows of pixels of a frame with NaN where it is not seen; of films of which nothing
// is seen, the zero Matrix.
func (s *partlySeen) rows(frame, from, to int) (mat.Matrix, error) {
	if s == nil {
		return mat.Matrix{}, nil
	}
	v, err := s.values(frame)
	if err != nil {
		return v, err
	}
	return v.Slice(from*s.frames.Width, to*s.frames.Width, 0, v.Cols), nil
}

// each calls predict for some frames with what is seen of them, several at a time, and gives body one
// slab of what it says of all their values.
func (s *partlySeen) each(ctx context.Context, frames []int, predict func(k int, seen mat.Matrix, mean, variance []float64) error, body func(s baseline.Slab) error) error {
	n, size := len(frames), s.frames.Points()*s.frames.Channels
	p := baseline.Slab{To: s.frames.Height, Mean: mat.New(n, size), Variance: mat.New(n, size)}
	failures := make([]error, n)
	mat.Parallel(n, func(k int) {
		if ctx.Err() != nil {
			return
		}
		seen, err := s.values(frames[k])
		if err == nil {
			err = predict(k, seen, p.Mean.Row(k), p.Variance.Row(k))
		}
		failures[k] = err
	})
	if err := errors.Join(ctx.Err(), errors.Join(failures...)); err != nil {
		return err
	}
	return body(p)
}
