package dataset

import (
	"bufio"
	"fmt"
	"math"
	"strings"

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
	if dates := readDates(path); dates != nil {
		return npy.New(dates, len(dates)), nil
	}
	a, err := LoadArray(path, "a file of "+want)
	if err == nil && isCSV(path) && (a.Shape[0] == 1 || a.Shape[1] == 1) {
		a.Shape = []int{a.Len()}
	}
	return a, err
}

// readDates reads a table of one column of dates, perhaps under a name, as days since 1970-01-01; nil: it is none.
func readDates(path string) (days []float64) {
	if !isCSV(path) || !isRegular(path) {
		return nil
	}
	text, _, err := openText(path)
	if err != nil {
		return nil
	}
	defer text.Close()
	for lines, first := bufio.NewScanner(text), true; lines.Scan(); first = false {
		day, err := sinceEpoch.Time(strings.Trim(lines.Text(), "\" \r"))
		if err == nil {
			days = append(days, day)
		} else if !first {
			return nil
		}
	}
	return days
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
