package sgplvm

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// gradient overwrites grad with the derivatives of the bound in the natural
// parameters of the free groups and 0 elsewhere; bound must have been called
// with the same p. Spatial length scales and inducing points cost the most, so
// they are left out where they are held. The eigenvectors are
// never differentiated (T, D and E enter as numbers: the bound's derivative in
// K_f, Ψ1_f and Ψ2_f is known in closed form), so repeated eigenvalues do no
// harm.
func (b *problem) gradient(grad, p *Params, free group) {
	grad.zero()
	dy, beta := float64(b.channels()), p.Beta
	m := float64(len(b.d.Data))
	n := float64(len(b.y.Data)) / dy
	inverse := kronprod.NewTensor(b.d.Dims...) // 1/d
	for i, d := range b.d.Data {
		inverse.Data[i] = 1 / d
	}
	var sumInverse float64
	for _, v := range inverse.Data {
		sumInverse += v
	}
	fit, coefficients := b.quadratic()
	slack := b.psi0(p) - b.tracePsi2()
	grad.Beta = dy/2*((n-m)/beta+sumInverse/(beta*beta)) - 0.5*(b.yy-fit+dy*slack) + 0.5*coefficients/beta

	dPsi0 := -0.5 * beta * dy
	for f := range b.x {
		grad.Spatial[f].Variance = dPsi0 * b.psi0(p) / p.Spatial[f].Variance
		if free&groupSpatial != 0 {
			b.spatialGradient(grad, p, f, inverse)
		}
	}
	if free&groupLatent != 0 {
		p.Latent.psi0Backward(&grad.Latent, grad.Mu, grad.S, dPsi0*b.spatialTrace(p), p.Mu, p.S)
		b.latentGradient(grad, p, inverse)
		subtractIndependentKL(grad.Mu, grad.S, p.Mu, p.S)
	}
}

// latentGradient chains ∂L/∂K_0, ∂L/∂Ψ1_0 and ∂L/∂Ψ2_0 into the latent kernel,
// Z, μ and S.
func (b *problem) latentGradient(grad, p *Params, inverse kronprod.Tensor) {
	dK, dPsi1, dPsi2 := b.factorGradients(p.Beta, 0, b.projected, inverse)
	b.psi.backward(&grad.Latent, grad.Z, grad.Mu, grad.S, dPsi1, dPsi2, b.factors[0].psi1, p.Mu, p.S)
	byMean := b.jitter * mat.Trace(dK) / float64(dK.Rows) // the jitter is a multiple of the mean diagonal
	for i := range dK.Rows {
		dK.Row(i)[i] += byMean
	}
	p.Latent.addGradient(&grad.Latent, grad.Z, dK, b.factors[0].k, p.Z)
}

// spatialGradient chains the derivatives of spatial factor f (counted from 0)
// into its kernel and, where these are free, its inducing points.
func (b *problem) spatialGradient(grad, p *Params, f int, inverse kronprod.Tensor) {
	s, kernel, x := b.factors[f+1], p.Spatial[f], b.x[f]
	if s.tied && kernel.Kind == White {
		grad.Spatial[f].Variance += b.tiedVarianceGradient(p.Beta, f+1, inverse) / kernel.Variance
		return
	}
	if s.tied {
		dK := b.tiedGradient(p.Beta, f+1, inverse)
		kernel.addGradient(&grad.Spatial[f], mat.Matrix{}, dK, s.k, x, x)
		return
	}
	// Y contracted with every data basis but this factor's.
	others := kronprod.Operator{Factors: make([]mat.Matrix, len(b.factors))}
	for g, o := range b.factors {
		if g != f+1 {
			others.Factors[g] = o.data.T()
		}
	}
	n := x.Rows * len(b.h.Data) / s.size()
	v := others.MulTensor(make([]float64, n), b.y, &b.work)
	dK, dPsi1, dPsi2 := b.factorGradients(p.Beta, f+1, v, inverse)
	mat.Mul(dPsi1, 2, s.psi1, dPsi2, 1) // Ψ2 = Ψ1ᵀΨ1
	xu, dXu := p.Xu[f], grad.Xu[f]
	kernel.addGradient(&grad.Spatial[f], dXu, dPsi1, s.psi1, x, xu)
	twice := mat.New(xu.Rows, xu.Cols)
	kernel.addGradient(&grad.Spatial[f], twice, dK, s.k, xu, xu)
	mat.Add(dXu, dXu, 2, twice) // K_f depends on X_u through both arguments
	if b.jitter != 0 {
		grad.Spatial[f].Variance += b.jitter * mat.Trace(dK)
	}
}

