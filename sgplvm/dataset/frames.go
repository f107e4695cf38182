package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Form is what is known of frames besides their numbers.
type Form struct {
	Name  string // the file or folder, for messages
	Count int    // n, at least 1, but 0 of a slice that has none
	First int    // the number of the first example in the source, of which a slice was read (SetOptions.Slice)
	Layout
	Scattered bool     // the pixels are scattered points, side by side in one row
	Table     bool     // there are no pictures: one pixel, of which the channels are the columns of a table
	Film      bool     // the source says that its frames are in order, with Times, as an animation does
	Columns   []string // names of a table's columns; nil where there are none
	Files     []string // names of the pictures' files in their folder; nil where each has no file of its own
	Shape     []int    // of the source: n×p, n×h×w or n×h×w×c
	Type      npy.Type // of the numbers in the source

	Times []float64   // of the examples: of an animation's frames in seconds, else in the source's unit; nil where it has none
	Grid  sgplvm.Grid // the points, where the source has coordinates; nil: they are pixels, or the caller knows them
	all   int         // examples of the source, where a slice was read
	times []float64   // of all of them
	text  *textTable  // that the values come from; nil: none
	Notes []string    // sentences that a user should read: what was taken as missing or as outside, and what looks wrong
}

// Frames are Count pictures of one size, in memory. Frames are read only: they may
// be used from many goroutines.
type Frames struct {
	Form
	values *npy.Array
	holes  *Mask // of transparent pixels; nil: there are none
	mask   *Mask // nil: everything observed but holes
}

// FromArray returns the frames in an array, whose numbers they share; name
// stands for it in messages. The rules for shapes are those of [Load]. Errors:
// [*Error].
func FromArray(name string, a *npy.Array, want Layout) (*Frames, error) {
	form, err := formOf(name, a.Shape, a.Type, want)
	if err != nil {
		return nil, err
	}
	return &Frames{Form: form, values: a}, nil
}

// formOf finds the form of the frames in an array.
func formOf(name string, shape []int, t npy.Type, want Layout) (Form, error) {
	if len(shape) == 1 && want == single {
		shape = []int{shape[0], 1}
	}
	layout, bad := layoutOf(shape, want)
	if bad != nil {
		return Form{}, &Error{Path: name, Place: "shape " + quote.Shape(shape), Found: bad.found, Want: bad.want}
	}
	return Form{Name: name, Count: shape[0], Layout: layout, Table: isTable(shape, want), Shape: slices.Clone(shape), Type: t}, nil
}

// read sets dst to the values of the given frame, NaN where the mask says so.
func (f *Frames) read(dst []float64, frame int) {
	if frame < 0 || frame >= f.Count {
		panic(fmt.Sprintf("dataset: frame %d of %d", frame, f.Count))
	}
	f.values.CopyFloat64s(dst, frame*f.size())
	for _, m := range []*Mask{f.holes, f.mask} {
		if m != nil {
			m.hide(dst, frame)
		}
	}
}

// Values returns the values of one frame, point by point, the channels of a
// point side by side: Points()·Channels numbers. NaN is missing.
func (f *Frames) Values(frame int) []float64 {
	v := make([]float64, f.size())
	f.read(v, frame)
	return v
}

// Observed returns one frame for inference on the training grid: its values are
// a Points()×Channels matrix in which NaN is missing.
func (f *Frames) Observed(frame int) (obs sgplvm.Observed) {
	obs.Values.Rows, obs.Values.Cols = f.Points(), f.Channels
	obs.Values.RowStride, obs.Values.ColStride = f.Channels, 1
	obs.Values.Data = f.Values(frame)
	return obs
}

// Dims returns the numbers of frames, of points and of channels; see
// [sgplvm.Source].
func (f *Form) Dims() (examples, points, channels int) {
	return f.Count, f.Points(), f.Channels
}

