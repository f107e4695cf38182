package data_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

func TestFindMirrors(t *testing.T) {
	third := 1.0 / 3
	for name, c := range map[string]struct {
		points [][]float64
		orbits [][]int // nil: no reflection
		sizes  []int
	}{
		"a line":              {[][]float64{{0}, {1}, {2}}, [][]int{{0, 2}, {1, 1}}, []int{2, 1}},
		"unevenly":            {[][]float64{{0}, {1}, {3}}, nil, nil},
		"from both ends":      {[][]float64{{-1}, {5}, {0}, {4}}, [][]int{{0, 1}, {2, 3}}, []int{2, 2}},
		"one point":           {[][]float64{{3, 4}}, nil, nil},
		"a point twice":       {[][]float64{{0}, {1}, {1}, {2}}, nil, nil},
		"a square":            {[][]float64{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, [][]int{{0, 2, 1, 3}}, []int{4}},
		"a cross":             {[][]float64{{0, 1}, {1, 0}, {1, 1}, {1, 2}, {2, 1}}, [][]int{{0, 4, 0, 4}, {1, 1, 3, 3}, {2, 2, 2, 2}}, []int{2, 2, 1}},
		"a triangle":          {[][]float64{{0, 0}, {1, 1}, {2, 0}}, [][]int{{0, 2}, {1, 1}}, []int{2, 1}},
		"two of its corners":  {[][]float64{{0, 0}, {1, 1}}, nil, nil},
		"without a corner":    {[][]float64{{0, 0}, {2, 0}, {1, 1}, {0, 2}}, nil, nil},
		"rounded":             {[][]float64{{0}, {0.1}, {0.2}, {0.1 + 0.2}}, [][]int{{0, 3}, {1, 2}}, []int{2, 2}},
		"not quite":           {[][]float64{{0}, {0.1 + 1e-15}, {0.2}, {0.3}}, nil, nil},
		"rounded in one":      {[][]float64{{0.3, 0}, {0.1 + 0.2, 1}, {third, 0}, {1 - 2*third, 1}}, [][]int{{0, 2, 1, 3}}, []int{4}},
		"the same at one end": {[][]float64{{0, 0}, {1, 0}, {2, 0}, {3, 0}}, [][]int{{0, 3}, {1, 2}}, []int{2, 2}},
	} {
		x := mat.New(len(c.points), len(c.points[0]))
		for i, p := range c.points {
			copy(x.Row(i), p)
		}
		m := data.FindMirrors(x)
		if m == nil {
			m = new(data.Mirrors)
		}
		if diff := cmp.Diff(c.orbits, m.Orbits) + cmp.Diff(c.sizes, m.Sizes); diff != "" {
			t.Errorf("%s: −want +got:\n%s", name, diff)
		}
		for i, g := range m.By {
			if at := m.Orbits[m.Orbit[i]][g]; at != i {
				t.Errorf("%s: reflection %d takes the first of orbit %d to %d, expected %d", name, g, m.Orbit[i], at, i)
			}
		}
	}
}

// Of many dimensions only some count, and what they take to each other is at the same distances.
func TestMirrorsOfManyDimensions(t *testing.T) {
	x := mat.New(32, 5)
	for i := range x.Rows {
		for q := range x.Cols {
			x.Set(i, q, float64(i>>q&1)*float64(q+1))
		}
	}
	m := data.FindMirrors(x)
	if len(m.Orbits) != 4 || len(m.Orbits[0]) != 1<<data.MostMirrors {
		t.Fatalf("%d orbits of %d", len(m.Orbits), len(m.Orbits[0]))
	}
	distance := func(i, j int) (sum float64) {
		for q := range x.Cols {
			sum += math.Pow(x.At(i, q)-x.At(j, q), 2)
		}
		return sum
	}
	for a, p := range m.Orbits {
		for b, q := range m.Orbits {
			for g := range p {
				for h := range q {
					if distance(p[g], q[h]) != distance(p[0], q[g^h]) {
						t.Errorf("orbits %d and %d: a reflection changes a distance", a, b)
					}
				}
			}
		}
	}
}