// factorGradients returns ∂L/∂K_f (m_f×m_f, symmetric), ∂L/∂Ψ1_f (n_f×m_f) and
// ∂L/∂Ψ2_f (m_f×m_f, symmetric) of a factor that is not tied. v is Y contracted
// with the data basis of every other factor; inverse is 1/d.
func (b *problem) factorGradients(beta float64, f int, v, inverse kronprod.Tensor) (dK, dPsi1, dPsi2 mat.Matrix) {
	s := b.factors[f]
	m := s.size()
	dy := float64(b.channels())
	lambda := b.lambdas()
	omega := b.omegas()
	weighted := make([][]float64, len(omega)) // λω of every other factor
	t := 1.0                                  // Σ_j λ_j
	for g, o := range b.factors {
		if g == f {
			continue
		}
		t *= o.sumLambda()
		weighted[g] = o.lambda
		if o.tied {
			weighted[g] = make([]float64, o.size())
			for j, l := range o.lambda {
				weighted[g][j] = l * o.omega[j]
			}
		}
	}
	r1, r2 := make([]float64, m), make([]float64, m)
	kronprod.Marginal(r1, inverse, f, lambda)
	kronprod.Marginal(r2, inverse, f, nil)
	omega[f] = nil

	inner := mat.New(m, m)
	kronprod.Gram(inner, b.h, f, weighted)
	mat.Scale(inner, -0.5*beta, inner)
	for i := range m {
		inner.Data[i*m+i] += -0.5*dy*r1[i] + 0.5*beta*dy*t
	}
	dPsi2 = congruence(s.coord, inner)

	kronprod.Gram(inner, b.h, f, omega)
	mat.Scale(inner, -0.5, inner)
	others := float64(len(b.d.Data) / m)
	for i := range m {
		inner.Data[i*m+i] += -0.5*dy*r2[i]/beta + 0.5*dy*others - 0.5*beta*dy*t*s.lambda[i]
	}
	dK = congruence(s.coord, inner)

	cross := mat.New(v.Dims[f], m)
	kronprod.Cross(cross, v, b.h, f, omega)
	dPsi1 = mat.New(v.Dims[f], m)
	mat.Mul(dPsi1, beta, cross, s.coord.T(), 0)
	return dK, dPsi1, dPsi2
}

// tiedGradient returns the total derivative of the bound, but for ψ0, in the
// kernel matrix of a tied spatial factor f (counted with the latent one):
//
//	V [ −½ d_y diag r1 + ½ H_(f) diag(ω) H_(f)ᵀ + ½ β d_y t I ] Vᵀ
func (b *problem) tiedGradient(beta float64, f int, inverse kronprod.Tensor) mat.Matrix {
	s := b.factors[f]
	m := s.size()
	diagonal := b.tiedDiagonal(beta, f, inverse)
	omega := b.omegas()
	omega[f] = nil
	if len(b.h.Data)/m >= m {
		inner := mat.New(m, m)
		kronprod.Gram(inner, b.h, f, omega)
		mat.Scale(inner, 0.5, inner)
		for i, v := range diagonal {
			inner.Data[i*m+i] += v
		}
		return congruence(s.coord, inner)
	}
	// The Gram matrix has low rank: (V·H_(f))·diag(ω)·(V·H_(f))ᵀ is cheaper.
	vh := kronprod.NewTensor(b.h.Dims...)
	kronprod.MulMode(vh, s.coord, b.h, f)
	dK, scaled := mat.New(m, m), mat.New(m, m)
	kronprod.Gram(dK, vh, f, omega)
	mat.ScaleCols(scaled, s.coord, diagonal)
	mat.MulSym(dK, 1, scaled, s.coord.T(), 0.5)
	mat.MirrorLower(dK)
	return dK
}

// tiedDiagonal returns −½ d_y r1 + ½ β d_y t of tiedGradient.
func (b *problem) tiedDiagonal(beta float64, f int, inverse kronprod.Tensor) []float64 {
	dy := float64(b.channels())
	t := 1.0
	for g, o := range b.factors {
		if g != f {
			t *= o.sumLambda()
		}
	}
	diagonal := make([]float64, b.factors[f].size())
	kronprod.Marginal(diagonal, inverse, f, b.lambdas())
	for i, r1 := range diagonal {
		diagonal[i] = 0.5*beta*dy*t - 0.5*dy*r1
	}
	return diagonal
}

// tiedVarianceGradient returns Σ K∘∂L/∂K with the derivative of tiedGradient: in the
// eigenbasis only its diagonal counts.
func (b *problem) tiedVarianceGradient(beta float64, f int, inverse kronprod.Tensor) float64 {
	omega := b.omegas()
	omega[f] = nil
	squares := kronprod.NewTensor(b.h.Dims...)
	asm.MulTo(squares.Data, b.h.Data, b.h.Data)
	gram := make([]float64, b.factors[f].size())
	kronprod.Marginal(gram, squares, f, omega)
	var sum float64
	for i, v := range b.tiedDiagonal(beta, f, inverse) {
		sum += (0.5*gram[i] + v) * b.factors[f].lambda[i]
	}
	return sum
}

// congruence returns T·inner·Tᵀ for a symmetric inner matrix, both m×m.
func congruence(t, inner mat.Matrix) mat.Matrix {
	m := t.Rows
	half, dst := mat.New(m, inner.Cols), mat.New(m, m)
	mat.Mul(half, 1, t, inner, 0)
	mat.MulSym(dst, 1, half, t.T(), 0)
	mat.MirrorLower(dst)
	return dst
}
