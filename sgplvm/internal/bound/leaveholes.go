package bound

import (
	"context"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// Leaving examples out of data with holes. Without example i the system of α and the table w lose its terms,
//
//	A − Σ_p ω_ip·F_i ⊗ w_pw_pᵀ,   b_c − Σ_p ω_ip·y_ip·φ_i ⊗ w_p,   N_ab − Σ_p ω_ip·(F_i)_aa·w_pb²
//
// and conjugate gradients go on from α. Predictions at what the others say of x_i follow as always.

// leaveOutTolerance is the residual, relative to the first one, with which they end: means are wrong by about that
// share of what leaving the example out changes. Tests lower it.
var leaveOutTolerance = 1e-4

// beginLeavingOut solves the whole system at p.
func (m *masked) beginLeavingOut(ctx context.Context, p *Params) error {
	if err := m.prepare(ctx, p); err != nil {
		return err
	}
	return m.system.solve(ctx, m)
}

// LeaveOutHoled returns mean and variance (n_s×d_y each, in the model's units) of f at the training points, with the known error of what was observed there, for
// the latent posterior N(mu, diag s) at a time, without example i of data with holes, after BeginLeavingOut at p. Errors: ctx.Err().
func (e *Evaluator) LeaveOutHoled(ctx context.Context, p *Params, i int, mu, s []float64, at *data.Instant) (mean, variance mat.Matrix, err error) {
	m := e.masked
	channels, size, points := m.y.Channels, m.phi.Cols, m.masks.points
	var t psi.Moments
	m.statistics.SetMoments(&t, new(psi.Scratch), psi.One(mu, s, at))
	phi, spread, tau := m.leftOutMoments(t)
	a, err := m.withoutExample(ctx, i)
	if err != nil {
		return mean, variance, err
	}
	mean, variance = mat.New(points, channels), mat.New(points, channels)
	taken := make([][]float64, m.masks.versions())
	for v := range taken {
		taken[v] = m.takenWithout(v, i, tau)
	}
	prior := t.Psi0 * p.SpatialVariance()
	mat.Parallel(channels, func(c int) {
		own := mat.NewDense(points, size, a[c*points*size:(c+1)*points*size])
		wide := mat.New(points, size)
		mat.Mul(wide, 1, own, spread, 0)
		for j := range points {
			mean.Set(j, c, asm.Dot(own.Row(j), phi))
			v := m.masks.version[c]
			variance.Set(j, c, max(0, prior-taken[v][j]+asm.Dot(wide.Row(j), own.Row(j)))+m.masks.square(v, i, j))
		}
	})
	return mean, variance, nil
}

// leftOutMoments returns T_0ᵀψ1, T_0ᵀ(Ψ2 − ψ1ψ1ᵀ)T_0 and the diagonal of T_0ᵀΨ2T_0.
func (m *masked) leftOutMoments(t psi.Moments) (phi []float64, spread mat.Matrix, tau []float64) {
	basis := m.latent
	size := basis.Rows
	phi, tau = make([]float64, size), make([]float64, size)
	mat.Mul(mat.Vector(phi), 1, basis.T(), t.Psi1, 0)
	half := mat.New(size, size)
	spread = mat.New(size, size)
	mat.Mul(half, 1, t.Spread, basis, 0)
	mat.Mul(spread, 1, basis.T(), half, 0)
	for a, v := range phi {
		tau[a] = spread.At(a, a) + v*v
	}
	return phi, spread, tau
}

// takenWithout returns Σ_ab τ_a·(1 − w_ab)·G_pb of every point, w without example i.
func (m *masked) takenWithout(v, i int, tau []float64) []float64 {
	size, b := m.phi.Cols, m.components()
	squares := m.operator(func(f *maskedFactor) mat.Matrix { return f.squares })
	one := make([]float64, m.masks.points)
	for p := range one {
		one[p] = m.weightOf(v, i, p)
	}
	dims := m.dims(1, true)
	dims[len(dims)-1] = 1
	own := squares.T().MulTensor(make([]float64, b), kronprod.Shaped(one, dims...), nil).Data // Σ_p ω·G_pb
	h := make([]float64, b)
	n := m.sums.n[v*b*size : (v+1)*b*size]
	for j := range h {
		for a, x := range tau {
			rest := max(0, n[j*size+a]-own[j]*m.diag.At(i, a))
			h[j] += x * (1 - 1/(1+rest))
		}
	}
	features := m.dims(1, false)
	features[len(features)-1] = 1
	return squares.MulTensor(make([]float64, m.masks.points), kronprod.Shaped(h, features...), nil).Data
}

// weightOf returns ω of one value of version v.
func (m *masked) weightOf(v, i, p int) float64 {
	if !m.masks.seen(v, i, p) {
		return 0
	}
	return 1 / (1/m.system.beta + m.masks.square(v, i, p))
}

// withoutExample returns a_p = α_c·w_p without example i, channels × points × m_ξ.
func (m *masked) withoutExample(ctx context.Context, i int) ([]float64, error) {
	y, channels, size := &m.system, m.y.Channels, m.phi.Cols
	n, atPoints := len(y.alpha), len(y.a)
	f := mat.New(size, size)
	unpack(f, m.f.Row(i))
	down := m.operator(func(s *maskedFactor) mat.Matrix { return s.w.T() })
	up := m.operator(func(s *maskedFactor) mat.Matrix { return s.w })
	own := make([]float64, atPoints) // what the example adds at the points
	byExample := func(a []float64, data float64) {
		mat.Parallel(channels, func(c int) {
			v, part := m.masks.version[c], mat.NewDense(m.masks.points, size, own[c*m.masks.points*size:(c+1)*m.masks.points*size])
			mat.Mul(part, 1, mat.NewDense(m.masks.points, size, a[c*m.masks.points*size:(c+1)*m.masks.points*size]), f, 0)
			for p := range part.Rows {
				if data != 0 {
					asm.Axpy(-data*m.masks.y[c].At(i, p), m.phi.Row(i), part.Row(p))
				}
				asm.Scale(part.Row(p), m.weightOf(v, i, p), part.Row(p))
			}
		})
	}
	rest, shift := make([]float64, n), make([]float64, n)
	byExample(y.a, 1)
	down.MulTensor(rest, kronprod.Shaped(own, m.dims(channels, true)...), nil) // b − A·α without the example
	a, ma := make([]float64, atPoints), make([]float64, atPoints)
	if err := y.conjugate(ctx, shift, rest, 1, leaveOutTolerance, func(image, direction []float64) {
		up.MulTensor(a, kronprod.Shaped(direction, m.dims(channels, false)...), nil)
		y.multiplyPoints(m, ma, a, y.beta, weights)
		byExample(a, 0)
		asm.Axpy(-1, own, ma)
		down.MulTensor(image, kronprod.Shaped(ma, m.dims(channels, true)...), nil)
		asm.Axpy(1, direction, image)
	}); err != nil {
		return nil, err
	}
	up.MulTensor(a, kronprod.Shaped(shift, m.dims(channels, false)...), nil)
	asm.Axpy(1, y.a, a)
	return a, nil
}
