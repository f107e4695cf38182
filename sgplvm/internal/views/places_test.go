package views

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
)

// Where values are a mean of each point and a linear map of other views at the same places, with coordinates of the same region or of another, the regression leaves the mean
// of each point and what little noise there is, at missing values too; where there is none, nothing is left to complete.
func TestAtPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const n, points = 12, 10
	line := func(from, to float64, points int) field.Grid {
		x := mat.New(points, 1)
		for p := range points {
			x.Data[p] = from + (to-from)*float64(p)/float64(points-1)
		}
		return field.Grid{x}
	}
	grids := []field.Grid{line(2.2, 11.2, points), line(0, 9, points), line(100, 1000, 2*points-1), {mat.New(1, 1)}}
	all := make([]Incomplete, len(grids))
	for v, channels := range []int{2, 1, 1, 3} {
		y := mat.New(n, grids[v].Len()*channels)
		for k := range y.Data {
			y.Data[k] = rng.NormFloat64()
		}
		all[v] = Incomplete{completion.Filled{Y: y, Channels: channels}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}
	}
	one, w, other := all[0], all[1], all[2]
	all[2].Rows = other.Rows[:n-1]
	missing := make([]bool, n*points)
	for i := range n {
		for p := range points {
			y := 10 * float64(p)
			at := max(0, p-2) // the nearest point
			y += 2*one.Y.At(i, 2*at) - one.Y.At(i, 2*at+1)
			if i < n-1 {
				y += 0.5 * other.Y.At(i, 2*p)
			}
			w.Y.Set(i, p, y)
			missing[i*points+p] = i == n-1 || rng.Float64() < .3
		}
	}
	all[1].Holes = &completion.Mask{Size: points, Missing: missing}
	if _, err := AtPlaces(1, all, grids); err == nil {
		t.Error("nothing is left, and the regression goes on")
	}
	for k := range w.Y.Data {
		w.Y.Data[k] += 1e-5 * rng.NormFloat64()
	}
	by, err := AtPlaces(1, all, grids)
	if err != nil {
		t.Fatal(err)
	}
	all[3].Holes = &completion.Mask{Size: 3, Missing: make([]bool, 3*n)}
	if _, err := AtPlaces(3, all, grids); err == nil {
		t.Error("a table has the same places as fields")
	}
	for p := range points {
		if v := by.At(n-1, p); v-v != 0 {
			t.Errorf("point %d: %v of an example that a view lacks", p, v)
		}
		for i := range n - 1 {
			if a, b := w.Y.At(i, p)-by.At(i, p), w.Y.At(0, p)-by.At(0, p); math.Abs(a-b) > 1e-3 {
				t.Errorf("point %d: %v is left of example %d, %v of example 0", p, a, i, b)
			}
		}
	}
}
