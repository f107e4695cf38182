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

// OpenSlices finds the form of examples for a model, read as the flags say. Errors: *dataset.Error and others.
func OpenSlices(f *cli.Flags, path string, m *sgplvm.Model, data string) (*Slices, error) {
	o := ReadOptions(f)
	o.Layout.Channels = m.Channels()
	read := func() (*dataset.Frames, error) { return dataset.LoadWith(data, o) }
	switch {
	case Table(m):
		o.Names = Names(m)
		read = func() (*dataset.Frames, error) { return dataset.LoadTable(data, m.Channels(), o) }
	case scattered(m):
		o.At = m.Grid().Len()
	default:
		var err error
		if o.Layout.Width, o.Layout.Height, err = pictureSize(path, m); err != nil {
			return nil, err
		}
	}
	s := &Slices{load: func(from, to int) (*dataset.Frames, error) {
		o.Slice = func(int) (int, int) { return from, to }
		return read()
	}}
	none, err := s.load(0, 0)
	if err != nil {
		return nil, err
	}
	s.Form = none.Form
	s.Count = none.Whole()
	if n := s.Points(); n != m.Grid().Len() || s.Channels != m.Channels() {
		return nil, fmt.Errorf("%s: examples of %d points and %d channels, expected %d and %d, the model's", data, n, s.Channels, m.Grid().Len(), m.Channels())
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
