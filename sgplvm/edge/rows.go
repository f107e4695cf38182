package edge

import (
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// setTerms sets the tables that covariances of a fast model add up, given the moments.
func (w *Workspace) setTerms() {
	t, r, noise := &w.moments, &w.room, w.moments.noise
	of := &w.m.structure
	if t.own != nil {
		noise *= t.own.whole * t.own.prior
		if t.own.wide {
			of = w.wide(t.own.wideFactor)
		}
	}
	r.terms = append(r.terms[:0], term{of, noise})
	if t.latent {
		r.terms[0].amount += t.amounts[0]
		for k := range w.m.c.Shapes {
			r.terms = append(r.terms, term{&w.m.c.Shapes[k], t.amounts[1+k]})
		}
	}
}

// setShaped sets C_OO, of which only the lower triangle counts, and C_OM, in blocks of rows of observed points: between all points, which lie one behind the
// other in tables, where most of them count.
func (w *Workspace) setShaped(coo, com mat.Matrix, seen, missing []int) {
	t, r, m := &w.moments, &w.room, w.m
	columns, toSeen, toMissing := m.points, seen, missing
	if 2*(len(seen)+len(missing)) < len(columns) {
		r.columns = append(append(r.columns[:0], seen...), missing...)
		columns = r.columns
		toSeen, toMissing = m.points[:len(seen)], m.points[len(seen):len(columns)]
	}
	w.setTerms()
	depth := 0
	if t.own != nil {
		t.own.residuals(w, r.near, columns)
		depth = w.depth()
	}
	right := view(r.near, depth, len(columns))
	for from := 0; from < len(seen); from += noiseRows {
		to := min(from+noiseRows, len(seen))
		rows := view(r.noise, to-from, len(columns))
		if t.own != nil {
			left := view(r.nearRows, depth, to-from)
			for l := range depth {
				pickFrom(left.Row(l), right.Row(l), toSeen[from:to])
			}
			w.ownBlock(rows, left, right, seen[from:to], columns)
			mat.Scale(rows, t.noise*t.own.whole, rows)
		} else {
			rows.Fill(0)
		}
		w.addTerms(rows, from, seen, missing)
		for k := range rows.Rows {
			at, row := from+k, rows.Row(k)
			pickFrom(coo.Row(at)[:at+1], row, toSeen[:at+1])
			pickFrom(com.Row(at), row, toMissing)
		}
	}
	white := t.noise / m.c.Beta
	if t.latent {
		white += t.amounts[0] / m.c.Beta
	}
	if t.own != nil {
		white += w.lessWhite()
	}
	for k := range seen {
		coo.Row(k)[k] += white
	}
}

// addTerms adds the terms to rows of observed points, from a place on: pairs with observed points before them and with all missing ones, at the numbers of
// these points where rows have all, else observed ones before missing ones. Other elements do not count.
func (w *Workspace) addTerms(rows mat.Matrix, from int, seen, missing []int) {
	block := seen[from : from+rows.Rows]
	for k, i := range block {
		for _, t := range w.room.terms {
			w.addEarlier(rows.Row(k), t, i, seen[:from+k+1], len(seen), missing)
		}
	}
	// A table has pairs with later points in the rows of these.
	later, _ := slices.BinarySearch(missing, block[0])
	for l, i := range missing[later:] {
		at := len(seen) + later + l
		if rows.Cols == w.m.c.Points {
			at = i
		}
		count, _ := slices.BinarySearch(block, i)
		size := block[count-1] - block[0] + 1
		sum, pairs := w.room.row[:size], w.room.pairs[:size]
		clear(sum)
		for _, t := range w.room.terms {
			t.of.row(pairs, i, block[0])
			asm.Axpy(t.amount, pairs, sum)
		}
		for k, j := range block[:count] {
			rows.Data[k*rows.RowStride+at] += sum[j-block[0]]
		}
	}
}

// addEarlier adds a term to a row of addTerms: pairs of point i with points up to it.
func (w *Workspace) addEarlier(row []float64, t term, i int, seen []int, observed int, missing []int) {
	pairs := w.room.pairs[:i+1]
	t.of.row(pairs, i, 0)
	if len(row) == w.m.c.Points {
		asm.Axpy(t.amount, pairs, row[:len(pairs)])
		return
	}
	before, _ := slices.BinarySearch(missing, i)
	part := w.room.row[:len(seen)+before]
	pickFrom(part[:len(seen)], pairs, seen)
	pickFrom(part[len(seen):], pairs, missing)
	asm.Axpy(t.amount, part[:len(seen)], row)
	asm.Axpy(t.amount, part[len(seen):], row[observed:][:before])
}

// wide returns F∘C′ + Σ − β⁻¹·I between all points, of a factor of C′. That of the last factor is kept.
func (w *Workspace) wide(factor float64) *Table {
	h, m := &w.held, w.m
	if h.wideFactor == factor {
		return &h.wide
	}
	h.wideFactor = factor
	for from := 0; from < m.c.Points; from += noiseRows {
		to := min(from+noiseRows, m.c.Points)
		rows := view(w.room.wide, to-from, to)
		w.makeWide(rows, factor, m.points[from:to], m.points[:to])
		for k := range rows.Rows {
			h.wide.setRow(from+k, rows.Row(k)[:from+k+1])
		}
	}
	return &h.wide
}
