package dataset

import (
	"os"
	"path/filepath"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// Load reads frames from a .npy file, a GIF, a PNG or JPEG file or a folder of these, or a table from a .npy
// file or one of text.
//
// A .npy file has one of the shapes n×p, n×h×w and n×h×w×c (see the package
// documentation). Rows of p values are pictures where a grid is asked for, and p must be
// width·height·channels, where no number of channels means 1; else they are the rows of a table. The
// other shapes give the grid themselves and must agree with what is asked for.
//
// A file whose name ends in .csv, .tsv, .tab, .txt or .dat is a table of text (see the package documentation). All else is that of an array of its columns of numbers.
//
// Of a folder all files are read whose names end in .png, .jpg or .jpeg, in the order of
// their names with runs of digits compared as numbers (frame2 before frame10); names
// that begin with a dot are passed over. The pictures have one size and 8 or 16
// bits a sample; grey ones of 1, 2 and 4 bits are stretched to 0…255. Grey
// pictures have one channel and colour ones three, red, green, blue; grey ones
// among colour ones have three equal channels, and a palette of greys is grey. A JPEG picture is turned as its EXIF orientation says. Where one channel is
// asked for, colour pictures of nothing but greys have one, and grey ones three where three are.
// A pixel that is more transparent than opaque is missing: its values are NaN. A picture in four inks is
// refused. The path of one picture is that of a folder with nothing else.
//
// The frames of a GIF are the pictures that a viewer shows one after the other, although the
// file may hold only the parts that change. They have three channels unless all pixels are
// grey. A pixel in which the viewer's background shows is missing. Of an animated PNG the first picture is read, with a note. Times count from the
// first frame; a delay of less than 0.02 s stands for 0.1 s, as in viewers.
//
// Sides are at most 16384, pictures at most 2²⁶ pixels. What a
// header claims is checked against the length of the file before memory is
// taken. Errors: [*Error].
//
// A NetCDF file, FILE.nc or FILE.nc:VARIABLE, an archive of arrays, FILE.npz or FILE.npz:NAME, and a long table of
// text give what [LoadSet] reads, with NaN for what is missing.
func Load(path string, want Layout) (*Frames, error) {
	if f, ok, err := loadFrames(path, want); ok || err != nil {
		return f, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, &Error{Path: path, Err: err}
	}
	var a *npy.Array
	var holes []bool
	var times []float64
	switch {
	case info.IsDir() || formatOf(path) != "":
		return loadFolder(path, want)
	case isGIF(path):
		a, holes, times, err = readGIF(path)
	default:
		a, err = LoadArray(path, wantFrames)
	}
	if err != nil {
		return nil, err
	}
	f, err := FromArray(path, a, want)
	if err != nil {
		return nil, err
	}
	f.hide(holes)
	if f.Times = times; times != nil && f.Count > 1 {
		f.Film = true
	} else if times != nil {
		f.Files = []string{filepath.Base(path)}
	}
	return f, nil
}

const wantFrames = "a .npy, .npz, .nc or .csv file, a GIF, a PNG or JPEG picture or a folder of them"

// loadFolder loads the pictures of a folder, or one picture.
func loadFolder(path string, want Layout) (*Frames, error) {
	pictures, err := openFolder(path, want.Channels)
	if err != nil {
		return nil, err
	}
	a, holes, err := pictures.read(0, len(pictures.names))
	if err != nil {
		return nil, err
	}
	f, err := FromArray(path, a, want)
	if err != nil {
		return nil, err
	}
	f.Files, f.Notes = pictures.names, pictures.notes
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

// loadFrames loads frames from a source with arrays by name or from a long table; ok tells that it is one.
func loadFrames(name string, want Layout) (f *Frames, ok bool, err error) {
	var s *Set
	switch {
	case isNetCDF(name):
		s, err = loadNetCDF(name, SetOptions{})
	case isNPZ(name):
		s, err = loadNPZ(name, want, nil)
	case IsText(name):
		s, err = loadTable(name, SetOptions{Layout: want}, 0)
	default:
		return nil, false, nil
	}
	if err != nil {
		return nil, true, err
	}
	return s.frames(), true, s.checkLayout(want)
}
