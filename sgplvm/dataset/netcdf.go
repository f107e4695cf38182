package dataset

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/netcdf"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// openNetCDF opens a file and puts what is wrong with it into words.
func openNetCDF(path string) (*netcdf.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &Error{Path: path, Found: quote.Kind(info), Want: "a NetCDF file"}
	}
	f, err := netcdf.Open(path)
	if err == nil {
		return f, nil
	}
	return nil, netcdfError(path, err)
}

func netcdfError(path string, err error) error {
	var bad *netcdf.FormatError
	if !errors.As(err, &bad) {
		return &Error{Path: path, Err: err}
	}
	e := &Error{Path: path, Place: bad.Place, Found: bad.Found, Want: bad.Want, Err: err}
	if errors.Is(err, netcdf.ErrNetCDF4) {
		e.Place, e.Found = "", "a NetCDF-4 (HDF5) file"
		e.Want = fmt.Sprintf("a classic one, which this makes: nccopy -k classic %s NEW.nc (or -k 64-bit-offset, if it is large)", quote.Line(path))
	}
	return e
}

// An arrangement is how the dimensions of a variable are taken: as examples, rows and columns, each by its place among the
// variable's dimensions or −1. All others have length 1.
type arrangement struct {
	variable             int
	example, row, column int
	swapped              bool // not in the order example, row, column
}

// timeNames are names of dimensions of examples that need no further sign.
var timeNames = []string{"time", "t", "month", "year", "day", "hour", "date", "example", "sample", "member", "ensemble", "realization", "record", "frame", "step"}

// isTime tells whether a dimension is that of the examples.
func isTime(f *netcdf.File, d int) bool {
	dim := f.Dimensions[d]
	if dim.Record {
		return true
	}
	if v := f.Find(dim.Name); v >= 0 {
		units, _ := f.Variables[v].Attribute("units")
		axis, _ := f.Variables[v].Attribute("axis")
		name, _ := f.Variables[v].Attribute("standard_name")
		if strings.Contains(units.Text(), " since ") || axis.Text() == "T" || name.Text() == "time" {
			return true
		}
	}
	return slices.Contains(timeNames, strings.ToLower(dim.Name))
}

