package dataset

import (
	"errors"
	"fmt"
	"os"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// Training holds frames to learn from, which are read when training needs them. Those of a
// .npy file stay in the file; those of a folder or a GIF are in memory, in the type that the
// pictures have. They may be read from many goroutines.
type Training struct {
	Form
	read  func(dst []float64, from int) error // values from, from+1, …
	close func() error
}

// Open opens what [Load] loads, under the same rules. The file must not change
// before [Training.Close]. Errors: [*Error].
func Open(path string, want Layout) (*Training, error) {
	return open(path, wantFrames, func() (*Frames, error) { return Load(path, want) },
		func(shape []int, t npy.Type) (Form, error) { return formOf(path, shape, t, want) })
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

// open opens a .npy file, of which form returns the form. Anything else is read with load.
// want says in messages what the file should be.
func open(path, want string, load func() (*Frames, error), form func(shape []int, t npy.Type) (Form, error)) (*Training, error) {
	decoded := isNetCDF(path) || isNPZ(path) || isGIF(path) || IsText(path) || formatOf(path) != ""
	if info, err := os.Stat(path); err != nil && !decoded {
		return nil, &Error{Path: path, Err: err}
	} else if decoded || !info.Mode().IsRegular() { // what has to be decoded, a folder, or a pipe that can be read but once
		f, err := load()
		if err != nil {
			return nil, err
		}
		return f.training(), nil
	}
	file, err := npy.Open(path)
	if err != nil {
		return nil, arrayError(path, want, err)
	}
	found, err := form(file.Shape, file.Type)
	if err != nil {
		file.Close()
		return nil, err
	}
	return &Training{Form: found, read: file.CopyFloat64s, close: file.Close}, nil
}

// OpenEach opens what [Load] loads, under the same rules, to be read frame by frame: the
// pictures of a folder stay in their files too, of which only the headers are read at
// once. Neither the files nor the folder may change before [Training.Close]. Errors:
// [*Error].
func OpenEach(path string, want Layout) (*Training, error) {
	if !arePictures(path) {
		return Open(path, want)
	}
	f, err := openFolder(path, want.Channels)
	if err != nil {
		return nil, err
	}
	t := npy.Uint8
	if f.all.bits == 16 {
		t = npy.Uint16
	}
	form, err := formOf(path, f.shape, t, want)
	if err != nil {
		return nil, err
	}
	form.Files, form.Notes = f.names, f.notes
	n := form.size()
	return &Training{
		Form: form,
		read: func(dst []float64, from int) error {
			for k := 0; k < len(dst); k += n {
				if err := f.readFrame(dst[k:k+n], (from+k)/n); err != nil {
					return err
				}
			}
			return nil
		},
		close: func() error { return nil },
	}, nil
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
