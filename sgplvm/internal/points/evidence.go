package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// setEvidence condenses the observed values to L* (docs/math.md, section 12): with γ_j the sums of squares of the columns of
// B_O, whitened where the noise is structured,
//
//	R = Σ_c [P_cᵀ·P_c − T_0·diag_i(Σ_j γ_j·(1 − β⁻¹/d_ij))·T_0ᵀ],   tr K_OO = Σ_j γ_j + tr (K − B·Bᵀ)_OO
//
// Of a fast model the sums over j are Σ_r (s_r − s_ir)·tr Σ_OO⁻¹·T_r,OO.
// Errors: *chol.NotPositiveDefiniteError, *chol.NonFiniteError.
func (w *Workspace) setEvidence() error {
	m, v, h := w.m, &w.evidence, &w.held
	same := h.holds(w.seen)
	if !same {
		h.valid, h.g0, h.gap = false, 0, math.NaN()
		v.Constant, v.Count = 0, 0
		clear(w.slack)
		w.g.Fill(0)
	}
	v.Square, v.Form, v.Prior, v.Strength = 0, &w.form, &w.prior, m.c.Options.NoiseStrength
	clear(w.g1)
	groups := 0
	for c, seen := range w.seen {
		channels := w.alike(c)
		if len(seen) == 0 || channels == nil {
			continue
		}
		groups++
		if !same {
			if err := w.setMask(channels, seen); err != nil {
				return err
			}
		}
		for place, c := range channels {
			w.addValues(place, c, seen)
		}
	}
	if !same {
		if !m.shaped() {
			mat.ScaleCols(w.scaled, m.coord, w.slack)
			mat.MulSym(w.g, 1, w.scaled, m.coord.T(), 1)
		}
		mat.MirrorLower(w.g)
		mat.Scale(w.g, -0.5*m.c.Precision, w.g)
		if groups == 1 {
			h.keep(w.seen)
		}
	}
	m.stats.SetForm(&w.form, h.g0, w.g1, w.g, nil)
	v.Square += w.form.Constant + h.g0*m.c.Prior
	return nil
}

// setMask adds what L* has of the observed points of some channels, but for their values.
func (w *Workspace) setMask(channels, seen []int) error {
	m, v, h := w.m, &w.evidence, &w.held
	logNoise, trace, err := w.observation(seen)
	if err != nil {
		return err
	}
	for place, c := range channels {
		po := h.predictions(place, m.c.Channels, len(seen), m.c.Inducing)
		for k, i := range seen {
			copy(po.Row(k), m.p[c].Row(i))
		}
		if m.structured() {
			h.whiten(po)
		}
		v.Constant -= 0.5*logNoise + 0.5*float64(len(seen))*math.Log(2*math.Pi)
		v.Count += float64(len(seen))
		h.g0 -= 0.5 * m.c.Precision * trace
		mat.Syrk(w.g, 1, po.T(), 1)
		asm.Axpy(-1, w.told, w.slack)
	}
	for r, share := range m.shares {
		mat.Add(w.g, w.g, float64(len(channels))*h.traces[r], share)
	}
	return nil
}

// addValues adds what L* has of the values of a channel, after setMask.
func (w *Workspace) addValues(place, c int, seen []int) {
	m, v, h := w.m, &w.evidence, &w.held
	po, y := h.predictions(place, m.c.Channels, len(seen), m.c.Inducing), mat.Vector(w.room.residual[:len(seen)])
	for k, i := range seen {
		y.Data[k] = w.value(i, c)
	}
	if m.structured() {
		h.whiten(y)
	}
	v.Square -= 0.5 * m.c.Precision * mat.Dot(y, y)
	mat.Mul(mat.Vector(w.g1), m.c.Precision, po.T(), y, 1)
}

// predictions sets the place-th room for them to P_c at points.
func (w *Workspace) predictions(place, c int, points []int) mat.Matrix {
	k := w.m.c.Inducing
	po := view(w.room.po[place*len(w.room.po)/w.m.c.Channels:], len(points), k)
	for l, i := range points {
		copy(po.Row(l), w.m.p[c].Row(i))
	}
	return po
}

