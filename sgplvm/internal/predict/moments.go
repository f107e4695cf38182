package predict

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// moments are what a latent posterior contributes to a prediction (docs/math.md,
// "Prediction").
type moments struct {
	psi0   float64    // ψ0
	psi1   mat.Matrix // ψ1, m_ξ×1
	spread mat.Matrix // Ψ2 − ψ1ψ1ᵀ, m_ξ×m_ξ
	h      mat.Matrix // Σ_i (1 − w_ij)·(T_0ᵀΨ2T_0)_ii in the scale of Φ, a row for each version of the mask, Π m_f numbers each
	room   *room      // that of the call
}

// A room is storage of one prediction at a time, which the next one in it writes over.
type room struct {
	of             psi.Moments
	scratch        psi.Scratch
	at             [1]data.Instant
	rotated, tau   mat.Matrix
	h, explained   mat.Matrix
	mean, variance mat.Matrix
	product        kronprod.Workspace
}

func (q *Posterior) momentsOf(l field.Latent) moments { return q.momentsIn(new(room), l) }

// momentsIn is momentsOf in a room.
func (q *Posterior) momentsIn(r *room, l field.Latent) moments {
	t, tau := q.latentMoments(r, l)
	taken := q.taken()
	work.Resize(&r.h, len(taken), taken[0].Cols)
	for v, a := range taken {
		mat.Mul(r.h.Slice(v, v+1, 0, a.Cols), 1, tau, a, 0)
	}
	t.h = r.h
	return t
}

// latentMoments returns the moments without h, and diag T_0ᵀΨ2T_0 (1×m_ξ), of which h is a
// combination of weights.
func (q *Posterior) latentMoments(r *room, l field.Latent) (t moments, tau mat.Matrix) {
	m, x := q.factors[0].Size(), psi.One(l.Mu, l.S, nil)
	if l.At != nil {
		r.at[0], x.At = *l.At, r.at[:]
	}
	for _, a := range []*mat.Matrix{&r.of.Spread, &r.rotated} {
		work.Resize(a, m, m)
	}
	work.Resize(&r.of.Psi1, m, 1)
	work.Resize(&r.tau, 1, m)
	q.psi.SetMoments(&r.of, &r.scratch, x)
	t = moments{psi0: r.of.Psi0, psi1: r.of.Psi1, spread: r.of.Spread, room: r}

	t0 := q.factors[0].Coord
	mat.Mul(r.rotated, 1, r.of.Psi2, t0, 0)
	mat.MulElem(r.rotated, r.rotated, t0)
	r.tau.Fill(0)
	for i := range m {
		asm.Axpy(1, r.rotated.Row(i), r.tau.Data)
	}
	return t, r.tau
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
