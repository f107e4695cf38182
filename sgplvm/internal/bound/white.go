package bound

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// white is the space of a model with white noise: any number of spatial factors, tied or with free
// inducing points.
type white struct{}

func (white) whitens() bool { return false }

func (white) factor(f *Factor, w *factorWork, p *Params, number int, x mat.Matrix, jitter float64) error {
	return f.setSpatial(w, p.Space[number].Kernel, x, p.Space[number].Xu, jitter)
}

func (white) logNoise(e *Evaluator, p *Params) float64 {
	return -float64(e.y.Examples*e.y.Points) * math.Log(p.Noise.Beta)
}

func (white) trace(e *Evaluator, p *Params) float64 {
	t := 1.0
	for f, x := range e.x {
		t *= float64(x.Rows) * p.Space[f].Kernel.Variance
	}
	return t
}

func (white) wants(p *Params) wanted {
	for f := range p.Space {
		if !p.Space[f].tiedWhite() {
			return wantSpace | wantH
		}
	}
	return 0
}

// gradient sets the derivatives in β and the spatial variances, and, if wanted, adds those in the
// spatial kernels' other parameters and free inducing points.
func (white) gradient(ctx context.Context, e *Evaluator, grad, p *Params, spatial bool) error {
	sums := &e.sweep.sums
	dy, beta := float64(e.y.Channels), p.Noise.Beta
	n, m := float64(e.y.Examples*e.y.Points), float64(e.factors[0].Size()*e.Components())
	slack := e.psi0(p) - e.tracePsi2()
	grad.Noise.Beta = dy/2*((n-m)/beta+work.Sum(sums.r2)/(beta*beta)) - 0.5*(e.yy-sums.fit(beta, e.factors[0].Lambda)+dy*slack) + 0.5*sums.coefficients()/beta
	dPsi0 := -0.5 * beta * dy
	for f := range e.x {
		grad.Space[f].Kernel.Variance = dPsi0 * e.psi0(p) / p.Space[f].Kernel.Variance
		if spatial {
			if err := e.spatialGradient(ctx, grad, p, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// spatialGradient chains the derivatives of spatial factor f (counted from 0)
// into its kernel and, where these are free, its inducing points.
func (e *Evaluator) spatialGradient(ctx context.Context, grad, p *Params, f int) error {
	s, own, x, w := e.factors[f+1], &p.Space[f], e.x[f], &e.gradientWork
	switch {
	case own.tiedWhite():
		grad.Space[f].Kernel.Variance += e.whiteVarianceGradient(p.Noise.Beta) / own.Kernel.Variance
	case s.Tied:
		e.tiedGradient(p.Noise.Beta, f)
		own.Kernel.AddGradient(&grad.Space[f].Kernel, mat.Matrix{}, w.dK, s.K, x, x)
	default:
		if err := e.freeGradient(ctx, p.Noise.Beta, f); err != nil {
			return err
		}
		mat.Mul(w.dPsi1, 2, s.Psi1, w.dPsi2, 1) // Ψ2 = Ψ1ᵀΨ1
		own.addFree(&grad.Space[f], w.dPsi1, w.dK, s, x, e.jitter)
	}
	return nil
}

// tiedGradient sets dK to the total derivative of the bound, but for ψ0, in the
// kernel matrix of a tied spatial factor f (counted from 0):
//
//	V [ −½ d_y diag r1 + ½ H_(f) diag(ω) H_(f)ᵀ + ½ β d_y t I ] Vᵀ
func (e *Evaluator) tiedGradient(beta float64, f int) {
	s, w, h := e.factors[f+1], &e.gradientWork, e.sweep.h
	m := s.Size()
	diagonal := e.tiedDiagonal(beta, f)
	omega := e.others(f, omegaOf)
	work.Resize(&w.dK, m, m)
	w.sized(s)
	if len(h.Data)/m >= m || s.Coord.Rows == 0 {
		kronprod.Gram(w.inner, h, f+1, omega)
		mat.Scale(w.inner, 0.5, w.inner)
		for i, v := range diagonal {
			w.inner.Row(i)[i] += v
		}
		if s.Coord.Rows == 0 {
			mat.Copy(w.dK, w.inner)
			return
		}
		w.spatialCongruence(w.dK, s)
		return
	}
	// The Gram matrix has low rank: (V·H_(f))·diag(ω)·(V·H_(f))ᵀ is cheaper.
	buffer := mat.Borrow(len(h.Data))
	vh := kronprod.Shaped(*buffer, h.Dims...)
	kronprod.MulMode(vh, s.Coord, h, f+1)
	kronprod.Gram(w.dK, vh, f+1, omega)
	mat.GiveBack(buffer)
	mat.ScaleCols(w.inner, s.Coord, diagonal)
	mat.MulSym(w.dK, 1, w.inner, s.Coord.T(), 0.5)
	mat.MirrorLower(w.dK)
}

// tiedDiagonal returns −½ d_y r1 + ½ β d_y t of tiedGradient.
func (e *Evaluator) tiedDiagonal(beta float64, f int) []float64 {
	w, dy := &e.gradientWork, float64(e.y.Channels)
	t := e.otherLambda(f)
	w.diagonal = work.Grown(w.diagonal, e.factors[f+1].Size())
	e.marginal(w.diagonal, e.sweep.r1, f, lambdaOf)
	for i, r1 := range w.diagonal {
		w.diagonal[i] = 0.5*beta*dy*t - 0.5*dy*r1
	}
	return w.diagonal
}

// whiteVarianceGradient returns Σ K∘∂L/∂K with the derivative of tiedGradient in the K of a white kernel, a multiple
// of the identity: only its trace counts, the same for all factors.
func (e *Evaluator) whiteVarianceGradient(beta float64) float64 {
	sums := &e.sweep.sums
	return 0.5*sums.coefficients() + 0.5*float64(e.y.Channels)*(beta*e.tracePsi2()-asm.Dot(sums.r1, e.factors[0].Lambda))
}

// freeGradient sets dK, dPsi1 and dPsi2 to the derivatives in K_f (m_f×m_f), Ψ1_f
// (n_f×m_f) and Ψ2_f (m_f×m_f) of a spatial factor f (counted from 0) that is not tied.
func (e *Evaluator) freeGradient(ctx context.Context, beta float64, f int) error {
	s, w, h := e.factors[f+1], &e.gradientWork, e.sweep.h
	r, t := make([]float64, s.Size()), e.otherLambda(f)

	weights := e.others(f, lambdaOmegaOf)
	weights[len(weights)-1] = e.factors[0].Lambda
	kronprod.Gram(w.sized(s), h, f+1, weights)
	e.marginal(r, e.sweep.r1, f, lambdaOf)
	e.dPsi2(s, r, beta, t)

	omega := e.others(f, omegaOf)
	kronprod.Gram(w.inner, h, f+1, omega)
	e.marginal(r, e.sweep.r2, f, onesOf)
	e.dK(s, r, beta, t, e.factors[0].Size()*e.Components()/s.Size())

	v, err := e.contractOthers(ctx, f)
	if err != nil {
		return err
	}
	n := v.Dims[f+1]
	cross := mat.New(n, s.Size())
	kronprod.Cross(cross, v, h, f+1, omega)
	work.Resize(&w.dPsi1, n, s.Size())
	mat.Mul(w.dPsi1, beta, cross, s.Coord.T(), 0)
	return nil
}

// contractOthers returns Y contracted with the data basis of every factor but spatial
// factor f, d_y × m_1 × … n_f … × m_ξ: each slab of examples along space first, which
// leaves the least, then added up along the latent mode.
func (e *Evaluator) contractOthers(ctx context.Context, f int) (kronprod.Tensor, error) {
	latent := e.factors[0].Data
	o := kronprod.Operator{Factors: make([]mat.Matrix, 2, 2+len(e.x))}
	dims := append(append([]int{}, e.dims[1:]...), latent.Cols)
	for g, s := range e.factors[1:] {
		if g == f {
			o.Factors = append(o.Factors, mat.Matrix{})
			dims[1+g] = e.x[g].Rows
		} else {
			o.Factors = append(o.Factors, s.Data.T())
		}
	}
	v := kronprod.NewTensor(dims...)
	size := len(v.Data) / latent.Cols
	dst := mat.NewDense(size, latent.Cols, v.Data)
	err := e.eachSlab(ctx, func(slab kronprod.Tensor, from int) error {
		count := slab.Dims[0]
		buffer := mat.Borrow(count * size)
		defer mat.GiveBack(buffer)
		o.MulTensor(*buffer, slab, &e.work)
		mat.Mul(dst, 1, mat.NewDense(count, size, *buffer).T(), latent.Slice(from, from+count, 0, latent.Cols), 1)
		return nil
	})
	return v, err
}
