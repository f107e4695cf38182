package sgplvm

import (
	"fmt"

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
	return p.Beta == q.Beta && equalKernel(p.Residual, q.Residual)
}

// noise sets dst (n×n) to Σ at the points x (n×d_s).
func (p *Params) noise(dst, x mat.Matrix) {
	p.Residual.Matrix(dst, x, x)
	for i := range dst.Rows {
		dst.Row(i)[i] += 1 / p.Beta
	}
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
	s, x, h, w := b.factors[1], b.x[0], b.sweep.h, &b.gradientWork
	n, dy := s.size(), float64(b.channels())
	tau := p.Latent.psi0(p.Mu, p.S) - b.factors[0].sumLambda()
	r1 := b.sweep.r1

	resize(&w.gram, n, n)
	kronprod.Gram(w.gram, h, 1, nil)
	mat.Scale(w.sized(s), 0.5, w.gram)
	for j, r := range r1 {
		w.inner.Row(j)[j] -= 0.5 * dy * (r + tau)
	}
	resize(&w.dK, n, n)
	w.congruence(w.dK, s.coord)
	p.Spatial[0].addGradient(&grad.Spatial[0], mat.Matrix{}, w.dK, s.k, x, x)

	kronprod.Gram(w.inner, h, 1, [][]float64{nil, nil, b.factors[0].lambda})
	for i, si := range s.lambda {
		row, gram := w.inner.Row(i), w.gram.Row(i)
		for j, sj := range s.lambda {
			row[j] = -0.5 * (float64((si+sj)*gram[j]) + float64(si*sj*row[j]))
		}
		row[i] += 0.5 * dy * (si*(r1[i]+tau) - float64(b.y.examples))
	}
	b.projected.addGram(w.inner, 0.5)
	w.congruence(w.dK, s.coord)
	for i := range n {
		grad.Beta -= w.dK.At(i, i) / (p.Beta * p.Beta)
	}
	p.Residual.Matrix(w.gram, x, x)
	p.Residual.addGradient(&grad.Residual, mat.Matrix{}, w.dK, w.gram, x, x)
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
