package edge

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// gaussian sets dst to exp(−factor·‖x − x′‖²) between points a and b; ones where there are no coordinates.
func (w *Workspace) gaussian(dst mat.Matrix, x *points, factor float64, a, b []int) {
	switch {
	case x.x.Rows == 0:
		dst.Fill(1)
	case x.pairs == 0 || x.pairs > dst.Rows*dst.Cols:
		w.evaluate(dst, x, factor, a, b)
	default:
		w.multiplyLevels(dst, x, factor, a, b)
	}
}

// setLevels sets the Gaussians between levels of points, dimension by dimension.
func (w *Workspace) setLevels(x *points, factor float64) []float64 {
	t := &w.room.levels
	if t.of == &x.x.Data[0] && t.factor == factor {
		return t.values
	}
	t.of, t.factor = &x.x.Data[0], factor
	at := 0
	for _, levels := range x.levels {
		for _, u := range levels {
			for _, v := range levels {
				d := u - v
				t.values[at] = -factor * float64(d*d)
				at++
			}
		}
	}
	asm.Exp(t.values[:at], t.values[:at])
	return t.values
}

// onGrid returns the Gaussians between levels of a grid's two dimensions.
func (w *Workspace) onGrid(x *points, factor float64) (first, second mat.Matrix) {
	values, n := w.setLevels(x, factor), len(x.levels[0])
	return view(values, n, n), view(values[n*n:], len(x.levels[1]), len(x.levels[1]))
}

// smooth overwrites numbers of all points of a grid with their sums weighted by a Gaussian of the distance.
//
//go:noinline
func (w *Workspace) smooth(v []float64, x *points, factor float64) {
	first, second := w.onGrid(x, factor)
	grid, product := view(v, first.Rows, second.Rows), view(w.room.pairs, first.Rows, second.Rows)
	mat.Mul(product, 1, first, grid, 0)
	mat.Mul(grid, 1, product, second, 0)
}

// multiplyLevels is gaussian of points with levels.
func (w *Workspace) multiplyLevels(dst mat.Matrix, x *points, factor float64, a, b []int) {
	if x.grid && w.m.first(b) {
		first, second := w.onGrid(x, factor)
		for k, i := range a {
			along(dst.Row(k), first.Row(int(x.at[0][i])), second.Row(int(x.at[1][i])))
		}
		return
	}
	all := w.setLevels(x, factor)
	first := view(w.room.gathered, 1, len(b)).Data
	for k, i := range a {
		row, values := dst.Row(k), all
		for q, levels := range x.levels {
			n, at := len(levels), x.at[q]
			own := values[int(at[i])*n:][:n]
			values = values[n*n:]
			if q == 0 {
				if k == 0 || at[i] != at[a[k-1]] { // points of a grid follow one another along the other dimensions
					for l, j := range b {
						first[l] = own[at[j]]
					}
				}
				copy(row, first)
				continue
			}
			for l, j := range b {
				row[l] *= own[at[j]]
			}
		}
	}
}

// evaluate is gaussian of points with coordinates.
func (w *Workspace) evaluate(dst mat.Matrix, x *points, factor float64, a, b []int) {
	all := view(w.room.gathered, x.x.Rows, len(b))
	for q := range all.Rows {
		from, to := x.x.Row(q), all.Row(q)
		for l, j := range b {
			to[l] = from[j]
		}
	}
	for k, i := range a {
		row := dst.Row(k)
		clear(row)
		for q := range all.Rows {
			at := x.x.Row(q)[i]
			for l, v := range all.Row(q) {
				row[l] -= factor * (at - v) * (at - v)
			}
		}
		asm.Exp(row, row)
	}
}

// along sets row to products of numbers of the first and of the second dimension of a grid, as many as it has.
func along(row, first, second []float64) {
	for _, v := range first {
		n := min(len(second), len(row))
		asm.Scale(row[:n], v, second[:n])
		row = row[n:]
	}
}
