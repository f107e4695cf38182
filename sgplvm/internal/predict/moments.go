package predict

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// moments are what a latent posterior contributes to a prediction (docs/math.md,
// "Prediction").
type moments struct {
	noise  float64     // the example's noise variance over that of the training data
	psi0   float64     // ψ0
	psi1   mat.Matrix  // ψ1, m_ξ×1
	spread mat.Matrix  // Ψ2 − ψ1ψ1ᵀ, m_ξ×m_ξ
	h      [][]float64 // Σ_i (1 − w_ij)·(T_0ᵀΨ2T_0)_ii in the scale of Φ, one for each joint spatial index, for each version of the mask
	room   *room       // that of the call, or nil
}

func (q *Posterior) momentsOf(l field.Latent) moments { return q.momentsIn(nil, l) }

// momentsIn is momentsOf of what a room lends.
func (q *Posterior) momentsIn(r *room, l field.Latent) moments {
	t, tau := q.latentMoments(r, l)
	t.room, t.h = r, r.rows(len(q.taken()))
	for _, taken := range q.taken() {
		h := r.vector(taken.Cols)
		mat.Mul(mat.NewDense(1, len(h), h), 1, tau, taken, 0)
		t.h = append(t.h, h)
	}
	return t
}

// latentMoments returns the moments without h, and diag T_0ᵀΨ2T_0 (1×m_ξ), of which h is a
// combination of weights.
func (q *Posterior) latentMoments(lent *room, l field.Latent) (t moments, tau mat.Matrix) {
	m := q.factors[0].Size()
	r := lent.moments(q.psi, m, lent.one(l.Mu, l.S, l.At))
	t = moments{noise: l.NoiseRatio(), psi0: r.Psi0, psi1: r.Psi1, spread: r.Spread}

	t0 := q.factors[0].Coord
	rotated := lent.matrix(m, m)
	mat.Mul(rotated, 1, r.Psi2, t0, 0)
	mat.MulElem(rotated, rotated, t0)
	tau = lent.matrix(1, m)
	for i := range m {
		asm.Axpy(1, rotated.Row(i), tau.Data)
	}
	return t, tau
}

// certain is what latent points without uncertainty contribute to predictions.
type certain struct {
	psi1 mat.Matrix // rows ψ1, count×m_ξ
	tau  mat.Matrix // rows (T_0ᵀ·ψ1)∘², count×m_ξ
	k0   []float64  // k(x, x)
	q0   []float64  // Σ τ_i, the part of k0 that the inducing points determine
}

// certain evaluates the latent kernel at the rows of x, count×d_ξ, and one time.
func (q *Posterior) certain(x mat.Matrix, at *data.Instant) certain {
	count, m := x.Rows, q.factors[0].Size()
	t := certain{psi1: mat.New(count, m), tau: mat.New(count, m), k0: make([]float64, count), q0: make([]float64, count)}
	q.psi.Psi1(t.psi1, psi.Certain(x, at))
	mat.Mul(t.tau, 1, t.psi1, q.factors[0].Coord, 0)
	mat.MulElem(t.tau, t.tau, t.tau)
	for k := range count {
		t.k0[k] = q.psi.Psi0(psi.Certain(x.Slice(k, k+1, 0, x.Cols), at))
		for _, v := range t.tau.Row(k) {
			t.q0[k] += v
		}
	}
	return t
}

// psi1 sets dst to ψ1 of a latent posterior, m_ξ.
func (q *Posterior) psi1(dst []float64, l field.Latent) {
	q.psi.Psi1(mat.NewDense(1, len(dst), dst), psi.One(l.Mu, l.S, l.At))
}
