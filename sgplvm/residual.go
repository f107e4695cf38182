package sgplvm

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Structured residual. What an example has that its latent variables do not explain need
// not be white: with one spatial factor whose inducing points are its data points, the
// covariance of y − f within an example and channel may be
//
//	Σ = β⁻¹·I + K_r
//
// with a spatial kernel K_r of its own. Let Σ = L·Lᵀ and L⁻¹·K·L⁻ᵀ = U·diag(s)·Uᵀ, and
// Ū = L⁻ᵀ·U, so that ŪᵀΣŪ = I and ŪᵀKŪ = diag(s). Data that are contracted with Ū in
// place of V are white with precision 1, and all formulas of the bound hold with β = 1, s
// for Λ and −½·n_ξ·d_y·log|Σ| added.

// structured reports whether the noise has a structured part.
func (p *Params) structured() bool { return p.Residual.Kind != "" }

// precision returns the noise precision of the data as the bound sees them: β, or 1
// where they are whitened.
func (p *Params) precision() float64 {
	if p.structured() {
		return 1
	}
	return p.Beta
}

// sameNoise reports whether p and q have the same Σ, or both none.
func (p *Params) sameNoise(q *Params) bool {
	if !p.structured() && !q.structured() {
		return true
	}
	return p.Beta == q.Beta && equalKernel(p.Residual, q.Residual) && equalMatrix(p.Covariance, q.Covariance)
}

// noise sets dst (n×n) to Σ at the training points x (n×d_s).
func (p *Params) noise(dst, x mat.Matrix) {
	if p.Covariance.Rows > 0 {
		mat.Copy(dst, p.Covariance)
		return
	}
	p.parametricNoise(dst, x)
}

// parametricNoise sets dst (n×n) to β⁻¹·I + K_r at the points x (n×d_s).
func (p *Params) parametricNoise(dst, x mat.Matrix) {
	p.Residual.Matrix(dst, x, x)
	for i := range dst.Rows {
		dst.Row(i)[i] += 1 / p.Beta
	}
}

// learnedAt returns which training points the points x are, if Σ was learned and they all
// are such points, else nil. What was learned says nothing of other points: predictions at
// a grid that has any take the parametric Σ there, at all of them, since the two do not
// make one covariance.
func (p *Params) learnedAt(x, training mat.Matrix) []int {
	if p.Covariance.Rows == 0 {
		return nil
	}
	at, _ := among(x, training)
	return at
}

// structuredNoise sets dst (n×n) to Σ − β⁻¹·I at the points x (n×d_s), the learned one if
// these are the training points at, of learnedAt.
func (p *Params) structuredNoise(dst, x mat.Matrix, at []int) {
	if at == nil {
		p.Residual.Matrix(dst, x, x)
		return
	}
	for i, k := range at {
		for j, l := range at {
			dst.Row(i)[j] = p.Covariance.At(k, l)
		}
		dst.Row(i)[i] -= 1 / p.Beta
	}
}

// among returns which training points the points x are; missing is the first that is
// none, or −1.
func among(x, training mat.Matrix) (at []int, missing int) {
	index := make(map[string]int, training.Rows)
	for i := range training.Rows {
		index[fmt.Sprint(training.Row(i))] = i
	}
	for i := range x.Rows {
		k, ok := index[fmt.Sprint(x.Row(i))]
		if !ok {
			return nil, i
		}
		at = append(at, k)
	}
	return at, -1
}

// validateResidual checks the structured part against the spatial factors.
func (p *Params) validateResidual(x []mat.Matrix) error {
	if !p.structured() {
		return nil
	}
	if len(x) != 1 || p.Xu[0].Rows > 0 {
		return fmt.Errorf("a structured residual with %d spatial factors, expected one, with its inducing points tied to its data points", len(x))
	}
	if p.Residual.Kind == White {
		return fmt.Errorf("a white residual kernel, expected matern12, matern32, matern52 or rbf: the noise is white already")
	}
	if err := p.Residual.validate(x[0].Cols); err != nil {
		return fmt.Errorf("residual %w", err)
	}
	if n := len(p.Taper); n != 0 && n != x[0].Cols {
		return fmt.Errorf("noise taper of %d lengths, expected %d, one for each dimension", n, x[0].Cols)
	}
	for _, l := range p.Taper {
		if !(l > 0) || math.IsInf(l, 0) {
			return fmt.Errorf("noise taper %v, expected a positive number", l)
		}
	}
	if c := p.Covariance; c.Rows > 0 {
		if c.Rows != x[0].Rows || c.Cols != c.Rows {
			return fmt.Errorf("noise covariance is %d×%d, expected %d×%d", c.Rows, c.Cols, x[0].Rows, x[0].Rows)
		}
		if i, j, bad := mat.NonFinite(c); bad {
			return fmt.Errorf("noise covariance of points %d and %d is %v, expected a finite number", i, j, c.At(i, j))
		}
	}
	return nil
}

