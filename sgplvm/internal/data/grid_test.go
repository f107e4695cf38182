package data_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

func TestGrid(t *testing.T) {
	g := field.Grid{mat.New(2, 1), mat.New(3, 2), mat.New(4, 1)}
	if n := g.Len(); n != 24 {
		t.Errorf("%d points", n)
	}
	if n := (field.Grid{}).Len(); n != 1 {
		t.Errorf("%d points of an empty product", n)
	}
	if diff := cmp.Diff([]int{2, 3, 4}, g.Dims()); diff != "" {
		t.Error(diff)
	}
	index := make([]int, 3)
	for joint := range 24 {
		data.Split(index, joint, g.Dims())
		if got := (index[0]*3+index[1])*4 + index[2]; got != joint || index[1] > 2 || index[2] > 3 {
			t.Errorf("point %d is %v", joint, index)
		}
	}
}

func TestGridEqual(t *testing.T) {
	negative := math.Copysign(0, -1)
	g := field.Grid{mat.NewDense(2, 2, []float64{0, 1, 2, 3}), mat.NewDense(1, 1, []float64{5})}
	for name, c := range map[string]struct {
		other field.Grid
		want  bool
	}{
		"itself":          {g, true},
		"a copy":          {field.Grid{g[0].Clone(), g[1].Clone()}, true},
		"another layout":  {field.Grid{g[0].T().Clone().T(), g[1]}, true},
		"another zero":    {field.Grid{mat.NewDense(2, 2, []float64{negative, 1, 2, 3}), g[1]}, true},
		"another number":  {field.Grid{mat.NewDense(2, 2, []float64{0, 1, 2, 4}), g[1]}, false},
		"another shape":   {field.Grid{mat.NewDense(4, 1, []float64{0, 1, 2, 3}), g[1]}, false},
		"another order":   {field.Grid{g[1], g[0]}, false},
		"a factor less":   {g[:1], false},
		"a factor more":   {append(g[:2:2], g[1]), false},
		"nothing":         {nil, false},
		"points permuted": {field.Grid{mat.NewDense(2, 2, []float64{2, 3, 0, 1}), g[1]}, false},
	} {
		if got := g.Equal(c.other); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Points are found by value: −0 is 0, numbers that print alike are different, and of equal points the last
// one is meant.
func TestAmong(t *testing.T) {
	negative := math.Copysign(0, -1)
	plane := []float64{1, 2, 1, 3, 0, 0, 1, 2, -1, 5}
	for name, c := range map[string]struct {
		known, x []float64
		dims     int
		want     []int
		missing  int
	}{
		"all in another order":    {[]float64{3, 1, 2}, []float64{2, 3, 1, 1}, 1, []int{2, 0, 1, 1}, -1},
		"negative zero in x":      {[]float64{1, 0}, []float64{negative}, 1, []int{1}, -1},
		"negative zero in known":  {[]float64{1, negative}, []float64{0, 1}, 1, []int{1, 0}, -1},
		"both zeros: the last":    {[]float64{0, negative, 1}, []float64{negative, 0}, 1, []int{1, 1}, -1},
		"of equal ones the last":  {[]float64{5, 7, 5, 5, 7}, []float64{5, 7}, 1, []int{3, 4}, -1},
		"next to a point":         {[]float64{0.1, 0.2}, []float64{0.2, math.Nextafter(0.1, 1)}, 1, nil, 1},
		"smallest numbers differ": {[]float64{0}, []float64{5e-324}, 1, nil, 0},
		"in a plane":              {plane, []float64{1, 3, 1, 2, -1, 5}, 2, []int{1, 3, 4}, -1},
		"half a point":            {plane, []float64{1, 2, 1, 5}, 2, nil, 1},
		"no points":               {[]float64{1}, nil, 1, nil, -1},
		"nothing known":           {nil, []float64{1}, 1, nil, 0},
		"not a number":            {[]float64{1, 2}, []float64{1, math.NaN()}, 1, nil, 1},
	} {
		at, missing := data.Among(mat.NewDense(len(c.x)/c.dims, c.dims, c.x), mat.NewDense(len(c.known)/c.dims, c.dims, c.known))
		if diff := cmp.Diff(c.want, at); diff != "" || missing != c.missing {
			t.Errorf("%s: missing %d, want %d\n%s", name, missing, c.missing, diff)
		}
	}
}

// The same against a search of all points, with many equal ones.
func TestAmongBySearch(t *testing.T) {
	for seed := range uint64(20) {
		known, x := normals(seed, 40, 2), normals(seed+100, 30, 2)
		for _, a := range []mat.Matrix{known, x} {
			for i, v := range a.Data {
				a.Data[i] = math.Round(v) // with −0
			}
		}
		var want []int
		first := -1
		for i := range x.Rows {
			found := -1
			for k := range known.Rows {
				if known.At(k, 0) == x.At(i, 0) && known.At(k, 1) == x.At(i, 1) {
					found = k
				}
			}
			if found < 0 {
				want, first = nil, i
				break
			}
			want = append(want, found)
		}
		at, missing := data.Among(x, known)
		if diff := cmp.Diff(want, at); diff != "" || missing != first {
			t.Errorf("missing %d, want %d\n%s", missing, first, diff)
		}
	}
}
