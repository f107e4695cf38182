package bound

import (
	"context"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// gradient overwrites grad with the derivatives of the bound; see Evaluate. Spatial
// length scales and inducing points cost the most, so they are left out where they are
// held. The eigenvectors are never differentiated (T, D and E enter as numbers: the
// bound's derivative in K_f, Ψ1_f and Ψ2_f is known in closed form), so repeated
// eigenvalues do no harm.
func (e *Evaluator) gradient(ctx context.Context, grad, p *Params, free Group) error {
	grad.zero()
	if err := p.space().gradient(ctx, e, grad, p, free&GroupSpatial != 0); err != nil {
		return err
	}
	if free&GroupLatent != 0 {
		e.latentGradient(grad, p)
		e.prior.backward(&grad.X, &p.X)
	}
	return nil
}

// latentGradient chains the derivatives in ψ0 and in K_0, Ψ1_0 and Ψ2_0 into the latent kernel,
// Z, μ and S.
func (e *Evaluator) latentGradient(grad, p *Params) {
	s, w, sums := e.factors[0], &e.gradientWork, &e.sweep.sums
	beta := p.Noise.Precision()
	t := e.otherLambda(latentFactor)
	mat.Copy(w.sized(s), sums.weighted)
	e.dPsi2(s, sums.r1, beta, t)
	mat.Copy(w.inner, sums.gram)
	e.dK(s, sums.r2, beta, t, e.Components())
	work.Resize(&w.dPsi1, e.y.Examples, s.Size())
	mat.Mul(w.dPsi1, beta, sums.cross, s.Coord.T(), 0)
	byMean := e.jitter * mat.Trace(w.dK) / float64(w.dK.Rows) // the jitter is a multiple of the mean diagonal
	for i := range w.dK.Rows {
		w.dK.Row(i)[i] += byMean
	}
	to := psi.Gradient{Kernel: grad.Latent, Z: grad.Z, Mu: grad.X.Mu, S: grad.X.S}
	e.psi.Backward(to, -0.5*beta*float64(e.y.Channels)*p.space().trace(e, p), w.dPsi1, w.dPsi2, s.Psi1, p.Q())
	e.psi.MatrixBackward(to, w.dK, s.K)
}

// dPsi2 sets dPsi2 = ∂L/∂Ψ2_f of a factor that is not tied. In inner stands
// E_(f)·diag(λ_j)·E_(f)ᵀ, r1_i is Σ_j λ_j/d_ij and t is Σ_j λ_j, where j runs over the
// joint index of the other factors.
func (e *Evaluator) dPsi2(s *Factor, r1 []float64, beta, t float64) {
	w, dy := &e.gradientWork, float64(e.y.Channels)
	mat.Scale(w.inner, -0.5*beta, w.inner)
	for i, r := range r1 {
		w.inner.Row(i)[i] += -0.5*dy*r + 0.5*beta*dy*t
	}
	work.Resize(&w.dPsi2, s.Size(), s.Size())
	w.congruence(w.dPsi2, s.Coord)
}

// dK sets dK = ∂L/∂K_f likewise, with E_(f)·E_(f)ᵀ in inner and r2_i = Σ_j 1/d_ij; others
// is the number of the joint indices j.
func (e *Evaluator) dK(s *Factor, r2 []float64, beta, t float64, others int) {
	w, dy := &e.gradientWork, float64(e.y.Channels)
	mat.Scale(w.inner, -0.5, w.inner)
	for i, r := range r2 {
		w.inner.Row(i)[i] += -0.5*dy*r/beta + 0.5*dy*float64(others) - 0.5*beta*dy*t*s.Lambda[i]
	}
	work.Resize(&w.dK, s.Size(), s.Size())
	w.congruence(w.dK, s.Coord)
}

// sized makes inner fit a factor and returns it.
func (w *gradientWork) sized(s *Factor) mat.Matrix {
	work.Resize(&w.inner, s.Size(), s.Size())
	return w.inner
}

// congruence sets dst = t·inner·tᵀ, all m×m, with inner symmetric.
func (w *gradientWork) congruence(dst, t mat.Matrix) {
	work.Resize(&w.half, t.Rows, t.Cols)
	mat.Mul(w.half, 1, t, w.inner, 0)
	mat.MulSym(dst, 1, w.half, t.T(), 0)
	mat.MirrorLower(dst)
}

// spatialCongruence sets dst = V·inner·Vᵀ of a tied factor, or what derivatives in its kernel count of it.
func (w *gradientWork) spatialCongruence(dst mat.Matrix, s *Factor) {
	if s.blocks.space != nil {
		s.blocks.congruence(dst, w.inner)
		return
	}
	w.congruence(dst, s.Coord)
}

// others are weights for kronprod's contractions of H, whose modes are the channels, the
// spatial ones and the latent one: of(g) for every spatial factor g but f.
func (e *Evaluator) others(f int, of func(s *Factor) []float64) [][]float64 {
	weights := make([][]float64, 2+len(e.x))
	for g, s := range e.factors[1:] {
		if g != f {
			weights[1+g] = of(s)
		}
	}
	return weights
}

// marginal sets dst to the sums of v, one number for each joint spatial component,
// over the components of all spatial factors but f, with weights of(g).
func (e *Evaluator) marginal(dst, v []float64, f int, of func(s *Factor) []float64) {
	kronprod.Marginal(dst, kronprod.Shaped(v, e.dims[2:]...), f, e.others(f, of)[1:1+len(e.x)])
}

func lambdaOf(s *Factor) []float64 { return s.Lambda }
func omegaOf(s *Factor) []float64  { return s.Omega }
func onesOf(s *Factor) []float64   { return nil }

// lambdaOmegaOf returns λ∘ω.
func lambdaOmegaOf(s *Factor) []float64 {
	if s.Omega == nil {
		return s.Lambda
	}
	v := make([]float64, s.Size())
	for j, l := range s.Lambda {
		v[j] = l * s.Omega[j]
	}
	return v
}

// otherLambda returns Σ_j λ_j over the joint index of all factors but factor f.
func (e *Evaluator) otherLambda(f int) float64 {
	t := 1.0
	for g, s := range e.factors {
		if g != f+1 {
			t *= s.sumLambda()
		}
	}
	return t
}

// addFree adds the derivatives in the kernel and the inducing points of a factor with points x, that are not tied, to a gradient, given those in Ψ1_f and K_f.
func (s *Spatial) addFree(to *Spatial, dPsi1, dK mat.Matrix, f *Factor, x mat.Matrix, jitter float64) {
	s.Kernel.AddGradient(&to.Kernel, to.Xu, dPsi1, f.Psi1, x, s.Xu)
	twice := mat.New(s.Xu.Rows, s.Xu.Cols)
	s.Kernel.AddGradient(&to.Kernel, twice, dK, f.K, s.Xu, s.Xu)
	mat.Add(to.Xu, to.Xu, 2, twice)              // K_f depends on X_u through both arguments
	to.Kernel.Variance += jitter * mat.Trace(dK) // the jitter is a multiple of the variance
}