// arrange finds how a variable can be taken, or says why it cannot.
func arrange(f *netcdf.File, v int) (a arrangement, why string) {
	x := &f.Variables[v]
	a = arrangement{v, -1, -1, -1, false}
	if x.Type == netcdf.Char {
		return a, "text"
	}
	var space, times []int
	for k, d := range x.Dimensions {
		switch {
		case isTime(f, d):
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
func shapeText(f *netcdf.File, v int) string {
	var s []string
	for _, d := range f.Variables[v].Dimensions {
		s = append(s, fmt.Sprintf("%s %d", f.Dimensions[d].Name, f.Dimensions[d].Length))
	}
	return quote.Line("(" + strings.Join(s, ", ") + ")")
}

const wantVariable = "numbers of dimensions such as (time, lat, lon) or (time, station), others of length 1"

// chooseVariable returns the variable of the given name or, without, the only one that fits.
func chooseVariable(path, name string, f *netcdf.File) (arrangement, error) {
	if name != "" {
		v := f.Find(name)
		if v < 0 {
			return arrangement{}, &Error{Path: path, Found: "no variable " + quote.Text(name), Want: "one of " + variableNames(f, slices.Collect(indices(len(f.Variables))))}
		}
		a, why := arrange(f, v)
		if why != "" {
			return a, &Error{Path: path, Place: quote.Line(name) + shapeText(f, v), Found: why, Want: wantVariable}
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
		if a, why := arrange(f, i); why == "" && !named[x.Name] && !slices.ContainsFunc(f.Dimensions, func(d netcdf.Dimension) bool { return d.Name == x.Name }) {
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
		return arrangement{}, &Error{Path: path, Found: "no variable that fits, only " + variableNames(f, slices.Collect(indices(len(f.Variables)))), Want: wantVariable}
	}
	var numbers []int
	for _, a := range fit {
		numbers = append(numbers, a.variable)
	}
	return arrangement{}, &Error{Path: path, Found: fmt.Sprintf("%d variables that fit", len(fit)), Want: fmt.Sprintf("the name of one behind the file's, as %s:%s: %s",
		quote.Line(path), quote.Line(f.Variables[numbers[0]].Name), variableNames(f, numbers))}
}

func indices(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// variableNames lists some variables with their dimensions.
func variableNames(f *netcdf.File, numbers []int) string {
	var s []string
	for _, v := range numbers {
		s = append(s, f.Variables[v].Name+shapeText(f, v))
	}
	if s == nil {
		return "none"
	}
	return quote.Line(strings.Join(s, ", "))
}

// loadNetCDF reads a variable of a NetCDF file as a set. fill is a further number that means missing, or NaN.
func loadNetCDF(name string, fill float64) (*Set, error) {
	path, variable := splitName(name)
	f, err := openNetCDF(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a, err := chooseVariable(path, variable, f)
	if err != nil {
		return nil, err
	}
	x := &f.Variables[a.variable]
	if f.Len(a.variable) == 0 {
		return nil, &Error{Path: path, Place: quote.Line(x.Name) + shapeText(f, a.variable), Found: "no example", Want: "at least one"}
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
		return nil, &Error{Path: path, Place: quote.Line(x.Name) + shapeText(f, a.variable), Found: bad.found, Want: bad.want}
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
func (s *Set) readValues(path string, f *netcdf.File, a arrangement, fill float64) error {
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
		s.note("%s: dimensions %s are taken with the examples first; results have the order of the file", place, shapeText(f, a.variable))
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
func coordinates(path string, f *netcdf.File, d int) ([]float64, error) {
	dim := f.Dimensions[d]
	v := f.Find(dim.Name)
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
func readNumbers(path string, f *netcdf.File, v int) ([]float64, error) {
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
	f, err := openNetCDF(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	v := f.Find(variable)
	if variable == "" || v < 0 || f.Variables[v].Type == netcdf.Char {
		a, err := chooseVariable(path, variable, f)
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
func (s *Set) readSpace(path string, f *netcdf.File, a arrangement) error {
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
		return nil
	}
	// Stations: the coordinates that the variable names, or those of the dimension.
	var all [][]float64
	names, _ := x.Attribute("coordinates")
	for name := range strings.FieldsSeq(names.Text()) {
		v := f.Find(name)
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
func (s *Set) readTimes(path string, f *netcdf.File, d int) error {
	name := f.Dimensions[d].Name
	v := f.Find(name)
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

// A netcdfStore writes results beside the variable that they are of.
type netcdfStore struct {
	path, variable string
	packing        *packing
	fill           float64 // a further number that meant missing; NaN: none
}

func (n *netcdfStore) endings() []string { return netcdfEndings }

// names are those of the variables that are written.
func (n *netcdfStore) names() (filled, deviation string) {
	return n.variable + "_filled", n.variable + "_standard_error"
}

func (n *netcdfStore) check() error {
	f, err := openNetCDF(n.path)
	if err != nil {
		return err
	}
	defer f.Close()
	filled, deviation := n.names()
	for _, name := range []string{filled, deviation} {
		if f.Find(name) >= 0 {
			return &Error{Path: n.path, Found: "a variable " + quote.Text(name), Want: "none of this name, which the result has"}
		}
	}
	return nil
}

// extra gives the values of the file's variables and of two more.
type extra struct {
	*netcdf.File
	of      int // the variable that was filled
	set     *Set
	filled  *Filled
	typ     netcdf.Type
	raw     bool    // numbers of the file have the type of the result and are not packed
	missing float64 // what stands where nothing exists, unless numbers of the file do
}

func (e *extra) ReadBytes(dst []byte, v, from int) error {
	n := len(e.Variables)
	if v < n {
		return e.File.ReadBytes(dst, v, from)
	}
	size := e.typ.Size()
	old := make([]byte, 0)
	if v == n && e.raw {
		old = make([]byte, len(dst))
		if err := e.File.ReadBytes(old, e.of, from); err != nil {
			return err
		}
	}
	for k := 0; k < len(dst); k += size {
		place := e.set.place(from + k/size)
		x := e.filled.Mean[place]
		if v > n {
			x = e.filled.deviation(place)
		}
		if e.set.exists(place) && !math.IsNaN(x) {
			putNumber(dst[k:k+size], x)
		} else if len(old) > 0 {
			copy(dst[k:k+size], old[k:k+size])
		} else if x := e.set.kept(place); v == n && !math.IsNaN(x) {
			putNumber(dst[k:k+size], x)
		} else {
			putNumber(dst[k:k+size], e.missing)
		}
	}
	return nil
}

// putNumber writes a number as a big-endian one of 4 or 8 bytes.
func putNumber(dst []byte, x float64) {
	bits, size := math.Float64bits(x), len(dst)
	if size == 4 {
		bits = uint64(math.Float32bits(float32(x)))
	}
	for i := range dst {
		dst[i] = byte(bits >> (8 * (size - 1 - i)))
	}
}

// header returns the header of the file with the two variables of the result.
func (n *netcdfStore) header(f *netcdf.File, v int, missing float64) netcdf.Header {
	h := f.Header
	x := &f.Variables[v]
	filled, deviation := n.names()
	long := attributeText(x, "long_name", x.Name)
	drop := []string{"scale_factor", "add_offset", "valid_min", "valid_max", "valid_range", "actual_range", "_FillValue", "_Unsigned", "ancillary_variables", "long_name"}
	if n.packing.packed || n.packing.result != x.Type {
		drop = append(drop, "missing_value")
	}
	number := func(name string, v float64) netcdf.Attribute {
		if n.packing.result == netcdf.Float {
			return netcdf.NewAttribute(name, []float32{float32(v)})
		}
		return netcdf.NewAttribute(name, []float64{v})
	}
	mean := netcdf.Variable{Name: filled, Type: n.packing.result, Dimensions: x.Dimensions, Attributes: []netcdf.Attribute{
		number("_FillValue", missing),
		netcdf.NewAttribute("long_name", long+", missing values filled in"),
	}}
	for _, a := range x.Attributes {
		if !slices.Contains(drop, a.Name) {
			mean.Attributes = append(mean.Attributes, a)
		}
	}
	mean.Attributes = append(mean.Attributes, netcdf.NewAttribute("ancillary_variables", deviation))
	spread := netcdf.Variable{Name: deviation, Type: n.packing.result, Dimensions: x.Dimensions, Attributes: []netcdf.Attribute{
		number("_FillValue", missing),
		netcdf.NewAttribute("long_name", "standard error of "+long+", 0 where observed"),
	}}
	if standard := attributeText(x, "standard_name", ""); standard != "" {
		spread.Attributes = append(spread.Attributes, netcdf.NewAttribute("standard_name", standard+" standard_error"))
	}
	for _, name := range []string{"units", "coordinates", "grid_mapping"} {
		if a, ok := x.Attribute(name); ok {
			spread.Attributes = append(spread.Attributes, a)
		}
	}
	h.Variables = append(slices.Clone(h.Variables), mean, spread)
	return h
}

func attributeText(x *netcdf.Variable, name, or string) string {
	if a, ok := x.Attribute(name); ok && a.Text() != "" {
		return a.Text()
	}
	return or
}

// write writes the file with two more variables.
func (n *netcdfStore) write(w *errorWriter, s *Set, r *Filled) error {
	f, err := openNetCDF(n.path)
	if err != nil {
		return err
	}
	defer f.Close()
	v := f.Find(n.variable)
	if v < 0 || !slices.Equal(f.Shape(v), s.Shape) {
		return &Error{Path: n.path, Found: "another variable " + quote.Text(n.variable), Want: "the file as it was when it was read"}
	}
	missing := f.Variables[v].Type.Fill()
	if !isFloat(f.Variables[v].Type) {
		missing = n.packing.result.Fill()
	}
	raw := !n.packing.packed && n.packing.result == f.Variables[v].Type
	switch a, ok := f.Variables[v].Attribute("_FillValue"); {
	case !raw:
	case ok && a.Type == f.Variables[v].Type && a.Len() == 1:
		missing = a.Float64s()[0]
	case len(n.packing.declared) > 0:
		missing = n.packing.declared[0]
	}
	h := n.header(f, v, missing)
	e := &extra{File: f, of: v, set: s, filled: r, typ: n.packing.result, raw: raw, missing: missing}
	err = netcdf.Write(w, &h, e)
	if err != nil && h.Version == netcdf.Classic && w.n == 0 { // too large for its places
		h.Version = netcdf.Offset64
		err = netcdf.Write(w, &h, e)
	}
	if bad := (*netcdf.FormatError)(nil); errors.As(err, &bad) {
		return netcdfError(n.path, err)
	}
	return err
}
