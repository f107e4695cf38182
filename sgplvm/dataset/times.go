package dataset

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// LoadTimes reads the times of n frames, in any unit and order: n finite numbers, float64 or integers, of a .npy file, an archive (FILE.npz:NAME), a NetCDF file
// (FILE.nc, of which the times count, or FILE.nc:NAME), or a table of text with one column of numbers or of dates, which become days since 1970-01-01;
// n = 0 stands for any number, at least one. Errors: [*Error].
func LoadTimes(path string, n int) ([]float64, error) {
	want := "times, one for each frame"
	if n > 0 {
		want = fmt.Sprintf("%d times, one for each frame", n)
	}
	a, err := loadList(path, want)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 1 || a.Shape[0] == 0 || n > 0 && a.Shape[0] != n {
		return nil, &Error{Path: path, Place: "shape " + quote.Shape(a.Shape), Found: quote.Counted(a.Len(), "value"), Want: want}
	}
	if a.Type == npy.Float32 {
		return nil, &Error{Path: path, Found: "elements of type " + a.Type.String(), Want: "float64 or integers"}
	}
	times := a.Float64s()
	for i, t := range times {
		if t-t != 0 {
			return nil, &Error{Path: path, Place: fmt.Sprintf("element %d", i), Found: fmt.Sprint(t), Want: "a finite time"}
		}
	}
	return times, nil
}

// loadList reads an array, of which the only column of a table is a list, and so are the times of a NetCDF file without the name of a variable.
func loadList(path, want string) (*npy.Array, error) {
	if isNetCDF(path) && FileName(path) == path {
		return readTimeVariable(path)
	}
	if IsText(path) {
		return readList(path)
	}
	return LoadArray(path, "a file of "+want)
}

// readList reads the times of a table, or its only column or row of numbers.
func readList(path string) (*npy.Array, error) {
	t, err := readTable(path, SetOptions{}, true)
	if err != nil {
		return nil, err
	}
	if t.Time != nil {
		return npy.New(t.Times, t.Rows), nil
	}
	values, err := t.Numbers(t.Values)
	if err != nil {
		return nil, tableError(path, err)
	}
	if t.Rows == 1 || t.Count() == 1 {
		return npy.New(values, len(values)), nil
	}
	return npy.New(values, t.Rows, t.Count()), nil
}

// LoadSequences reads which of several independent sequences each of n frames belongs to, as [LoadTimes] reads times:
// n labels, whole numbers. Errors: [*Error].
func LoadSequences(path string, n int) ([]int, error) {
	want := fmt.Sprintf("%d labels of sequences, one for each frame", n)
	a, err := loadList(path, want)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 1 || a.Shape[0] != n {
		return nil, &Error{Path: path, Place: "shape " + quote.Shape(a.Shape), Found: quote.Counted(a.Len(), "value"), Want: want}
	}
	labels := make([]int, n)
	for i, v := range a.Float64s() {
		if !(v >= math.MinInt32 && v <= math.MaxInt32 && v == math.Trunc(v)) {
			return nil, &Error{Path: path, Place: fmt.Sprintf("element %d", i), Found: numberText(v), Want: "a label, a whole number of at most 32 bits"}
		}
		labels[i] = int(v)
	}
	return labels, nil
}
