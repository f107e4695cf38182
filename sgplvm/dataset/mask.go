package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// LoadMask reads which values of the frames were observed from a .npy file of
// numbers of any type (truth values included): 1 is observed, 0 is not, and any
// other value is refused. In a file of bytes 255 may stand for 1, and so it is in pictures: a PNG file has a mask
// for all frames, white where a pixel was observed and black or transparent where not; a folder has one for each frame. For n frames
// of h×w pixels and c channels the shape is the first of these that fits:
//
//	n×h×w×c, n×(h·w·c)   each value has its own entry
//	n×h×w,   n×(h·w)     the entry of a pixel is for all its channels
//	h×w×c,   (h·w·c)     one picture for all frames
//	h×w,     (h·w)       one picture for all frames and channels
//
// and for n examples at p scattered points the first of n×p×c, n×p, p×c and p, for a table of n rows and
// d columns n×d or d.
//
// Errors: [*Error].
func LoadMask(path string, f *Form) (*Mask, error) {
	if f.Count == 0 && f.all > 0 {
		return &Mask{layout: f.Layout, frames: 1, channels: 1, observed: make([]bool, f.Points())}, nil
	}
	of := fmt.Sprintf("the data of shape %s in %s", quote.Shape(f.Shape), quote.Line(f.Name))
	a, err := f.loadMaskSlice(path, f.masks(f.Whole()))
	if err != nil {
		return nil, err
	}
	if a != nil {
		return newMask(path, a, f.Layout, f.masks(f.Count), of)
	}
	if a, err = loadMasks(path); err != nil {
		return nil, err
	}
	m, err := newMask(path, a, f.Layout, f.masks(f.Whole()), of)
	if err == nil && m.frames > 1 {
		size := len(m.observed) / m.frames
		m.frames, m.observed = f.Count, m.observed[f.First*size:(f.First+f.Count)*size]
	}
	return m, err
}

// masks are the shapes of masks of n examples of a form.
func (f *Form) masks(n int) []maskShape {
	switch d := f.Channels; {
	case f.Table:
		return []maskShape{{[]int{n, d}, n, d}, {[]int{d}, 1, d}}
	case f.Scattered:
		return scatteredMasks(n, f.Layout)
	}
	return append(masksOf(n, f.Layout), oneMask(f.Layout)...)
}

// LoadMasks reads masks as [LoadMask] does, but one for each frame, and returns
// their number n ≥ 1, which is what the array's first axis says: only the first four
// shapes fit. Errors: [*Error].
func LoadMasks(path string, l Layout) (*Mask, int, error) {
	a, err := loadMasks(path)
	if err != nil {
		return nil, 0, err
	}
	n := 1
	if len(a.Shape) > 0 {
		n = max(a.Shape[0], 1)
	}
	m, err := newMask(path, a, l, masksOf(n, l), fmt.Sprintf("pictures of %s and %s", FormatGrid(l.Width, l.Height), quote.Counted(l.Channels, "channel")))
	return m, n, err
}

// LoadHidden reads masks of pictures that are to be filled in, as [LoadMask] does but of any number of
// pictures of the form f: lists of Points()·Channels values, true where one is missing, for those of which something is.
// Errors: [*Error], for masks that hide nothing, too.
func LoadHidden(path string, f *Form) ([][]bool, error) {
	a, err := loadMasks(path)
	if err != nil {
		return nil, err
	}
	n := 1
	if len(a.Shape) > 0 {
		n = max(a.Shape[0], 1)
	}
	allowed := append(masksOf(n, f.Layout), oneMask(f.Layout)...)
	if f.Scattered {
		allowed = scatteredMasks(n, f.Layout)
	}
	m, err := newMask(path, a, f.Layout, allowed, "pictures like those in "+quote.Line(f.Name))
	if err != nil {
		return nil, err
	}
	var all [][]bool
	for frame := range m.frames {
		hidden := make([]bool, f.size())
		for i := range hidden {
			hidden[i] = !m.Observed(frame, i/f.Channels, i%f.Channels)
		}
		if slices.Contains(hidden, true) {
			all = append(all, hidden)
		}
	}
	if all == nil {
		return nil, &Error{Path: path, Found: "nothing but ones", Want: "0 where something is missing"}
	}
	return all, nil
}

const wantMask = "a mask: a .npy file of zeros and ones, or black and white pictures"

