package frame

import (
	"context"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// Each calls visit with every frame of a source, which it may not keep.
func Each(ctx context.Context, src field.Source, visit func(i int, frame []float64)) error {
	n, points, channels := src.Dims()
	frame := make([]float64, points*channels)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := src.ReadExamples(frame, i, i+1); err != nil {
			return &field.ReadError{From: i, To: i + 1, Err: err}
		}
		visit(i, frame)
	}
	return nil
}
