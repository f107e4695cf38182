package edge

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// addNoise adds the noise, without white noise, between points a and b to dst, after that between a and themselves. near is room for residuals
// at b, same as in addBeyond.
func (w *Workspace) addNoise(dst mat.Matrix, a, b []int, near []float64, same bool) {
	t, m := &w.moments, w.m
	switch {
	case t.own != nil:
		t.own.residuals(w, near, b)
		w.addOwnNoise(dst, a, b, near, same)
	case m.structured():
		for k, i := range a {
			row := dst.Row(k)
			for l, j := range upTo(b, k, same) {
				row[l] += t.noise * m.structure.pair(i, j)
			}
		}
	}
}

// addOwnNoise adds the example's own noise, without white noise, between points a, whose residuals are in the room, and b, of
// residuals nearB. same: a is b, and only the lower triangle counts.
func (w *Workspace) addOwnNoise(dst mat.Matrix, a, b []int, nearB []float64, same bool) {
	depth := w.depth()
	left, right := view(w.room.near, depth, len(a)), view(nearB, depth, len(b))
	for from := 0; from < len(a); from += noiseRows {
		to, columns := min(from+noiseRows, len(a)), len(b)
		if same {
			columns = to
		}
		w.addOwnBlock(dst.Slice(from, to, 0, columns), left.Slice(0, depth, from, to), right.Slice(0, depth, 0, columns), a[from:to], b[:columns])
		for k := from; same && k < to; k++ {
			dst.Row(k)[k] += w.lessWhite()
		}
	}
}

// depth returns how many products the covariance of the example's own noise adds up.
func (w *Workspace) depth() int { return len(w.moments.own.rows) * w.m.c.Channels }

// lessWhite returns what the white noise of the example's own noise has beyond that of all.
func (w *Workspace) lessWhite() float64 {
	t := &w.moments
	return t.noise * (t.own.whole*t.own.prior - 1) / w.m.c.Beta
}

// addOwnBlock adds (1 + 1/(W+ν))·(c∘C + ρ·(Σ − β⁻¹·I)), c of ownBlock, to dst: the example's own noise, without white noise, between a block of points a, of
// residuals left, and b, of residuals right.
func (w *Workspace) addOwnBlock(dst, left, right mat.Matrix, a, b []int) {
	t, r := &w.moments, &w.room
	o := t.own
	c := view(r.noise, len(a), len(b))
	w.ownBlock(c, left, right, a, b)
	sigma := view(r.wide, len(a), len(b))
	if o.wide {
		w.makeWide(sigma, o.wideFactor, a, b)
	} else {
		w.pairs(sigma, a, b)
	}
	for k := range a {
		asm.Axpy(t.noise*o.whole, c.Row(k), dst.Row(k))
		asm.Axpy(t.noise*o.whole*o.prior, sigma.Row(k), dst.Row(k))
	}
}

// ownBlock sets c to (Σ_k near_k·near_kᵀ − m·mᵀ + g·R·g)∘C between points a, of residuals left, and b, of residuals right.
func (w *Workspace) ownBlock(c, left, right mat.Matrix, a, b []int) {
	o, share := w.moments.own, 1/float64(w.m.c.Channels)
	mat.Mul(c, 1, left.T(), right, 0)
	if !o.centred {
		for ch := range w.m.c.Channels {
			means := o.mean.Data
			if w.m.c.Channels > 1 || !w.m.first(b) {
				means = w.room.row[:len(b)]
				for l, j := range b {
					means[l] = o.mean.Data[j*w.m.c.Channels+ch]
				}
			}
			for k, i := range a {
				asm.Axpy(-share*o.mean.Row(i)[ch], means[:len(b)], c.Row(k))
			}
		}
	}
	if o.unsure != nil {
		for k, i := range a {
			row := c.Row(k)
			for l, j := range b {
				row[l] += o.unsure[i] * o.unsure[j] * w.m.c.Alike.pair(i, j)
			}
		}
	}
	taper := view(w.room.taper, len(a), len(b))
	w.gaussian(taper, o.taper, o.taperFactor, a, b)
	asm.MulTo(c.Data, c.Data, taper.Data)
}

// pairs sets dst to Σ − β⁻¹·I between points.
func (w *Workspace) pairs(dst mat.Matrix, a, b []int) {
	for k, i := range a {
		w.m.structure.pickPairs(dst.Row(k), i, b)
	}
}

// makeWide sets dst to F∘C′ + Σ − β⁻¹·I, of a factor of C′; 0: without C′.
func (w *Workspace) makeWide(dst mat.Matrix, factor float64, a, b []int) {
	w.fittedCovariance(dst, a, b)
	other := view(w.room.other, len(a), len(b))
	if factor > 0 {
		w.gaussian(other, &w.m.trainingSpacings, factor, a, b)
		mat.MulElem(dst, dst, other)
	}
	w.pairs(other, a, b)
	mat.Add(dst, dst, 1, other)
}

// columnsTogether is how many points are on the other side of a product. Products of few sizes need few rooms of their own.
const columnsTogether = 64

// fittedCovariance sets dst to F, the covariance of E f(x_n) over the training examples.
func (w *Workspace) fittedCovariance(dst mat.Matrix, a, b []int) {
	beta := 0.0
	for _, p := range w.m.p {
		left := view(w.room.rows, len(a), p.Cols)
		mat.Mul(left, 1, gathered(w.room.spreads, p, a), w.m.told, 0)
		for from := 0; from < len(b); from += columnsTogether {
			to := min(from+columnsTogether, len(b))
			right := gathered(w.room.spreads, p, b[from:to])
			mat.Mul(dst.Slice(0, dst.Rows, from, to), 1, left, right.T(), beta)
		}
		beta = 1
	}
}

// gathered returns some rows of a matrix, an ascending list: copies in room for them, or a view of rows that follow one another.
func gathered(room []float64, of mat.Matrix, list []int) mat.Matrix {
	n := len(list)
	if n > 0 && list[n-1]-list[0] == n-1 {
		return of.Slice(list[0], list[0]+n, 0, of.Cols)
	}
	rows := view(room, n, of.Cols)
	for k, i := range list {
		copy(rows.Row(k), of.Row(i))
	}
	return rows
}
