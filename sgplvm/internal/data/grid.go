package data

import (
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Split writes the index of each factor of a joint index, the last the fastest.
func Split(index []int, joint int, dims []int) {
	for f := len(dims) - 1; f >= 0; f-- {
		index[f] = joint % dims[f]
		joint /= dims[f]
	}
}

// InSpacings returns the points of a grid, n_s×d, in mean spacings of each dimension.
func InSpacings(g field.Grid) mat.Matrix {
	units := make([][]float64, len(g))
	for f, x := range g {
		units[f] = work.Spacing(x)
	}
	return InUnits(g, units)
}

// InUnits returns the coordinates of a grid's points over all factors, n_s×d, those of factor f divided by units[f], one for each dimension.
func InUnits(g field.Grid, units [][]float64) mat.Matrix {
	dims, columns := g.Dims(), 0
	for _, x := range g {
		columns += x.Cols
	}
	points, index := mat.New(g.Len(), columns), make([]int, len(dims))
	for i := range points.Rows {
		Split(index, i, dims)
		row := points.Row(i)[:0]
		for f, x := range g {
			for d, v := range x.Row(index[f]) {
				row = append(row, v/units[f][d])
			}
		}
	}
	return points
}

// Among returns which of the points known (n×d) each of the points x is, by value; missing is
// the first of x that is none of them, or −1.
func Among(x, known mat.Matrix) (at []int, missing int) {
	order := make([]int, known.Rows)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return slices.Compare(known.Row(i), known.Row(j)) })
	for i := range x.Rows {
		k, found := slices.BinarySearchFunc(order, x.Row(i), func(j int, row []float64) int { return slices.Compare(known.Row(j), row) })
		if !found {
			return nil, i
		}
		for k+1 < len(order) && slices.Equal(known.Row(order[k+1]), x.Row(i)) { // of equal points the last
			k++
		}
		at = append(at, order[k])
	}
	return at, -1
}

// Joined returns the points of a grid as those of one factor: all coordinates, in the same order.
func Joined(grid field.Grid) mat.Matrix {
	if len(grid) == 1 {
		return grid[0]
	}
	points, dims := grid.Len(), 0
	for _, x := range grid {
		dims += x.Cols
	}
	all := mat.New(points, dims)
	every, column := points, 0
	for _, x := range grid {
		every /= x.Rows
		for j := range points {
			copy(all.Row(j)[column:column+x.Cols], x.Row(j/every%x.Rows))
		}
		column += x.Cols
	}
	return all
}

// Thinned returns every such point of each factor: the numbers of those that remain, and their grid.
func Thinned(g field.Grid, every int) (points []int, thin field.Grid) {
	points = []int{0}
	for _, x := range g {
		var rows, longer []int
		for i := 0; i < x.Rows; i += every {
			rows = append(rows, i)
		}
		for _, p := range points {
			for _, i := range rows {
				longer = append(longer, p*x.Rows+i)
			}
		}
		points, thin = longer, append(thin, work.Gather(x, rows))
	}
	return points, thin
}
