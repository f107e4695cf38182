package psi

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Normal is N(Mean, diag Variance), the prior of one example's latent variables, d_ξ numbers
// each; nil is the standard normal distribution.
type Normal struct{ Mean, Variance []float64 }

// At returns mean and variance of dimension q.
func (p *Normal) At(q int) (mean, variance float64) {
	if p == nil {
		return 0, 1
	}
	return p.Mean[q], p.Variance[q]
}

// KL returns KL(q(X) ‖ p(X)) where all latent coordinates are independent and
// the rows of X have the same prior N(m, diag v): with δ = (μ − m)/√v and ρ = S/v
//
//	½ Σ (δ² + ρ − log ρ − 1)
//
// mu and s are n×d_ξ.
func KL(mu, s mat.Matrix, prior *Normal) float64 {
	var kl float64
	for n := range mu.Rows {
		v := s.Row(n)
		for q, m := range mu.Row(n) {
			mean, variance := prior.At(q)
			d, ratio := (m-mean)/math.Sqrt(variance), v[q]/variance
			kl += 0.5 * (d*d + ratio - math.Log(ratio) - 1)
		}
	}
	return kl
}

// SubtractKL adds the derivatives of −KL, (m − μ)/v and ½(1/S − 1/v), to dmu
// and ds (n×d_ξ).
func SubtractKL(dmu, ds, mu, s mat.Matrix, prior *Normal) {
	for n := range mu.Rows {
		v, dm, dv := s.Row(n), dmu.Row(n), ds.Row(n)
		for q, m := range mu.Row(n) {
			mean, variance := prior.At(q)
			dm[q] -= (m - mean) / variance
			dv[q] += 0.5 * (1/v[q] - 1/variance)
		}
	}
}
