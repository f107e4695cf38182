package points

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// startScores have for each training posterior what L* of any values needs where the noise is white: a row of ψ1, of p_kᵀ·Ψ2·p_k for each value k,
// and of diag T_0ᵀ·Ψ2·T_0, all without the part in time,
//
//	tr(G·Ψ2) = −½β·[Σ_k w_k·p_kᵀ·Ψ2·p_k + Σ_i slack_i·(T_0ᵀ·Ψ2·T_0)_ii]     w_k: what an observed value counts
//
// These are 2·m_ξ + n·d_y numbers where Ψ2 has ½·m_ξ².
type startScores struct {
	psi0 []float64
	rows mat.Matrix
}

// startBlocks is into how many blocks of examples the work is cut.
const startBlocks = 16

// setStarts sets them.
func (m *Model) setStarts() {
	c, k := m.c, m.c.Inducing
	s := &m.starts
	s.psi0, s.rows = make([]float64, c.Examples), mat.New(c.Examples, 2*k+m.values())
	blocks := min(startBlocks, c.Examples)
	mat.Parallel(blocks, func(b int) {
		var t psi.Scratch
		var of psi.Moments
		product := mat.New(max(m.values(), k), k)
		square := func(dst []float64, p mat.Matrix) { // diag p·Ψ2·pᵀ
			half := product.Slice(0, p.Rows, 0, k)
			mat.Mul(half, 1, p, of.Psi2, 0)
			for i := range dst {
				dst[i] = mat.Dot(half.Slice(i, i+1, 0, k), p.Slice(i, i+1, 0, k))
			}
		}
		from, to := work.Block(b, blocks, c.Examples)
		for n := from; n < to; n++ {
			row := s.rows.Row(n)
			m.stats.SetMoments(&of, &t, psi.One(m.mu.Row(n), m.s.Row(n), nil))
			s.psi0[n] = of.Psi0
			copy(row, of.Psi1.Data)
			for ch, p := range m.p {
				square(row[k+ch*c.Points:][:c.Points], p)
			}
			square(row[k+m.values():], m.coord.T())
		}
	})
}

// scoreStarts sets dst to L* of all training posteriors, but for their divergence from the prior and the constant of L*.
func (w *Workspace) scoreStarts(dst []float64) {
	m, k := w.m, w.m.c.Inducing
	counts := w.startCounts
	clear(counts)
	copy(counts, w.form.Linear())
	for c, seen := range w.seen {
		for _, i := range seen {
			v := 1.0
			if w.inexact {
				v = 1 / (1 + m.c.Beta*w.square(i, c))
			}
			counts[k+c*m.c.Points+i] = -0.5 * m.c.Precision * v
		}
	}
	asm.Scale(counts[k+m.values():], -0.5*m.c.Precision, w.slack)
	asm.DotRows(dst, m.starts.rows.Data, m.starts.rows.RowStride, counts)
	asm.Axpy(w.held.g0, m.starts.psi0, dst)
	for i := range dst {
		dst[i] += w.evidence.Square
	}
}
