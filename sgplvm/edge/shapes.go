package edge

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A fast model has no features. The covariance of f given x is, in the basis that makes Σ the identity and K diag λ, diag Σ_i τ_i·λ/(1 + λ0_i·λ) + (ψ0 − Σ τ_i)·λ, which
// does not bend much: a_0 + Σ_r a_r·λ/(1 + κ_r·λ) is near enough, so that it is a sum of Σ and some matrices that the file has (docs/math.md, section 23).

// setAmounts sets a of the moments. The sum stays positive semidefinite.
func (w *Workspace) setAmounts() {
	t, c := &w.moments, w.m.c
	count := len(t.amounts)
	row := func(i int) []float64 { return c.Shares[i*count:][:count] }
	asm.Scale(t.amounts, t.untold(), row(c.Inducing))
	for i, tau := range t.tau {
		asm.Axpy(tau, row(i), t.amounts)
	}
	var least float64
	for _, lambda := range c.Lambda {
		v := t.amounts[0]
		for r, bend := range c.Bends {
			v += t.amounts[1+r] * bent(lambda, bend)
		}
		least = min(least, v)
	}
	t.amounts[0] -= least
}

// withNoise reports whether covariances of f, sums of Σ and shapes, have what Σ contributes to the noise too.
func (w *Workspace) withNoise() bool { return w.m.shaped() && w.moments.latent }

// pickFrom sets dst to the elements of a row at some places.
func pickFrom(dst, row []float64, at []int) {
	for k, i := range at[:len(dst)] {
		dst[k] = row[i]
	}
}

// addSum adds covariances of f given x, and of Σ's part of the noise without white noise, between points a and b to dst; without white noise that Σ has.
func (w *Workspace) addSum(dst mat.Matrix, a, b []int) {
	t, m := &w.moments, w.m
	noise := t.noise
	if t.own != nil {
		noise *= t.own.whole * t.own.prior
	}
	part := w.room.row[:len(b)]
	for k, i := range a {
		w.pairsOf(&m.structure, part, i, b)
		asm.Axpy(t.amounts[0]+noise, part, dst.Row(k))
		for r := range m.shapes {
			w.pairsOf(&m.shapes[r], part, i, b)
			asm.Axpy(t.amounts[1+r], part, dst.Row(k))
		}
	}
}

// pairsOf sets dst to elements of row i of a table of a fast model.
func (w *Workspace) pairsOf(t *Table, dst []float64, i int, columns []int) {
	if w.m.all(columns) {
		t.row(dst, i, 0)
		return
	}
	t.row(w.room.pairs, i, 0)
	pickFrom(dst, w.room.pairs, columns)
}

// setShapedVariance sets dst to the variance of f given x at points of a list.
func (w *Workspace) setShapedVariance(dst []float64, within []int) {
	m, amounts := w.m, w.moments.amounts
	for _, i := range within {
		dst[i] = amounts[0] * (m.structure.pair(i, i) + 1/m.c.Beta)
		for r := range m.c.Shapes {
			dst[i] += amounts[1+r] * m.shapes[r].pair(i, i)
		}
	}
}

// shapedTrace sets told, given the factor of Σ_OO, and returns tr Σ_OO⁻¹K_OO as it is a sum.
func (w *Workspace) shapedTrace(seen []int) (trace float64) {
	m, traces := w.m, w.held.traces
	inverse := view(w.room.coo, len(seen), len(seen))
	w.held.noise.Inverse(inverse)
	row := w.room.row[:len(seen)]
	traces[0] = float64(len(seen))
	for r := range m.c.Shapes {
		traces[1+r] = 0
		for k, i := range seen {
			own := row[:k+1]
			w.pairsOf(&m.shapes[r], own, i, seen[:k+1])
			traces[1+r] += 2*asm.Dot(own[:k], inverse.Row(k)[:k]) + own[k]*inverse.Row(k)[k]
		}
	}
	shares := mat.NewDense(m.c.Inducing+1, len(traces), m.c.Shares)
	trace = asm.Dot(shares.Row(m.c.Inducing), traces)
	for i := range w.told {
		w.told[i] = trace - asm.Dot(shares.Row(i), traces)
	}
	return trace
}
