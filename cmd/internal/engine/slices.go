package engine

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Slices are examples of a model's form in files, of which those that are asked for are read, and no others of .npy and NetCDF files and of folders.
type Slices struct {
	dataset.Form
	load func(from, to int) (*dataset.Frames, error)
}

// OpenSlices finds the form of examples for the model of a file, read as the flags say.
func OpenSlices(f *cli.Flags, path string, m *sgplvm.Model, data string) (*Slices, error) {
	o := ReadOptions(f)
	s := &Slices{load: func(from, to int) (*dataset.Frames, error) {
		o.Slice = func(int) (int, int) { return from, to }
		return modelFrames(f, o, path, m, data, "")
	}}
	none, err := s.load(0, 0)
	if err != nil {
		return nil, err
	}
	s.Form = none.Form
	s.Count = none.Whole()
	if n := s.Points(); n != m.Grid().Len() {
		return nil, fmt.Errorf("%s: examples of %d points, expected %d, the model's", data, n, m.Grid().Len())
	}
	return s, nil
}

// Dims returns the numbers of examples, points and channels.
func (s *Slices) Dims() (examples, points, channels int) { return s.Count, s.Points(), s.Channels }

// ReadExamples reads the examples from ≤ i < to.
func (s *Slices) ReadExamples(dst []float64, from, to int) error {
	frames, err := s.load(from, to)
	if err != nil {
		return err
	}
	return frames.ReadExamples(dst, 0, to-from)
}
