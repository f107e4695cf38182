package sgplvm

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A factor is one Kronecker factor, latent or spatial, with the solution of its
// generalised eigenproblem (math: T_fᵀ K_f T_f = I and T_fᵀ Ψ2_f T_f = diag Λ_f).
//
// A tied spatial factor, whose inducing points are its data points, has
// K = Ψ1 = V·diag(s)·Vᵀ, T = V·s^(−1/2) and W = V·s^(1/2). It carries V and s
// alone: every formula holds with V in place of T and W and a weight Omega = s
// put where W's s^(1/2) would stand twice, so that s_j = 0 does no harm.
type factor struct {
	tied   bool
	k      mat.Matrix // K_f, m_f×m_f; of the latent factor without the jitter
	psi1   mat.Matrix // Ψ1_f, n_f×m_f; K_f itself where tied
	data   mat.Matrix // what Y is contracted with: W = Ψ1·T, n_f×m_f; V where tied
	coord  mat.Matrix // from eigen-coordinates to inducing points: T; V where tied
	lambda []float64  // Λ_f, ascending, clamped at 0; s where tied
	omega  []float64  // s where tied, else nil, which stands for ones
}

// FactorizationError says which factor's matrix could not be decomposed: 0 is
// the latent one, f the f-th spatial one counted from 1.
type FactorizationError struct {
	Factor int
	Err    error
}

func (e *FactorizationError) Error() string {
	if e.Factor == 0 {
		return fmt.Sprintf("sgplvm: latent factor: %v", e.Err)
	}
	return fmt.Sprintf("sgplvm: spatial factor %d: %v", e.Factor, e.Err)
}

func (e *FactorizationError) Unwrap() error { return e.Err }

// newFactor solves the generalised eigenproblem of a factor that is not tied.
// k is K_f, psi2 is Ψ2_f, psi1 is Ψ1_f; jitter, relative to the
// mean of K_f's diagonal, is added to that diagonal alone.
func newFactor(k, psi1, psi2 mat.Matrix, jitter float64) (*factor, error) {
	m := k.Rows
	stabilised := k.Clone()
	for i := range m {
		stabilised.Data[i*m+i] += jitter * mat.Trace(k) / float64(m)
	}
	l, err := chol.Factorize(stabilised)
	if err != nil {
		return nil, err
	}
	s, err := eig.General(psi2, l.L())
	if err != nil {
		return nil, err
	}
	clampAtZero(s.Values)
	f := &factor{k: k, psi1: psi1, lambda: s.Values, coord: s.Vectors, data: mat.New(psi1.Rows, m)}
	mat.Mul(f.data, 1, psi1, f.coord, 0)
	return f, nil
}

// newTiedFactor decomposes the kernel matrix k of a spatial factor whose
// inducing points are its data points.
func newTiedFactor(k mat.Matrix) (*factor, error) {
	s, err := eig.Sym(k)
	if err != nil {
		return nil, err
	}
	clampAtZero(s.Values)
	return &factor{tied: true, k: k, psi1: k, data: s.Vectors, coord: s.Vectors, lambda: s.Values, omega: s.Values}, nil
}

// newSpatialFactor evaluates a spatial kernel and decomposes it. x are the data
// points (n_f×d_f), xu the inducing points (m_f×d_f), or 0×0 where tied.
func newSpatialFactor(kernel Kernel, x, xu mat.Matrix, jitter float64) (*factor, error) {
	if xu.Rows == 0 {
		k := mat.New(x.Rows, x.Rows)
		kernel.Matrix(k, x, x)
		return newTiedFactor(k)
	}
	m := xu.Rows
	k, psi1, psi2 := mat.New(m, m), mat.New(x.Rows, m), mat.New(m, m)
	kernel.Matrix(k, xu, xu)
	kernel.Matrix(psi1, x, xu)
	mat.Syrk(psi2, 1, psi1.T(), 0)
	mat.MirrorLower(psi2)
	return newFactor(k, psi1, psi2, jitter)
}

// newLatentFactor evaluates the latent kernel's statistics and decomposes them.
// It refuses inducing inputs so far apart that the split exponents of the psi
// statistics, of size (distance/ℓ)², would lose their digits: an optimiser takes
// what comes out then for a better bound.
func newLatentFactor(ps *latentPsi, p *Params, jitter float64) (*factor, error) {
	if far := ps.farthest(); !(far <= farthestInducing) {
		return nil, fmt.Errorf("an inducing input lies %.3g length scales from the mean of all, expected at most %g", far, farthestInducing)
	}
	m := p.Z.Rows
	k, psi1, psi2 := mat.New(m, m), mat.New(p.Mu.Rows, m), mat.New(m, m)
	p.Latent.matrix(k, p.Z, p.Z)
	ps.psi1(psi1, p.Mu, p.S)
	ps.psi2(psi2, p.Mu, p.S)
	return newFactor(k, psi1, psi2, jitter)
}

// clampAtZero removes negative rounding errors: with them the objective would
// not be a bound.
func clampAtZero(v []float64) {
	for i, x := range v {
		if x < 0 {
			v[i] = 0
		}
	}
}

// size returns m_f.
func (f *factor) size() int { return len(f.lambda) }

// sumLambda returns Σ Λ_f = tr K_f⁻¹Ψ2_f.
func (f *factor) sumLambda() float64 {
	var s float64
	for _, l := range f.lambda {
		s += l
	}
	return s
}
