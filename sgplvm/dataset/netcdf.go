package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/netcdf"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// mostAxes is how many dimensions a variable to be filled may have, those of length 1 counted.
const mostAxes = 16

// arrange finds how a variable can be taken, or says why it cannot.
func (f *index) arrange(v int) (a arrangement, why string) {
	x := &f.Variables[v]
	a = arrangement{variable: v, example: -1, row: -1, column: -1, over: -1}
	a.dims, a.shape = f.free(v)
	if x.Type == netcdf.Char {
		return a, "text"
	}
	if len(x.Dimensions) > mostAxes {
		return a, quote.Counted(len(x.Dimensions), "dimension")
	}
	var space, times []int
	for k, d := range a.dims {
		switch {
		case f.times[d]:
			times = append(times, k)
		case a.shape[k] > 1:
			space = append(space, k)
		}
	}
	if len(times) > 1 { // those of length 1 are no matter, and of the others the first counts
		times = slices.DeleteFunc(times, func(k int) bool { return a.shape[k] == 1 })
	}
	if len(times) > 1 {
		slices.SortStableFunc(times, func(i, j int) int { return cmp.Compare(f.rank(a.dims[i]), f.rank(a.dims[j])) })
		space = append(space, times[1:]...)
		slices.Sort(space)
		times = times[:1]
	}
	if len(times) == 0 && len(space) == 3 {
		times, space = space[:1], space[1:]
	}
	if len(times) > 0 {
		a.example = times[0]
	}
	switch len(space) {
	case 1:
		if a.column = space[0]; a.example < 0 {
			return a, "no dimension of examples"
		}
	case 2:
		a.row, a.column = space[0], space[1]
	case 0:
		return a, "no dimension in space"
	default:
		a.over = max(0, slices.IndexFunc(space, func(k int) bool {
			return !slices.Contains(spaceNames[:6], strings.ToLower(f.Dimensions[a.dims[k]].Name))
		}))
		a.over = space[a.over]
		return a, fmt.Sprintf("%d dimensions in space", len(space))
	}
	a.swapped = a.example > a.column || a.row >= 0 && a.example > a.row
	return a, ""
}

// shapeText names the dimensions of a variable with their lengths: (time 12, lat 3, lon 4).
func (f *index) shapeText(v int) string {
	var s []string
	of := f.Variables[v].Dimensions
	for _, d := range of[:min(len(of), mostAxes+1)] {
		s = append(s, fmt.Sprintf("%s %d", f.Dimensions[d].Name, f.Dimensions[d].Length))
	}
	return quote.Line("(" + quote.Some(s, mostAxes) + ")")
}

const wantVariable = "numbers of dimensions such as (time, lat, lon) or (time, station), others of length 1"

// chooseVariable returns the variable of the given name or, without, the only one that fits.
func (f *index) chooseVariable(path, name string) (arrangement, error) {
	if name != "" {
		v := f.find(name)
		if v < 0 {
			return arrangement{}, &Error{Path: path, Found: "no variable " + quote.Text(name), Want: "one of " + f.variableNames(upTo(len(f.Variables)))}
		}
		a, why := f.arrange(v)
		if why != "" {
			return a, &Error{Path: path, Place: quote.Line(name) + f.shapeText(v), Found: why, Want: wantVariable + f.remedy(path, a)}
		}
		return a, nil
	}
	// What another variable names as its coordinates, bounds, … is none to be filled.
	named := map[string]bool{}
	for i := range f.Variables {
		for _, attribute := range []string{"bounds", "climatology", "coordinates", "ancillary_variables", "grid_mapping", "cell_measures"} {
			a, _ := f.Variables[i].Attribute(attribute)
			for word := range strings.FieldsSeq(a.Text()) {
				named[word] = true
			}
		}
	}
	var fit, still []arrangement
	remedy := ""
	for i := range f.Variables {
		x := &f.Variables[i]
		if named[x.Name] || f.axes[x.Name] {
			continue
		}
		switch a, why := f.arrange(i); {
		case why != "" && remedy == "":
			remedy = f.remedy(path, a)
		case why == "" && a.example >= 0:
			fit = append(fit, a)
		case why == "":
			still = append(still, a)
		}
	}
	if fit == nil {
		fit = still
	}
	switch len(fit) {
	case 1:
		return fit[0], nil
	case 0:
		return arrangement{}, &Error{Path: path, Found: "no variable that fits, only " + f.variableNames(upTo(len(f.Variables))), Want: wantVariable + remedy}
	}
	var numbers []int
	for _, a := range fit {
		numbers = append(numbers, a.variable)
	}
	return arrangement{}, &Error{Path: path, Found: fmt.Sprintf("%d variables that fit", len(fit)), Want: fmt.Sprintf("the name of one behind the file's, as %s:%s: %s",
		quote.Line(path), quote.Line(f.Variables[numbers[0]].Name), f.variableNames(numbers))}
}

