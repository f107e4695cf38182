package points

import (
	"github.com/seed-08962ecc/kronfield/mat"
)

// refine judges x once more with the residuals of observed values correlated (docs/math.md, section 14.2), and replaces ψ1 and
// Ψ2 − ψ1ψ1ᵀ. Errors: *chol.NotPositiveDefiniteError, *chol.NonFiniteError.
func (w *Workspace) refine() error {
	if !w.exactly() {
		return nil
	}
	m, r, t := w.m, &w.refinement, &w.moments
	m.stats.Jacobian(r.jacobian, w.latent.Mu, w.latent.S)
	w.setPriorEquations()
	groups := 0
	for c, seen := range w.seen {
		channels := w.alike(c)
		if len(seen) == 0 || channels == nil {
			continue
		}
		groups++
		if err := w.factor.RefactorizeInPlace(w.observedCovariance(c, seen, w.without(w.missing, seen))); err != nil {
			return err
		}
		for _, c := range channels {
			w.addEquations(c, seen)
		}
	}
	w.ready = groups == 1
	if err := r.factor.RefactorizeInPlace(r.precision); err != nil {
		return err
	}
	r.factor.Solve(r.shift)
	for q, mu := range w.latent.Mu {
		r.mean[q] = mu + r.shift.Data[q]
	}
	m.stats.Psi1(t.of.Psi1.T(), w.one(r.mean, w.latent.S))
	m.stats.Jacobian(r.moved, r.mean, w.latent.S)
	r.factor.SolveHalf(r.moved.T()) // J·L⁻ᵀ, of which the square is J·A⁻¹·Jᵀ
	for c, p := range m.p {
		mat.Mul(r.of(c), 1, p, r.moved, 0)
	}
	t.refined = true
	return nil
}

// setPriorEquations sets the equations of refine to those of the prior.
func (w *Workspace) setPriorEquations() {
	r, p := &w.refinement, &w.prior
	if p.Precision.Rows > 0 {
		mat.Copy(r.precision, p.Precision)
		for q, mu := range w.latent.Mu {
			r.mean[q] = p.Mean[q] - mu
		}
		mat.Mul(r.shift, 1, p.Precision, mat.Vector(r.mean), 0)
		return
	}
	r.precision.Fill(0)
	for q, mu := range w.latent.Mu {
		r.precision.Set(q, q, 1/p.Variance[q])
		r.shift.Data[q] = (p.Mean[q] - mu) / p.Variance[q]
	}
}

// Refined judges the latent posterior of the last example once more with residuals of observed values correlated: it sets mean and precision, d_ξ×d_ξ, to those of
// N(mean, precision⁻¹). It reports false where so many values were observed that L* alone judges them. Errors: those of Complete.
func (w *Workspace) Refined(mean []float64, precision mat.Matrix) (ok bool, err error) {
	if !w.exactly() {
		return false, nil
	}
	w.setMoments(w.latent.Mu, w.latent.S)
	if err := w.refine(); err != nil {
		return false, err
	}
	copy(mean, w.refinement.mean)
	l := w.refinement.factor.L()
	mat.Mul(precision, 1, l, l.T(), 0)
	return true, nil
}

// addEquations adds those of a channel, of whose C_OO there is the factor.
func (w *Workspace) addEquations(c int, seen []int) {
	r, t, p := &w.refinement, &w.moments, w.m.p[c]
	slope, residual := view(w.room.po, len(seen), len(r.mean)), mat.NewDense(len(seen), 1, w.room.residual[:len(seen)])
	rows := r.of(c)
	mat.Mul(rows, 1, p, r.jacobian, 0)
	mat.Mul(mat.Vector(r.means), 1, p, t.of.Psi1, 0)
	for k, i := range seen {
		copy(slope.Row(k), rows.Row(i))
		residual.Data[k] = w.value(i, c) - r.means[i]
		if t.own != nil {
			residual.Data[k] -= t.own.mean.Row(i)[c]
		}
	}
	w.factor.SolveHalf(slope)
	w.factor.SolveHalf(residual)
	mat.Syrk(r.precision, 1, slope.T(), 1)
	mat.Mul(r.shift, 1, slope.T(), residual, 1)
}
