package points

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A fast model has no features. The covariance of f given x is, in the basis that makes Σ the identity and K diag λ, diag Σ_i τ_i·λ/(1 + λ0_i·λ) + (ψ0 − Σ τ_i)·λ, which
// does not bend much: a_0 + Σ_r a_r·λ/(1 + κ_r·λ) is near enough, so that it is a sum of Σ and some matrices that the file has (docs/math.md, section 23).

// setAmounts sets a of the moments. The sum stays positive semidefinite.
func (w *Workspace) setAmounts() {
	t, c := &w.moments, w.m.c
	for r, share := range w.m.shares {
		t.amounts[r] = t.psi0*w.m.ofAll()[r] + mat.Dot(share, t.of.Psi2)
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

// earlier sets dst to elements of row i of a table of a fast model, those of points of an ascending list up to i.
func (w *Workspace) earlier(dst []float64, t *Table, i int, columns []int) {
	row := w.room.pairs[:i+1]
	t.row(row[columns[0]:], i, columns[0])
	pickFrom(dst, row, columns)
}

// setShapedVariance sets dst to the variance of f given x at points of a list.
func (w *Workspace) setShapedVariance(dst []float64, within []int) {
	m, amounts := w.m, w.moments.amounts
	for _, i := range within {
		dst[i] = amounts[0] * (m.structure.pair(i, i) + 1/m.c.Beta)
		for r := range m.c.Shapes {
			dst[i] += amounts[1+r] * m.c.Shapes[r].pair(i, i)
		}
	}
}

// addTraces adds tr Σ_OO⁻¹·T_r,OO of a block of observed points, given the factor of Σ_OO.
func (w *Workspace) addTraces(factor *chol.Factor, block []int) {
	m, traces := w.m, w.held.traces
	inverse := view(w.room.coo, len(block), len(block))
	factor.Inverse(inverse)
	row := w.room.row[:len(block)]
	traces[0] += float64(len(block))
	for r := range m.c.Shapes {
		for k, i := range block {
			own := row[:k+1]
			w.earlier(own, &m.c.Shapes[r], i, block)
			traces[1+r] += 2*asm.Dot(own[:k], inverse.Row(k)[:k]) + own[k]*inverse.Row(k)[k]
		}
	}
}
