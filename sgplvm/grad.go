package sgplvm

import (
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// gradientWork is room for the derivatives in one factor's matrices.
type gradientWork struct {
	inner, half, gram, dK, dPsi1, dPsi2 mat.Matrix
	psi1, dKappa                        mat.Matrix // where the latent kernel has a time part
	diagonal                            []float64
}

// gradient overwrites grad with the derivatives of the bound; see evaluate. Spatial
// length scales and inducing points cost the most, so they are left out where they are
// held. The eigenvectors are never differentiated (T, D and E enter as numbers: the
// bound's derivative in K_f, Ψ1_f and Ψ2_f is known in closed form), so repeated
// eigenvalues do no harm.
func (b *problem) gradient(grad, p *Params, free group) error {
	grad.zero()
	sums := &b.sweep.sums
	dy, beta := float64(b.channels()), p.precision()
	dPsi0 := -0.5 * beta * dy
	switch {
	case p.structured() && free&groupSpatial != 0:
		b.whitenedGradient(grad, p)
	case !p.structured():
		n, m := float64(b.y.examples*b.points()), float64(b.factors[0].size()*b.components())
		slack := b.psi0(p) - b.tracePsi2()
		grad.Beta = dy/2*((n-m)/beta+sum(sums.r2)/(beta*beta)) - 0.5*(b.yy-sums.fit(beta, b.factors[0].lambda)+dy*slack) + 0.5*sums.coefficients()/beta
		for f := range b.x {
			grad.Spatial[f].Variance = dPsi0 * b.psi0(p) / p.Spatial[f].Variance
			if free&groupSpatial != 0 {
				if err := b.spatialGradient(grad, p, f); err != nil {
					return err
				}
			}
		}
	}
	if free&groupLatent != 0 {
		p.Latent.psi0Backward(&grad.Latent, grad.Mu, grad.S, dPsi0*b.spatialTrace(p), p.Mu, p.S)
		b.latentGradient(grad, p)
		if p.dynamic() {
			b.prior.backward(grad, p)
		} else {
			subtractIndependentKL(grad.Mu, grad.S, p.Mu, p.S, nil)
		}
	}
	return nil
}

// latentGradient chains ∂L/∂K_0, ∂L/∂Ψ1_0 and ∂L/∂Ψ2_0 into the latent kernel,
// Z, μ and S.
func (b *problem) latentGradient(grad, p *Params) {
	s, w, sums := b.factors[0], &b.gradientWork, &b.sweep.sums
	t := b.otherLambda(latentFactor)
	mat.Copy(w.sized(s), sums.weighted)
	b.dPsi2(s, sums.r1, p.precision(), t)
	mat.Copy(w.inner, sums.gram)
	b.dK(s, sums.r2, p.precision(), t, b.components())
	resize(&w.dPsi1, b.y.examples, s.size())
	mat.Mul(w.dPsi1, p.precision(), sums.cross, s.coord.T(), 0)

	psi1 := w.timeGradient(&grad.Latent, s, p)
	b.psi.backward(&grad.Latent, grad.Z, grad.Mu, grad.S, w.dPsi1, w.dPsi2, psi1, p.Mu, p.S)
	byMean := b.jitter * mat.Trace(w.dK) / float64(w.dK.Rows) // the jitter is a multiple of the mean diagonal
	for i := range w.dK.Rows {
		w.dK.Row(i)[i] += byMean
	}
	p.Latent.addGradient(&grad.Latent, grad.Z, w.dK, s.k, p.Z)
	if p.Latent.Time.Variance != 0 {
		z := p.inducingInstants()
		p.Latent.Time.addGradient(&grad.Latent.Time, w.dK, z, z)
	}
}

// dPsi2 sets dPsi2 = ∂L/∂Ψ2_f of a factor that is not tied. In inner stands
// E_(f)·diag(λ_j)·E_(f)ᵀ, r1_i is Σ_j λ_j/d_ij and t is Σ_j λ_j, where j runs over the
// joint index of the other factors.
func (b *problem) dPsi2(s *factor, r1 []float64, beta, t float64) {
	w, dy := &b.gradientWork, float64(b.channels())
	mat.Scale(w.inner, -0.5*beta, w.inner)
	for i, r := range r1 {
		w.inner.Row(i)[i] += -0.5*dy*r + 0.5*beta*dy*t
	}
	resize(&w.dPsi2, s.size(), s.size())
	w.congruence(w.dPsi2, s.coord)
}

// dK sets dK = ∂L/∂K_f likewise, with E_(f)·E_(f)ᵀ in inner and r2_i = Σ_j 1/d_ij; others
// is the number of the joint indices j.
func (b *problem) dK(s *factor, r2 []float64, beta, t float64, others int) {
	w, dy := &b.gradientWork, float64(b.channels())
	mat.Scale(w.inner, -0.5, w.inner)
	for i, r := range r2 {
		w.inner.Row(i)[i] += -0.5*dy*r/beta + 0.5*dy*float64(others) - 0.5*beta*dy*t*s.lambda[i]
	}
	resize(&w.dK, s.size(), s.size())
	w.congruence(w.dK, s.coord)
}

// sized makes inner fit a factor and returns it.
func (w *gradientWork) sized(s *factor) mat.Matrix {
	resize(&w.inner, s.size(), s.size())
	return w.inner
}

// congruence sets dst = t·inner·tᵀ, all m×m, with inner symmetric.
func (w *gradientWork) congruence(dst, t mat.Matrix) {
	resize(&w.half, t.Rows, t.Cols)
	mat.Mul(w.half, 1, t, w.inner, 0)
	mat.MulSym(dst, 1, w.half, t.T(), 0)
	mat.MirrorLower(dst)
}

// tiedWhite reports whether spatial factor f has a white kernel and tied inducing points.
func (p *Params) tiedWhite(f int) bool { return p.Spatial[f].Kind == White && p.Xu[f].Rows == 0 }

// spatialGradient chains the derivatives of spatial factor f (counted from 0)
// into its kernel and, where these are free, its inducing points.
func (b *problem) spatialGradient(grad, p *Params, f int) error {
	s, kernel, x, w := b.factors[f+1], p.Spatial[f], b.x[f], &b.gradientWork
	switch {
	case p.tiedWhite(f):
		grad.Spatial[f].Variance += b.tiedVarianceGradient(p.Beta, f) / kernel.Variance
	case s.tied:
		b.tiedGradient(p.Beta, f)
		kernel.addGradient(&grad.Spatial[f], mat.Matrix{}, w.dK, s.k, x, x)
	default:
		if err := b.freeGradient(p.Beta, f); err != nil {
			return err
		}
		mat.Mul(w.dPsi1, 2, s.psi1, w.dPsi2, 1) // Ψ2 = Ψ1ᵀΨ1
		xu, dXu := p.Xu[f], grad.Xu[f]
		kernel.addGradient(&grad.Spatial[f], dXu, w.dPsi1, s.psi1, x, xu)
		twice := mat.New(xu.Rows, xu.Cols)
		kernel.addGradient(&grad.Spatial[f], twice, w.dK, s.k, xu, xu)
		mat.Add(dXu, dXu, 2, twice) // K_f depends on X_u through both arguments
		if b.jitter != 0 {          // the jitter is a multiple of the variance
			grad.Spatial[f].Variance += b.jitter * mat.Trace(w.dK)
		}
	}
	return nil
}

// others are weights for kronprod's contractions of H, whose modes are the channels, the
// spatial ones and the latent one: of(g) for every spatial factor g but f.
func (b *problem) others(f int, of func(s *factor) []float64) [][]float64 {
	weights := make([][]float64, 2+len(b.x))
	for g, s := range b.factors[1:] {
		if g != f {
			weights[1+g] = of(s)
		}
	}
	return weights
}

// marginal sets dst to the sums of v, one number for each joint spatial component,
// over the components of all spatial factors but f, with weights of(g).
func (b *problem) marginal(dst, v []float64, f int, of func(s *factor) []float64) {
	kronprod.Marginal(dst, kronprod.Shaped(v, b.dims[2:]...), f, b.others(f, of)[1:1+len(b.x)])
}

func lambdaOf(s *factor) []float64 { return s.lambda }
func omegaOf(s *factor) []float64  { return s.omega }
func onesOf(s *factor) []float64   { return nil }

// lambdaOmegaOf returns λ∘ω.
func lambdaOmegaOf(s *factor) []float64 {
	if s.omega == nil {
		return s.lambda
	}
	v := make([]float64, s.size())
	for j, l := range s.lambda {
		v[j] = l * s.omega[j]
	}
	return v
}

// latentFactor is the latent factor's number where spatial factors count from 0.
const latentFactor = -1

// otherLambda returns Σ_j λ_j over the joint index of all factors but factor f.
func (b *problem) otherLambda(f int) float64 {
	t := 1.0
	for g, s := range b.factors {
		if g != f+1 {
			t *= s.sumLambda()
		}
	}
	return t
}

// tiedGradient sets dK to the total derivative of the bound, but for ψ0, in the
// kernel matrix of a tied spatial factor f (counted from 0):
//
//	V [ −½ d_y diag r1 + ½ H_(f) diag(ω) H_(f)ᵀ + ½ β d_y t I ] Vᵀ
func (b *problem) tiedGradient(beta float64, f int) {
	s, w, h := b.factors[f+1], &b.gradientWork, b.sweep.h
	m := s.size()
	diagonal := b.tiedDiagonal(beta, f)
	omega := b.others(f, omegaOf)
	resize(&w.dK, m, m)
	w.sized(s)
	if len(h.Data)/m >= m || s.coord.Rows == 0 {
		kronprod.Gram(w.inner, h, f+1, omega)
		mat.Scale(w.inner, 0.5, w.inner)
		for i, v := range diagonal {
			w.inner.Row(i)[i] += v
		}
		if s.coord.Rows == 0 {
			mat.Copy(w.dK, w.inner)
			return
		}
		w.congruence(w.dK, s.coord)
		return
	}
	// The Gram matrix has low rank: (V·H_(f))·diag(ω)·(V·H_(f))ᵀ is cheaper.
	buffer := mat.Borrow(len(h.Data))
	vh := kronprod.Shaped(*buffer, h.Dims...)
	kronprod.MulMode(vh, s.coord, h, f+1)
	kronprod.Gram(w.dK, vh, f+1, omega)
	mat.GiveBack(buffer)
	mat.ScaleCols(w.inner, s.coord, diagonal)
	mat.MulSym(w.dK, 1, w.inner, s.coord.T(), 0.5)
	mat.MirrorLower(w.dK)
}

// tiedDiagonal returns −½ d_y r1 + ½ β d_y t of tiedGradient.
func (b *problem) tiedDiagonal(beta float64, f int) []float64 {
	w, dy := &b.gradientWork, float64(b.channels())
	t := b.otherLambda(f)
	w.diagonal = grown(w.diagonal, b.factors[f+1].size())
	b.marginal(w.diagonal, b.sweep.r1, f, lambdaOf)
	for i, r1 := range w.diagonal {
		w.diagonal[i] = 0.5*beta*dy*t - 0.5*dy*r1
	}
	return w.diagonal
}

// tiedVarianceGradient returns Σ K∘∂L/∂K with the derivative of tiedGradient: in the
// eigenbasis only its diagonal counts.
func (b *problem) tiedVarianceGradient(beta float64, f int) float64 {
	s := b.factors[f+1]
	gram := make([]float64, s.size())
	b.marginal(gram, b.sweep.squares, f, omegaOf)
	var total float64
	for i, v := range b.tiedDiagonal(beta, f) {
		total += (0.5*gram[i] + v) * s.lambda[i]
	}
	return total
}

// freeGradient sets dK, dPsi1 and dPsi2 to the derivatives in K_f (m_f×m_f), Ψ1_f
// (n_f×m_f) and Ψ2_f (m_f×m_f) of a spatial factor f (counted from 0) that is not tied.
func (b *problem) freeGradient(beta float64, f int) error {
	s, w, h := b.factors[f+1], &b.gradientWork, b.sweep.h
	r, t := make([]float64, s.size()), b.otherLambda(f)

	weights := b.others(f, lambdaOmegaOf)
	weights[len(weights)-1] = b.factors[0].lambda
	kronprod.Gram(w.sized(s), h, f+1, weights)
	b.marginal(r, b.sweep.r1, f, lambdaOf)
	b.dPsi2(s, r, beta, t)

	omega := b.others(f, omegaOf)
	kronprod.Gram(w.inner, h, f+1, omega)
	b.marginal(r, b.sweep.r2, f, onesOf)
	b.dK(s, r, beta, t, b.factors[0].size()*b.components()/s.size())

	v, err := b.contractOthers(f)
	if err != nil {
		return err
	}
	n := v.Dims[f+1]
	cross := mat.New(n, s.size())
	kronprod.Cross(cross, v, h, f+1, omega)
	resize(&w.dPsi1, n, s.size())
	mat.Mul(w.dPsi1, beta, cross, s.coord.T(), 0)
	return nil
}

// contractOthers returns Y contracted with the data basis of every factor but spatial
// factor f, d_y × m_1 × … n_f … × m_ξ: each slab of examples along space first, which
// leaves the least, then added up along the latent mode.
func (b *problem) contractOthers(f int) (kronprod.Tensor, error) {
	latent := b.factors[0].data
	o := kronprod.Operator{Factors: make([]mat.Matrix, 2, 2+len(b.x))}
	dims := append(append([]int{}, b.dims[1:]...), latent.Cols)
	for g, s := range b.factors[1:] {
		if g == f {
			o.Factors = append(o.Factors, mat.Matrix{})
			dims[1+g] = b.x[g].Rows
		} else {
			o.Factors = append(o.Factors, s.data.T())
		}
	}
	v := kronprod.NewTensor(dims...)
	size := len(v.Data) / latent.Cols
	dst := mat.NewDense(size, latent.Cols, v.Data)
	err := b.eachSlab(func(slab kronprod.Tensor, from int) error {
		count := slab.Dims[0]
		buffer := mat.Borrow(count * size)
		defer mat.GiveBack(buffer)
		o.MulTensor(*buffer, slab, &b.work)
		mat.Mul(dst, 1, mat.NewDense(count, size, *buffer).T(), latent.Slice(from, from+count, 0, latent.Cols), 1)
		return nil
	})
	return v, err
}

func sum(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x
	}
	return s
}
