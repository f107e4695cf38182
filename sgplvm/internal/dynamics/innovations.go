package dynamics

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// An innovations is R of K + Λ⁻¹ = R·Rᵀ under a Markov kernel, from a Kalman filter with pseudo-observations of the precisions Λ: R⁻¹·y are the innovations of y over
// their deviations. By the filter's c, κ and τ
//
//	R[i,i] = 1/√κ_i,  R[i,j] = hᵀ·A_i·…·A_j+1·g_j·R[j,j],  g_j = κ_j·c_j
//
// Where nothing is known, κ_i = 0, R⁻¹·y is 0.
type innovations struct {
	system
	precisions []float64 // Λ
	filter     kalman
	logDet     float64   // log|I + K·Λ|
	gains      []float64 // g_i, n×s
	roots      []float64 // √κ_i
}

// nuggets are the precisions of K + nugget·I of n times.
func nuggets(n int, nugget float64) []float64 {
	precisions := work.Ones(n)
	asm.Scale(precisions, 1/nugget, precisions)
	return precisions
}

// set makes R that of a kernel at ascending times.
func (r *innovations) set(k kernel.Kernel, times, precisions []float64) *innovations {
	r.precisions = precisions
	r.system.set(k, times)
	r.logDet = r.filter.forward(&r.system, precisions, nil)
	r.gains, r.roots = work.Grown(r.gains, r.n*r.s), work.Grown(r.roots, r.n)
	for i, kappa := range r.filter.kappa {
		r.roots[i] = math.Sqrt(kappa.v)
		for q, c := range r.filter.c[i*r.s : (i+1)*r.s] {
			r.gains[i*r.s+q] = kappa.v * c.v
		}
	}
	return r
}

func (r *innovations) gain(i int) []float64 { return r.gains[i*r.s : (i+1)*r.s] }

func (r *innovations) mul(b mat.Matrix) {
	for q := range b.Cols {
		r.forward(nil, func(i int, f []float64) {
			x := b.At(i, q) / r.roots[i]
			b.Set(i, q, dot(r.h, f)+x)
			addTo(f, x, r.gain(i))
		})
	}
}

// SolveHalf takes all columns through the times together.
func (r *innovations) SolveHalf(b mat.Matrix) {
	state, next, minus := mat.New(r.s, b.Cols), mat.New(r.s, b.Cols), make([]float64, r.s)
	asm.Scale(minus, -1, r.h)
	for i := range r.n {
		x := b.Row(i)
		for q := range r.s {
			clear(next.Row(q))
			asm.AxpyRows(r.a[(i*r.s+q)*r.s:][:r.s], state.Data, b.Cols, next.Row(q))
		}
		state, next = next, state
		asm.AxpyRows(minus, state.Data, b.Cols, x)
		for q, g := range r.gain(i) {
			asm.Axpy(g, x, state.Row(q))
		}
		asm.Scale(x, r.roots[i], x)
	}
}

func (r *innovations) mulT(b mat.Matrix) {
	for q := range b.Cols {
		r.backward(nil, func(i int, g []float64) {
			x := b.At(i, q)
			b.Set(i, q, (x+dot(r.gain(i), g))/r.roots[i])
			addTo(g, x, r.h)
		})
	}
}

func (r *innovations) SolveHalfT(b mat.Matrix) {
	for q := range b.Cols {
		r.backward(nil, func(i int, g []float64) {
			x := b.At(i, q)*r.roots[i] - dot(r.gain(i), g)
			b.Set(i, q, x)
			addTo(g, x, r.h)
		})
	}
}
