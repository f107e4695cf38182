package dataset

import (
	"errors"
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Training holds frames to learn from, which are read when training needs them. Those of a
// .npy file stay in the file; those of a folder or a GIF are in memory, in the type that the
// pictures have. They may be read from many goroutines.
type Training struct {
	Form
	read  func(dst []float64, from int) error // values from, from+1, …
	close func() error
}

// OpenWith opens what [LoadWith] loads, under the same rules. The file must not change
// before [Training.Close]. Errors: [*Error].
func OpenWith(path string, o SetOptions) (*Training, error) {
	names, err := Several(path)
	if err != nil {
		return nil, err
	}
	var grid sgplvm.Grid
	if o.Points != "" {
		if grid, err = LoadTrainingPoints(o.Points); err != nil {
			return nil, err
		}
	}
	// What has to be decoded, a folder, or a pipe that can be read but once, is in memory.
	if names != nil || o.FillValue != nil || o.Select != "" || o.Slice != nil || !isRegular(path) ||
		isNetCDF(path) || isNPZ(path) || isGIF(path) || IsText(path) || formatOf(path) != "" {
		f, err := LoadWith(path, o)
		if err != nil {
			return nil, err
		}
		return f.training(), nil
	}
	if grid != nil {
		o.At = grid.Len()
	}
	file, err := npy.Open(path)
	if err != nil {
		return nil, arrayError(path, o.want(), err)
	}
	form, err := o.formOf(path, file.Shape, file.Type)
	if err != nil {
		file.Close()
		return nil, err
	}
	form.Grid = grid
	return &Training{Form: form, read: file.CopyFloat64s, close: file.Close}, nil
}

// training returns frames in memory to learn from.
func (f *Frames) training() *Training {
	return &Training{
		Form: f.Form,
		read: func(dst []float64, from int) error {
			return f.ReadExamples(dst, from/f.size(), (from+len(dst))/f.size())
		},
		close: func() error { return nil },
	}
}

// WithMask makes all that the mask calls not observed NaN, as [Frames.WithMask] does, and returns t. It panics if the mask was
// made for frames of another size.
func (t *Training) WithMask(m *Mask) *Training {
	m.check(&t.Form)
	read := t.read
	t.read = func(dst []float64, from int) error {
		if err := read(dst, from); err != nil {
			return err
		}
		for n, k := t.size(), 0; k < len(dst); k += n {
			m.hide(dst[k:k+n], (from+k)/n)
		}
		return nil
	}
	return t
}

// Close closes the file.
func (t *Training) Close() error { return t.close() }

// ReadExamples sets dst to the values of the frames from ≤ i < to; see
// [sgplvm.Source]. Errors: [*Error].
func (t *Training) ReadExamples(dst []float64, from, to int) error {
	if n := (to - from) * t.size(); from < 0 || to > t.Count || len(dst) != n {
		panic(fmt.Sprintf("dataset: %d numbers for frames %d to %d of %d", len(dst), from, to-1, t.Count))
	}
	if err := t.read(dst, from*t.size()); err != nil {
		var known *Error
		if errors.As(err, &known) {
			return known
		}
		return arrayError(t.Name, wantFrames, err)
	}
	return nil
}
