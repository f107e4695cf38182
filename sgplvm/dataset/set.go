package dataset

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// SetOptions say how a source is to be read. The zero value leaves all to the source.
type SetOptions struct {
	// Layout divides rows into pictures, where a source has a picture a row (0: it tells itself).
	Layout

	// Points is a file of coordinates, Times one of times, and Exists a mask of the points that exist, of zeros and ones: height×width,
	// (height·width) or points. "": the source tells.
	Points, Times, Exists string

	// Observed is a mask of the values that were observed, as [LoadMask] takes it. "": all that are not NaN.
	Observed string

	// Errors is a file of known standard errors, of the form of the data, all ≥ 0 where a value is. "": none.
	Errors string

	// Film says that the examples are the frames of a film, in order: all their pixels exist, and Set.Film is true.
	Film bool

	// FillValue means missing, as it stands in the source (before any scale). nil: nothing but NaN and what the source declares.
	FillValue *float64

	// KeepOutliers says that a table's numbers such as -9999 are values although they stand there more than once, far from all others. They count as missing otherwise.
	KeepOutliers bool

	// Columns and Labels are the columns of a table of text that hold the values, and those that are carried through: names, numbers from 1 on and ranges of these, separated by
	// commas. "": the columns of numbers, and those of words.
	Columns, Labels string

	// TimeColumn is the column of a table's times, or several that make one, separated by commas; "none": there is none; "": what looks like one. TimeFormat says how
	// dates are written, in the words of strptime: %d.%m.%Y. "": it is recognised.
	TimeColumn, TimeFormat string

	// MissingWord stands for a missing value in a table of text, beside empty cells, NA, NULL and the like.
	MissingWord string

	// Slice says which of n examples are read, those from ≤ i < to, and no others of a .npy or NetCDF file or a folder; what else there is to know of the source, such as times, is
	// read as a whole. nil: all.
	Slice func(n int) (from, to int)

	// At is how many scattered points an array of examples is of. 0: those of Points, or pixels.
	At int

	// Points that a model has. Where all of them are among the data's, others do not exist, and they do although the data may have no value there.
	Model sgplvm.Grid

	headed bool // the first row of a table has names unless it has a number

	// Select fixes dimensions of a NetCDF variable at one place each, by the value of its coordinate or by its number:
	// "level=850", "level=850,member=#0". "": none.
	Select string

	// Names are those of the columns that a table of text must have, in this order, as those of a model; a table without any of them is taken as it is. nil: all columns.
	Names []string

	// Levels has a model learn from the columns of few words of a table of text, too, where results are tables of text: see [Set].Levels.
	Levels bool

	known int // columns that a table is known to have
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

// Set is incomplete data, in memory: examples of which values are missing, at points of which some may not exist. It
// knows its source, so that what a model fills in is written in the same form. A Set is read only and may be used from
// many goroutines.
type Set struct {
	Form // Grid is never nil: coordinates of the source where it has any, else those of pixels

	// Variable is the one of a file with several: of a NetCDF file, or the member of a .npz file.
	Variable string

	// Values are those of the examples, Count·Points()·Channels, point by point, the channels of a point side by side.
	// NaN is missing, or at a point that does not exist.
	Values []float64

	// Errors are known standard errors of the values, as many and in their unit; nil: none are known. They are NaN where
	// the value is.
	Errors []float64

	// Exists tells which of the Points() exist; nil: all. Others, such as land in a map of the sea, are outside the model.
	Exists []bool

	// Levels is how many of the channels, the last ones, are 1 where a column of a table has a word and 0 where it has another; no result has them.
	Levels int

	// Units are those of Times, if the source tells them; nil: it does not.
	Units *TimeUnits

	original    []float64 // the values as they stood in the source, where a fill value or a mask has changed them; nil: as Values
	hidden      []bool    // points that had a value before a mask of what was observed; nil: there was none
	strides     []int     // for each axis in the source the distance in Values; nil: the order is the same
	coordinates []string  // names of the points' coordinates
	store       store
}

// A store writes results in the form of the source.
type store interface {
	endings() []string // of the names of files that it writes
	names() [2]string  // of means and standard errors in these
	check() error      // whether it can
	write(w *errorWriter, s *Set, r *Filled) error
}

// NewSet returns a set of values, which it shares, of examples of the given form: those of a picture's pixels unless the form has a
// grid. It panics if their number does not fit.
func NewSet(form Form, values []float64) *Set {
	if len(values) != form.Count*form.size() {
		panic(fmt.Sprintf("dataset: NewSet: %d values for %d examples of %d", len(values), form.Count, form.size()))
	}
	s := &Set{Form: form, Values: values}
	s.complete()
	return s
}

// complete sets the grid of a set whose source has none: that of its pixels.
func (s *Set) complete() {
	switch {
	case s.Grid != nil:
	case s.Table:
		s.Grid = factor([]float64{0}, 1)
	default:
		s.Grid = append(factor(count(s.Height), 1), factor(count(s.Width), 1)...)
	}
}

// frames returns the set as frames.
func (s *Set) frames() *Frames {
	shape := []int{s.Count, s.Height, s.Width, s.Channels}
	switch {
	case s.Table:
		shape = []int{s.Count, s.Channels}
	case s.Scattered:
		shape = []int{s.Count, s.Width, s.Channels}
	}
	if s.strides == nil && len(s.Shape) > 1 && s.Shape[0] == s.Count {
		shape = s.Shape
	}
	f := &Frames{Form: s.Form, values: npy.New(s.Values, shape...)}
	if f.Shape = shape; s.Table {
		f.Grid = nil
	}
	return f
}

// checkLayout refuses examples of another size than was asked for.
func (s *Set) checkLayout(want Layout) error {
	if (want.Width == 0 || want.Width == s.Width) && (want.Height == 0 || want.Height == s.Height) && (want.Channels == 0 || want.Channels == s.Channels) {
		return nil
	}
	expected := want.grid()
	if want.Width == 0 && want.Height == 0 {
		expected = quote.Counted(want.Channels, "channel")
	} else if want.Channels != 0 {
		expected += " and " + quote.Counted(want.Channels, "channel")
	}
	return &Error{Path: s.Name, Place: "shape " + quote.Shape(s.Shape), Found: "pictures of " + FormatGrid(s.Width, s.Height) + " and " + quote.Counted(s.Channels, "channel"), Want: expected}
}

// change makes room for the original values before some are replaced.
func (s *Set) change() {
	if s.original == nil {
		s.original = slices.Clone(s.Values)
	}
}

// Drop makes a value missing.
func (s *Set) Drop(example, point, channel int) {
	s.change()
	s.Values[(example*s.Points()+point)*s.Channels+channel] = math.NaN()
}

// point is the point of value i.
func (s *Set) point(i int) int { return i / s.Channels % s.Points() }

// exists tells whether the point of value i exists.
func (s *Set) exists(i int) bool { return s.Exists == nil || s.Exists[s.point(i)] }

// kept is value i as it stood in the source.
func (s *Set) kept(i int) float64 {
	if s.original != nil {
		return s.original[i]
	}
	return s.Values[i]
}

// place returns the number of a value that is the k-th in the source.
func (s *Set) place(k int) int {
	if s.strides == nil {
		return k
	}
	at := 0
	for axis := len(s.Shape) - 1; axis >= 0; axis-- {
		at += k % s.Shape[axis] * s.strides[axis]
		k /= s.Shape[axis]
	}
	return at
}

// ReadExamples sets dst to the values of the examples from ≤ i < to; see [sgplvm.Source].
func (s *Set) ReadExamples(dst []float64, from, to int) error {
	copy(dst, s.Values[from*s.size():to*s.size()])
	return nil
}

// Missing returns how many values are missing at points that exist, and of how many.
func (s *Set) Missing() (missing, of int) {
	for i, v := range s.Values {
		if s.exists(i) && i%s.Channels < s.Channels-s.Levels {
			of++
			if math.IsNaN(v) {
				missing++
			}
		}
	}
	return missing, of
}

// Data returns the data for a model, NaN where a value is missing, and the numbers of the points that the model has. Where some
// points do not exist, and no more than most do, the grid is a single factor of those that exist (of joint points, of
// all their coordinates). With more, all points stay, those that do not exist without any value. Values of Set that are not the
// model's alone, such as Errors, are brought into the same order by [Set.Take].
func (s *Set) Data(most int) (d sgplvm.Data, points []int) {
	for i := range s.Points() {
		if s.Exists == nil || s.Exists[i] {
			points = append(points, i)
		}
	}
	d = sgplvm.Data{Source: s, Grid: s.Grid, Film: s.Film}
	if s.Whole() > 1 || s.Film {
		d.Times = s.Times
	}
	if s.Exists == nil || len(points) > most {
		return d, upTo(s.Points())
	}
	d.Film = false // which has pixels
	d.Source = sgplvm.NewSource(s.Take(s.Values, points), s.Count, len(points), s.Channels)
	joint := joined(s.Grid)
	x := make([]float64, 0, len(points)*joint[0].Cols)
	for _, i := range points {
		x = append(x, joint[0].Row(i)...)
	}
	d.Grid = factor(x, joint[0].Cols)
	return d, points
}

// joined returns a grid as a single factor.
func joined(g sgplvm.Grid) sgplvm.Grid {
	if len(g) == 1 {
		return g
	}
	var x []float64
	for i := range g.Len() {
		step := g.Len()
		for _, f := range g {
			step /= f.Rows
			for c := range f.Cols {
				x = append(x, f.At(i/step%f.Rows, c))
			}
		}
	}
	return factor(x, len(x)/g.Len())
}

// Take returns those of Count·Points()·Channels values that are of some points.
func (s *Set) Take(values []float64, points []int) []float64 {
	part := make([]float64, 0, s.Count*len(points)*s.Channels)
	for i := range s.Count {
		for _, p := range points {
			at := (i*s.Points() + p) * s.Channels
			part = append(part, values[at:at+s.Channels]...)
		}
	}
	return part
}

// put is the inverse of Take, NaN elsewhere.
func (s *Set) put(part []float64, points []int) []float64 {
	values := nans(s.Count * s.size())
	for i := range s.Count {
		for k, p := range points {
			copy(values[(i*s.Points()+p)*s.Channels:][:s.Channels], part[(i*len(points)+k)*s.Channels:])
		}
	}
	return values
}

// Filled is a completed [Set]: the mean and the variance of all values, in the set's order, NaN at points that do
// not exist.
type Filled struct {
	Mean, Variance []float64
}

// deviation is the standard error of value i.
func (r *Filled) deviation(i int) float64 { return math.Sqrt(r.Variance[i]) }

// deviations are the standard errors of all values.
func (r *Filled) deviations() []float64 {
	d := make([]float64, len(r.Variance))
	for i := range d {
		d[i] = r.deviation(i)
	}
	return d
}

// errorWriter counts what is written.
type errorWriter struct {
	io.Writer
	n int64
}

func (w *errorWriter) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	w.n += int64(n)
	return n, err
}
