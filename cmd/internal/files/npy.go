package files

import (
	"io"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// StreamNPY writes numbers in C order as a .npy file of the given shape, as [WriteAtomic] does. They need not be in memory at once: write gives them to
// put, some at a time, and an error of either leaves no file. Too few values are an error,
// too many a panic. Errors: [*dataset.Error], and those of write.
func StreamNPY(path string, shape []int, write func(put func(values []float64) error) error) error {
	return WriteAtomic(path, func(w io.Writer) error {
		a, err := npy.NewWriter(w, npy.Float64, shape...)
		if err != nil {
			return err
		}
		if err := write(func(values []float64) error { return a.Write(values) }); err != nil {
			return err
		}
		return a.Close()
	})
}