// ReadExamples sets dst to the values of the frames from ≤ i < to; see
// [sgplvm.Source].
func (f *Frames) ReadExamples(dst []float64, from, to int) error {
	n := f.size()
	for i := from; i < to; i++ {
		f.read(dst[(i-from)*n:(i-from+1)*n], i)
	}
	return nil
}

// Select returns the frames of the given numbers, in that order, as copies in
// float64; the mask goes with them, as NaN. It panics for a number out of range.
func (f *Frames) Select(frames []int) *Frames {
	n := f.size()
	values := make([]float64, len(frames)*n)
	for k, i := range frames {
		f.read(values[k*n:(k+1)*n], i)
	}
	s := *f
	s.Count, s.Type, s.holes, s.mask, s.Film, s.Files, s.text = len(frames), npy.Float64, nil, nil, false, nil, nil
	s.Shape = append([]int{len(frames)}, f.Shape[1:]...)
	if f.Times != nil {
		s.Times = make([]float64, len(frames))
		for k, i := range frames {
			s.Times[k] = f.Times[i]
		}
	}
	s.values = npy.New(values, s.Shape...)
	return &s
}

// Missing returns how many values of one frame are missing, of Points()·Channels.
func (f *Frames) Missing(frame int) int {
	n := 0
	for _, v := range f.Values(frame) {
		if math.IsNaN(v) {
			n++
		}
	}
	return n
}

// place names a value by its frame and its index in it.
func (f *Form) place(frame, i int) string {
	frame += f.First
	point := i / f.Channels
	if f.Table {
		name := ""
		if f.Columns != nil {
			name = " (" + quote.Text(f.Columns[i]) + ")"
		}
		return fmt.Sprintf("row %d, column %d%s", frame, i, name)
	}
	if f.Scattered {
		return fmt.Sprintf("example %d, point %d, channel %d", frame, point, i%f.Channels)
	}
	return fmt.Sprintf("frame %d, row %d, column %d, channel %d", frame, point/f.Width, point%f.Width, i%f.Channels)
}

// pictures are [*Frames] or [*Training].
type pictures interface {
	sgplvm.Source
	form() *Form
}

func (f *Form) form() *Form { return f }

// note adds a sentence for the user, once.
func (f *Form) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(f.Notes, text) {
		f.Notes = append(f.Notes, text)
	}
}

// CheckPictures returns an [*Error] that asks for a grid where the source is a table.
func CheckPictures(p pictures) error {
	f := p.form()
	if !f.Table {
		return nil
	}
	return &Error{Path: f.Name, Place: "shape " + quote.Shape(f.Shape), Found: fmt.Sprintf("rows of %d values and no grid", f.Channels),
		Want: "a grid, WIDTHxHEIGHT, to divide them"}
}

// CheckComplete returns an [*Error] that names the first value that is NaN or
// infinite, with how many there are, and nil for [*Frames] or [*Training] without any.
func CheckComplete(p pictures) error {
	return refuse(p, func(v float64) bool { return v-v != 0 }, "missing or infinite value", "a finite number in every place")
}

// CheckNoInf returns an [*Error] that names the first infinite value, with how
// many there are, and nil for [*Frames] or [*Training] without any. NaN is missing and passes.
func CheckNoInf(p pictures) error {
	return refuse(p, func(v float64) bool { return math.IsInf(v, 0) }, "infinite value", "a finite number, or NaN for a missing one")
}

// refuse reports the first bad value and the number of all.
func refuse(p pictures, bad func(float64) bool, noun, want string) error {
	f := p.form()
	total, first := 0, &Error{Path: f.Name, Want: want}
	v := make([]float64, f.size())
	for frame := range f.Count {
		if err := p.ReadExamples(v, frame, frame+1); err != nil {
			return err
		}
		for i, x := range v {
			if !bad(x) {
				continue
			}
			if total == 0 {
				first.Place, first.Found = f.place(frame, i), fmt.Sprint(x)
			}
			total++
		}
	}
	if total == 0 {
		return nil
	}
	first.Found += " (" + quote.Counted(total, noun) + " in all)"
	return first
}