// setTold sets told to Σ_j γ_j·(1 − β⁻¹/d_ij).
func (w *Workspace) setTold() {
	for i, l := range w.m.c.Latent {
		var sum float64
		for j, g := range w.norms {
			sum += g * w.m.taken(l, w.m.c.Lambda[j])
		}
		w.told[i] = sum
	}
}

// observation sets told for a set of observed points, factors Σ_OO where the noise is structured, and returns log|Σ_OO| and
// tr Σ_OO⁻¹K_OO, of white noise tr K_OO.
func (w *Workspace) observation(seen []int) (logNoise, trace float64, err error) {
	m := w.m
	if !m.structured() {
		w.maskNorms(seen)
		logNoise = -float64(len(seen)) * math.Log(m.c.Beta)
	} else {
		clear(w.held.traces)
		if logNoise, err = w.factorNoise(seen); err != nil {
			return 0, 0, err
		}
		if m.shaped() {
			return logNoise, asm.Dot(m.ofAll(), w.held.traces), nil
		}
		w.whitenedNorms(seen)
	}
	w.setTold()
	for _, g := range w.norms {
		trace += g
	}
	if !m.exact {
		trace += w.traceBeyond(seen)
	}
	return logNoise, trace, nil
}

// factorNoise factors Σ_OO, of a fast model blocks of it, of which it adds up the traces, and returns its log determinant.
func (w *Workspace) factorNoise(seen []int) (logDet float64, err error) {
	m, h := w.m, &w.held
	for k, from := 0, 0; from < len(seen); k, from = k+1, from+h.together {
		block := seen[from:min(from+h.together, len(seen))]
		sigma := view(w.room.coo, len(block), len(block))
		for k, i := range block {
			row := sigma.Row(k)[:k+1]
			if m.shaped() {
				w.earlier(row, &m.structure, i, block)
			} else {
				m.structure.pick(row, i, block[:k+1])
			}
			row[k] += 1 / m.c.Beta
		}
		factor := &h.noise[k]
		if err := factor.Refactorize(sigma); err != nil {
			return 0, err
		}
		logDet += factor.LogDet()
		if m.shaped() {
			w.addTraces(factor, block)
		}
	}
	return logDet, nil
}

// maskNorms sets γ of white noise: the mask contracted with B_f∘B_f.
func (w *Workspace) maskNorms(seen []int) {
	m := w.m
	if len(m.b) == 0 {
		row := w.room.row[:m.features]
		clear(w.norms)
		for _, i := range seen {
			m.c.Factors[0].B.row(row, i, 0)
			for j, v := range row {
				w.norms[j] += v * v
			}
		}
		return
	}
	mask := w.room.modes[0][:m.c.Points]
	clear(mask)
	for _, i := range seen {
		mask[i] = 1
	}
	copy(w.norms, w.modes(mask, m.squares, true))
}

// whitenedNorms sets γ of structured noise: sums of squares of L⁻¹B_O.
func (w *Workspace) whitenedNorms(seen []int) {
	m := w.m
	step := w.room.step
	for from := 0; from < m.features; from += step {
		b := view(w.room.observed, len(seen), min(step, m.features-from))
		m.setFeatures(b, seen, from, nil)
		w.held.whiten(b)
		w.columnSquares(w.norms[from:from+b.Cols], b)
	}
	for j := range w.norms {
		w.norms[j] *= m.part(m.c.Lambda[j])
	}
}

// traceBeyond returns tr (K − B·Bᵀ)_OO, whitened where the noise is structured.
func (w *Workspace) traceBeyond(seen []int) (trace float64) {
	m := w.m
	if !m.structured() {
		for _, i := range seen {
			trace += m.beyond(i, i)
		}
		return trace
	}
	gap := view(w.room.coo, len(seen), len(seen)) // Σ_OO is in the factor
	for k, i := range seen {
		for l, j := range seen[:k+1] {
			v := m.beyond(i, j)
			gap.Row(k)[l], gap.Row(l)[k] = v, v
		}
	}
	w.held.noise[0].Solve(gap)
	return mat.Trace(gap)
}

// columnSquares sets dst to the sums of squares of the columns of a.
func (w *Workspace) columnSquares(dst []float64, a mat.Matrix) {
	square := w.room.row[:len(dst)]
	clear(dst)
	for k := range a.Rows {
		asm.MulTo(square, a.Row(k), a.Row(k))
		asm.AddScaled(dst, dst, 1, square)
	}
}
