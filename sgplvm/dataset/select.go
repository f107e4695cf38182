package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/netcdf"
)

// choose fixes dimensions at one place each, as SetOptions.Select says.
func (f *index) choose(path, text string) error {
	if text == "" {
		return nil
	}
	for item := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(item), "=")
		d := f.dimension(name)
		if !ok || d < 0 {
			var names []string
			for i := range f.Dimensions {
				names = append(names, f.Dimensions[i].Name)
			}
			return &Error{Path: path, Place: "select " + quote.Text(item), Found: "no dimension " + quote.Text(name), Want: "DIMENSION=VALUE or DIMENSION=#INDEX of one of " + list(names)}
		}
		at, err := f.position(path, d, name, value)
		if err != nil {
			return err
		}
		f.chosen[d] = at
	}
	return nil
}

// dimension finds a dimension by its name or that of a variable of its coordinates, −1 where there is none.
func (f *index) dimension(name string) int {
	for d := range f.Dimensions {
		if f.Dimensions[d].Name == name {
			return d
		}
	}
	if v := f.find(name); v >= 0 && len(f.Variables[v].Dimensions) == 1 {
		return f.Variables[v].Dimensions[0]
	}
	return -1
}

// position finds the place of a value, or of #INDEX, along a dimension. name is that of the dimension or of its coordinates.
func (f *index) position(path string, d int, name, value string) (int, error) {
	n := f.Dimensions[d].Length
	if number, ok := strings.CutPrefix(value, "#"); ok {
		if i, err := strconv.Atoi(number); err == nil && 0 <= i && i < n {
			return i, nil
		}
	}
	x, err := f.places(path, d, name)
	if err != nil {
		return 0, err
	}
	want, bad := strconv.ParseFloat(value, 64)
	for i, c := range x {
		if bad == nil && math.Abs(c-want) <= 1e-6*math.Abs(want) { // which float32 or packing have rounded
			return i, nil
		}
	}
	return 0, &Error{Path: path, Place: "select " + quote.Text(name+"="+value), Found: "no such place", Want: fmt.Sprintf("one of %s, or #0 to #%d", numberList(x), n-1)}
}

// places returns the coordinates along a dimension, or 0, 1, 2, …; name is that of the dimension or of its coordinates.
func (f *index) places(path string, d int, name string) ([]float64, error) {
	if v := f.find(name); v >= 0 && slices.Equal(f.Variables[v].Dimensions, []int{d}) && f.Variables[v].Type != netcdf.Char {
		return f.readNumbers(path, v)
	}
	return count(min(f.Dimensions[d].Length, maxColumns)), nil
}

// remedy says how one of too many dimensions of a variable is fixed; nothing where they are not too many.
func (f *index) remedy(path string, a arrangement) string {
	if a.over < 0 {
		return ""
	}
	name := f.Dimensions[a.dims[a.over]].Name
	x, err := f.places(path, a.dims[a.over], name)
	if err != nil || len(x) == 0 {
		return ""
	}
	return fmt.Sprintf("; -select %s=%s chooses one place along %[1]s, of %[3]s", quote.Line(name), numberList(x[:1]), numberList(x))
}

// free returns the dimensions of a variable that are not fixed, and their lengths.
func (f *index) free(v int) (dims, shape []int) {
	for _, d := range f.Variables[v].Dimensions {
		if _, fixed := f.chosen[d]; !fixed {
			dims, shape = append(dims, d), append(shape, f.Dimensions[d].Length)
		}
	}
	return dims, shape
}

// runs calls use with the pieces, each contiguous in the file, of n numbers of a variable at the chosen places, in order: number at of them is number
// place of the variable.
func (f *index) runs(v, from, n int, use func(at, place, n int) error) error {
	dims := f.Variables[v].Dimensions
	last := -1
	for k, d := range dims {
		if _, fixed := f.chosen[d]; fixed {
			last = k
		}
	}
	inner := 1
	for _, d := range dims[last+1:] {
		inner *= f.Dimensions[d].Length
	}
	for at := 0; at < n; {
		block, place, step := (from+at)/inner, (from+at)%inner, inner
		for k := last; k >= 0; k-- {
			length := f.Dimensions[dims[k]].Length
			if i, fixed := f.chosen[dims[k]]; fixed {
				place += i * step
			} else {
				place += block % length * step
				block /= length
			}
			step *= length
		}
		run := n - at
		if last >= 0 {
			run = min(run, inner-(from+at)%inner)
		}
		if err := use(at, place, run); err != nil {
			return err
		}
		at += run
	}
	return nil
}
