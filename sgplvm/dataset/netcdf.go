package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/netcdf"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// An arrangement is how the dimensions of a variable are taken: as examples, rows and columns, each by its place among the
// variable's dimensions or −1. All others have length 1.
type arrangement struct {
	variable             int
	example, row, column int
	swapped              bool // not in the order example, row, column
}

// timeNames are names of dimensions of examples that need no further sign.
var timeNames = []string{"time", "t", "month", "year", "day", "hour", "date", "example", "sample", "member", "ensemble", "realization", "record", "frame", "step"}

// An index of a file finds variables and dimensions by their names.
type index struct {
	*netcdf.File
	variables map[string]int
	times     []bool // for each dimension whether it is one of examples
	axes      map[string]bool
}

func newIndex(f *netcdf.File) *index {
	x := &index{f, make(map[string]int, len(f.Variables)), make([]bool, len(f.Dimensions)), make(map[string]bool, len(f.Dimensions))}
	for v := range f.Variables {
		x.variables[f.Variables[v].Name] = v
	}
	for d := range f.Dimensions {
		x.times[d] = x.isTime(d)
		x.axes[f.Dimensions[d].Name] = true
	}
	return x
}

// find returns the number of a variable, or −1.
func (f *index) find(name string) int {
	if v, ok := f.variables[name]; ok {
		return v
	}
	return -1
}

// isTime tells whether a dimension is that of the examples.
func (f *index) isTime(d int) bool {
	dim := f.Dimensions[d]
	if dim.Record {
		return true
	}
	if v := f.find(dim.Name); v >= 0 {
		units, _ := f.Variables[v].Attribute("units")
		axis, _ := f.Variables[v].Attribute("axis")
		name, _ := f.Variables[v].Attribute("standard_name")
		if strings.Contains(units.Text(), " since ") || axis.Text() == "T" || name.Text() == "time" {
			return true
		}
	}
	return slices.Contains(timeNames, strings.ToLower(dim.Name))
}

// mostAxes is how many dimensions a variable to be filled may have, those of length 1 counted.
const mostAxes = 16

// arrange finds how a variable can be taken, or says why it cannot.
func (f *index) arrange(v int) (a arrangement, why string) {
	x := &f.Variables[v]
	a = arrangement{v, -1, -1, -1, false}
	if x.Type == netcdf.Char {
		return a, "text"
	}
	if len(x.Dimensions) > mostAxes {
		return a, quote.Counted(len(x.Dimensions), "dimension")
	}
	var space, times []int
	for k, d := range x.Dimensions {
		switch {
		case f.times[d]:
			times = append(times, k)
		case f.Dimensions[d].Length > 1:
			space = append(space, k)
		}
	}
	if len(times) > 1 { // those of length 1 are no matter, and of the others the first counts
		times = slices.DeleteFunc(times, func(k int) bool { return f.Dimensions[x.Dimensions[k]].Length == 1 })
	}
	if len(times) > 1 {
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
		return a, fmt.Sprintf("%d dimensions in space", len(space))
	}
	a.swapped = a.example > a.column || a.row >= 0 && a.example > a.row
	return a, ""
}

