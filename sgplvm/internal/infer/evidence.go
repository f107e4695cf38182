package infer

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// Evidence is L* as a function of the latent posterior: Atkinson and Zabaras
// (2018), equation of the test bound, with K_uu⁻¹Ū = α and the channel count
// where it belongs (docs/math.md, "A partly seen example"),
//
//	L* = constant + g0·ψ0 + g1·ψ1 + tr(G·Ψ2) − KL
//
// with g0 = −½β·d_y·tr K(X_O, X_O), g1 = β·r and G = −½β·R. The data enter through r
// (m_ξ) and the symmetric R (m_ξ×m_ξ) alone. Where the noise is structured all of it is
// whitened with the Cholesky factor of Σ_OO, and β = 1.
type Evidence struct {
	Constant float64   // without −½β·‖y‖²
	Square   float64   // that, and what a known time contributes to the form
	Count    float64   // observed values
	Form     *psi.Form // g0·ψ0 + g1·ψ1 + tr(G·Ψ2)
	Prior    *psi.Normal

	// What the precision of the noise counts for beside the data: as many values, with the precision of
	// training. +Inf: it is fixed.
	Strength float64
}

// At returns L* at N(mu, diag s) and writes its derivatives to dmu and ds, unless
// these are nil. The example's noise variance may be a multiple of the training
// noise's, and multiple is the one with the highest bound. Only the expected squares of the
// whitened residuals, −2A, count for it: with τ in place of the precision 1 and a Gamma prior
// around 1 that weighs as much as strength ν values,
//
//	L* = constant + ½|O|·log τ + τ·A − KL + ½ν·(log τ − τ + 1),  τ = (|O| + ν)/(ν − 2A)
func (v *Evidence) At(t *psi.Scratch, mu, s, dmu, ds []float64) (value, multiple float64) {
	d := len(mu)
	if dmu != nil {
		clear(dmu)
		clear(ds)
	}
	square := v.Square + v.Form.Value(t, mu, s, dmu, ds)
	value, tau := v.Value(square)
	rowMu, rowS := mat.NewDense(1, d, mu), mat.NewDense(1, d, s)
	if dmu != nil {
		asm.Scale(dmu, tau, dmu)
		asm.Scale(ds, tau, ds)
		psi.SubtractKL(mat.NewDense(1, d, dmu), mat.NewDense(1, d, ds), rowMu, rowS, v.Prior)
	}
	return value - psi.KL(rowMu, rowS, v.Prior), 1 / tau
}

// Value returns L* but for the divergence, and τ, given A.
func (v *Evidence) Value(square float64) (value, tau float64) {
	if math.IsInf(v.Strength, 1) {
		return v.Constant + square, 1
	}
	tau = (v.Count + v.Strength) / (v.Strength - 2*square)
	return v.Constant + 0.5*v.Count*math.Log(tau) + tau*square + 0.5*v.Strength*(math.Log(tau)-tau+1), tau
}
