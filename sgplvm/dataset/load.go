package dataset

import (
	"os"
	"path/filepath"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// Load reads frames from a .npy file, a GIF, a PNG or JPEG file or a folder of these, or a table from a .npy
// file or one of text; what [LoadSet] reads besides has NaN for what is missing. The package documentation has the rules. What is asked for, of which
// 0 is any, must be what is there: rows of p values are pictures where a grid is asked for, and p must be
// width·height·channels, where no number of channels means 1. Where one channel is asked for, colour pictures of nothing but greys have one, and grey ones three where three are.
// Errors: [*Error].
func Load(path string, want Layout) (*Frames, error) {
	return LoadWith(path, SetOptions{Layout: want})
}

// LoadWith is [Load] with those of the options that say how a source is read: Layout, Points, which then are the Grid, At, FillValue, Select, Slice and those
// of tables of text. At scattered points an array is n×points or n×points×channels, and they take the place of the pixels of a picture of one row.
// A name that [Several] takes stands for the examples of some files of one form, one after the other. Errors: [*Error].
func LoadWith(path string, o SetOptions) (*Frames, error) {
	names, err := Several(path)
	if err != nil {
		return nil, err
	}
	byName := isNetCDF(path) || isNPZ(path)
	if names == nil && o.FillValue == nil && o.Select == "" && o.Points == "" && o.Slice == nil && !IsText(path) && !(byName && o.At == 0) {
		return loadArray(path, o)
	}
	s, err := loadSource(path, o)
	if err != nil {
		return nil, err
	}
	return s.frames(), nil
}

const (
	wantFrames   = "a .npy, .npz, .nc or .csv file, a GIF, a PNG or JPEG picture or a folder of them"
	wantExamples = "a .npy file of examples at points"
)

// formOf finds the form of an array as the options ask for it: of frames or a table, or of examples at scattered points.
func (o *SetOptions) formOf(name string, shape []int, t npy.Type) (Form, error) {
	if o.At > 0 {
		return formAt(name, shape, t, o.At, o.Channels)
	}
	return formOf(name, shape, t, o.Layout)
}

// want says what an array should be.
func (o *SetOptions) want() string {
	if o.At > 0 {
		return wantExamples
	}
	return wantFrames
}

// loadArray loads pictures or an array, in the type of its numbers.
func loadArray(path string, o SetOptions) (*Frames, error) {
	info, err := os.Stat(path)
	switch {
	case o.At > 0:
	case err != nil:
		return nil, &Error{Path: path, Err: err}
	case info.IsDir() || formatOf(path) != "":
		return loadFolder(path, o)
	case isGIF(path):
		return loadGIF(path, o.Layout)
	}
	a, err := LoadArray(path, o.want())
	if err != nil {
		return nil, err
	}
	form, err := o.formOf(path, a.Shape, a.Type)
	if err != nil {
		return nil, err
	}
	return &Frames{Form: form, values: a}, nil
}

// loadGIF loads an animation.
func loadGIF(path string, want Layout) (*Frames, error) {
	a, holes, times, err := readGIF(path)
	if err != nil {
		return nil, err
	}
	f, err := FromArray(path, a, want)
	if err != nil {
		return nil, err
	}
	f.hide(holes)
	if f.Times = times; f.Count > 1 {
		f.Film = true
	} else {
		f.Files = []string{filepath.Base(path)}
	}
	return f, nil
}

// loadFolder loads the pictures of a folder, those of a slice alone, or one picture.
func loadFolder(path string, o SetOptions) (*Frames, error) {
	pictures, err := openFolder(path, o.Channels)
	if err != nil {
		return nil, err
	}
	form, err := formOf(path, pictures.shape, pictures.all.typ(), o.Layout)
	if err != nil {
		return nil, err
	}
	form.Files, form.Notes = pictures.names, pictures.notes
	if o.Slice != nil {
		form.cut(o.Slice)
	}
	a, holes, err := pictures.read(form.First, form.First+form.Count)
	if err != nil {
		return nil, err
	}
	f := &Frames{Form: form, values: a}
	f.hide(holes)
	return f, nil
}

// hide takes the pixels that are holes as missing; nil: there are none. It changes what it is given.
func (f *Frames) hide(holes []bool) {
	if holes == nil {
		return
	}
	for i, hole := range holes {
		holes[i] = !hole
	}
	f.holes = &Mask{layout: f.Layout, observed: holes, frames: f.Count, channels: 1}
}