// setWhitened evaluates the kernel of a tied spatial factor at x (n×d_s) and decomposes
// it in the metric of Σ.
func (f *factor) setWhitened(w *factorWork, kernel Kernel, x mat.Matrix, p *Params) error {
	n := x.Rows
	resize(&f.k, n, n)
	resize(&w.psi2, n, n)
	kernel.Matrix(f.k, x, x)
	p.noise(w.psi2, x)
	if err := w.cholesky.Refactorize(w.psi2); err != nil {
		return err
	}
	if err := w.eigen.General(&f.spectrum, f.k, w.cholesky.L()); err != nil {
		return err
	}
	clampAtZero(f.spectrum.Values)
	f.tied, f.psi1, f.logNoise = true, f.k, w.cholesky.LogDet()
	f.data, f.coord, f.lambda, f.omega = f.spectrum.Vectors, f.spectrum.Vectors, f.spectrum.Values, f.spectrum.Values
	return nil
}

// whitenedGradient chains the derivatives of the bound in K and Σ of the one spatial
// factor into its kernel, the residual's and β. With r1 and H as everywhere, Z = Ūᵀ·Yᵀ
// and τ = ψ0 − Σ λ0 of the latent factor,
//
//	∂L/∂K = Ū [ −½ d_y diag r1 + ½ H·Hᵀ − ½ d_y τ I ] Ūᵀ
//	∂L/∂Σ = Ū [ −½ n_ξ d_y I + ½ d_y diag(s∘r1) + ½ Z·Zᵀ
//	            − ½ (s·H·Hᵀ + H·Hᵀ·s + s·H·diag(λ0)·Hᵀ·s) + ½ d_y τ s ] Ūᵀ
func (b *problem) whitenedGradient(grad, p *Params) {
	s, x, w := b.factors[1], b.x[0], &b.gradientWork
	n, dy := s.size(), float64(b.channels())
	tau := b.latentSlack(p)

	resize(&w.gram, n, n)
	resize(&w.dK, n, n)
	kronprod.Gram(w.gram, b.sweep.h, 1, nil)
	mat.Scale(w.sized(s), 0.5, w.gram)
	for j, r := range b.sweep.r1 {
		w.inner.Row(j)[j] -= 0.5 * dy * (r + tau)
	}
	w.congruence(w.dK, s.coord)
	p.Spatial[0].addGradient(&grad.Spatial[0], mat.Matrix{}, w.dK, s.k, x, x)
	if p.Covariance.Rows > 0 {
		return
	}

	b.noiseSlope(p)
	w.congruence(w.dK, s.coord)
	for i := range n {
		grad.Beta -= w.dK.At(i, i) / (p.Beta * p.Beta)
	}
	p.Residual.Matrix(w.gram, x, x)
	p.Residual.addGradient(&grad.Residual, mat.Matrix{}, w.dK, w.gram, x, x)
}

// latentSlack returns τ = ψ0 − Σ λ0 of the latent factor.
func (b *problem) latentSlack(p *Params) float64 {
	return p.Latent.psi0(p.Mu, p.S) - b.factors[0].sumLambda()
}

