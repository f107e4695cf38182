package predict

import (
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// refine returns the moments of the latent posterior that the observed values
// have under the predictive covariance C itself, to first order around q(x) (docs/math.md,
// "Refinement by generalised least squares").
//
// L* judges q(x) as if all that the inducing variables leave unexplained were
// white. Given x, however, the residuals of neighbouring points are correlated
// by C, and generalised least squares makes better use of them: with the
// prediction linear in x around μ, y_O ≈ P_O·(ψ1 + J·(x − μ)) + N(0, C_OO), and
// the prior N(m, V), which is N(0, I) unless the example has its own, the posterior is
// Gaussian with
//
//	precision A = V⁻¹ + Σ_c (P_O·J)ᵀ·C_OO⁻¹·(P_O·J)
//	mean      μ + A⁻¹·[Σ_c (P_O·J)ᵀ·C_OO⁻¹·(y_O − P_O·ψ1) − V⁻¹·(μ − m)]
//
// so the data count once. It replaces ψ1 by its value at the new mean and
// Ψ2 − ψ1ψ1ᵀ by J·A⁻¹·Jᵀ. Where C is white and the map linear, that is q(x) with
// its full covariance. Examples whose observed points are too many for one
// C_OO keep their moments, and so do those with nothing observed.
func (q *Posterior) refine(e *example, l Latent, t moments) (moments, error) {
	if !e.observed() {
		return t, nil
	}
	for _, seen := range e.seen {
		if len(seen) > conditioning.exact {
			return t, nil
		}
	}
	t.setTerms(e.on)
	d, m := len(l.Mu), q.factors[0].Size()
	jacobian := e.room.matrix(m, d)
	q.psi.Jacobian(jacobian, l.Mu, l.S)
	s, err := q.leastSquares(e, l, t, jacobian)
	if err != nil {
		return t, err
	}
	mean, half, err := s.solve(e.room, l.Mu)
	if err != nil {
		return t, err
	}
	refined := t
	refined.factors, refined.psi1, refined.spread = s.factors, e.room.matrix(m, 1), e.room.matrix(m, m)
	q.psi.Psi1(refined.psi1.T(), e.room.one(mean, l.S, l.At))
	q.psi.Jacobian(jacobian, mean, l.S)
	moved := e.room.matrix(m, d)
	mat.Mul(moved, 1, jacobian, half, 0)
	mat.Syrk(refined.spread, 1, moved, 0)
	mat.MirrorLower(refined.spread)
	return refined, nil
}

// leastSquares are the normal equations A·step = shift of refine.
type leastSquares struct {
	precision mat.Matrix     // A, d_ξ×d_ξ
	shift     mat.Matrix     // d_ξ×1
	least     float64        // the least eigenvalue of V⁻¹
	factors   []*chol.Factor // of C_OO, for each channel
}

func (q *Posterior) leastSquares(e *example, l Latent, t moments, jacobian mat.Matrix) (*leastSquares, error) {
	d := len(l.Mu)
	s := lend[leastSquares](e.room, equationsKind)
	*s = leastSquares{precision: e.room.matrix(d, d), shift: e.room.matrix(d, 1), least: math.Inf(1), factors: e.room.pointers(len(e.seen))}
	for k, v := range l.Mu {
		mean, variance := e.prior.normal.At(k)
		s.precision.Set(k, k, 1/variance)
		s.shift.Data[k] = (mean - v) / variance
		s.least = min(s.least, 1/variance)
	}
	for c, seen := range e.seen {
		channels := e.alike(c)
		if len(seen) == 0 || channels == nil {
			continue
		}
		factor, err := q.observedFactor(e, t, c, seen)
		if err != nil {
			return nil, err
		}
		s.factors[c] = factor
		for _, c := range channels {
			po := e.room.gather(e.on.p[c], seen)
			slope, residual := e.room.matrix(len(seen), d), e.room.matrix(len(seen), 1)
			mat.Mul(slope, 1, po, jacobian, 0)
			mat.Mul(residual, -1, po, t.psi1, 0)
			for k, i := range seen {
				residual.Data[k] += e.values.At(i, c)
				if t.own != nil {
					residual.Data[k] -= t.own.mean.At(i, c)
				}
			}
			factor.SolveHalf(slope)
			factor.SolveHalf(residual)
			mat.Syrk(s.precision, 1, slope.T(), 1)
			mat.Mul(s.shift, 1, slope.T(), residual, 1)
		}
	}
	return s, nil
}

// solve returns the mean, μ + A⁻¹·shift, and H (d_ξ×d_ξ) with A⁻¹ = H·Hᵀ.
func (s *leastSquares) solve(r *room, mu []float64) (mean []float64, half mat.Matrix, err error) {
	a, err := r.sym(s.precision)
	if err != nil {
		return nil, half, err
	}
	for k, v := range a.Values {
		// A ⪰ V⁻¹, and rounding must not say otherwise where the data are sharp.
		a.Values[k] = 1 / math.Sqrt(max(v, s.least))
	}
	half = a.Vectors
	mat.ScaleCols(half, half, a.Values)
	rotated, step := r.matrix(len(mu), 1), r.matrix(len(mu), 1)
	mat.Mul(rotated, 1, half.T(), s.shift, 0)
	mat.Mul(step, 1, half, rotated, 0)
	mean = r.vector(len(mu))
	for k, v := range mu {
		mean[k] = v + step.Data[k]
	}
	return mean, half, nil
}