// formAt finds the form of examples at scattered points.
func formAt(name string, shape []int, t npy.Type, points, channels int) (Form, error) {
	fail := func(found, want string) (Form, error) {
		return Form{}, &Error{Path: name, Place: "shape " + quote.Shape(shape), Found: found, Want: want}
	}
	layout := Layout{Width: points, Height: 1, Channels: 1}
	switch len(shape) {
	case 2:
	case 3:
		layout.Channels = shape[2]
	case 1:
		return fail("1 axis", "examples: n×points or n×points×channels")
	default:
		return fail(strconv.Itoa(len(shape))+" axes", "examples: n×points or n×points×channels")
	}
	switch {
	case shape[0] == 0:
		return fail("no example", "at least one")
	case shape[1] != points:
		return fail(quote.Counted(shape[1], "point"), strconv.Itoa(points))
	case layout.Channels < 1 || layout.Channels > maxChannels:
		return fail(quote.Counted(layout.Channels, "channel"), fmt.Sprintf("1 to %d", maxChannels))
	case channels != 0 && channels != layout.Channels:
		return fail(quote.Counted(layout.Channels, "channel"), strconv.Itoa(channels))
	}
	return Form{Name: name, Count: shape[0], Layout: layout, Scattered: true, Shape: slices.Clone(shape), Type: t}, nil
}

// A Mask says of every value of some frames whether it was observed.
type Mask struct {
	layout   Layout
	observed []bool
	frames   int // distinct frames: the count of the data, or 1 for all alike
	channels int // distinct channels: those of the data, or 1 for all alike
}

// Observed tells whether a value was observed; all indices count from 0.
func (m *Mask) Observed(frame, point, channel int) bool {
	if m.frames == 1 {
		frame = 0
	}
	if m.channels == 1 {
		channel = 0
	}
	return m.observed[(frame*m.layout.Points()+point)*m.channels+channel]
}

// hide puts NaN where the frame's values were not observed.
func (m *Mask) hide(v []float64, frame int) {
	for i := range v {
		if !m.Observed(frame, i/m.layout.Channels, i%m.layout.Channels) {
			v[i] = math.NaN()
		}
	}
}

// WithMask returns the frames with NaN in place of all that the mask calls not
// observed, whatever stands there, infinities included. A value that is NaN
// itself, or a transparent pixel, stays missing even where the mask says 1. The numbers are shared; a
// mask that f had is replaced. It panics if the mask was made for frames of
// another size.
func (f *Frames) WithMask(m *Mask) *Frames {
	m.check(&f.Form)
	masked := *f
	masked.mask = m
	return &masked
}

// check panics if the mask was made for frames of another size.
func (m *Mask) check(f *Form) {
	if m.layout != f.Layout || m.frames != 1 && m.frames != f.Count {
		panic(fmt.Sprintf("dataset: WithMask: a mask of %d frames of %v for %d frames of %v", m.frames, m.layout, f.Count, f.Layout))
	}
}

// Whole returns the number of examples of the source, of which Count were read from number First on.
func (f *Form) Whole() int {
	if f.all > 0 {
		return f.all
	}
	return f.Count
}

// cut makes it the form of the examples that a slice takes, all there are so far.
func (f *Form) cut(slice func(n int) (from, to int)) {
	from, to := slice(f.Count)
	f.times = f.Times
	f.First, f.all, f.Count = from, f.Count, to-from
	f.Times, f.Files = within(f.Times, from, to), within(f.Files, from, to)
}

// within returns some of a list; of nil it returns nil.
func within[T any](list []T, from, to int) []T {
	if list == nil {
		return nil
	}
	return list[from:to]
}

// WholeTimes returns the times of all examples of the source, Times where all were read.
func (f *Form) WholeTimes() []float64 {
	if f.all > 0 {
		return f.times
	}
	return f.Times
}
