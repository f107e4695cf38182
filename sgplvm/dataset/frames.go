package dataset

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Layout is the size of a picture. In what is asked for, 0 stands for any
// width, height or number of channels.
type Layout struct{ Width, Height, Channels int }

// Form is what is known of frames besides their numbers.
type Form struct {
	Name  string // the file or folder, for messages
	Count int    // n, at least 1
	Layout
	Scattered bool     // the pixels are scattered points, side by side in one row
	Shape     []int    // of the source: n×p, n×h×w or n×h×w×c
	Type      npy.Type // of the numbers in the source

	Times []float64 // of an animation's frames, in seconds; nil where the source has none
}

// Frames are Count pictures of one size, in memory. Frames are read only: they may
// be used from many goroutines.
type Frames struct {
	Form
	values *npy.Array
	mask   *Mask // nil: everything observed
}

// Load reads frames from a .npy file, a GIF or a folder of PNG and JPEG files.
//
// A .npy file has one of the shapes n×p, n×h×w and n×h×w×c (see the package
// documentation). Rows of p values need the grid, and p must be
// width·height·channels, where no number of channels means 1; the other shapes
// give the grid themselves and must agree with what is asked for.
//
// Of a folder all files are read whose names end in .png, .jpg or .jpeg, in the order of
// their names with runs of digits compared as numbers (frame2 before frame10); names
// that begin with a dot are passed over. The pictures have one size and 8 or 16
// bits a sample; grey ones of 1, 2 and 4 bits are stretched to 0…255. Grey
// pictures have one channel and colour ones three, red, green, blue; grey ones
// among colour ones have three equal channels, and a palette of greys is grey.
// A picture with transparent pixels is refused, and so is one in four inks.
//
// The frames of a GIF are the pictures that a viewer shows one after the other, although the
// file may hold only the parts that change. They have three channels unless all pixels are
// grey. A picture in which the viewer's background shows is refused. Times count from the
// first frame; a delay of less than 0.02 s stands for 0.1 s, as in viewers.
//
// Sides are at most [MaxSide], pictures at most [MaxPoints] pixels. What a
// header claims is checked against the length of the file before memory is
// taken. Errors: [*Error].
func Load(path string, want Layout) (*Frames, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &Error{Path: path, Err: err}
	}
	var a *npy.Array
	var times []float64
	switch {
	case info.IsDir():
		a, err = readFolder(path)
	case isGIF(path):
		a, times, err = readGIF(path)
	default:
		a, err = readArray(path, wantFrames)
	}
	if err != nil {
		return nil, err
	}
	f, err := FromArray(path, a, want)
	if err == nil {
		f.Times = times
	}
	return f, err
}

const wantFrames = "a .npy file, a GIF or a folder of PNG or JPEG frames"

// readArray reads a .npy file; want says what the file should be.
func readArray(path, want string) (*npy.Array, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, &Error{Path: path, Err: err}
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, &Error{Path: path, Err: err}
	}
	if info.IsDir() {
		return nil, &Error{Path: path, Found: "a folder", Want: want}
	}
	a, err := npy.Read(file)
	if err != nil {
		return nil, arrayError(path, want, err)
	}
	return a, nil
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
	layout, bad := layoutOf(shape, want)
	if bad != nil {
		return Form{}, &Error{Path: name, Place: "shape " + formatShape(shape), Found: bad.found, Want: bad.want}
	}
	return Form{Name: name, Count: shape[0], Layout: layout, Shape: slices.Clone(shape), Type: t}, nil
}

// A mismatch says why a shape is not that of frames.
type mismatch struct{ found, want string }

// layoutOf finds the size of the pictures in an array.
func layoutOf(shape []int, want Layout) (Layout, *mismatch) {
	switch len(shape) {
	case 2, 3, 4:
	case 1:
		return Layout{}, &mismatch{"1 axis", "frames: n×p, n×height×width or n×height×width×channels"}
	default:
		return Layout{}, &mismatch{strconv.Itoa(len(shape)) + " axes", "frames: n×p, n×height×width or n×height×width×channels"}
	}
	if shape[0] == 0 {
		return Layout{}, &mismatch{"no frame", "at least one"}
	}
	if len(shape) == 2 {
		return layoutOfRows(shape[1], want)
	}
	got := Layout{Height: shape[1], Width: shape[2], Channels: 1}
	if len(shape) == 4 {
		got.Channels = shape[3]
	}
	if bad := got.check(); bad != nil {
		return Layout{}, bad
	}
	if want.Width != 0 && want.Width != got.Width || want.Height != 0 && want.Height != got.Height {
		return Layout{}, &mismatch{"pictures of " + FormatGrid(got.Width, got.Height) + " (width x height)", want.grid()}
	}
	if want.Channels != 0 && want.Channels != got.Channels {
		return Layout{}, &mismatch{counted(got.Channels, "channel"), strconv.Itoa(want.Channels)}
	}
	return got, nil
}

