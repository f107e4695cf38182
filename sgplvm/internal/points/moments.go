package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// setMoments evaluates those of N(mu, diag s) at the example's time.
func (w *Workspace) setMoments(mu, s []float64) {
	t, m := &w.moments, w.m
	m.stats.SetMoments(&t.of, &w.optimiser.Scratch, w.one(mu, s))
	t.psi0, t.own, t.degrees, t.latent, t.refined = t.of.Psi0, nil, 0, true, false
	if m.shaped() {
		w.setAmounts()
		return
	}
	mat.Mul(t.rotate, 1, t.of.Psi2, m.coord, 0)
	clear(t.tau)
	for i := range t.rotate.Rows {
		row, coord := t.rotate.Row(i), m.coord.Row(i)
		for j, v := range row {
			t.tau[j] += v * coord[j]
		}
	}
	for v, taken := range m.taken {
		share := t.shares[v]
		mat.Mul(mat.NewDense(1, len(share), share), 1, mat.NewDense(1, len(t.tau), t.tau), taken, 0)
		for j, x := range share {
			share[j] = m.part(j) * max(0, t.psi0-x)
		}
	}
	w.lessField()
	w.useVersion(0)
}

// one is q(x) at the example's time.
func (w *Workspace) one(mu, s []float64) psi.Q {
	q := psi.One(mu, s, nil)
	if w.timed {
		q.At = w.at[:]
	}
	return q
}

// useVersion has covariances and variances be those of a version of the mask of the training data.
func (w *Workspace) useVersion(v int) {
	t := &w.moments
	if len(t.shares) == 0 || !t.latent {
		return
	}
	t.share = t.shares[v]
	for j, x := range t.share {
		t.roots[j] = math.Sqrt(x)
	}
}

// marginal sets p to mean and variance of the data given the moments, without the white noise: the means at all points, the variances
// at some, an ascending list.
func (w *Workspace) marginal(p prediction, within []int) {
	t, m := &w.moments, w.m
	for c, pc := range m.p {
		to := p.mean.Slice(0, p.mean.Rows, c, c+1)
		if !t.latent {
			to.Fill(0)
			continue
		}
		mat.Mul(to, 1, pc, t.of.Psi1, 0)
	}
	if t.own != nil {
		asm.Axpy(1, t.own.mean.Data, p.mean.Data)
	}
	base := w.room.diagonal
	clear(w.room.spread)
	for c := range m.p {
		if c == 0 || w.version(c) != w.version(c-1) {
			w.setDiagonal(c, within)
		}
		for from := 0; from < len(within); from += together {
			block := within[from:min(from+together, len(within))]
			if t.latent {
				rows := w.room.left[:len(block)*w.breadth()]
				w.setSpread(rows, c, block)
				w.spreadOf(w.room.spread, mat.NewDense(len(block), w.breadth(), rows))
			}
			for k, i := range block {
				p.variance.Row(i)[c] = max(0, base[i]+w.room.spread[k])
			}
		}
	}
}

// setDiagonal sets the variances at some points, but for what the latent uncertainty adds and white noise, of a channel.
func (w *Workspace) setDiagonal(c int, within []int) {
	base := w.room.diagonal
	if w.moments.latent {
		w.useVersion(w.version(c))
		w.setFeatureVariance(base, within)
	} else {
		clear(base)
	}
	for _, i := range within {
		base[i] += w.structuredVariance(i)
	}
}

// breadth returns how many numbers tell what the latent uncertainty does to a value: d_ξ where Ψ2 − ψ1ψ1ᵀ was replaced by M·Mᵀ (refine), M m_ξ×d_ξ, else m_ξ.
func (w *Workspace) breadth() int {
	if w.moments.refined {
		return w.refinement.moved.Cols
	}
	return w.m.c.Inducing
}

// setSpread sets dst to rows of P_c·M, or of P_c.
func (w *Workspace) setSpread(dst []float64, c int, points []int) {
	of := w.m.p[c]
	if w.moments.refined {
		of = w.refinement.of(c)
	}
	work.GatherTo(view(dst, len(points), of.Cols), of, points)
}

// spreadOf sets dst to what the latent uncertainty adds to variances, for rows of P_c·M or P_c, at most so many as are taken together.
func (w *Workspace) spreadOf(dst []float64, rows mat.Matrix) {
	if w.moments.refined {
		for i := range rows.Rows {
			dst[i] = asm.SumSquares(rows.Row(i))
		}
		return
	}
	product := view(w.room.spreads, rows.Rows, rows.Cols)
	mat.Mul(product, 1, rows, w.moments.of.Spread, 0)
	for i := range rows.Rows {
		dst[i] = asm.Dot(product.Row(i), rows.Row(i))
	}
}

// structuredVariance is the variance of the noise's structured part at a point.
func (w *Workspace) structuredVariance(i int) float64 {
	t := &w.moments
	switch {
	case !w.m.structured():
		return 0
	case t.own != nil:
		return t.own.at(w.m, i)
	}
	return w.m.structure.pair(i, i)
}
