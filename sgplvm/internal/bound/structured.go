package bound

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A space is how the spatial factors and the noise enter the bound together.
type space interface {
	// factor evaluates and decomposes spatial factor number, counted from 0, with data points x.
	factor(f *Factor, w *factorWork, p *Params, number int, x mat.Matrix, jitter float64) error

	// whitens reports whether Y in the factors' basis is in the metric of the noise.
	whitens() bool

	// logNoise is log|Σ| of all examples: n_ξ times that of one.
	logNoise(e *Evaluator, p *Params) float64

	// trace is Π_f tr K(X_f, X_f), of whitened data tr Σ⁻¹K(X, X).
	trace(e *Evaluator, p *Params) float64

	// wants says what derivatives in spatial parameters need of a sweep.
	wants(p *Params) wanted

	// gradient sets the derivatives in the noise and in spatial parameters; without spatial those alone
	// that cost nothing.
	gradient(ctx context.Context, e *Evaluator, grad, p *Params, spatial bool) error
}

func (p *Params) space() space {
	if p.Noise.Structured() {
		return structured{}
	}
	return white{}
}

// structured is the space of a model with structured noise. Let Σ = L·Lᵀ and
// L⁻¹·K·L⁻ᵀ = U·diag(s)·Uᵀ, and Ū = L⁻ᵀ·U, so that ŪᵀΣŪ = I and ŪᵀKŪ = diag(s). Data that are
// contracted with Ū in place of V are white with precision 1, and all formulas of the bound hold
// with β = 1, s for Λ and −½·n_ξ·d_y·log|Σ| added.
type structured struct{}

func (structured) whitens() bool { return true }

func (structured) factor(f *Factor, w *factorWork, p *Params, number int, x mat.Matrix, _ float64) error {
	return f.setWhitened(w, p.Space[number].Kernel, x, &p.Noise)
}

func (structured) logNoise(e *Evaluator, p *Params) float64 {
	return float64(e.y.Examples) * e.factors[1].logNoise
}

func (structured) trace(e *Evaluator, _ *Params) float64 { return e.factors[1].sumLambda() }

func (structured) wants(*Params) wanted { return wantSpace | wantH }

func (structured) gradient(_ context.Context, e *Evaluator, grad, p *Params, spatial bool) error {
	if spatial {
		e.whitenedGradient(grad, p)
	}
	return nil
}

// whitenedGradient chains the derivatives of the bound in K and Σ of the one spatial
// factor into its kernel, the residual's and β. With r1 and H as everywhere, Z = Ūᵀ·Yᵀ
// and τ = ψ0 − Σ λ0 of the latent factor,
//
//	∂L/∂K = Ū [ −½ d_y diag r1 + ½ H·Hᵀ − ½ d_y τ I ] Ūᵀ
//	∂L/∂Σ = Ū [ −½ n_ξ d_y I + ½ d_y diag(s∘r1) + ½ Z·Zᵀ
//	            − ½ (s·H·Hᵀ + H·Hᵀ·s + s·H·diag(λ0)·Hᵀ·s) + ½ d_y τ s ] Ūᵀ
func (e *Evaluator) whitenedGradient(grad, p *Params) {
	s, x, w := e.factors[1], e.x[0], &e.gradientWork
	n, dy := s.Size(), float64(e.y.Channels)
	tau := e.latentSlack(p)

	work.Resize(&w.gram, n, n)
	work.Resize(&w.dK, n, n)
	kronprod.Gram(w.gram, e.sweep.h, 1, nil)
	mat.Scale(w.sized(s), 0.5, w.gram)
	for j, r := range e.sweep.r1 {
		w.inner.Row(j)[j] -= 0.5 * dy * (r + tau)
	}
	w.spatialCongruence(w.dK, s)
	p.Space[0].Kernel.AddGradient(&grad.Space[0].Kernel, mat.Matrix{}, w.dK, s.K, x, x)
	if p.Noise.Learned() {
		return
	}

	e.noiseSlope(p)
	w.spatialCongruence(w.dK, s)
	for i := range n {
		grad.Noise.Beta -= w.dK.At(i, i) / (p.Noise.Beta * p.Noise.Beta)
	}
	p.Noise.Residual.Matrix(w.gram, x, x)
	p.Noise.Residual.AddGradient(&grad.Noise.Residual, mat.Matrix{}, w.dK, w.gram, x, x)
}