// loadMasks reads masks as numbers; of pictures those of transparent pixels are 0, and one picture has no axis of frames.
func loadMasks(path string) (*npy.Array, error) {
	if !arePictures(path) {
		return LoadArray(path, wantMask)
	}
	f, err := Load(path, Layout{})
	if err != nil {
		return nil, err
	}
	channels := 1
	var levels []uint16
	for i := range f.Count {
		for k, v := range f.Values(i) {
			if math.IsNaN(v) {
				v = 0
			}
			if levels = append(levels, uint16(v)); levels[len(levels)-1] != levels[len(levels)-1-k%f.Channels] { // of a channel by itself
				channels = f.Channels
			}
		}
	}
	if channels < f.Channels { // all alike
		for i := range f.Count * f.Points() {
			levels[i] = levels[i*f.Channels]
		}
		levels = levels[:f.Count*f.Points()]
	}
	shape := []int{f.Count, f.Height, f.Width}
	if channels > 1 {
		shape = append(shape, channels)
	}
	if formatOf(path) != nil && isRegular(path) {
		shape = shape[1:]
	}
	return npy.New(levels, shape...), nil
}

// observedAs is the number that means observed in an array of masks: 1, or the largest level of bytes or words that have it.
func observedAs(a *npy.Array) float64 {
	most := 0.
	if a.Type == npy.Uint8 || a.Type == npy.Uint16 {
		for i := range a.Len() {
			var v [1]float64
			a.CopyFloat64s(v[:], i)
			most = max(most, v[0])
		}
	}
	if most == math.MaxUint8 || most == math.MaxUint16 {
		return most
	}
	return 1
}

// A maskShape is a shape of a file of masks and how many distinct frames and
// channels it has.
type maskShape struct {
	shape            []int
	frames, channels int
}

func masksOf(n int, l Layout) []maskShape {
	h, w, c := l.Height, l.Width, l.Channels
	return []maskShape{{[]int{n, h, w, c}, n, c}, {[]int{n, h * w * c}, n, c}, {[]int{n, h, w}, n, 1}, {[]int{n, h * w}, n, 1}}
}

func oneMask(l Layout) []maskShape {
	h, w, c := l.Height, l.Width, l.Channels
	return []maskShape{{[]int{h, w, c}, 1, c}, {[]int{h * w * c}, 1, c}, {[]int{h, w}, 1, 1}, {[]int{h * w}, 1, 1}}
}

// scatteredMasks are the shapes of masks of n examples at scattered points.
func scatteredMasks(n int, l Layout) []maskShape {
	p, c := l.Width, l.Channels
	return []maskShape{{[]int{n, p, c}, n, c}, {[]int{n, p}, n, 1}, {[]int{p, c}, 1, c}, {[]int{p}, 1, 1}}
}

// newMask returns the mask in an array, which must have one of the shapes. of says in
// messages what the mask is for.
func newMask(path string, a *npy.Array, l Layout, allowed []maskShape, of string) (*Mask, error) {
	m := &Mask{layout: l}
	var shapes []string
	for _, form := range allowed {
		if slices.Equal(a.Shape, form.shape) {
			m.frames, m.channels = form.frames, form.channels
			break
		}
		if s := quote.Shape(form.shape); !slices.Contains(shapes, s) {
			shapes = append(shapes, s)
		}
	}
	if m.frames == 0 {
		return nil, &Error{Path: path, Place: "shape " + quote.Shape(a.Shape), Found: quote.Counted(a.Len(), "value"),
			Want: fmt.Sprintf("%s for %s", strings.Join(shapes, ", "), of)}
	}
	m.observed = make([]bool, a.Len())
	row, one := make([]float64, a.Len()/m.frames), observedAs(a)
	for frame := range m.frames {
		a.CopyFloat64s(row, frame*len(row))
		for i, v := range row {
			if v != 0 && v != one {
				return nil, &Error{Path: path, Place: "element " + quote.Index(frame*len(row)+i, a.Shape), Found: fmt.Sprint(v),
					Want: fmt.Sprintf("%v (observed) or 0 (not observed)", one)}
			}
			m.observed[frame*len(row)+i] = v == one
		}
	}
	return m, nil
}

// loadMaskSlice reads the masks of some examples from a .npy file where it has one for each of all; a is nil where it does not.
func (f *Form) loadMaskSlice(path string, allowed []maskShape) (a *npy.Array, err error) {
	if f.all == 0 || !isRegular(path) || isNPZ(path) || isNetCDF(path) || IsText(path) || formatOf(path) != nil {
		return nil, nil
	}
	file, err := npy.Open(path)
	if err != nil {
		return nil, nil // and what reads it as a whole says why
	}
	defer file.Close()
	for _, m := range allowed {
		if slices.Equal(m.shape, file.Shape) {
			if m.frames == 1 {
				return nil, nil
			}
			size := 1
			for _, d := range m.shape[1:] {
				size *= d
			}
			observed := make([]float64, f.Count*size)
			if err := file.CopyFloat64s(observed, f.First*size); err != nil {
				return nil, arrayError(path, wantMask, err)
			}
			a = npy.New(observed, append([]int{f.Count}, m.shape[1:]...)...)
			a.Type = file.Type // of bytes 255 may stand for 1
			return a, nil
		}
	}
	return nil, nil
}