// variableNames lists some variables with their dimensions, a few of many.
func (f *index) variableNames(numbers []int) string {
	if len(numbers) == 0 {
		return "none"
	}
	var s []string
	for _, v := range numbers[:min(len(numbers), 21)] {
		s = append(s, f.Variables[v].Name+f.shapeText(v))
	}
	return quote.Line(quote.Some(s, 20))
}

// loadNetCDF reads a variable of a NetCDF file as a set.
func loadNetCDF(name string, o SetOptions) (*Set, error) {
	path, variable := splitName(name)
	file, err := openNetCDF(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f := newIndex(file.File)
	if err := f.choose(path, o.Select); err != nil {
		return nil, err
	}
	a, err := f.chooseVariable(path, variable)
	if err != nil {
		return nil, err
	}
	x := &f.Variables[a.variable]
	if f.Len(a.variable) == 0 {
		return nil, &Error{Path: path, Place: quote.Line(x.Name) + f.shapeText(a.variable), Found: "no example", Want: "at least one"}
	}
	s := &Set{Form: Form{Name: name, Count: 1, Layout: Layout{Width: 1, Height: 1, Channels: 1}, Shape: a.shape, Type: npy.Float64}, Variable: x.Name}
	if file.by != "" {
		s.note("%s: a NetCDF-4 (HDF5) file, read by way of %s", quote.Line(path), file.by)
	}
	if a.example >= 0 {
		s.Count = a.shape[a.example]
	}
	s.Width = a.shape[a.column]
	if s.Scattered = a.row < 0; !s.Scattered {
		s.Height = a.shape[a.row]
	}
	if bad := s.Layout.check(); bad != nil && !(s.Scattered && s.Width <= maxPoints) {
		return nil, &Error{Path: path, Place: quote.Line(x.Name) + f.shapeText(a.variable), Found: bad.found, Want: bad.want}
	}
	if err := s.readSpace(path, f, a); err != nil {
		return nil, err
	}
	if a.example >= 0 {
		if err := s.readTimes(path, f, a.dims[a.example]); err != nil {
			return nil, err
		}
	}
	for _, note := range f.notes {
		s.note("%s", note)
	}
	if o.Slice != nil && !a.swapped {
		s.cut(o.Slice)
	}
	return s, s.readValues(path, file, f, a, o)
}

// readValues reads the values and unpacks them.
func (s *Set) readValues(path string, file *netcdfFile, f *index, a arrangement, o SetOptions) error {
	x := &f.Variables[a.variable]
	p, fill := packingOf(x), math.NaN()
	for _, note := range p.notes {
		s.note("%s", note)
	}
	if o.FillValue != nil {
		p.declare(x.Type, *o.FillValue)
		fill = p.signed(*o.FillValue)
		if x.Type == netcdf.Float {
			fill = float64(float32(fill))
		}
	}
	values := make([]float64, s.Count*s.size())
	if err := f.runs(a.variable, s.First*s.size(), len(values), func(at, place, n int) error { return f.ReadFloat64s(values[at:at+n], a.variable, place) }); err != nil {
		return netcdfError(path, err)
	}
	c := p.unpack(values)
	if p.result == netcdf.Float {
		s.Type = npy.Float32
	}
	place := quote.Line(x.Name)
	for _, v := range p.declared {
		if v > c.low && v < c.high {
			if v == fill {
				return fillAmongData(path, place, fill, c.declared, c.low, c.high)
			}
			s.note("%s: the fill value %s lies among the other numbers, %s to %s: %s may be data", place, numberText(v), numberText(c.low), numberText(c.high), quote.Counted(c.declared, "value"))
		}
	}
	if c.standard > 0 {
		s.note("%s: %s %.10g, the number that stands where nothing was written, taken as missing", place, counted(c.standard, "value is", "values are"), p.standard)
	}
	if c.outside > 0 {
		s.note("%s: %s outside the valid range %s to %s, taken as missing", place, counted(c.outside, "value is", "values are"), numberText(p.low), numberText(p.high))
	}
	if c.declared > 0 && c.low > c.high {
		s.note("%s: %s a fill value, %s", place, counted(c.declared, "value is", "values are"), numberList(p.declared))
	}
	s.Values, s.strides = values, nil
	if a.swapped {
		s.strides = s.stridesOf(a)
		s.Values = make([]float64, len(values))
		for k := range values {
			s.Values[s.place(k)] = values[k]
		}
		s.note("%s: dimensions %s are taken with the examples first; results have the order of the file", place, f.shapeText(a.variable))
	}
	store := &netcdfStore{path: path, variable: x.Name, choice: o.Select, packing: p}
	if file.keep = file.by != "" && file.copy == ""; file.keep {
		store.copy = file
	}
	s.store = store
	return nil
}

func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// fillAmongData refuses a fill value that cannot be told from data.
func fillAmongData(path, place string, fill float64, n int, low, high float64) error {
	return &Error{Path: path, Place: place, Found: fmt.Sprintf("the fill value %v among the other values, %v to %v (%s equal to it)", fill, low, high, quote.Counted(n, "value")),
		Want: "one that is no data, or a mask"}
}

// stridesOf returns how far apart in the model's order the neighbours along each dimension in the file are.
func (s *Set) stridesOf(a arrangement) []int {
	strides := make([]int, len(a.dims))
	strides[a.column] = 1
	if a.row >= 0 {
		strides[a.row] = s.Width
	}
	if a.example >= 0 {
		strides[a.example] = s.Width * s.Height
	}
	return strides
}

// readVariable reads a variable as an array, NaN where it is missing.
func readVariable(name string) (*npy.Array, error) {
	path, variable := splitName(name)
	file, err := openNetCDF(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f := newIndex(file.File)
	v := f.find(variable)
	if variable == "" || v < 0 || f.Variables[v].Type == netcdf.Char {
		a, err := f.chooseVariable(path, variable)
		if err != nil {
			return nil, err
		}
		v = a.variable
	}
	x := make([]float64, f.Len(v))
	if err := f.ReadFloat64s(x, v, 0); err != nil {
		return nil, netcdfError(path, err)
	}
	packingOf(&f.Variables[v]).unpack(x)
	return npy.New(x, f.Shape(v)...), nil
}

// readTimeVariable reads the times of a NetCDF file.
func readTimeVariable(path string) (*npy.Array, error) {
	file, err := openNetCDF(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f := newIndex(file.File)
	for d := range f.Dimensions {
		if f.rank(d) < 2 && f.find(f.Dimensions[d].Name) >= 0 {
			s := new(Set)
			if err := s.readTimes(path, f, d); err != nil {
				return nil, err
			}
			return npy.New(s.Times, len(s.Times)), nil
		}
	}
	return nil, &Error{Path: path, Found: "no variable of times", Want: "the name of a variable behind the file's, one of " + f.variableNames(upTo(len(f.Variables)))}
}

// readSpace sets the grid.
func (s *Set) readSpace(path string, f *index, a arrangement) error {
	x := &f.Variables[a.variable]
	column := a.dims[a.column]
	if a.row >= 0 {
		row := a.dims[a.row]
		rows, err := f.coordinates(path, row)
		if err != nil {
			return err
		}
		columns, err := f.coordinates(path, column)
		if err != nil {
			return err
		}
		s.Grid = append(factor(rows, 1), factor(columns, 1)...)
		s.coordinates = []string{f.Dimensions[row].Name, f.Dimensions[column].Name}
		names, _ := x.Attribute("coordinates")
		for name := range strings.FieldsSeq(names.Text()) {
			if v := f.find(name); v >= 0 && slices.Equal(f.Variables[v].Dimensions, []int{row, column}) {
				s.note("%s: %s of each point is not used, but %s and %s", quote.Line(x.Name), quote.Line(name), quote.Line(s.coordinates[0]), quote.Line(s.coordinates[1]))
			}
		}
		return nil
	}
	// Stations: the coordinates that the variable names, or those of the dimension.
	var all [][]float64
	names, _ := x.Attribute("coordinates")
	for name := range strings.FieldsSeq(names.Text()) {
		v := f.find(name)
		if v < 0 || f.Variables[v].Type == netcdf.Char || !slices.Equal(f.Variables[v].Dimensions, []int{column}) {
			continue
		}
		c, err := f.readNumbers(path, v)
		if err != nil {
			return err
		}
		all, s.coordinates = append(all, c), append(s.coordinates, name)
	}
	if all == nil {
		c, err := f.coordinates(path, column)
		if err != nil {
			return err
		}
		all, s.coordinates = [][]float64{c}, []string{f.Dimensions[column].Name}
	}
	points := make([]float64, 0, s.Width*len(all))
	for i := range s.Width {
		for _, c := range all {
			points = append(points, c[i])
		}
	}
	s.Grid = factor(points, len(all))
	return nil
}

// readTimes sets the times of the examples, where dimension d has any.
func (s *Set) readTimes(path string, f *index, d int) error {
	name := f.Dimensions[d].Name
	v := f.find(name)
	if v < 0 || f.Variables[v].Type == netcdf.Char || !slices.Equal(f.Variables[v].Dimensions, []int{d}) {
		return nil
	}
	t, err := f.coordinates(path, d)
	if err != nil {
		return err
	}
	units, calendar := attributeText(&f.Variables[v], "units", ""), attributeText(&f.Variables[v], "calendar", "")
	switch {
	case strings.Contains(units, " as %"):
		s.Units, err = datesAsNumbers(t, units, calendar)
	case isTimeUnits(units):
		s.Units, err = ParseTimeUnits(units, calendar)
	}
	if err != nil {
		s.Units = nil
		s.note("%s: %v: the times are the numbers as they stand", quote.Line(name), err)
	}
	s.Times = t
	return nil
}