// latentSlack returns τ = ψ0 − Σ λ0 of the latent factor.
func (e *Evaluator) latentSlack(p *Params) float64 {
	return e.psi.Psi0(p.Q()) - e.factors[0].sumLambda()
}

// noiseSlope sets inner to Ū⁻¹·∂L/∂Σ·Ū⁻ᵀ; gram must hold H·Hᵀ.
func (e *Evaluator) noiseSlope(p *Params) {
	s, w := e.factors[1], &e.gradientWork
	dy, r1 := float64(e.y.Channels), e.sweep.r1
	tau := e.latentSlack(p)
	kronprod.Gram(w.sized(s), e.sweep.h, 1, [][]float64{nil, nil, e.factors[0].Lambda})
	for i, si := range s.Lambda {
		row, gram := w.inner.Row(i), w.gram.Row(i)
		for j, sj := range s.Lambda {
			row[j] = -0.5 * (float64((si+sj)*gram[j]) + float64(si*sj*row[j]))
		}
		row[i] += 0.5 * dy * (si*(r1[i]+tau) - float64(e.y.Examples))
	}
	e.projected.addGram(w.inner, 0.5)
}

// residualCovariance returns the mean over examples and channels of
// E_q (y − f)·(y − f)ᵀ at p, n_s×n_s. Since L depends on Σ through the expected log
// likelihood alone, that is Σ + 2/(n_ξ·d_y)·Σ·∂L/∂Σ·Σ.
func (e *Evaluator) residualCovariance(ctx context.Context, p *Params) (mat.Matrix, error) {
	if err := e.Factorize(ctx, p); err != nil {
		return mat.Matrix{}, err
	}
	if err := e.sweep.run(ctx, e, 1, wantSpace|wantH); err != nil {
		return mat.Matrix{}, err
	}
	s, w := e.factors[1], &e.gradientWork
	n := s.Size()
	work.Resize(&w.gram, n, n)
	kronprod.Gram(w.gram, e.sweep.h, 1, nil)
	e.noiseSlope(p)
	mat.Scale(w.inner, 2/float64(e.y.Examples*e.y.Channels), w.inner)
	for i := range n {
		w.inner.Row(i)[i]++
	}
	sigma, cov := mat.New(n, n), mat.New(n, n)
	p.Noise.Matrix(sigma, e.x[0])
	if s.blocks.space != nil {
		s.blocks.whole(cov, w.inner, s.blocks.times(sigma))
		return cov, nil
	}
	back := mat.New(n, n) // Σ·Ū = Ū⁻ᵀ
	mat.Mul(back, 1, sigma, s.Coord, 0)
	w.congruence(cov, back)
	return cov, nil
}

// DefaultTaper is the taper of a learned covariance, in mean spacings of the points, for a number
// of examples: more of them tell chance from what is there further away.
func DefaultTaper(examples float64) float64 { return 2.6 * math.Pow(examples, 1./6) }

// LearnNoise replaces Σ by the posterior mean under an inverse Wishart prior that is
// centred on the parametric Σ and weighs as much as the given number of examples, of what
// is left by the taper.
//
// To the covariance of the residuals is added that of values that were not observed but filled in, given those observed,
// on average over examples and channels, n_s×n_s: 0×0 where there are none.
func (e *Evaluator) LearnNoise(ctx context.Context, p *Params, strength float64, filled mat.Matrix) error {
	cov, err := e.residualCovariance(ctx, p)
	if err != nil {
		return err
	}
	if filled.Rows > 0 {
		mat.Add(cov, cov, 1, filled)
	}
	prior := mat.New(cov.Rows, cov.Cols)
	p.Noise.parametric(prior, e.x[0])
	p.Noise.Shrink(cov, prior, e.x[0], float64(e.y.Examples), strength)
	p.Noise.Covariance = cov
	return nil
}

// Shrink makes the covariance of residuals of some examples at points x (n_s×d), n_s×n_s, the posterior mean of Σ: under an inverse Wishart prior of
// that mean which weighs as much as strength examples, of what is left by the taper.
func (n *Noise) Shrink(cov, prior, x mat.Matrix, examples, strength float64) {
	mat.MulElem(cov, cov, n.TaperAt(x))
	mat.Scale(cov, examples/(examples+strength), cov)
	mat.Add(cov, cov, strength/(examples+strength), prior)
	mat.MirrorLower(cov)
}
