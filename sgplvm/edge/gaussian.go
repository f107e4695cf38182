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

// multiplyLevels is gaussian of points with levels.
func (w *Workspace) multiplyLevels(dst mat.Matrix, x *points, factor float64, a, b []int) {
	t := &w.room.levels
	if t.of != &x.x.Data[0] || t.factor != factor {
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
	}
	if x.grid && w.m.all(b) {
		first, second := len(x.levels[0]), len(x.levels[1])
		for k, i := range a {
			own := t.values[int(x.at[0][i])*first:][:first]
			along(dst.Row(k), own, t.values[first*first+int(x.at[1][i])*second:][:second])
		}
		return
	}
	last := len(x.levels) - 1
	for k, i := range a {
		row, values := dst.Row(k), t.values
		for q, levels := range x.levels {
			n, at := len(levels), x.at[q]
			own := values[int(at[i])*n:][:n]
			values = values[n*n:]
			switch {
			case q == 0 && last > 0: // with the next one
			case q == 0:
				for l, j := range b {
					row[l] = own[at[j]]
				}
			case q == 1:
				first := x.at[0]
				before := t.values[int(first[i])*len(x.levels[0]):]
				for l, j := range b {
					row[l] = before[first[j]] * own[at[j]]
				}
			default:
				for l, j := range b {
					row[l] *= own[at[j]]
				}
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

// along sets row to products of numbers of the first and of the second dimension of a grid.
func along(row, first, second []float64) {
	for i, v := range first {
		asm.Scale(row[i*len(second):][:len(second)], v, second)
	}
}
