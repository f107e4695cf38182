package points

import "github.com/seed-08962ecc/kronfield/mat"

// observedCovariance sets C_OO, the covariance of observed values of a channel given x; only the lower triangle counts. Of a fast model it sets C_OM too, for all
// of the missing points.
func (w *Workspace) observedCovariance(c int, seen, missing []int) mat.Matrix {
	w.useVersion(w.version(c))
	coo := view(w.room.coo, len(seen), len(seen))
	if w.m.shaped() {
		w.setShaped(coo, view(w.room.cross, len(seen), len(missing)), seen, missing)
	} else {
		w.setObserved(coo, seen)
	}
	w.seenVariance = 0
	for k := range seen {
		w.seenVariance += coo.Row(k)[k] / float64(len(seen))
	}
	if w.inexact {
		for k, i := range seen {
			coo.Row(k)[k] += w.square(i, c)
		}
	}
	return coo
}

// setObserved sets coo to C_OO in blocks of features.
func (w *Workspace) setObserved(coo mat.Matrix, seen []int) {
	t := &w.moments
	w.setNoise(coo, seen, seen, true)
	if t.latent {
		w.addObserved(coo, seen)
		w.addBeyond(coo, seen, seen, true)
	}
	for k := range seen {
		coo.Row(k)[k] += 1/w.m.c.Beta + w.lessWhite()
	}
}

// addObserved adds B·diag(ω)·Bᵀ between observed points to the lower triangle of dst.
func (w *Workspace) addObserved(dst mat.Matrix, seen []int) {
	if w.m.byPlaces(len(seen)) {
		w.addPlaces(dst, seen, seen, true)
		return
	}
	step := w.room.step
	for from := 0; from < w.m.features; from += step {
		b := view(w.room.observed, len(seen), min(step, w.m.features-from))
		w.m.setFeatures(b, seen, from, w.moments.roots)
		mat.Syrk(dst, 1, b, 1)
	}
}

// addCross adds it between observed and missing points, after addObserved of the same observed ones.
func (w *Workspace) addCross(dst mat.Matrix, seen, missing []int) {
	if w.m.byPlaces(len(seen)) {
		w.addPlaces(dst, seen, missing, false)
		return
	}
	step := w.room.step
	for from := 0; from < w.m.features; from += step {
		columns := min(step, w.m.features-from)
		a, b := view(w.room.observed, len(seen), columns), view(w.room.missing, len(missing), columns)
		if step < w.m.features {
			w.m.setFeatures(a, seen, from, w.moments.roots)
		}
		w.m.setFeatures(b, missing, from, w.moments.roots)
		mat.Mul(dst, 1, a, b.T(), 1)
	}
}

// crossCovariance returns C_OM for a block of missing points, which begins at a place of these, after observedCovariance of the same observed ones.
func (w *Workspace) crossCovariance(seen, missing []int, from, to int) mat.Matrix {
	r := &w.room
	if w.m.shaped() {
		return view(r.cross, len(seen), len(missing)).Slice(0, len(seen), from, to)
	}
	missing = missing[from:to]
	com := view(r.cross, len(seen), len(missing))
	w.setNoise(com, seen, missing, false)
	if w.moments.latent {
		w.addCross(com, seen, missing)
		w.addBeyond(com, seen, missing, false)
	}
	return com
}

// addBeyond adds ψ0·(K − B·Bᵀ) between points a and b to dst. same: a is b, and only the lower triangle counts.
func (w *Workspace) addBeyond(dst mat.Matrix, a, b []int, same bool) {
	if w.m.exact {
		return
	}
	for k, i := range a {
		row := dst.Row(k)
		for l, j := range upTo(b, k, same) {
			row[l] += w.moments.psi0 * w.m.beyond(i, j)
		}
	}
}

// addSpread adds P·(Ψ2 − ψ1ψ1ᵀ)·Pᵀ between observed values, of which there is P, to the lower triangle of dst.
func (w *Workspace) addSpread(dst, po mat.Matrix) {
	for from := 0; from < po.Rows; from += together {
		to := min(from+together, po.Rows)
		product := view(w.room.spreads, to-from, po.Cols)
		mat.Mul(product, 1, po.Slice(from, to, 0, po.Cols), w.moments.of.Spread, 0)
		mat.Mul(dst.Slice(from, to, 0, to), 1, product, po.Slice(0, to, 0, po.Cols).T(), 1)
	}
}
