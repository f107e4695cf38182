package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// LoadSet loads incomplete data from a file (see the package documentation). Without a name the only variable that fits is taken. Points that have no value in any
// example do not exist, unless a mask says which do; a table has no such points. All pixels of PNG and JPEG pictures and of films exist, and so do points of which
// a mask hides the values. Errors: [*Error].
func LoadSet(name string, o SetOptions) (*Set, error) {
	s, err := loadSource(name, o)
	if err != nil {
		return nil, err
	}
	for i, v := range s.Values {
		if math.IsInf(v, 0) {
			return nil, &Error{Path: name, Place: s.Form.place(i/s.size(), i%s.size()), Found: fmt.Sprint(v), Want: "a finite number, or NaN for a missing one"}
		}
	}
	if s.Film = s.Film || o.Film; s.Film && s.Times == nil {
		s.Times = s.FilmTimes()
	}
	if err := s.setObserved(o.Observed); err != nil {
		return nil, err
	}
	if s.all > 0 && o.Exists == "" && o.Model != nil {
		s.existIn(o.Model)
	} else if err := s.setExists(o.Exists); err != nil {
		return nil, err
	}
	if o.Times != "" {
		if s.times, err = LoadTimes(o.Times, s.Whole()); err != nil {
			return nil, err
		}
		s.Times = s.times[s.First:][:s.Count]
		if s.Units = nil; s.Whole() > 1 {
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
	if s.all > 0 {
		return s, nil
	}
	return s, s.check()
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

// spans returns no range of numbers yet for each of n channels.
func spans(n int) []extent {
	all := make([]extent, n)
	for i := range all {
		all[i] = extent{math.Inf(1), math.Inf(-1)}
	}
	return all
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

// existIn makes the points exist that a grid has, where it has fewer.
func (s *Set) existIn(g sgplvm.Grid) {
	if g.Len() >= s.Points() || s.Table {
		return
	}
	known, all, own := map[string]bool{}, joined(g)[0], joined(s.Grid)[0]
	for k := range g.Len() {
		known[fmt.Sprint(all.Row(k))] = true
	}
	for k := range own.Rows {
		s.Exists = append(s.Exists, known[fmt.Sprint(own.Row(k))])
	}
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
	if !isNetCDF(name) {
		o.Select = ""
	}
	o.FillValue, o.known = nil, s.Channels
	e, err := loadSource(name, o)
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
		why := append([]string{}, s.Notes...)
		switch {
		case slices.Contains(s.hidden, true):
			why = append(why, "the mask of what was observed hides all that are not NaN")
		case len(why) == 0 && s.original == nil:
			why = append(why, "they are NaN or empty")
		case len(why) == 0:
			why = append(why, "they are the fill value")
		}
		return &Error{Path: s.Name, Found: fmt.Sprintf("nothing observed: all %d values are missing (%s)", len(s.Values), strings.Join(why, "; ")), Want: "some values"}
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
var noValues = []float64{-99, 99, 999, -999, -9999, -99999, -999999, 9999, 99999, 999999, -32768, -32767, 32767, -2147483648, -2147483647, 2147483647}

// suspects notes values that probably mean missing but are not declared, judged channel by channel.
func (s *Set) suspects() {
	all := spans(s.Channels)
	usual := func(v float64) bool { return slices.Contains(noValues, v) || math.Abs(v) >= hugeValue }
	for i, v := range s.Values {
		if !usual(v) {
			all[i%s.Channels].add(v)
		}
	}
	counts, in, sample := map[float64][]int{}, map[float64][]string{}, 0. // by value, of huge ones by hugeValue
	for i, v := range s.Values {
		a, c := all[i%s.Channels], i%s.Channels
		switch far := 10 * (a.high - a.low); {
		case math.Abs(v) >= hugeValue:
			v, sample = hugeValue, v
		case !usual(v) || v >= a.low-far && v <= a.high+far:
			continue
		}
		if counts[v] == nil {
			counts[v] = make([]int, s.Channels)
		}
		counts[v][c]++
	}
	for _, v := range append([]float64{hugeValue}, noValues...) {
		n := 0
		for c, k := range counts[v] {
			if n += k; k > 0 && s.Channels > 1 {
				in[v] = append(in[v], s.channelName(c))
			}
		}
		text := fmt.Sprintf("of %d", s.Count*s.Points()*max(1, len(in[v])))
		if len(in[v]) > 3 {
			in[v] = append(in[v][:3], fmt.Sprintf("%d more", len(in[v])-3))
		}
		if len(in[v]) > 0 {
			text += " in " + strings.Join(in[v], ", ")
		}
		meant := v
		if v == hugeValue {
			meant = sample
		}
		text += ", and no fill value is declared: if that means missing, -fill-value " + numberText(meant) + " says so"
		switch {
		case v == hugeValue && n > 0:
			s.note("%s of size %g or more, such as %g, %s", counted(n, "value is", "values are"), hugeValue, sample, text)
		case n > 1:
			s.note("%d values are %g, %s", n, v, text)
		}
	}
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
	var times []float64
	for i := range names {
		part, err := load(i, 0, 0)
		if err != nil {
			return nil, err
		}
		if s == nil {
			s = part
		}
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
		case fmt.Sprint(part.Units) != fmt.Sprint(s.Units):
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
	from, to := 0, all
	if slice != nil {
		s.cut(slice)
		from, to = s.First, s.First+s.Count
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
	s.Values = make([]float64, 0, s.Count*s.size())
	for i, n := range counts {
		if begin, end := max(from-at, 0), min(to-at, n); begin < end {
			part, err := load(i, begin, end)
			if err != nil {
				return nil, err
			}
			s.Values = append(s.Values, part.Values...)
			for _, note := range part.Notes {
				s.note("%s", note)
			}
		}
		at += n
	}
	return s, nil
}