// noiseSlope sets inner to Ū⁻¹·∂L/∂Σ·Ū⁻ᵀ; gram must hold H·Hᵀ.
func (b *problem) noiseSlope(p *Params) {
	s, w := b.factors[1], &b.gradientWork
	dy, r1 := float64(b.channels()), b.sweep.r1
	tau := b.latentSlack(p)
	kronprod.Gram(w.sized(s), b.sweep.h, 1, [][]float64{nil, nil, b.factors[0].lambda})
	for i, si := range s.lambda {
		row, gram := w.inner.Row(i), w.gram.Row(i)
		for j, sj := range s.lambda {
			row[j] = -0.5 * (float64((si+sj)*gram[j]) + float64(si*sj*row[j]))
		}
		row[i] += 0.5 * dy * (si*(r1[i]+tau) - float64(b.y.examples))
	}
	b.projected.addGram(w.inner, 0.5)
}

// residualCovariance returns the mean over examples and channels of
// E_q (y − f)·(y − f)ᵀ at p, n_s×n_s. Since L depends on Σ through the expected log
// likelihood alone, that is Σ + 2/(n_ξ·d_y)·Σ·∂L/∂Σ·Σ.
func (b *problem) residualCovariance(p *Params) (mat.Matrix, error) {
	b.restore()
	if err := b.factorize(p); err != nil {
		return mat.Matrix{}, err
	}
	b.sweep.run(b, 1, wantSpace|wantH)
	s, w := b.factors[1], &b.gradientWork
	n := s.size()
	resize(&w.gram, n, n)
	kronprod.Gram(w.gram, b.sweep.h, 1, nil)
	b.noiseSlope(p)
	mat.Scale(w.inner, 2/float64(b.y.examples*b.channels()), w.inner)
	for i := range n {
		w.inner.Row(i)[i]++
	}
	sigma, back, cov := mat.New(n, n), mat.New(n, n), mat.New(n, n) // Σ·Ū = Ū⁻ᵀ
	p.noise(sigma, b.x[0])
	mat.Mul(back, 1, sigma, s.coord, 0)
	w.congruence(cov, back)
	return cov, nil
}

// taper returns C_ij = exp(−Σ_q (x_iq − x_jq)²/ℓ_q²) at points x, n×n, all ones without a
// taper. A covariance times C, element by element, is a covariance again: with few examples,
// what they say of distant points is mostly chance (Furrer, Genton and Nychka, J. Comput.
// Graph. Stat. 15, 2006).
func (p *Params) taper(x mat.Matrix) mat.Matrix {
	c, k := mat.New(x.Rows, x.Rows), Kernel{Kind: RBF, Variance: 1}
	if p.Taper == nil {
		c.Fill(1)
		return c
	}
	for _, l := range p.Taper {
		k.LengthScale = append(k.LengthScale, l/math.Sqrt2)
	}
	k.Matrix(c, x, x)
	return c
}

// DefaultTaper is FitOptions.ResidualTaper, in mean spacings, where that is 0.
func DefaultTaper(examples int) float64 { return 2.6 * math.Pow(float64(examples), 1./6) }

// learnNoise replaces Σ by the posterior mean under an inverse Wishart prior that is
// centred on the parametric Σ and weighs as much as the given number of examples, of what
// is left by the taper.
func (b *problem) learnNoise(p *Params, strength float64) error {
	cov, err := b.residualCovariance(p)
	if err != nil {
		return err
	}
	n := float64(b.y.examples)
	prior := mat.New(cov.Rows, cov.Cols)
	p.parametricNoise(prior, b.x[0])
	mat.MulElem(cov, cov, p.taper(b.x[0]))
	mat.Scale(cov, n/(n+strength), cov)
	mat.Add(cov, cov, strength/(n+strength), prior)
	mat.MirrorLower(cov)
	p.Covariance = cov
	return nil
}

// addGram adds alpha times the components' Gram matrix over examples and channels to dst.
func (y *projected) addGram(dst mat.Matrix, alpha float64) {
	buffer := mat.Borrow(y.examples * y.components)
	whole := mat.NewDense(y.examples, y.components, *buffer)
	product := mat.Borrow(y.components * y.components)
	gram := mat.NewDense(y.components, y.components, *product)
	for c := range y.channels {
		for b := range y.blocks() {
			from, to := y.block(b)
			mat.Copy(whole.Slice(0, y.examples, from, to), y.at(c, from, to))
		}
		mat.Syrk(gram, alpha, whole.T(), 0)
		mat.MirrorLower(gram)
		asm.Axpy(1, gram.Data, dst.Data)
	}
	mat.GiveBack(product)
	mat.GiveBack(buffer)
}
