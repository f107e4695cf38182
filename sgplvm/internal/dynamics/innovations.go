package dynamics

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// An innovations is R of K + nugget·I = R·Rᵀ under a Markov kernel, from a Kalman filter with
// pseudo-observations of the precision 1/nugget: R⁻¹·y are the innovations of y over their deviations.
// By the filter's c, κ and τ
//
//	R[i,i] = √(nugget·τ_i),  R[i,j] = hᵀ·A_i·…·A_j+1·g_j·R[j,j],  g_j = κ_j·c_j
type innovations struct {
	system
	gains
	diagonal []float64 // R[i,i]
}

func newInnovations(k kernel.Kernel, times []float64, nugget float64) *innovations {
	precisions := make([]float64, len(times))
	for i := range precisions {
		precisions[i] = 1 / nugget
	}
	r := new(innovations)
	r.system.set(k, times)
	r.gains = newGains(&r.system, precisions)
	for _, kappa := range r.kappa {
		r.diagonal = append(r.diagonal, 1/math.Sqrt(kappa))
	}
	return r
}

func (r *innovations) mul(b mat.Matrix) {
	for q := range b.Cols {
		r.forward(nil, func(i int, f []float64) {
			x := r.diagonal[i] * b.At(i, q)
			b.Set(i, q, dot(r.h, f)+x)
			addTo(f, x, r.gain(i))
		})
	}
}

func (r *innovations) SolveHalf(b mat.Matrix) {
	for q := range b.Cols {
		r.forward(nil, func(i int, f []float64) {
			x := b.At(i, q) - dot(r.h, f)
			addTo(f, x, r.gain(i))
			b.Set(i, q, x/r.diagonal[i])
		})
	}
}

func (r *innovations) mulT(b mat.Matrix) {
	for q := range b.Cols {
		r.backward(nil, func(i int, g []float64) {
			x := b.At(i, q)
			b.Set(i, q, r.diagonal[i]*(x+dot(r.gain(i), g)))
			addTo(g, x, r.h)
		})
	}
}

func (r *innovations) SolveHalfT(b mat.Matrix) {
	for q := range b.Cols {
		r.backward(nil, func(i int, g []float64) {
			x := b.At(i, q)/r.diagonal[i] - dot(r.gain(i), g)
			b.Set(i, q, x)
			addTo(g, x, r.h)
		})
	}
}

// gains are g_i = κ_i·c_i, n×size, and κ_i of a Kalman filter with the precisions Λ.
type gains struct {
	size     int
	g, kappa []float64
}

func newGains(m *system, precisions []float64) gains {
	var f kalman
	f.forward(m, precisions, nil)
	return gainsOf(m, &f)
}

// gainsOf returns the gains of a filter that has gone forward.
func gainsOf(m *system, f *kalman) gains {
	k := gains{size: m.s}
	for i, kappa := range f.kappa {
		k.kappa = append(k.kappa, kappa.v)
		for _, c := range f.c[i*m.s : (i+1)*m.s] {
			k.g = append(k.g, kappa.v*c.v)
		}
	}
	return k
}

func (k *gains) gain(i int) []float64 { return k.g[i*k.size : (i+1)*k.size] }

// solve overwrites y with (K + Λ⁻¹)⁻¹·y: each innovation is weighed with κ, and taken back by the
// transpose.
func (k *gains) solve(m *system, y []float64) {
	m.forward(nil, func(i int, f []float64) {
		x := y[i] - dot(m.h, f)
		addTo(f, x, k.gain(i))
		y[i] = k.kappa[i] * x
	})
	m.backward(nil, func(i int, g []float64) {
		y[i] -= dot(k.gain(i), g)
		addTo(g, y[i], m.h)
	})
}