// layoutOfRows divides rows of p values into pictures of the given grid.
func layoutOfRows(p int, want Layout) (Layout, *mismatch) {
	if want.Width == 0 || want.Height == 0 {
		return Layout{}, &mismatch{fmt.Sprintf("rows of %d values and no grid", p), "a grid, WIDTHxHEIGHT, to divide them"}
	}
	got := want
	if got.Channels == 0 {
		got.Channels = 1
	}
	if bad := got.check(); bad != nil {
		return Layout{}, bad
	}
	points := got.Width * got.Height
	if int64(points)*int64(got.Channels) == int64(p) {
		return got, nil
	}
	expected := fmt.Sprintf("%d for %s and %s", int64(points)*int64(got.Channels), want.grid(), counted(got.Channels, "channel"))
	if p%points != 0 {
		expected += fmt.Sprintf(" (%d points do not divide the row)", points)
	} else if n := p / points; n > 0 && n <= MaxChannels {
		expected += fmt.Sprintf(" (%s would fit)", counted(n, "channel"))
	}
	return Layout{}, &mismatch{fmt.Sprintf("rows of %d values", p), expected}
}

// check holds a size against the limits.
func (l Layout) check() *mismatch {
	if l.Width < 1 || l.Height < 1 || l.Width > MaxSide || l.Height > MaxSide || l.Width*l.Height > MaxPoints {
		return &mismatch{"pictures of " + FormatGrid(l.Width, l.Height) + " (width x height)",
			fmt.Sprintf("sides of 1 to %d and at most %d pixels", MaxSide, MaxPoints)}
	}
	if l.Channels < 1 || l.Channels > MaxChannels {
		return &mismatch{counted(l.Channels, "channel"), fmt.Sprintf("1 to %d", MaxChannels)}
	}
	return nil
}

// grid names the grid that was asked for.
func (l Layout) grid() string {
	switch {
	case l.Height == 0:
		return fmt.Sprintf("a width of %d", l.Width)
	case l.Width == 0:
		return fmt.Sprintf("a height of %d", l.Height)
	}
	return "a grid of " + FormatGrid(l.Width, l.Height)
}

// Points returns the number of pixels of a picture, n_s.
func (l Layout) Points() int { return l.Width * l.Height }

// size returns the number of values of a picture.
func (l Layout) size() int { return l.Width * l.Height * l.Channels }

// counted writes "1 channel", "2 channels".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// formatShape writes 50×28×20, and () for a single number; of many axes it leaves some out.
func formatShape(shape []int) string {
	if len(shape) == 0 {
		return "()"
	}
	s := make([]string, len(shape))
	for i, d := range shape {
		s[i] = strconv.Itoa(d)
	}
	return quote.Line(strings.Join(s, "×"))
}

// read sets dst to the values of the given frame, NaN where the mask says so.
func (f *Frames) read(dst []float64, frame int) {
	if frame < 0 || frame >= f.Count {
		panic(fmt.Sprintf("dataset: frame %d of %d", frame, f.Count))
	}
	f.values.CopyFloat64s(dst, frame*f.size())
	if f.mask != nil {
		f.mask.hide(dst, frame)
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
	s.Count, s.Type, s.mask = len(frames), npy.Float64, nil
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

// Data returns all frames for training. They stay in their type.
func (f *Frames) Data() sgplvm.Data { return sgplvm.Data{Source: f} }

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
	point := i / f.Channels
	if f.Scattered {
		return fmt.Sprintf("example %d, point %d, channel %d", frame, point, i%f.Channels)
	}
	return fmt.Sprintf("frame %d, row %d, column %d, channel %d", frame, point/f.Width, point%f.Width, i%f.Channels)
}

// CheckComplete returns an [*Error] that names the first value that is NaN or
// infinite, with how many there are, and nil for frames without any.
func CheckComplete(f *Frames) error { return f.checkComplete(f.ReadExamples) }

// CheckNoInf returns an [*Error] that names the first infinite value, with how
// many there are, and nil for frames without any. NaN is missing and passes.
func CheckNoInf(f *Frames) error {
	return f.refuse(f.ReadExamples, func(v float64) bool { return math.IsInf(v, 0) }, "infinite value", "a finite number, or NaN for a missing one")
}

func (f *Form) checkComplete(read func(dst []float64, from, to int) error) error {
	return f.refuse(read, func(v float64) bool { return v-v != 0 }, "missing or infinite value", "a finite number in every place")
}

// refuse reports the first bad value and the number of all.
func (f *Form) refuse(read func(dst []float64, from, to int) error, bad func(float64) bool, noun, want string) error {
	total, first := 0, &Error{Path: f.Name, Want: want}
	v := make([]float64, f.size())
	for frame := range f.Count {
		if err := read(v, frame, frame+1); err != nil {
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
	first.Found += " (" + counted(total, noun) + " in all)"
	return first
}
