package views

import (
	"errors"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// leastRest is the least part of sums of squares that a regression leaves: below it there is nothing but rounding to complete.
const leastRest = 1e-12

// sameRegion is the part of the longer range of each coordinate that views of one region share.
const sameRegion = 0.5

// AtPlaces returns what other views say of the values of view v (n×points·channels): of each channel the least squares regression on all channels of the others at the nearest point,
// both without the mean of each point (docs/math.md, 27). Values of the others are complete. Errors: where no other view has places in common
// with v, or these tell all of it; those of chol.FactorizeJitter.
func AtPlaces(v int, all []Incomplete, grids []field.Grid) (mat.Matrix, error) {
	w, said := all[v], atPoints(v, all, grids)
	if said.Cols == 0 {
		return mat.Matrix{}, errors.New("views: no other view has places in common with this one")
	}
	n, points := w.Y.Rows, w.Y.Cols/w.Channels
	by, x, y := mat.New(n, w.Y.Cols), mat.New(n*points, said.Cols), mat.New(n*points, 1)
	gram, slopes := mat.New(x.Cols, x.Cols), mat.New(x.Cols, 1)
	for c := range w.Channels {
		missing := func(k int) bool { return w.Holes.Missing[k*w.Channels+c] }
		mat.Copy(x, said)
		for k := range y.Data {
			y.Data[k] = w.Y.Data[k*w.Channels+c]
		}
		centre(x, points, missing)
		centre(y, points, missing)
		observed := x.Clone() // 0 where nothing was
		for k := range y.Data {
			if missing(k) {
				clear(observed.Row(k))
			}
		}
		mat.Mul(gram, 1, observed.T(), observed, 0)
		mat.Mul(slopes, 1, observed.T(), y, 0)
		f, _, err := chol.FactorizeJitter(gram, nil)
		if err != nil {
			return by, err
		}
		f.Solve(slopes)
		told, all, left := mat.New(y.Rows, 1), 0., 0.
		mat.Mul(told, 1, x, slopes, 0)
		for k, value := range told.Data {
			if by.Data[k*w.Channels+c] = value; !missing(k) {
				all += y.Data[k] * y.Data[k]
				left += (y.Data[k] - value) * (y.Data[k] - value)
			}
		}
		if !(left > leastRest*all) {
			return by, errors.New("views: the regression on other views leaves nothing")
		}
	}
	return by, nil
}

// centre takes from values at points of one example after the other, a row each, the mean of each point where nothing is missing; a value that is NaN becomes 0.
func centre(x mat.Matrix, points int, missing func(row int) bool) {
	for p := range points {
		for f := range x.Cols {
			var sum, count float64
			for k := p; k < x.Rows; k += points {
				if value := x.At(k, f); value == value && !missing(k) {
					sum, count = sum+value, count+1
				}
			}
			for k := p; k < x.Rows; k += points {
				value := x.At(k, f) - sum/max(1, count)
				if value != value {
					value = 0
				}
				x.Set(k, f, value)
			}
		}
	}
}

// atPoints returns the values of all other views at the points of view v, a row for each example and point and a column for each channel; NaN where a view lacks an example. Views
// that have no places in common with v have no columns.
func atPoints(v int, all []Incomplete, grids []field.Grid) mat.Matrix {
	w, columns, nearest := all[v], 0, make([][]int, len(all))
	for u, other := range all {
		if u != v {
			if nearest[u] = nearestPoints(grids[v], grids[u]); nearest[u] != nil {
				columns += other.Channels
			}
		}
	}
	points := w.Y.Cols / w.Channels
	x, from := mat.New(w.Y.Rows*points, columns), 0
	x.Fill(math.NaN())
	for u, other := range all {
		if nearest[u] == nil {
			continue
		}
		for k, i := range w.Rows {
			if at := slices.Index(other.Rows, i); at >= 0 {
				for p, q := range nearest[u] {
					copy(x.Row(k*points + p)[from:], other.Y.Row(at)[q*other.Channels:][:other.Channels])
				}
			}
		}
		from += other.Channels
	}
	return x
}

// nearestPoints returns the point of another grid that is nearest to each point of a grid; nil where one has a single point, or another number of coordinates. Of grids of different regions each
// coordinate counts from 0 to 1.
func nearestPoints(of, other field.Grid) (list []int) {
	x, y := pointsOf(of), pointsOf(other)
	if x.Cols != y.Cols || x.Rows == 1 || y.Rows == 1 {
		return nil
	}
	same := true
	for q := range x.Cols {
		from, to := span(x, q)
		low, high := span(y, q)
		same = same && min(to, high)-max(from, low) >= sameRegion*max(to-from, high-low)
	}
	for _, a := range []mat.Matrix{x, y} {
		for q := range a.Cols {
			low, high := span(a, q)
			for p := range a.Rows {
				if !same && high > low {
					a.Set(p, q, (a.At(p, q)-low)/(high-low))
				}
			}
		}
	}
	tree := simple.NewTree(y)
	for p := range x.Rows {
		list = tree.Nearest(list, x.Row(p), 1)
	}
	return list
}

// pointsOf returns the points of a grid, n_s×d.
func pointsOf(g field.Grid) mat.Matrix {
	units := make([][]float64, len(g))
	for f, x := range g {
		units[f] = slices.Repeat([]float64{1}, x.Cols)
	}
	return data.InUnits(g, units)
}

// span returns the least and the largest value of a column.
func span(x mat.Matrix, column int) (low, high float64) {
	low, high = x.At(0, column), x.At(0, column)
	for i := range x.Rows {
		low, high = min(low, x.At(i, column)), max(high, x.At(i, column))
	}
	return low, high
}
