package sgplvm

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A whitener holds R of K + whiteNugget·I = R·Rᵀ for each series. The divergence holds
// ½·μ̄ᵀ·K·μ̄, which is about ½·‖x‖² with x = Rᵀ·μ̄, and the means K·μ̄ are about R·x: in x
// the optimiser is not held up by the condition number of K, as long as the kernel
// stays near that of the start.
type whitener struct {
	series []series
	roots  []rootMatrix
}

// A rootMatrix is a lower triangular R, n×n. Its methods overwrite the columns of b (n×k).
type rootMatrix interface {
	mul(b mat.Matrix)        // R·b
	mulT(b mat.Matrix)       // Rᵀ·b
	SolveHalf(b mat.Matrix)  // R⁻¹·b
	SolveHalfT(b mat.Matrix) // R⁻ᵀ·b
}

// whiteNugget is, in prior variances, what of K may be nearly singular, as measured
// (doc_dynamics.go).
const whiteNugget = 0.1

// whitener returns the whitener of the kernel Whitening, which it makes when it is first asked for.
func (p *Params) whitener() *whitener {
	if p.whitening == nil {
		p.whitening = &whitener{series: p.Dynamics.series()}
		for _, s := range p.whitening.series {
			p.whitening.roots = append(p.whitening.roots, rootOf(p.Whitening, s.times, whiteNugget))
		}
	}
	return p.whitening
}

// rootOf returns R of K + nugget·I for ascending times. It panics if that is not positive
// definite.
func rootOf(kernel TimeKernel, times []float64, nugget float64) rootMatrix {
	if kernel.markovFor(len(times)) {
		return newMarkovRoot(kernel, times, nugget)
	}
	k, f := mat.New(len(times), len(times)), new(chol.Factor)
	kernel.matrix(k, times, times)
	if err := f.RefactorizeShifted(k, nugget); err != nil {
		panic(fmt.Sprintf("sgplvm: kernel matrix of %d times plus %v·I: %v", len(times), nugget, err))
	}
	return denseRoot{f}
}

type denseRoot struct{ *chol.Factor }

func (f denseRoot) mul(b mat.Matrix)  { f.MulHalf(b) }
func (f denseRoot) mulT(b mat.Matrix) { mat.MulUpper(f.L().T(), b) }

// each sets the rows of dst (n_ξ×d_ξ) of every series to those of src after do.
func (w *whitener) each(dst, src mat.Matrix, do func(r rootMatrix, block mat.Matrix)) {
	for i, s := range w.series {
		block := gather(src, s.examples)
		do(w.roots[i], block)
		for k, n := range s.examples {
			copy(dst.Row(n), block.Row(k))
		}
	}
}

// white sets x to Rᵀ·μ̄.
func (w *whitener) white(x, muBar mat.Matrix) { w.each(x, muBar, rootMatrix.mulT) }

// coefficients sets muBar to R⁻ᵀ·x.
func (w *whitener) coefficients(muBar, x mat.Matrix) { w.each(muBar, x, rootMatrix.SolveHalfT) }

// slope sets dx to R⁻¹·dMuBar.
func (w *whitener) slope(dx, dMuBar mat.Matrix) { w.each(dx, dMuBar, rootMatrix.SolveHalf) }

// A markovRoot is R for a Markov kernel, from a Kalman filter with pseudo-observations of
// the precision 1/nugget, by whose c, κ and τ
//
//	R[i,i] = √(nugget·τ_i),  R[i,j] = hᵀ·A_i·…·A_j+1·g_j·R[j,j],  g_j = κ_j·c_j
type markovRoot struct {
	m    markov
	gain []float64 // g_i, n×s
	root []float64 // R[i,i]
}

func newMarkovRoot(kernel TimeKernel, times []float64, nugget float64) *markovRoot {
	precisions := make([]float64, len(times))
	for i := range precisions {
		precisions[i] = 1 / nugget
	}
	r := newGains(kernel, times, precisions)
	for i, kappa := range r.m.filter.kappa {
		r.root[i] = 1 / math.Sqrt(kappa.v)
	}
	return r
}

// newGains filters with the given precisions. R stays 0.
func newGains(kernel TimeKernel, times, precisions []float64) *markovRoot {
	r := &markovRoot{root: make([]float64, len(times))}
	r.m.set(kernel, times)
	r.m.filter.forward(&r.m, precisions, nil)
	for i, kappa := range r.m.filter.kappa {
		for _, c := range r.m.filter.c[i*r.m.s : (i+1)*r.m.s] {
			r.gain = append(r.gain, kappa.v*c.v)
		}
	}
	return r
}

func (r *markovRoot) gainAt(i int) []float64 { return r.gain[i*r.m.s : (i+1)*r.m.s] }

func (r *markovRoot) mul(b mat.Matrix) {
	for q := range b.Cols {
		r.m.forward(func(i int, f []float64) {
			x := r.root[i] * b.At(i, q)
			b.Set(i, q, dot(r.m.h, f)+x)
			addTo(f, x, r.gainAt(i))
		})
	}
}

func (r *markovRoot) SolveHalf(b mat.Matrix) {
	for q := range b.Cols {
		r.m.forward(func(i int, f []float64) {
			x := b.At(i, q) - dot(r.m.h, f)
			addTo(f, x, r.gainAt(i))
			b.Set(i, q, x/r.root[i])
		})
	}
}

func (r *markovRoot) mulT(b mat.Matrix) {
	for q := range b.Cols {
		r.m.backward(func(i int, g []float64) {
			x := b.At(i, q)
			b.Set(i, q, r.root[i]*(x+dot(r.gainAt(i), g)))
			addTo(g, x, r.m.h)
		})
	}
}

func (r *markovRoot) SolveHalfT(b mat.Matrix) {
	for q := range b.Cols {
		r.m.backward(func(i int, g []float64) {
			x := b.At(i, q)/r.root[i] - dot(r.gainAt(i), g)
			b.Set(i, q, x)
			addTo(g, x, r.m.h)
		})
	}
}

// solve overwrites y with (K + Λ⁻¹)⁻¹·y for the precisions Λ of newGains: y is whitened as by
// R, each number weighed with κ, and taken back by the transpose.
func (r *markovRoot) solve(y []float64) {
	r.m.forward(func(i int, f []float64) {
		x := y[i] - dot(r.m.h, f)
		addTo(f, x, r.gainAt(i))
		y[i] = r.m.filter.kappa[i].v * x
	})
	r.m.backward(func(i int, g []float64) {
		y[i] -= dot(r.gainAt(i), g)
		addTo(g, y[i], r.m.h)
	})
}
