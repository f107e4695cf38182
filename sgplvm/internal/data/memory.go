package data

import (
	"context"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// InMemory reads all examples into memory, with the precision of a float32.
func InMemory(ctx context.Context, examples field.Source) (field.Source, error) {
	n, points, channels := examples.Dims()
	example := make([]float64, points*channels)
	values := make([]float32, 0, n*len(example))
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := examples.ReadExamples(example, i, i+1); err != nil {
			return nil, err
		}
		for _, v := range example {
			values = append(values, float32(v))
		}
	}
	return field.NewSource(values, n, points, channels), nil
}
