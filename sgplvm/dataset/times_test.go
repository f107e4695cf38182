package dataset_test

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

func TestLoadTimes(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		a    *npy.Array
		n    int
		want []float64
		err  string
	}{
		{a: npy.New([]float64{0.5, -1, 1e9}, 3), n: 3, want: []float64{0.5, -1, 1e9}},
		{a: npy.New([]float64{0.5, -1, 1e9}, 3), want: []float64{0.5, -1, 1e9}},
		{a: npy.New([]int32{4, -2}, 2), n: 2, want: []float64{4, -2}},
		{a: npy.New([]uint8{7}, 1), n: 0, want: []float64{7}},
		{a: npy.New([]float64{1, 2}, 2), n: 3, err: "shape 2: found 2 values, expected 3 times, one for each frame"},
		{a: npy.New([]float64{1, 2}, 2, 1), n: 2, err: "shape 2×1: found 2 values, expected 2 times, one for each frame"},
		{a: npy.New([]float64{}, 0), n: 0, err: "shape 0: found 0 values, expected times, one for each frame"},
		{a: npy.New([]float64{1}), n: 1, err: "shape (): found 1 value, expected 1 times, one for each frame"},
		{a: npy.New([]float32{1}, 1), n: 1, err: "found elements of type float32, expected float64 or integers"},
		{a: npy.New([]float64{1, math.NaN()}, 2), n: 2, err: "element 1: found NaN, expected a finite time"},
		{a: npy.New([]float64{inf, 1}, 2), n: 2, err: "element 0: found +Inf, expected a finite time"},
	} {
		path := saveArray(t, "times.npy", c.a)
		got, err := dataset.LoadTimes(path, c.n)
		switch {
		case c.err != "":
			checkError(t, err, filepath.Dir(path), "times.npy: "+c.err)
		case err != nil || !slices.Equal(got, c.want):
			t.Errorf("%v: times %v, error %v", c.a, got, err)
		}
	}
	_, err := dataset.LoadTimes(filepath.Join(t.TempDir(), "gone.npy"), 1)
	if err == nil {
		t.Error("times from a file that is not there")
	}
}

func TestLoadSequences(t *testing.T) {
	for _, c := range []struct {
		a    *npy.Array
		want []int
		err  string
	}{
		{a: npy.New([]int64{3, -1, 3}, 3), want: []int{3, -1, 3}},
		{a: npy.New([]uint8{0, 1, 255}, 3), want: []int{0, 1, 255}},
		{a: npy.New([]int64{1, 2}, 2), err: "shape 2: found 2 values, expected 3 labels of sequences, one for each frame"},
		{a: npy.New([]int64{1, 2, 3}, 3, 1), err: "shape 3×1: found 3 values, expected 3 labels of sequences, one for each frame"},
		{a: npy.New([]float64{1, 2, 3}, 3), want: []int{1, 2, 3}},
		{a: npy.New([]float64{1, 2.5, 3}, 3), err: "element 1: found 2.5, expected a label, a whole number of at most 32 bits"},
		{a: npy.New([]int64{1, 1 << 40, 3}, 3), err: "element 1: found 1099511627776, expected a label, a whole number of at most 32 bits"},
	} {
		path := saveArray(t, "sequences.npy", c.a)
		got, err := dataset.LoadSequences(path, 3)
		switch {
		case c.err != "":
			checkError(t, err, filepath.Dir(path), "sequences.npy: "+c.err)
		case err != nil || !slices.Equal(got, c.want):
			t.Errorf("%v: labels %v, error %v", c.a, got, err)
		}
	}
}
