package dataset

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
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
		isNetCDF(path) || isNPZ(path) || isGIF(path) || IsText(path) || formatOf(path) != nil {
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

// LoadTable loads a table of the given number of columns, as [LoadWith] does; an array of one axis is one column. Errors: [*Error].
func LoadTable(path string, columns int, o SetOptions) (*Frames, error) {
	o.known = columns
	f, err := LoadWith(path, o)
	if err != nil && columns == 1 {
		o.Layout = single
		if line, failed := LoadWith(path, o); failed == nil {
			line.Table = true
			f, err = line, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if !f.Table || f.Channels != columns {
		found := "pictures of " + FormatGrid(f.Width, f.Height)
		if f.Table {
			found = quote.Counted(f.Channels, "column")
		}
		return nil, &Error{Path: path, Place: "shape " + quote.Shape(f.Shape), Found: found, Want: "a table of " + quote.Counted(columns, "column")}
	}
	return f, nil
}

// loadSource reads the values, the points and the times of a source, without those that mean missing.
func loadSource(name string, o SetOptions) (s *Set, err error) {
	if names, err := Several(name); err != nil {
		return nil, err
	} else if names != nil {
		return loadSeveral(name, names, o)
	}
	var grid sgplvm.Grid
	if o.Select != "" && !isNetCDF(name) {
		return nil, &Error{Path: name, Found: "no names of dimensions", Want: "a NetCDF file to select " + quote.Line(o.Select) + " of"}
	}
	if o.MissingWord != "" && !IsText(name) {
		return nil, &Error{Path: name, Found: "no words", Want: "a number for a fill value, not " + quote.Text(o.MissingWord)}
	}
	if o.Points != "" {
		if grid, err = loadPoints(o.Points, maxPoints); err != nil {
			return nil, err
		}
		o.At = grid.Len()
	}
	switch {
	case isNetCDF(name) && (o.At == 0 || grid != nil):
		s, err = loadNetCDF(name, o)
	case isNPZ(name) && (o.At == 0 || grid != nil):
		s, err = loadNPZ(name, o)
	case IsText(name):
		s, err = loadTable(name, o, o.At)
	default:
		s, err = loadPlain(name, o)
	}
	if err != nil {
		return nil, err
	}
	if s.Table {
		s.suspects(o)
	}
	if o.Slice != nil && s.all == 0 {
		s.cut(o.Slice)
		s.Values, s.original = within(s.Values, s.First*s.size(), (s.First+s.Count)*s.size()), nil
	}
	if err := s.checkLayout(o.Layout); err != nil {
		return nil, err
	}
	if grid != nil {
		if grid.Len() != s.Points() || s.Table {
			return nil, &Error{Path: name, Place: "shape " + quote.Shape(s.Shape), Found: quote.Counted(s.Points(), "point"), Want: fmt.Sprintf("%d, as in %s", grid.Len(), quote.Line(o.Points))}
		}
		s.Grid, s.coordinates = grid, nil
	}
	if o.At == 0 || grid != nil { // else the caller knows them
		s.complete()
	}
	if o.FillValue != nil && !isNetCDF(name) {
		err = s.dropFill(*o.FillValue)
	}
	return s, err
}

// loadPlain loads frames or a table.
func loadPlain(name string, o SetOptions) (*Set, error) {
	plain := SetOptions{Layout: o.Layout, At: o.At}
	if arePictures(name) && o.At == 0 {
		plain.Slice = o.Slice
		f, err := loadFolder(name, plain)
		if err != nil {
			return nil, err
		}
		s := &Set{Form: f.Form, Values: make([]float64, f.Count*f.size())}
		return s, f.ReadExamples(s.Values, 0, f.Count)
	}
	t, err := OpenWith(name, plain)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	s := &Set{Form: t.Form}
	if o.Slice != nil {
		s.cut(o.Slice)
	}
	s.Values = make([]float64, s.Count*s.size())
	return s, t.ReadExamples(s.Values, s.First, s.First+s.Count)
}

// dropFill takes a number as missing, where it is not among the other values of its channel.
func (s *Set) dropFill(fill float64) error {
	if s.Type == npy.Float32 {
		fill = float64(float32(fill))
	}
	n, all := 0, spans(s.Channels)
	counts := make([]int, s.Channels)
	for i, v := range s.Values {
		if c := i % s.Channels; v == fill {
			counts[c]++
			n++
		} else {
			all[c].add(v)
		}
	}
	if n == 0 {
		s.note("no value is the fill value %v", fill)
		return nil
	}
	for c, a := range all {
		if counts[c] > 0 && fill > a.low && fill < a.high {
			return fillAmongData(s.Name, s.channelName(c), fill, counts[c], a.low, a.high)
		}
	}
	s.change()
	for i, v := range s.Values {
		if v == fill {
			s.Values[i] = math.NaN()
		}
	}
	return nil
}

// hugeValue is a size from which on a number is hardly one of data.
const hugeValue = 1e19

// noValues are the usual words for "no value" of a moderate size, with either sign.
var noValues = []float64{99, 99.9, 99.99, 999, 999.9, 999.99, 9999, 9999.9, 9999.99, 99999, 999999, 32768, 32767, 2147483648, 2147483647}

// suspects finds values that probably mean missing but are not declared, judged channel by channel. A table takes them for missing where there are two or more of
// the same beside ten others or more that differ, unless [SetOptions].KeepOutliers is set; others are noted.
func (s *Set) suspects(o SetOptions) {
	all, others := spans(s.Channels), make([]int, s.Channels)
	usual := func(v float64) bool {
		return (slices.Contains(noValues, math.Abs(v)) || math.Abs(v) >= hugeValue) && (o.FillValue == nil || v != *o.FillValue)
	}
	for i, v := range s.Values {
		if c := i % s.Channels; v == v && !usual(v) {
			all[c].add(v)
			others[c]++
		}
	}
	places, sample := map[float64][]int{}, 0. // by value, of huge ones by hugeValue
	for i, v := range s.Values {
		a := all[i%s.Channels]
		switch far := 10 * (a.high - a.low); {
		case usual(v) && math.Abs(v) >= hugeValue:
			v, sample = hugeValue, v
		case !usual(v) || v >= a.low-far && v <= a.high+far:
			continue
		}
		places[v] = append(places[v], i)
	}
	for _, v := range slices.Sorted(maps.Keys(places)) {
		at, text, meant := places[v], fmt.Sprint(v), v
		switch {
		case v == hugeValue:
			text, meant = fmt.Sprintf("of size %g or more, such as %g", hugeValue, sample), sample
		case len(at) == 1:
			continue
		}
		take, channels, in := s.Table && len(at) > 1 && !o.KeepOutliers, map[int]bool{}, []string(nil)
		for _, i := range at {
			channels[i%s.Channels] = true
		}
		for _, c := range slices.Sorted(maps.Keys(channels)) {
			take, in = take && all[c].high > all[c].low && others[c] > 9, append(in, s.channelName(c))
		}
		text = fmt.Sprintf("%s %s, of %d", counted(len(at), "value is", "values are"), text, s.Count*s.Points()*len(in))
		if s.Channels > 1 {
			text += " in " + quote.Some(in, 3)
		}
		if !take {
			s.note("%s, and no fill value is declared: if that means missing, -fill-value %s says so", text, numberText(meant))
			continue
		}
		s.note("%s: taken as missing (-keep-outliers keeps them)", text)
		s.change()
		for _, i := range at {
			s.Values[i] = math.NaN()
		}
	}
}

// spans returns no range of numbers yet for each of n channels.
func spans(n int) []extent {
	return slices.Repeat([]extent{{math.Inf(1), math.Inf(-1)}}, n)
}

// add widens a range by a finite number.
func (e *extent) add(v float64) {
	if v-v == 0 {
		e.low, e.high = min(e.low, v), max(e.high, v)
	}
}

// channelName names a channel where there are several: a column of a table.
func (s *Set) channelName(c int) string {
	switch {
	case s.Channels == 1:
		return ""
	case !s.Table:
		return fmt.Sprintf("channel %d", c)
	case s.Columns == nil:
		return fmt.Sprintf("column %d", c)
	}
	return "column " + quote.Line(s.Columns[c])
}

// loadSeveral reads the examples of several files as those of one source: of a slice each file's form first, and then the files with examples of it.
func loadSeveral(name string, names []string, o SetOptions) (*Set, error) {
	counts, all := make([]int, len(names)), 0
	slice := o.Slice
	load := func(i, from, to int) (*Set, error) {
		o.Slice = func(n int) (int, int) {
			if counts[i] == 0 {
				counts[i] = n
			}
			return min(from, n), min(to, n)
		}
		return loadSource(names[i], o)
	}
	var s *Set
	var times, values []float64
	var notes []string
	end := 0
	if slice == nil {
		end = math.MaxInt
	}
	for i := range names {
		part, err := load(i, 0, end)
		if err != nil {
			return nil, err
		}
		if s == nil {
			s = part
		}
		values, notes = append(values, part.Values...), append(notes, part.Notes...)
		odd := func(found, want any) (*Set, error) {
			return nil, &Error{Path: names[i], Found: quote.Line(fmt.Sprint(found)), Want: quote.Line(fmt.Sprint(want)) + ", as in " + quote.Line(names[0])}
		}
		switch {
		case part.Layout != s.Layout || part.Scattered != s.Scattered || part.Table != s.Table:
			return odd(fmt.Sprintf("examples of %v", part.Layout), fmt.Sprintf("examples of %v", s.Layout))
		case !slices.Equal(part.Columns, s.Columns):
			return odd(part.Columns, s.Columns)
		case !part.Grid.Equal(s.Grid):
			return odd("other coordinates", "the same")
		case !part.timesIn(s.Units):
			return odd(part.Units, s.Units)
		case part.Type != s.Type:
			s.Type = npy.Float64
		}
		all, times = all+counts[i], append(times, part.times...)
	}
	s.Name, s.store, s.text, s.Film, s.Times, s.Files = name, nil, nil, false, nil, nil
	if len(times) == all {
		s.Times = times
	}
	s.Count, s.First, s.all = all, 0, 0
	if slice != nil {
		s.cut(slice)
	}
	inner := 1
	for _, d := range s.Shape[1:] {
		inner *= d
	}
	switch {
	case s.strides != nil || inner != s.size(): // examples come later in the shape, or there is one
		s.strides, s.Shape = nil, []int{s.Count, s.Height, s.Width}
	default:
		s.Shape = append([]int{s.Count}, s.Shape[1:]...)
	}
	at := 0
	for i, n := range counts {
		if begin, end := max(s.First-at, 0), min(s.First+s.Count-at, n); slice != nil && begin < end {
			part, err := load(i, begin, end)
			if err != nil {
				return nil, err
			}
			values, notes = append(values, part.Values...), append(notes, part.Notes...)
		}
		at += n
	}
	s.Values, s.Notes = values, nil
	for _, note := range notes {
		s.note("%s", note)
	}
	return s, nil
}

// timesIn brings all times to other units, and reports whether that can be.
func (s *Set) timesIn(u *TimeUnits) bool {
	if s.Units == nil || u == nil || s.Units.text == u.text {
		return (s.Units == nil) == (u == nil)
	}
	for i, t := range s.times {
		var err error
		if s.times[i], err = u.Time(s.Units.Date(t)); err != nil {
			return false
		}
	}
	return true
}

// loadArray loads pictures or an array, in the type of its numbers.
func loadArray(path string, o SetOptions) (*Frames, error) {
	info, err := os.Stat(path)
	switch {
	case o.At > 0:
	case err != nil:
		return nil, &Error{Path: path, Err: err}
	case info.IsDir() || formatOf(path) != nil:
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
