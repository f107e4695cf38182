package film

import (
	"errors"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// Size returns the size of pictures whose pixels are a grid: a factor of rows and one of columns, or one factor
// of (row, column) points, row by row. Errors: *field.ConfigError for another grid.
func Size(grid field.Grid) (width, height int, err error) {
	rows, columns, ok := sides(grid)
	if !ok {
		return 0, 0, &field.ConfigError{Field: "Grid", Err: errors.New("no pixels of pictures, expected a factor of rows and one of columns, or one of both, row by row")}
	}
	return len(columns), len(rows), nil
}

// sides returns the rows and the columns of a grid of pixels; ok is false where it is none.
func sides(grid field.Grid) (rows, columns []float64, ok bool) {
	switch {
	case len(grid) == 2 && grid[0].Cols == 1 && grid[1].Cols == 1:
		return column(grid[0], 0), column(grid[1], 0), true
	case len(grid) != 1 || grid[0].Cols != 2 || grid[0].Rows < 1:
		return nil, nil, false
	}
	x, n := grid[0], grid[0].Rows
	width := 1
	for width < n && x.At(width, 0) == x.At(0, 0) {
		width++
	}
	columns = column(x.Slice(0, width, 0, 2), 1)
	for i := range n {
		if i%width == 0 {
			rows = append(rows, x.At(i, 0))
		}
		if x.At(i, 0) != rows[len(rows)-1] || x.At(i, 1) != columns[i%width] {
			return nil, nil, false
		}
	}
	return rows, columns, n%width == 0
}

func column(x mat.Matrix, c int) []float64 {
	v := make([]float64, x.Rows)
	for i := range v {
		v[i] = x.At(i, c)
	}
	return v
}

// sizeOn returns the size of frames on a grid (nil: the training grid): its pixels must cover the area of the
// training pixels evenly. Errors: *field.ConfigError.
func (f *Film) sizeOn(training, grid field.Grid) (width, height int, err error) {
	if grid == nil || grid.Equal(training) {
		return f.shape.Width, f.shape.Height, nil
	}
	refuse := func(format string, args ...any) (int, int, error) {
		return 0, 0, &field.ConfigError{Field: "Grid", Err: fmt.Errorf("a film with motion: "+format, args...)}
	}
	rows, columns, ok := sides(grid)
	if !ok || len(grid) != len(training) {
		return refuse("%d spatial factors that are no pixels, expected pixels as those of training", len(grid))
	}
	oldRows, oldColumns, ok := sides(training)
	if !ok {
		return refuse("training points in no order of pixels, expected those of training")
	}
	if i := astray(rows, oldRows); i >= 0 {
		return refuse("row %d of %d at %v, expected rows that cover the %d of training evenly", i, len(rows), rows[i], len(oldRows))
	}
	if i := astray(columns, oldColumns); i >= 0 {
		return refuse("column %d of %d at %v, expected columns that cover the %d of training evenly", i, len(columns), columns[i], len(oldColumns))
	}
	return len(columns), len(rows), nil
}

// astray returns the first of the centres of some pixels along an axis that is not where it must be for all
// together to cover what others, evenly spaced, do; −1 where there is none.
func astray(centres, others []float64) int {
	n, m := float64(len(centres)), float64(len(others))
	side := 1.
	if len(others) > 1 {
		side = (others[len(others)-1] - others[0]) / (m - 1)
	}
	own := side * m / n
	first := others[0] - side/2 + own/2
	for i, x := range centres {
		if !(math.Abs(x-first-float64(i)*own) <= 1e-6*math.Abs(own)) {
			return i
		}
	}
	return -1
}
