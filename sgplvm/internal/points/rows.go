package points

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// setTerms sets the tables that covariances of a fast model add up, given the moments.
func (w *Workspace) setTerms() {
	t, r, noise := &w.moments, &w.room, 1.0
	if t.own != nil {
		noise *= t.own.whole * t.own.prior
	}
	r.terms = append(r.terms[:0], term{&w.m.structure, noise})
	if t.latent {
		r.terms[0].amount += t.amounts[0]
		for k := range w.m.c.Shapes {
			r.terms = append(r.terms, term{&w.m.c.Shapes[k], t.amounts[1+k]})
		}
	}
}

// setShaped sets C_OO, of which only the lower triangle counts, and C_OM, of a fast model.
func (w *Workspace) setShaped(coo, com mat.Matrix, seen, missing []int) {
	t, r := &w.moments, &w.room
	if t.own != nil {
		r.columns = append(append(r.columns[:0], seen...), missing...)
		all := w.ofExamples(r.near, r.fitted, r.columns)
		left, right := all.slice(0, len(seen)), all.slice(len(seen), len(r.columns))
		w.setOwnNoise(coo, left, left, seen, seen, true)
		w.setOwnNoise(com, left, right, seen, missing, false)
	} else {
		coo.Fill(0)
		com.Fill(0)
	}
	w.setTerms()
	w.addTerms(coo, com, seen, missing)
	white := 1/w.m.c.Beta + w.lessWhite()
	if t.latent {
		white += t.amounts[0] / w.m.c.Beta
	}
	for k := range seen {
		coo.Row(k)[k] += white
	}
}

// addTerms adds the terms to C_OO and C_OM. Every row of their tables is read once: that of an observed point has its pairs with earlier
// points, that of a missing one those with earlier observed points.
func (w *Workspace) addTerms(coo, com mat.Matrix, seen, missing []int) {
	first := seen[0]
	if len(missing) > 0 {
		first = min(first, missing[0])
	}
	for k, l := 0, 0; k < len(seen) || l < len(missing); {
		if l == len(missing) || k < len(seen) && seen[k] < missing[l] {
			sum := w.sumTerms(first, seen[k])
			addFrom(coo.Row(k)[:k+1], sum, seen)
			addFrom(com.Row(k)[:l], sum, missing)
			k++
			continue
		}
		sum := w.sumTerms(first, missing[l])
		for q, j := range seen[:k] {
			com.Data[q*com.RowStride+l] += sum[j]
		}
		l++
	}
}

// sumTerms returns the sum of the terms' pairs of point i with those from the first to i, at their numbers.
func (w *Workspace) sumTerms(first, i int) []float64 {
	sum := w.room.row[:i+1]
	for k, t := range w.room.terms {
		if k == 0 {
			t.of.row(sum[first:], i, first)
			asm.Scale(sum[first:], t.amount, sum[first:])
			continue
		}
		pairs := w.room.pairs[:i+1-first]
		t.of.row(pairs, i, first)
		asm.Axpy(t.amount, pairs, sum[first:])
	}
	return sum
}
