package dataset

import (
	"fmt"
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
}

// LoadSet loads incomplete data from a file: what [Load] loads, and
//
//	FILE.nc[:VARIABLE]     NetCDF (CDF-1, CDF-2, CDF-5) by the CF conventions, (time, lat, lon), (time, station) and others alike
//	FILE.npz[:MEMBER]      an array of NumPy in an archive, with MEMBER_mask beside it where it is masked
//	FILE.csv               a table, an example in a row; or long, a value in a row (see the package documentation)
//
// Without a name the only variable that fits is taken. Points that have no value in any example do not exist, unless a mask says
// which do; a table has no such points. All pixels of PNG and JPEG pictures and of films exist, and so do points of which a mask hides the values. Errors: [*Error].
func LoadSet(name string, o SetOptions) (*Set, error) {
	fill := math.NaN()
	if o.FillValue != nil {
		fill = *o.FillValue
	}
	s, err := loadSource(name, o, fill)
	if err != nil {
		return nil, err
	}
	if !isNetCDF(name) && !math.IsNaN(fill) {
		if err := s.dropFill(fill); err != nil {
			return nil, err
		}
	}
	for i, v := range s.Values {
		if math.IsInf(v, 0) {
			return nil, &Error{Path: name, Place: s.Form.place(i/s.size(), i%s.size()), Found: fmt.Sprint(v), Want: "a finite number, or NaN for a missing one"}
		}
	}
	s.Film = s.Film || o.Film
	if err := s.setObserved(o.Observed); err != nil {
		return nil, err
	}
	if err := s.setExists(o.Exists); err != nil {
		return nil, err
	}
	if o.Times != "" {
		if s.Times, err = LoadTimes(o.Times, s.Count); err != nil {
			return nil, err
		}
		if s.Units = nil; s.Count > 1 {
			err = distinct(o.Times, "times", s.Times)
		}
		if err != nil {
			return nil, err
		}
	}
	if o.Errors != "" {
		if err := s.loadErrors(o.Errors, o); err != nil {
			return nil, err
		}
	}
	return s, s.check()
}

