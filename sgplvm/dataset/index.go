package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/netcdf"
)

// An arrangement is how the dimensions of a variable are taken: as examples, rows and columns, each by its place among the
// variable's dimensions that are not fixed, or −1. All others have length 1.
type arrangement struct {
	variable             int
	dims, shape          []int // those that are not fixed, and their lengths
	example, row, column int
	over                 int  // the one that is to be fixed where there are too many, else −1
	swapped              bool // not in the order example, row, column
}

// timeNames are names of dimensions of examples that need no further sign.
var timeNames = []string{"time", "t", "month", "year", "day", "hour", "date", "example", "sample", "member", "ensemble", "realization", "record", "frame", "step"}

// spaceNames are names of dimensions in space.
var spaceNames = []string{"x", "y", "lat", "latitude", "lon", "longitude", "z", "rlat", "rlon", "nlat", "nlon", "row", "rows", "column", "columns", "col", "height", "width", "depth", "level", "lev", "easting", "northing", "ni", "nj", "xc", "yc",
	"south_north", "west_east"}

// An index of a file finds variables and dimensions by their names.
type index struct {
	*netcdf.File
	variables map[string]int
	times     []bool // for each dimension whether it is one of examples
	axes      map[string]bool
	chosen    map[int]int // places along dimensions that are fixed
	notes     []string    // attributes of coordinates that are ignored
}

func newIndex(f *netcdf.File) *index {
	x := &index{File: f, variables: make(map[string]int, len(f.Variables)), times: make([]bool, len(f.Dimensions)), axes: make(map[string]bool, len(f.Dimensions)), chosen: map[int]int{}}
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

// isTime tells whether a dimension is that of the examples: by what its variable or its name says, or as that of the records, unless it
// is one in space.
func (f *index) isTime(d int) bool {
	units, axis, standard := f.signs(d)
	inSpace := strings.HasSuffix(standard, "latitude") || strings.HasSuffix(standard, "longitude") || strings.HasSuffix(standard, "_coordinate") || strings.HasPrefix(units, "degree") ||
		axis != "" && strings.Contains("XYZ", axis) || slices.Contains(spaceNames, strings.ToLower(f.Dimensions[d].Name))
	return f.rank(d) < 2 || f.Dimensions[d].Record && !inSpace
}

// signs returns what the variable of a dimension's name says of it.
func (f *index) signs(d int) (units, axis, standardName string) {
	v := f.find(f.Dimensions[d].Name)
	if v < 0 {
		return "", "", ""
	}
	x := &f.Variables[v]
	return attributeText(x, "units", ""), attributeText(x, "axis", ""), attributeText(x, "standard_name", "")
}

// rank orders dimensions of examples: 0 of times, 1 of one with a name such as member, 2 of one that only has the records.
func (f *index) rank(d int) int {
	units, axis, standard := f.signs(d)
	switch {
	case isTimeUnits(units) || axis == "T" || standard == "time":
		return 0
	case slices.Contains(timeNames, strings.ToLower(f.Dimensions[d].Name)):
		return 1
	}
	return 2
}

// coordinates reads the variable of a dimension's name, 0, 1, 2, … where there is none.
func (f *index) coordinates(path string, d int) ([]float64, error) {
	dim := f.Dimensions[d]
	v := f.find(dim.Name)
	if v < 0 || f.Variables[v].Type == netcdf.Char || !slices.Equal(f.Variables[v].Dimensions, []int{d}) {
		return count(dim.Length), nil
	}
	x, err := f.readNumbers(path, v)
	if err != nil {
		return nil, err
	}
	return x, distinct(path, quote.Line(dim.Name), x)
}

// readNumbers reads a variable of finite numbers.
func (f *index) readNumbers(path string, v int) ([]float64, error) {
	p := packingOf(&f.Variables[v])
	f.notes = append(f.notes, p.notes...)
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

// distinct refuses numbers that repeat.
func distinct(path, what string, x []float64) error {
	order := upTo(len(x))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	for k := 1; k < len(order); k++ {
		if i, j := order[k-1], order[k]; x[i] == x[j] {
			return &Error{Path: path, Place: fmt.Sprintf("%s, value %d", what, j), Found: fmt.Sprintf("%v, as value %d", x[j], i), Want: "each once"}
		}
	}
	return nil
}
