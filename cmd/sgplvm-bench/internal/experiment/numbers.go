package experiment

import (
	"fmt"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// loadPermutation reads an order of n things, such as frames, from a .npy file: n
// whole numbers of any type of integers, of which each from 0 to n−1 occurs once.
// Errors: [*dataset.Error].
func loadPermutation(path string, n int) ([]int, error) {
	want := fmt.Sprintf("%d whole numbers, each from 0 to %d once", n, n-1)
	a, err := dataset.LoadArray(path, "a .npy file of "+want)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 1 || a.Shape[0] != n {
		return nil, &dataset.Error{Path: path, Place: "shape " + quote.Shape(a.Shape), Found: quote.Counted(a.Len(), "value"), Want: want}
	}
	return different(path, a, n, want)
}

// loadChoice reads the numbers of some of n things, such as frames, from a .npy file:
// different whole numbers of any type of integers, each from 0 to n−1. It returns them in
// ascending order. Errors: [*dataset.Error].
func loadChoice(path string, n int) ([]int, error) {
	want := fmt.Sprintf("different whole numbers from 0 to %d", n-1)
	a, err := dataset.LoadArray(path, "a .npy file of "+want)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 1 {
		return nil, &dataset.Error{Path: path, Place: "shape " + quote.Shape(a.Shape), Found: fmt.Sprintf("%d axes", len(a.Shape)), Want: "one axis: " + want}
	}
	choice, err := different(path, a, n, want)
	slices.Sort(choice)
	return choice, err
}

// different checks that the elements of an array are different whole numbers from 0 to n−1.
func different(path string, a *npy.Array, n int, want string) ([]int, error) {
	if a.Type == npy.Float32 || a.Type == npy.Float64 {
		return nil, &dataset.Error{Path: path, Found: "elements of type " + a.Type.String(), Want: "integers"}
	}
	order, where := make([]int, a.Len()), make([]int, n)
	for k, v := range a.Float64s() {
		if !(v >= 0 && v < float64(n)) {
			return nil, &dataset.Error{Path: path, Place: fmt.Sprintf("element %d", k), Found: fmt.Sprintf("%.0f", v), Want: want}
		}
		i := int(v)
		if where[i] > 0 {
			return nil, &dataset.Error{Path: path, Place: fmt.Sprintf("element %d", k), Found: fmt.Sprintf("%d, as in element %d", i, where[i]-1), Want: want}
		}
		order[k], where[i] = i, k+1
	}
	return order, nil
}
