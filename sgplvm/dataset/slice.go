package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

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

// loadMaskSlice reads the masks of some examples from a .npy file where it has one for each of all; a is nil where it does not.
func (f *Form) loadMaskSlice(path string, allowed []maskShape) (a *npy.Array, err error) {
	if f.all == 0 || !isRegular(path) || isNPZ(path) || isNetCDF(path) || IsText(path) || formatOf(path) != "" {
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
			if file.Type == npy.Uint8 { // in which 255 may stand for 1
				bytes := make([]uint8, len(observed))
				for i, v := range observed {
					bytes[i] = uint8(v)
				}
				return npy.New(bytes, append([]int{f.Count}, m.shape[1:]...)...), nil
			}
			return npy.New(observed, append([]int{f.Count}, m.shape[1:]...)...), nil
		}
	}
	return nil, nil
}

// Several returns the files that a name stands for which is no file itself: @LIST those that the lines of the file LIST name, from its folder on, and a pattern such as faces*.npy
// or sst*.nc:sst those that fit, in the order of their names with runs of digits compared as numbers. nil: the name is that of one source. Errors: [*Error].
func Several(name string) ([]string, error) {
	if _, err := os.Stat(FileName(name)); err == nil {
		return nil, nil
	}
	if list, ok := strings.CutPrefix(name, "@"); ok {
		text, err := os.ReadFile(list)
		if err != nil {
			return nil, &Error{Path: list, Err: err}
		}
		var names []string
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !filepath.IsAbs(line) {
				line = filepath.Join(filepath.Dir(list), line)
			}
			if line != "" {
				names = append(names, line)
			}
		}
		if names == nil {
			return nil, &Error{Path: list, Found: "no name", Want: "one of a file in each line"}
		}
		return names, nil
	}
	if !strings.ContainsAny(name, "*?[") {
		return nil, nil
	}
	path, part := name, ""
	if at := strings.LastIndexByte(name, ':'); at > strings.LastIndexByte(name, filepath.Separator) && at > 1 {
		path, part = name[:at], name[at:]
	}
	names, err := filepath.Glob(path)
	if err != nil || names == nil {
		return nil, &Error{Path: name, Found: "no file", Want: "a pattern that fits some"}
	}
	slices.SortFunc(names, compareNames)
	for i := range names {
		names[i] += part
	}
	return names, nil
}

// loadSeveral reads the examples of several files as those of one source, of which only those with examples of the slice are read as a whole.
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
	for i := range names {
		part, err := load(i, 0, 0)
		if err != nil {
			return nil, err
		}
		switch {
		case s == nil:
			s = part
		case part.Layout != s.Layout || part.Scattered != s.Scattered || part.Table != s.Table || !slices.Equal(part.Columns, s.Columns):
			return nil, &Error{Path: names[i], Found: fmt.Sprintf("examples of %v", part.Layout), Want: fmt.Sprintf("examples of %v, as in %s", s.Layout, quote.Line(names[0]))}
		case part.Type != s.Type:
			s.Type = npy.Float64
		}
		all += counts[i]
	}
	s.Count, s.all = all, 0
	from, to := 0, all
	if slice != nil {
		s.cut(slice)
		from, to = s.First, s.First+s.Count
	}
	s.Name, s.store, s.text, s.Film, s.Times, s.Files = name, nil, nil, false, nil, nil
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
	at, times := 0, []float64{}
	s.Values = make([]float64, 0, s.Count*s.size())
	for i, n := range counts {
		if begin, end := max(from-at, 0), min(to-at, n); begin < end {
			part, err := load(i, begin, end)
			if err != nil {
				return nil, err
			}
			s.Values = append(s.Values, part.Values...)
			times = append(times, part.Times...)
			for _, note := range part.Notes {
				s.note("%s", note)
			}
		}
		at += n
	}
	if len(times) == s.Count && s.Count > 0 {
		s.Times = times
	}
	return s, nil
}
