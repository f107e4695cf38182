package files

import (
	"fmt"
	"io"
	"math"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// SaveNPY writes values in C order as a .npy file of the given shape, as
// [WriteAtomic] does. The type is Float64 or Float32, to which values are
// rounded; a finite value beyond its range is an error. Errors: [*dataset.Error]. It
// panics if the shape does not hold len(values) numbers or for another type.
func SaveNPY(path string, shape []int, values []float64, typ npy.Type) error {
	npy.New(values, shape...) // panics if they do not belong together
	return StreamNPY(path, shape, typ, func(put func([]float64) error) error { return put(values) })
}

// StreamNPY is [SaveNPY] of values that need not be in memory at once: write gives them to
// put, some at a time, and an error of either leaves no file. Too few values are an error,
// too many a panic. Errors: [*dataset.Error], and those of write.
func StreamNPY(path string, shape []int, typ npy.Type, write func(put func(values []float64) error) error) error {
	if typ != npy.Float32 && typ != npy.Float64 {
		panic(fmt.Sprintf("files: StreamNPY: type %v, expected float32 or float64", typ))
	}
	return WriteAtomic(path, func(w io.Writer) error {
		a, err := npy.NewWriter(w, typ, shape...)
		if err != nil {
			return err
		}
		at := 0
		if err := write(func(values []float64) error {
			if typ == npy.Float64 {
				return a.Write(values)
			}
			single := make([]float32, len(values))
			for i, v := range values {
				single[i] = float32(v)
				if math.IsInf(float64(single[i]), 0) && !math.IsInf(v, 0) {
					return &dataset.Error{Path: path, Place: "element " + quote.Index(at+i, shape), Found: fmt.Sprint(v), Want: "a number in the range of float32"}
				}
			}
			at += len(values)
			return a.Write(single)
		}); err != nil {
			return err
		}
		return a.Close()
	})
}