// shapeText names the dimensions of a variable with their lengths: (time 12, lat 3, lon 4).
func (f *index) shapeText(v int) string {
	var s []string
	for k, d := range f.Variables[v].Dimensions {
		if k == mostAxes {
			s = append(s, "…")
			break
		}
		s = append(s, fmt.Sprintf("%s %d", f.Dimensions[d].Name, f.Dimensions[d].Length))
	}
	return quote.Line("(" + strings.Join(s, ", ") + ")")
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
			return a, &Error{Path: path, Place: quote.Line(name) + f.shapeText(v), Found: why, Want: wantVariable}
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
	for i := range f.Variables {
		x := &f.Variables[i]
		if a, why := f.arrange(i); why == "" && !named[x.Name] && !f.axes[x.Name] {
			if a.example >= 0 {
				fit = append(fit, a)
			} else {
				still = append(still, a)
			}
		}
	}
	if fit == nil {
		fit = still
	}
	switch len(fit) {
	case 1:
		return fit[0], nil
	case 0:
		return arrangement{}, &Error{Path: path, Found: "no variable that fits, only " + f.variableNames(upTo(len(f.Variables))), Want: wantVariable}
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
	var s []string
	for k, v := range numbers {
		if k == 20 {
			s = append(s, "…")
			break
		}
		s = append(s, f.Variables[v].Name+f.shapeText(v))
	}
	if s == nil {
		return "none"
	}
	return quote.Line(strings.Join(s, ", "))
}

// loadNetCDF reads a variable of a NetCDF file as a set. fill is a further number that means missing, or NaN.
func loadNetCDF(name string, fill float64) (*Set, error) {
	path, variable := splitName(name)
	file, err := openNetCDF(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f := newIndex(file)
	a, err := f.chooseVariable(path, variable)
	if err != nil {
		return nil, err
	}
	x := &f.Variables[a.variable]
	if f.Len(a.variable) == 0 {
		return nil, &Error{Path: path, Place: quote.Line(x.Name) + f.shapeText(a.variable), Found: "no example", Want: "at least one"}
	}
	s := &Set{Form: Form{Name: name, Count: 1, Layout: Layout{Width: 1, Height: 1, Channels: 1}, Shape: f.Shape(a.variable), Type: npy.Float64}, Variable: x.Name}
	length := func(k int) int { return f.Dimensions[x.Dimensions[k]].Length }
	if a.example >= 0 {
		s.Count = length(a.example)
	}
	s.Width = length(a.column)
	if s.Scattered = a.row < 0; !s.Scattered {
		s.Height = length(a.row)
	}
	if bad := s.Layout.check(); bad != nil && !(s.Scattered && s.Width <= maxPoints) {
		return nil, &Error{Path: path, Place: quote.Line(x.Name) + f.shapeText(a.variable), Found: bad.found, Want: bad.want}
	}
	if err := s.readSpace(path, f, a); err != nil {
		return nil, err
	}
	if a.example >= 0 {
		if err := s.readTimes(path, f, x.Dimensions[a.example]); err != nil {
			return nil, err
		}
	}
	return s, s.readValues(path, f, a, fill)
}

// readValues reads the values and unpacks them.
func (s *Set) readValues(path string, f *index, a arrangement, fill float64) error {
	x := &f.Variables[a.variable]
	p, err := packingOf(path, x)
	if err != nil {
		return err
	}
	if !math.IsNaN(fill) {
		if x.Type == netcdf.Float {
			fill = float64(float32(fill))
		}
		p.declared = append(p.declared, p.signed(fill))
	}
	values := make([]float64, f.Len(a.variable))
	if err := f.ReadFloat64s(values, a.variable, 0); err != nil {
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
			s.note("%s: the fill value %v lies among the other numbers, %v to %v: %s may be data", place, v, c.low, c.high, quote.Counted(c.declared, "value"))
		}
	}
	if c.standard > 0 {
		s.note("%s: %s %.10g, the number that stands where nothing was written, taken as missing", place, counted(c.standard, "value is", "values are"), p.standard)
	}
	if c.outside > 0 {
		s.note("%s: %s outside the valid range %v to %v, taken as missing", place, counted(c.outside, "value is", "values are"), p.low, p.high)
	}
	s.Values, s.strides = values, nil
	if a.swapped {
		s.strides = s.stridesOf(a, len(x.Dimensions))
		s.Values = make([]float64, len(values))
		for k := range values {
			s.Values[s.place(k)] = values[k]
		}
		s.note("%s: dimensions %s are taken with the examples first; results have the order of the file", place, f.shapeText(a.variable))
	}
	s.store = &netcdfStore{path: path, variable: x.Name, packing: p, fill: fill}
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
func (s *Set) stridesOf(a arrangement, dimensions int) []int {
	strides := make([]int, dimensions)
	strides[a.column] = 1
	if a.row >= 0 {
		strides[a.row] = s.Width
	}
	if a.example >= 0 {
		strides[a.example] = s.Width * s.Height
	}
	return strides
}

// coordinates reads the variable of a dimension's name, 0, 1, 2, … where there is none.
func coordinates(path string, f *index, d int) ([]float64, error) {
	dim := f.Dimensions[d]
	v := f.find(dim.Name)
	if v < 0 || f.Variables[v].Type == netcdf.Char || !slices.Equal(f.Variables[v].Dimensions, []int{d}) {
		return count(dim.Length), nil
	}
	x, err := readNumbers(path, f, v)
	if err != nil {
		return nil, err
	}
	return x, distinct(path, quote.Line(dim.Name), x)
}

// readNumbers reads a variable of finite numbers.
func readNumbers(path string, f *index, v int) ([]float64, error) {
	p, err := packingOf(path, &f.Variables[v])
	if err != nil {
		return nil, err
	}
	x := make([]float64, f.Len(v))
	if err := f.ReadFloat64s(x, v, 0); err != nil {
		return nil, netcdfError(path, err)
	}
	p.unpack(x)
	for i, t := range x {
		if t-t != 0 {
			return nil, &Error{Path: path, Place: fmt.Sprintf("%s, value %d", quote.Line(f.Variables[v].Name), i), Found: fmt.Sprint(t), Want: "a finite number"}
		}
	}
	return x, nil
}

// readVariable reads a variable as an array, NaN where it is missing.
func readVariable(name string) (*npy.Array, error) {
	path, variable := splitName(name)
	file, err := openNetCDF(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f := newIndex(file)
	v := f.find(variable)
	if variable == "" || v < 0 || f.Variables[v].Type == netcdf.Char {
		a, err := f.chooseVariable(path, variable)
		if err != nil {
			return nil, err
		}
		v = a.variable
	}
	p, err := packingOf(path, &f.Variables[v])
	if err != nil {
		return nil, err
	}
	x := make([]float64, f.Len(v))
	if err := f.ReadFloat64s(x, v, 0); err != nil {
		return nil, netcdfError(path, err)
	}
	p.unpack(x)
	return npy.New(x, f.Shape(v)...), nil
}

// distinct refuses numbers that repeat.
func distinct(path, what string, x []float64) error {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return compareFloats(x[i], x[j]) })
	for k := 1; k < len(order); k++ {
		if i, j := order[k-1], order[k]; x[i] == x[j] {
			return &Error{Path: path, Place: fmt.Sprintf("%s, value %d", what, j), Found: fmt.Sprintf("%v, as value %d", x[j], i), Want: "each once"}
		}
	}
	return nil
}

func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// readSpace sets the grid.
func (s *Set) readSpace(path string, f *index, a arrangement) error {
	x := &f.Variables[a.variable]
	column := x.Dimensions[a.column]
	if a.row >= 0 {
		row := x.Dimensions[a.row]
		rows, err := coordinates(path, f, row)
		if err != nil {
			return err
		}
		columns, err := coordinates(path, f, column)
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
		c, err := readNumbers(path, f, v)
		if err != nil {
			return err
		}
		all, s.coordinates = append(all, c), append(s.coordinates, name)
	}
	if all == nil {
		c, err := coordinates(path, f, column)
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
	s.examples = name
	if v < 0 || f.Variables[v].Type == netcdf.Char || !slices.Equal(f.Variables[v].Dimensions, []int{d}) {
		return nil
	}
	units, _ := f.Variables[v].Attribute("units")
	if strings.Contains(units.Text(), " since ") {
		calendar, _ := f.Variables[v].Attribute("calendar")
		u, err := ParseTimeUnits(units.Text(), calendar.Text())
		if err != nil {
			return &Error{Path: path, Place: quote.Line(name), Err: err}
		}
		s.Units = u
	}
	t, err := coordinates(path, f, d)
	if err != nil {
		return err
	}
	s.Times = t
	return nil
}
