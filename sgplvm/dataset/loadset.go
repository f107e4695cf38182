package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
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
	if o.Exists != "" || o.Model == nil || !s.existIn(o.Model) {
		if err := s.setExists(o.Exists); err != nil {
			return nil, err
		}
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
	return s, s.check(o)
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

// existIn makes the points exist that a grid has, and reports whether all of it is among the points.
func (s *Set) existIn(g sgplvm.Grid) bool {
	if g.Len() >= s.Points() || s.Table {
		return true
	}
	known, all, own := map[string]bool{}, joined(g)[0], joined(s.Grid)[0]
	for k := range g.Len() {
		known[fmt.Sprint(all.Row(k))] = true
	}
	exists, count := make([]bool, own.Rows), 0
	for k := range exists {
		if exists[k] = known[fmt.Sprint(own.Row(k))]; exists[k] {
			count++
		}
	}
	if count < g.Len() {
		return false
	}
	s.Exists = exists
	return true
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
	o.FillValue, o.KeepOutliers, o.known = nil, true, s.Channels
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
func (s *Set) check(o SetOptions) error {
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
	if !s.Table { // else it was asked before
		s.suspects(o)
	}
	return nil
}
