package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Evidence returns L* of the observed values, which is the workspace's. Errors: those of Complete.
func (w *Workspace) Evidence() (*infer.Evidence, error) {
	err := w.setEvidence()
	return &w.evidence, err
}

// setEvidence condenses the observed values to L* (docs/math.md, section 12): with γ_j the sums of squares of the columns of
// B_O, whitened where the noise is structured,
//
//	R = Σ_c [P_cᵀ·P_c − T_0·diag_i(Σ_j γ_j·(1 − β⁻¹/d_ij))·T_0ᵀ],   tr K_OO = Σ_j γ_j + tr (K − B·Bᵀ)_OO
//
// Of a fast model the sums over j are Σ_r (s_r − s_ir)·tr Σ_OO⁻¹·T_r,OO.
// Errors: *chol.NotPositiveDefiniteError, *chol.NonFiniteError.
func (w *Workspace) setEvidence() error {
	m, v, h := w.m, &w.evidence, &w.held
	w.setTogether()
	same := !w.inexact && h.holds(w.seen)
	if !same {
		h.valid, h.g0, h.gap = false, 0, math.NaN()
		v.Constant = 0
		clear(w.slack)
		w.g.Fill(0)
	}
	v.Square, v.Form, v.Prior = 0, &w.form, &w.prior
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
		if groups == 1 && !w.inexact {
			h.keep(w.seen)
		}
	}
	var at *kernel.Instant
	if w.timed {
		at = &w.at[0]
	}
	m.stats.SetForm(&w.form, h.g0, w.g1, w.g, at)
	v.Square += w.form.Constant
	return nil
}

// setTogether decides how many observed points' noise is correlated in L*: all, but few where near points tell alone of a part and x is refined by all of them afterwards.
func (w *Workspace) setTogether() {
	together := w.most
	if w.m.shaped() && w.o.PartNeighbours > 0 && (w.o.Fast || w.brief) {
		together = min(noiseTogether, w.most)
	}
	if w.held.together != together {
		w.held.together, w.held.valid = together, false
	}
}

// setMask adds what L* has of the observed points of some channels, but for their values.
func (w *Workspace) setMask(channels, seen []int) error {
	m, v, h := w.m, &w.evidence, &w.held
	logNoise, trace, err := w.observation(channels[0], seen)
	if err != nil {
		return err
	}
	for place, c := range channels {
		po := h.predictions(place, m.c.Channels, len(seen), m.c.Inducing)
		work.GatherTo(po, m.p[c], seen)
		h.whiten(po)
		v.Constant -= 0.5*logNoise + 0.5*float64(len(seen))*math.Log(2*math.Pi)
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
	h.whiten(y)
	v.Square -= 0.5 * m.c.Precision * mat.Dot(y, y)
	mat.Mul(mat.Vector(w.g1), m.c.Precision, po.T(), y, 1)
}

// predictions sets the place-th room for them to P_c at points.
func (w *Workspace) predictions(place, c int, points []int) mat.Matrix {
	po := view(w.room.po[place*len(w.room.po)/w.m.c.Channels:], len(points), w.m.c.Inducing)
	work.GatherTo(po, w.m.p[c], points)
	return po
}

// observation sets told for the observed points of a channel, factors Σ_OO where the noise is structured, and returns log|Σ_OO| and
// tr Σ_OO⁻¹K_OO, of white noise tr K_OO with what each value counts.
func (w *Workspace) observation(c int, seen []int) (logNoise, trace float64, err error) {
	m := w.m
	if !m.structured() {
		logNoise = w.maskNorms(c, seen)
	} else {
		clear(w.held.traces)
		if logNoise, err = w.factorNoise(c, seen); err != nil {
			return 0, 0, err
		}
		if m.shaped() {
			return logNoise, asm.Dot(m.ofAll(), w.held.traces), nil
		}
		w.whitenedNorms(seen)
	}
	mat.Mul(mat.Vector(w.told), 1, m.taken[m.version(c)], mat.Vector(w.norms), 0)
	trace = work.Sum(w.norms)
	if !m.exact {
		trace += w.traceBeyond(seen)
	}
	return logNoise, trace, nil
}

// factorNoise factors Σ_OO, of a fast model blocks of it, of which it adds up the traces, and returns its log determinant.
func (w *Workspace) factorNoise(c int, seen []int) (logDet float64, err error) {
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
			row[k] += 1/m.c.Beta + w.square(i, c)
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

// maskNorms sets γ of white noise, the mask contracted with B_f∘B_f, and what values with errors of their own count, and returns log|Σ_OO|. A value of
// standard error e has the noise variance β⁻¹ + e² and counts 1/(1 + βe²).
func (w *Workspace) maskNorms(c int, seen []int) (logNoise float64) {
	m, h := w.m, &w.held
	logNoise = -float64(len(seen)) * math.Log(m.c.Beta)
	h.roots = h.roots[:0]
	mask := w.room.reach
	clear(mask)
	for _, i := range seen {
		mask[i] = 1
		if w.inexact {
			mask[i] = 1 / (1 + m.c.Beta*w.square(i, c))
			logNoise -= math.Log(mask[i])
			h.roots = append(h.roots, math.Sqrt(mask[i]))
		}
	}
	if len(m.b) > 0 {
		copy(w.room.modes[0], mask)
		copy(w.norms, w.modes(w.room.modes[0][:m.c.Points], m.squares, true))
		return logNoise
	}
	row := w.room.row[:m.features]
	clear(w.norms)
	for _, i := range seen {
		m.c.Factors[0].B.row(row, i, 0)
		for j, v := range row {
			w.norms[j] += float64(mask[i]*v) * v
		}
	}
	return logNoise
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
		w.norms[j] *= m.part(j)
	}
}

// traceBeyond returns tr (K − B·Bᵀ)_OO, whitened where the noise is structured.
func (w *Workspace) traceBeyond(seen []int) (trace float64) {
	m := w.m
	if !m.structured() {
		for k, i := range seen {
			v := m.beyond(i, i)
			if w.inexact {
				v *= w.held.roots[k] * w.held.roots[k]
			}
			trace += v
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
