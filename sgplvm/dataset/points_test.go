package dataset_test

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

func TestLoadPoints(t *testing.T) {
	many := npy.New(make([]float32, 16385), 16385)
	for _, c := range []struct {
		a          *npy.Array
		rows, cols int
		err        string
	}{
		{npy.New(ramp[float32](6), 3, 2), 3, 2, ""},
		{npy.New(ramp[int64](6), 6), 6, 1, ""},
		{npy.New([]float64{1, 2, math.Inf(-1), 4}, 2, 2), 0, 0, "points.npy: point 1, dimension 0: found -Inf, expected a finite coordinate"},
		{npy.New([]float64{1}), 0, 0, "points.npy: shape (): found 0 axes, expected coordinates: points×dimensions, or points"},
		{npy.New([]float64{}, 3, 0), 0, 0, "points.npy: shape 3×0: found 3 points of 0 dimensions, expected 1 to 16384 points of 1 to 64 dimensions"},
		{many, 0, 0, "points.npy: shape 16385: found 16385 points of 1 dimension, expected 1 to 16384 points of 1 to 64 dimensions"},
	} {
		path := saveArray(t, "points.npy", c.a)
		if g, err := dataset.LoadPoints(path); c.a == many && (err != nil || g[0].Rows != 16385) {
			t.Errorf("%d points to predict at: %v", 16385, err)
		}
		g, err := dataset.LoadTrainingPoints(path)
		if c.err != "" {
			checkError(t, err, filepath.Dir(path), c.err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(g) != 1 || g[0].Rows != c.rows || g[0].Cols != c.cols || !slices.Equal(g[0].Data, c.a.Float64s()) {
			t.Errorf("%v, want %d×%d of %v", g, c.rows, c.cols, c.a.Float64s())
		}
	}
}

// Examples at points are read alike into memory and from their file, and name their
// values as such.
func TestLoadAt(t *testing.T) {
	values := ramp[float64](30)
	values[17] = math.NaN()
	path := saveArray(t, "values.npy", npy.New(values, 3, 5, 2))
	f, err := dataset.LoadWith(path, dataset.SetOptions{At: 5})
	if err != nil {
		t.Fatal(err)
	}
	o, err := dataset.OpenWith(path, dataset.SetOptions{At: 5, Layout: dataset.Layout{Channels: 2}})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if !f.Scattered || !o.Scattered || f.Points() != 5 || f.Channels != 2 || f.Count != 3 || o.Layout != f.Layout {
		t.Errorf("%+v, %+v", f.Form, o.Form)
	}
	got := make([]float64, 20)
	if err := o.ReadExamples(got, 0, 2); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got[:17], values[:17]) || !math.IsNaN(got[17]) {
		t.Errorf("read %v", got)
	}
	const bad = "values.npy: example 1, point 3, channel 1: found NaN (1 missing or infinite value in all), expected a finite number in every place"
	checkError(t, dataset.CheckComplete(f), filepath.Dir(path), bad)
	checkError(t, dataset.CheckComplete(o), filepath.Dir(path), bad)

	// A mask for all examples, by point and by value.
	for _, shape := range [][]int{{5}, {5, 2}, {3, 5}, {3, 5, 2}} {
		size := 1
		for _, d := range shape {
			size *= d
		}
		ones := slices.Repeat([]uint8{1}, size)
		ones[size-1] = 0
		mask, err := dataset.LoadMask(saveArray(t, "mask.npy", npy.New(ones, shape...)), &f.Form)
		if err != nil {
			t.Fatal(err)
		}
		if mask.Observed(2, 4, 1) || !mask.Observed(2, 3, 1) || mask.Observed(0, 4, 1) != (len(shape) > 1 && shape[0] == 3) {
			t.Errorf("mask of shape %v: %v %v %v", shape, mask.Observed(2, 4, 1), mask.Observed(2, 3, 1), mask.Observed(0, 4, 1))
		}
	}

	for _, c := range []struct {
		shape            []int
		points, channels int
		err              string
	}{
		{[]int{3, 5, 2}, 6, 0, "shape 3×5×2: found 5 points, expected 6"},
		{[]int{3, 5, 2}, 5, 1, "shape 3×5×2: found 2 channels, expected 1"},
		{[]int{3, 10}, 10, 2, "shape 3×10: found 1 channel, expected 2"},
		{[]int{0, 5}, 5, 0, "shape 0×5: found no example, expected at least one"},
		{[]int{3, 5, 0}, 5, 0, "shape 3×5×0: found 0 channels, expected 1 to 1024"},
		{[]int{30}, 5, 0, "shape 30: found 1 axis, expected examples: n×points or n×points×channels"},
		{[]int{3, 5, 2, 1}, 5, 0, "shape 3×5×2×1: found 4 axes, expected examples: n×points or n×points×channels"},
	} {
		size := 1
		for _, d := range c.shape {
			size *= d
		}
		path := saveArray(t, "bad.npy", npy.New(make([]float64, size), c.shape...))
		_, err := dataset.LoadWith(path, dataset.SetOptions{At: c.points, Layout: dataset.Layout{Channels: c.channels}})
		checkError(t, err, filepath.Dir(path), "bad.npy: "+c.err)
		_, err = dataset.OpenWith(path, dataset.SetOptions{At: c.points, Layout: dataset.Layout{Channels: c.channels}})
		checkError(t, err, filepath.Dir(path), "bad.npy: "+c.err)
	}
}

// Another resolution reaches from the first row and column to the last, and its own
// resolution is the grid itself.
func TestCover(t *testing.T) {
	grid := func(factors string) sgplvm.Grid {
		g, err := dataset.Grid(5, 3, factors)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	for _, factors := range []string{"joint", "product"} {
		g := grid(factors)
		same, err := dataset.Cover(g, 5, 3)
		if err != nil {
			t.Fatal(err)
		}
		for f := range g {
			if !slices.Equal(same[f].Data, g[f].Data) {
				t.Errorf("%s: %v, want %v", factors, same[f].Data, g[f].Data)
			}
		}
	}
	if large, err := dataset.Cover(grid("joint"), 200, 280); err != nil || large[0].Rows != 56000 {
		t.Errorf("a grid of 200x280: %v", err)
	}
	joint, err := dataset.Cover(grid("joint"), 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{0, 0, 0, 4, 1, 0, 1, 4, 2, 0, 2, 4}; !slices.Equal(joint[0].Data, want) {
		t.Errorf("%v, want %v", joint[0].Data, want)
	}
	product, err := dataset.Cover(grid("product"), 9, 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4}; !slices.Equal(product[0].Data, []float64{1}) || !slices.Equal(product[1].Data, want) {
		t.Errorf("%v, want [1] and %v", product, want)
	}
	points := grid("product")
	for want, g := range map[string]sgplvm.Grid{
		"a space of 1 dimension, expected 2 for a grid":     points[:1],
		"a space of 3 factors, expected a plane for a grid": {points[0], points[1], points[0]},
	} {
		if _, err := dataset.Cover(g, 20, 10); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Pixels of another size show the same area: two in the place of one lie a quarter of its side
// from its centre, and the mean of those in a pixel's place is its centre.
func TestPixels(t *testing.T) {
	for _, factors := range []string{"joint", "product"} {
		g, err := dataset.Grid(6, 4, factors)
		if err != nil {
			t.Fatal(err)
		}
		from := dataset.Layout{Width: 6, Height: 4}
		coordinate := func(g sgplvm.Grid, width, row, column int) [2]float64 {
			if factors == "joint" {
				return [2]float64(g[0].Row(row*width + column))
			}
			return [2]float64{g[0].At(row, 0), g[1].At(column, 0)}
		}
		same, err := dataset.Pixels(g, from, 6, 4)
		if err != nil {
			t.Fatal(err)
		}
		double, err := dataset.Pixels(g, from, 12, 8)
		if err != nil {
			t.Fatal(err)
		}
		third, err := dataset.Pixels(g, from, 2, 2)
		if err != nil {
			t.Fatal(err)
		}
		for f := range g {
			if !slices.Equal(same[f].Data, g[f].Data) {
				t.Errorf("%s: %v, want %v", factors, same[f].Data, g[f].Data)
			}
		}
		for row := range 8 {
			for column := range 12 {
				want := [2]float64{float64(row/2) + 0.5*float64(row%2) - 0.25, float64(column/2) + 0.5*float64(column%2) - 0.25}
				if got := coordinate(double, 12, row, column); got != want {
					t.Errorf("%s: pixel (%d, %d) of twice as many at %v, want %v", factors, row, column, got, want)
				}
			}
		}
		for i, want := range [][2]float64{{0.5, 1}, {0.5, 4}, {2.5, 1}, {2.5, 4}} {
			if got := coordinate(third, 2, i/2, i%2); got != want {
				t.Errorf("%s: pixel %d of 2x2 at %v, want %v", factors, i, got, want)
			}
		}
	}
	line, err := dataset.Grid(3, 1, "product")
	if err != nil {
		t.Fatal(err)
	}
	g, err := dataset.Pixels(sgplvm.Grid{line[0], line[1]}, dataset.Layout{Width: 3, Height: 1}, 3, 2)
	if err != nil || !slices.Equal(g[0].Data, []float64{-0.25, 0.25}) || !slices.Equal(g[1].Data, []float64{0, 1, 2}) {
		t.Errorf("a row in two: %v, error %v", g, err)
	}
	if _, err := dataset.Pixels(sgplvm.Grid{line[0]}, dataset.Layout{Width: 3, Height: 1}, 3, 2); err == nil {
		t.Error("pixels of a line")
	}
}
