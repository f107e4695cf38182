package psi

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Normal is N(Mean, diag Variance), the prior of one example's latent variables, d_ξ numbers
// each; nil is the standard normal distribution. Where Precision (d_ξ×d_ξ) has rows, it is N(Mean, Precision⁻¹), of which Variance has the diagonal.
type Normal struct {
	Mean, Variance []float64
	Precision      mat.Matrix
	LogDet         float64 // log |Precision|
}

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
// or, of a prior N(m, A⁻¹), ½ Σ_n ((μ − m)ᵀA(μ − m) + Σ_q (A_qq·S_q − log S_q − 1) − log |A|). mu and s are n×d_ξ.
func KL(mu, s mat.Matrix, prior *Normal) float64 {
	var kl float64
	if prior != nil && prior.Precision.Rows > 0 {
		for n := range mu.Rows {
			kl += prior.kl(mu.Row(n), s.Row(n))
		}
		return kl
	}
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
	if prior != nil && prior.Precision.Rows > 0 {
		for n := range mu.Rows {
			prior.subtractKL(dmu.Row(n), ds.Row(n), mu.Row(n), s.Row(n))
		}
		return
	}
	for n := range mu.Rows {
		v, dm, dv := s.Row(n), dmu.Row(n), ds.Row(n)
		for q, m := range mu.Row(n) {
			mean, variance := prior.At(q)
			dm[q] -= (m - mean) / variance
			dv[q] += 0.5 * (1/v[q] - 1/variance)
		}
	}
}

// kl is KL of a row where the prior has a precision.
func (p *Normal) kl(mu, s []float64) float64 {
	sum := -p.LogDet
	for q, v := range s {
		row, d := p.Precision.Row(q), mu[q]-p.Mean[q]
		sum += row[q]*v - math.Log(v) - 1
		for k, a := range row {
			sum += d * a * (mu[k] - p.Mean[k])
		}
	}
	return 0.5 * sum
}

// subtractKL is SubtractKL of a row where the prior has a precision.
func (p *Normal) subtractKL(dmu, ds, mu, s []float64) {
	for q, v := range s {
		row := p.Precision.Row(q)
		ds[q] += 0.5 * (1/v - row[q])
		for k, a := range row {
			dmu[q] -= a * (mu[k] - p.Mean[k])
		}
	}
}
