package points

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// taper multiplies dst by exp(−factor·‖x − x′‖²) between points a and b; by ones where there are no coordinates.
func (w *Workspace) taper(dst mat.Matrix, x *points, factor float64, a, b []int) {
	switch {
	case x.x.Rows == 0 || factor == 0:
	case x.pairs == 0 || x.pairs > dst.Rows*dst.Cols:
		w.evaluate(dst, x, factor, a, b)
	default:
		w.multiplyLevels(dst, x, factor, a, b)
	}
}

// setLevels returns the Gaussians between levels of points, dimension by dimension.
func (w *Workspace) setLevels(x *points, factor float64) []float64 {
	r := &w.room
	for k := range r.levels {
		if t := &r.levels[k]; t.of == &x.x.Data[0] && t.factor == factor {
			return t.values
		}
	}
	t := &r.levels[r.nextLevels]
	r.nextLevels = (r.nextLevels + 1) % levelSets
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

// multiplyLevels is taper of points with levels: rows of points of one level, in a dimension, have the same numbers there.
func (w *Workspace) multiplyLevels(dst mat.Matrix, x *points, factor float64, a, b []int) {
	values, own, places := w.setLevels(x, factor), w.room.gathered[:len(b)], w.room.merged[:len(b)]
	for q, levels := range x.levels {
		n, at := len(levels), x.at[q]
		for l, j := range b {
			places[l] = int(at[j])
		}
		low, high := n, 0
		for _, i := range a {
			low, high = min(low, int(at[i])), max(high, int(at[i]))
		}
		for level := low; level <= high; level++ {
			picked := false
			for k, i := range a {
				if int(at[i]) != level {
					continue
				}
				if !picked {
					picked = true
					pickFrom(own, values[level*n:][:n], places)
				}
				row := dst.Data[k*dst.RowStride:][:len(b)]
				asm.MulTo(row, row, own)
			}
		}
		values = values[n*n:]
	}
}

// evaluate is taper of points with coordinates.
func (w *Workspace) evaluate(dst mat.Matrix, x *points, factor float64, a, b []int) {
	all, row := view(w.room.gathered, x.x.Rows, len(b)), w.room.row[:len(b)]
	for q := range all.Rows {
		pickFrom(all.Row(q), x.x.Row(q), b)
	}
	for k, i := range a {
		clear(row)
		for q := range all.Rows {
			at := x.x.Row(q)[i]
			for l, v := range all.Row(q) {
				row[l] -= factor * (at - v) * (at - v)
			}
		}
		asm.Exp(row, row)
		asm.MulTo(dst.Row(k), dst.Row(k), row)
	}
}