// loadSource reads the values, the points and the times of a source.
func loadSource(name string, o SetOptions, fill float64) (s *Set, err error) {
	var grid sgplvm.Grid
	if o.Points != "" {
		if grid, err = loadPoints(o.Points, maxPoints); err != nil {
			return nil, err
		}
	}
	switch {
	case isNetCDF(name):
		s, err = loadNetCDF(name, fill)
	case isNPZ(name):
		s, err = loadNPZ(name, o.Layout, grid)
	default:
		var long bool
		if isCSV(name) {
			if s, long, err = loadLong(name); long || err != nil {
				break
			}
		}
		s, err = loadPlain(name, o.Layout, grid)
	}
	if err != nil {
		return nil, err
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
	s.complete()
	return s, nil
}

// loadPlain loads frames or a table.
func loadPlain(name string, want Layout, grid sgplvm.Grid) (*Set, error) {
	var f *Frames
	var err error
	if grid != nil {
		f, err = LoadAt(name, grid.Len(), want.Channels)
	} else {
		f, err = Load(name, want)
	}
	if err != nil {
		return nil, err
	}
	s := &Set{Form: f.Form, Values: make([]float64, f.Count*f.size()), wide: isCSV(name)}
	return s, f.ReadExamples(s.Values, 0, f.Count)
}

// dropFill takes a number as missing.
func (s *Set) dropFill(fill float64) error {
	if s.Type == npy.Float32 {
		fill = float64(float32(fill))
	}
	n, low, high := 0, math.Inf(1), math.Inf(-1)
	for _, v := range s.Values {
		if v == fill {
			n++
		} else if v-v == 0 {
			low, high = min(low, v), max(high, v)
		}
	}
	if n == 0 {
		s.note("no value is the fill value %v", fill)
		return nil
	}
	if fill > low && fill < high {
		return fillAmongData(s.Name, "", fill, n, low, high)
	}
	s.change()
	for i, v := range s.Values {
		if v == fill {
			s.Values[i] = math.NaN()
		}
	}
	return nil
}

// setObserved drops the values that were not observed.
func (s *Set) setObserved(path string) error {
	if path == "" {
		return nil
	}
	m, err := LoadMask(path, &s.Form)
	if err != nil {
		return err
	}
	s.change()
	s.hidden = make([]bool, s.Points())
	for i, v := range s.Values {
		if !math.IsNaN(v) {
			s.hidden[s.point(i)] = true
		}
	}
	for i := range s.Count {
		m.hide(s.Values[i*s.size():(i+1)*s.size()], i)
	}
	return nil
}

// setExists finds the points that exist, and drops the values of others.
func (s *Set) setExists(path string) error {
	if s.Table {
		if path != "" {
			return &Error{Path: path, Found: "a mask of points for a table", Want: "data of points"}
		}
		return nil
	}
	exists := make([]bool, s.Points())
	if path != "" {
		m, err := loadExists(path, s)
		if err != nil {
			return err
		}
		exists = m
	}
	dropped, seen := 0, make([]bool, len(exists))
	for i, v := range s.Values {
		if point := s.point(i); !math.IsNaN(v) {
			if seen[point] = true; path != "" && !exists[point] {
				s.change()
				s.Values[i] = math.NaN()
				dropped++
			}
		}
	}
	if path == "" {
		copy(exists, seen)
		for i := range exists {
			exists[i] = exists[i] || s.Film || s.Files != nil || s.hidden != nil && s.hidden[i]
		}
	}
	out, never := 0, 0
	for i := range exists {
		if !exists[i] {
			out++
		} else if !seen[i] {
			never++
		}
	}
	switch {
	case out == len(exists) && path == "":
		return nil // nothing observed: refused by check
	case out == len(exists):
		return &Error{Path: path, Found: "no point that exists", Want: "1 at those that do"}
	}
	if out > 0 {
		s.Exists = exists
		if path == "" {
			s.note("%s of %d %s no value in any example: outside the model (a mask of the points that exist says otherwise)", quote.Counted(out, "point"), len(exists), map[bool]string{true: "has", false: "have"}[out == 1])
		}
	}
	if dropped > 0 {
		s.note("%s at points that do not exist: left as they are", quote.Counted(dropped, "value"))
	}
	if never > 0 {
		s.note("%s no value in any example: filled in from their neighbours", counted(never, "point that exists has", "points that exist have"))
	}
	return nil
}

// loadExists reads a mask of points.
func loadExists(path string, s *Set) ([]bool, error) {
	a, err := loadMasks(path)
	if err != nil {
		return nil, err
	}
	points := Layout{Width: s.Width, Height: s.Height, Channels: 1}
	allowed := []maskShape{{[]int{s.Height, s.Width}, 1, 1}, {[]int{s.Points()}, 1, 1}}
	if s.Scattered {
		allowed = allowed[1:]
	}
	m, err := newMask(path, a, points, allowed, "the points of "+quote.Line(s.Name))
	if err != nil {
		return nil, err
	}
	return m.observed, nil
}

// loadErrors reads known standard errors.
func (s *Set) loadErrors(name string, o SetOptions) error {
	e, err := loadSource(name, SetOptions{Layout: o.Layout, Points: o.Points}, math.NaN())
	if err != nil {
		return err
	}
	if e.Count != s.Count || e.Layout != s.Layout {
		return &Error{Path: name, Place: "shape " + quote.Shape(e.Shape), Found: "standard errors of another form", Want: fmt.Sprintf("those of the data of shape %s in %s", quote.Shape(s.Shape), quote.Line(s.Name))}
	}
	s.Errors = e.Values
	return nil
}

// check refuses what cannot be learned from, and notes what looks wrong.
func (s *Set) check() error {
	if !slices.ContainsFunc(s.Values, func(v float64) bool { return !math.IsNaN(v) }) {
		return &Error{Path: s.Name, Found: fmt.Sprintf("nothing observed: all %d values are missing", len(s.Values)), Want: "some values"}
	}
	for i, e := range s.Errors {
		switch v := s.Values[i]; {
		case math.IsNaN(v):
			s.Errors[i] = math.NaN()
		case !(e >= 0) || math.IsInf(e, 0):
			return &Error{Path: s.Name, Place: s.Form.place(i/s.size(), i%s.size()), Found: fmt.Sprintf("the standard error %v of a value", e), Want: "a finite number of 0 or more"}
		}
	}
	s.suspects()
	return nil
}

// hugeValue is a size from which on a number is hardly one of data.
const hugeValue = 1e19

// noValues are the usual words for "no value" of a moderate size.
var noValues = []float64{-999, -9999, -99999, -999999, 9999, 99999, 999999, -32768, -32767, 32767, -2147483648, -2147483647, 2147483647}

// suspects notes values that probably mean missing but are not declared.
func (s *Set) suspects() {
	huge, sample := 0, 0.
	found := make([]int, len(noValues))
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range s.Values {
		if k := slices.Index(noValues, v); k >= 0 {
			found[k]++
		} else if math.Abs(v) >= hugeValue {
			huge, sample = huge+1, v
		} else if !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	ask := fmt.Sprintf("of %d, and no fill value is declared: if that means missing, say so with a fill value", len(s.Values))
	if huge > 0 {
		s.note("%s of size %g or more, such as %g, %s", counted(huge, "value is", "values are"), hugeValue, sample, ask)
	}
	for k, n := range found {
		if v := noValues[k]; n > 1 && (v < low-10*(high-low) || v > high+10*(high-low)) {
			s.note("%d values are %g, %s", n, v, ask)
		}
	}
}
