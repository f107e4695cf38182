package infer

import (
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
	Form     *psi.Form // g0·ψ0 + g1·ψ1 + tr(G·Ψ2)
	Prior    *psi.Normal
}

// At returns L* at N(mu, diag s) and writes its derivatives to dmu and ds, unless
// these are nil.
func (v *Evidence) At(t *psi.Scratch, mu, s, dmu, ds []float64) float64 {
	d := len(mu)
	if dmu != nil {
		clear(dmu)
		clear(ds)
	}
	value := v.Constant + (v.Square + v.Form.Value(t, mu, s, dmu, ds))
	rowMu, rowS := mat.NewDense(1, d, mu), mat.NewDense(1, d, s)
	if dmu != nil {
		psi.SubtractKL(mat.NewDense(1, d, dmu), mat.NewDense(1, d, ds), rowMu, rowS, v.Prior)
	}
	return value - psi.KL(rowMu, rowS, v.Prior)
}
