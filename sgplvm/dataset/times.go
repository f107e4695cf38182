package dataset

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// LoadTimes reads the times of n frames, in any unit and order, from a .npy file: n finite
// numbers, float64 or integers; n = 0 stands for any number, at least one.
// Errors: [*Error].
func LoadTimes(path string, n int) ([]float64, error) {
	want := "times, one for each frame"
	if n > 0 {
		want = fmt.Sprintf("%d times, one for each frame", n)
	}
	a, err := LoadArray(path, "a .npy file of "+want)
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

// LoadSequences reads which of several independent sequences each of n frames belongs to
// from a .npy file: n labels, whole numbers of any type of integers. Errors: [*Error].
func LoadSequences(path string, n int) ([]int, error) {
	want := fmt.Sprintf("%d labels of sequences, one for each frame", n)
	a, err := LoadArray(path, "a .npy file of "+want)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 1 || a.Shape[0] != n {
		return nil, &Error{Path: path, Place: "shape " + quote.Shape(a.Shape), Found: quote.Counted(a.Len(), "value"), Want: want}
	}
	if a.Type == npy.Float32 || a.Type == npy.Float64 {
		return nil, &Error{Path: path, Found: "elements of type " + a.Type.String(), Want: "integers"}
	}
	labels := make([]int, n)
	for i, v := range a.Float64s() {
		if v < math.MinInt32 || v > math.MaxInt32 {
			return nil, &Error{Path: path, Place: fmt.Sprintf("element %d", i), Found: fmt.Sprintf("%.0f", v), Want: "a label of at most 32 bits"}
		}
		labels[i] = int(v)
	}
	return labels, nil
}
