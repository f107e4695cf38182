package points

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

func (p atPoints) slice(from, to int) atPoints {
	columns := func(a mat.Matrix) mat.Matrix { return a.Slice(0, a.Rows, min(from, a.Cols), min(to, a.Cols)) }
	return atPoints{columns(p.residuals), columns(p.fitted)}
}

// ofExamples returns what the example's own noise has at points, in two rooms.
func (w *Workspace) ofExamples(near, fitted []float64, points []int) (p atPoints) {
	o := w.moments.own
	p.residuals = o.residuals(w, near, points)
	if o.wide {
		p.fitted = view(fitted, len(w.m.fitted), len(points))
		for l, row := range w.m.fitted {
			pickFrom(p.fitted.Row(l), row, points)
		}
	}
	return p
}

// setNoise sets dst to the noise, without white noise, between points a and b, after that between a and themselves. same: a is b, and only the
// lower triangle counts.
func (w *Workspace) setNoise(dst mat.Matrix, a, b []int, same bool) {
	t, r, amount := &w.moments, &w.room, 1.0
	switch {
	case t.own == nil:
		dst.Fill(0)
	case same:
		r.seen = w.ofExamples(r.near, r.fitted, a)
		w.setOwnNoise(dst, r.seen, r.seen, a, a, true)
	default:
		w.setOwnNoise(dst, r.seen, w.ofExamples(r.nearMissing, r.fittedMissing, b), a, b, false)
	}
	if !w.m.structured() {
		return
	}
	if t.own != nil {
		amount *= t.own.whole * t.own.prior
	}
	for k, i := range a {
		columns := upTo(b, k, same)
		pairs := r.row[:len(columns)]
		w.m.structure.pickPairs(pairs, i, columns)
		asm.Axpy(amount, pairs, dst.Row(k)[:len(columns)])
	}
}

// lessWhite returns what the white noise of the example's own noise has beyond that of all.
func (w *Workspace) lessWhite() float64 {
	t := &w.moments
	if t.own == nil {
		return 0
	}
	return (t.own.whole*t.own.prior - 1) / w.m.c.Beta
}

// ownRows is how many rows of a covariance are tapered at once. Tests lower it.
var ownRows = 64

// setOwnNoise sets dst to what training examples say of the example's own noise, whole·[(Σ_k near_k·near_kᵀ + g·R·g)∘C + prior·F] between points a and b.
// same: a is b, and only the lower triangle counts. C is a Gaussian.
func (w *Workspace) setOwnNoise(dst mat.Matrix, left, right atPoints, a, b []int, same bool) {
	o, amount := w.moments.own, w.moments.own.whole
	w.addResiduals(dst, amount, left, right, a, b, same)
	for from := 0; from < len(a); from += ownRows {
		to, columns := min(from+ownRows, len(a)), len(b)
		if same {
			columns = to
		}
		w.taper(dst.Slice(from, to, 0, columns), o.taper, o.taperFactor, a[from:to], b[:columns])
	}
	if o.wide {
		products(dst, amount*o.prior, left.fitted, right.fitted, 1, same)
	}
	for k, i := range a {
		if same && o.wide {
			dst.Row(k)[k] += amount * o.prior * w.m.unfitted[i]
		}
	}
}

// products sets dst to beta·dst + alpha·leftᵀ·right; same: they are the same, and only the lower triangle counts.
func products(dst mat.Matrix, alpha float64, left, right mat.Matrix, beta float64, same bool) {
	if same {
		mat.Syrk(dst, alpha, left.T(), beta)
	} else {
		mat.Mul(dst, alpha, left.T(), right, beta)
	}
}

// addResiduals sets dst to Σ_k near_k·near_kᵀ + g·R·g, times an amount.
func (w *Workspace) addResiduals(dst mat.Matrix, amount float64, left, right atPoints, a, b []int, same bool) {
	products(dst, amount, left.residuals, right.residuals, 0, same)
	g := w.moments.own.imputed
	if g == nil {
		return
	}
	for k, i := range a {
		columns := upTo(b, k, same)
		row, pairs := dst.Row(k), w.room.row[:len(columns)]
		w.m.c.Alike.pickPairs(pairs, i, columns)
		for l, j := range columns {
			row[l] += amount * g[i] * g[j] * pairs[l]
		}
	}
}

// taper multiplies dst by exp(−factor·‖x − x′‖²) between points a and b; by ones where there are no coordinates.
func (w *Workspace) taper(dst mat.Matrix, x *points, factor float64, a, b []int) {
	if x.x.Rows == 0 {
		return
	}
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
