package dataset

import (
	"fmt"
	"strconv"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// LoadPoints reads the coordinates of scattered points from a .npy file, n_s×d_s, or n_s
// numbers on a line, as a grid of one joint factor, to predict at. Errors: [*Error].
func LoadPoints(path string) (sgplvm.Grid, error) { return loadPoints(path, maxPoints) }

// LoadTrainingPoints is [LoadPoints] for points to learn from, of which there may be 16384.
func LoadTrainingPoints(path string) (sgplvm.Grid, error) { return loadPoints(path, maxJoint) }

// loadPoints reads at most so many points.
func loadPoints(path string, most int) (sgplvm.Grid, error) {
	a, err := LoadArray(path, "a file of coordinates")
	if err != nil {
		return nil, err
	}
	fail := func(place, found, want string) (sgplvm.Grid, error) {
		return nil, &Error{Path: path, Place: place, Found: found, Want: want}
	}
	shape := "shape " + quote.Shape(a.Shape)
	if len(a.Shape) != 1 && len(a.Shape) != 2 {
		return fail(shape, strconv.Itoa(len(a.Shape))+" axes", "coordinates: points×dimensions, or points")
	}
	points, dims := a.Shape[0], 1
	if len(a.Shape) == 2 {
		dims = a.Shape[1]
	}
	if points < 1 || points > most || dims < 1 || dims > maxDimensions {
		return fail(shape, quote.Counted(points, "point")+" of "+quote.Counted(dims, "dimension"), fmt.Sprintf("1 to %d points of 1 to %d dimensions", most, maxDimensions))
	}
	x := a.Float64s()
	for i, v := range x {
		if v-v != 0 {
			return fail(fmt.Sprintf("point %d, dimension %d", i/dims, i%dims), fmt.Sprint(v), "a finite coordinate")
		}
	}
	return factor(x, dims), nil
}

// Cover returns a grid of width×height points for the same pictures in another resolution.
// Along each axis the points are evenly spaced from the first to the last coordinate of g;
// a single point is in the middle. The outermost points stay where they are; [Pixels] keeps
// the area instead. g has one factor of two dimensions (row, column) or two factors of one
// dimension; another kind of grid is an error.
func Cover(g sgplvm.Grid, width, height int) (sgplvm.Grid, error) {
	rows, columns, err := extents(g)
	if err != nil {
		return nil, err
	}
	return plane(len(g), evenly(rows.low, rows.high, height), evenly(columns.low, columns.high, width)), nil
}

// Pixels returns the centres of width×height pixels that show the same area as a picture of
// the size from, whose pixels have the centres g. A pixel reaches half way to its neighbours.
// With twice the pixels along an axis, two new centres replace each old one, a quarter of the
// old spacing on either side of it, and an old pixel is the mean of the new ones in its place.
// The same size gives the same points. Grids and errors are those of [Cover].
func Pixels(g sgplvm.Grid, from Layout, width, height int) (sgplvm.Grid, error) {
	rows, columns, err := extents(g)
	if err != nil {
		return nil, err
	}
	return plane(len(g), rows.centres(from.Height, height), columns.centres(from.Width, width)), nil
}

// extents returns the extents of the rows and of the columns of a grid in a plane.
func extents(g sgplvm.Grid) (rows, columns extent, err error) {
	switch {
	case len(g) == 2 && g[0].Cols == 1 && g[1].Cols == 1:
		return extentOf(g, 0, 0), extentOf(g, 1, 0), nil
	case len(g) == 1 && g[0].Cols == 2:
		return extentOf(g, 0, 0), extentOf(g, 0, 1), nil
	case len(g) == 1:
		return rows, columns, fmt.Errorf("a space of %s, expected 2 for a grid", quote.Counted(g[0].Cols, "dimension"))
	}
	return rows, columns, fmt.Errorf("a space of %s, expected a plane for a grid", quote.Counted(len(g), "factor"))
}

// plane returns the grid of rows and columns in one joint factor or in two.
func plane(factors int, rows, columns []float64) sgplvm.Grid {
	if factors == 2 {
		return append(factor(rows, 1), factor(columns, 1)...)
	}
	xy := make([]float64, 0, 2*len(rows)*len(columns))
	for _, row := range rows {
		for _, column := range columns {
			xy = append(xy, row, column)
		}
	}
	return factor(xy, 2)
}

// An extent holds the least and the greatest value of a coordinate.
type extent struct{ low, high float64 }

// extentOf returns the extent of one coordinate of factor f.
func extentOf(g sgplvm.Grid, f, dimension int) extent {
	e := extent{g[f].At(0, dimension), g[f].At(0, dimension)}
	for i := range g[f].Rows {
		e.low, e.high = min(e.low, g[f].At(i, dimension)), max(e.high, g[f].At(i, dimension))
	}
	return e
}

// centres returns the centres of n pixels in the area of n0 pixels, of which the first and the
// last have their centres at the ends of e. A single old pixel has width 1.
func (e extent) centres(n0, n int) []float64 {
	step := 1.
	if n0 > 1 {
		step = (e.high - e.low) / float64(n0-1)
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = e.low + ((float64(i)+0.5)*float64(n0)/float64(n)-0.5)*step
	}
	return x
}

// evenly returns n numbers from low to high.
func evenly(low, high float64, n int) []float64 {
	if n == 1 {
		return []float64{low + (high-low)/2}
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = low + float64(i)*(high-low)/float64(n-1)
	}
	return x
}
