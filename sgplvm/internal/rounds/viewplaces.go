package rounds

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
)

// samePlaces is the name of what atPlaces does in a contest.
const samePlaces = "a regression on other views at the same places"

// sameRegion is the part of the longer range of each coordinate that views of one region share.
const sameRegion = 0.5

// atPlaces fills in view v, of which some values are missing, by regression on the other views at the same places: what that leaves of its values is completed as a view of its
// own (docs/math.md, 27). The other views have all values. Errors: those of Complete and of chol.Factorize.
func (s *Views) atPlaces(ctx context.Context, v int, others []completion.Filled, missing []bool) (mean, variance mat.Matrix, err error) {
	w, o := s.views[v], s.settings
	by, err := s.regression(v, others, missing)
	if err != nil {
		return mean, variance, err
	}
	rest := w.Y.Clone()
	mat.Add(rest, rest, -1, by)
	for k, hidden := range missing {
		if hidden {
			rest.Data[k] = math.NaN()
		}
	}
	d := w.untimed(rest)
	d.Times, d.Sequences, d.Clock, d.beside = w.Set.Times, w.Set.Sequences, limit.New(0), nil
	if o.Effort != field.EffortNone {
		o.Effort = field.EffortQuick
	}
	done, err := Complete(ctx, d, o, s.options, s.learner)
	if err != nil {
		return mean, variance, err
	}
	mean, variance = mat.NewDense(rest.Rows, rest.Cols, done.Mean.Data), mat.NewDense(rest.Rows, rest.Cols, done.Variance.Data)
	mat.Add(mean, mean, 1, by)
	return mean, variance, nil
}

// regression returns what other views say of the values of view v (n×points·channels): of each channel the least squares regression on all channels of the others at the nearest
// point, both without the mean of each point. Errors: those of chol.Factorize.
func (s *Views) regression(v int, others []completion.Filled, missing []bool) (mat.Matrix, error) {
	w := s.views[v]
	n, points := w.Y.Rows, w.Y.Cols/w.Channels
	said := s.atPointsOf(v, others)
	by, x, y := mat.New(n, w.Y.Cols), mat.New(n*points, said.Cols), mat.New(n*points, 1)
	gram, slopes := mat.New(x.Cols, x.Cols), mat.New(x.Cols, 1)
	for c := range w.Channels {
		seen := func(i, p int) bool { return !missing[i*w.Y.Cols+p*w.Channels+c] }
		mat.Copy(x, said)
		for k := range y.Data {
			y.Data[k] = w.Y.Data[k*w.Channels+c]
		}
		centre(x, n, seen)
		centre(y, n, seen)
		fit := x.Clone() // 0 where there is no value
		for k := range y.Data {
			if !seen(k/points, k%points) {
				clear(fit.Row(k))
			}
		}
		mat.Mul(gram, 1, fit.T(), fit, 0)
		mat.Mul(slopes, 1, fit.T(), y, 0)
		f, _, err := chol.FactorizeJitter(gram, nil)
		if err != nil {
			return by, err
		}
		f.Solve(slopes)
		mat.Mul(y, 1, x, slopes, 0)
		for k, value := range y.Data {
			by.Data[k*w.Channels+c] = value
		}
	}
	return by, nil
}

// centre takes from the values of n examples at points, a row each, the mean over those of the examples at that point of which seen is true; a value that is NaN becomes 0.
func centre(x mat.Matrix, n int, seen func(i, p int) bool) {
	points := x.Rows / n
	for p := range points {
		for f := range x.Cols {
			var sum, count float64
			for i := range n {
				if value := x.At(i*points+p, f); value == value && seen(i, p) {
					sum, count = sum+value, count+1
				}
			}
			for i := range n {
				value := x.At(i*points+p, f) - sum/max(1, count)
				if value != value {
					value = 0
				}
				x.Set(i*points+p, f, value)
			}
		}
	}
}

// atPointsOf returns the values of all other views at the points of view v that are nearest, a row for each example and point and a column for each channel; NaN where a view lacks an example. Views
// of other kinds of points have none.
func (s *Views) atPointsOf(v int, others []completion.Filled) mat.Matrix {
	w := s.views[v]
	points, columns := w.Y.Cols/w.Channels, 0
	nearest := make([][]int, len(s.views))
	for u, other := range s.views {
		if u != v {
			if nearest[u] = nearestPoints(w.Set.Grid, other.Set.Grid); nearest[u] != nil {
				columns += other.Channels
			}
		}
	}
	x := mat.New(w.Y.Rows*points, columns)
	x.Fill(math.NaN())
	from := 0
	for u, other := range s.views {
		if nearest[u] == nil {
			continue
		}
		for k, i := range w.Rows {
			if at := slices.Index(other.Rows, i); at >= 0 {
				for p, q := range nearest[u] {
					copy(x.Row(k*points + p)[from:], others[u].Y.Row(at)[q*other.Channels:][:other.Channels])
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
	x, y := coordinates(of), coordinates(other)
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

// coordinates returns the points of a grid, n_s×d.
func coordinates(g field.Grid) mat.Matrix {
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
