package sgplvm

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// normal is N(mean, diag variance), the prior of one example's latent variables, d_ξ
// numbers each, and its time; nil is the standard normal distribution at no time that is
// known.
type normal struct {
	mean, variance []float64
	time           *Instant
}

// normalOf returns the distribution of a latent posterior; nil stays nil.
func normalOf(l *Latent) *normal {
	if l == nil {
		return nil
	}
	return &normal{l.Mu, l.S, l.At}
}

// when returns the time, nil where it is not known.
func (p *normal) when() *Instant {
	if p == nil {
		return nil
	}
	return p.time
}

// at returns mean and variance of dimension q.
func (p *normal) at(q int) (mean, variance float64) {
	if p == nil {
		return 0, 1
	}
	return p.mean[q], p.variance[q]
}

// latent returns the prior as the posterior of an example that has seen nothing.
func (p *normal) latent(d int) Latent {
	l := Latent{Mu: make([]float64, d), S: make([]float64, d), Start: -1, Noise: 1, At: p.when()}
	for q := range d {
		l.Mu[q], l.S[q] = p.at(q)
	}
	return l
}

// independentKL returns KL(q(X) ‖ p(X)) where all latent coordinates are independent and
// the rows of X have the same prior N(m, diag v): with δ = (μ − m)/√v and ρ = S/v
//
//	½ Σ (δ² + ρ − log ρ − 1)
//
// mu and s are n×d_ξ.
func independentKL(mu, s mat.Matrix, prior *normal) float64 {
	var kl float64
	for n := range mu.Rows {
		v := s.Row(n)
		for q, m := range mu.Row(n) {
			mean, variance := prior.at(q)
			d, ratio := (m-mean)/math.Sqrt(variance), v[q]/variance
			kl += 0.5 * (d*d + ratio - math.Log(ratio) - 1)
		}
	}
	return kl
}

// subtractIndependentKL adds the derivatives of −KL, (m − μ)/v and ½(1/S − 1/v), to dmu
// and ds (n×d_ξ).
func subtractIndependentKL(dmu, ds, mu, s mat.Matrix, prior *normal) {
	for n := range mu.Rows {
		v, dm, dv := s.Row(n), dmu.Row(n), ds.Row(n)
		for q, m := range mu.Row(n) {
			mean, variance := prior.at(q)
			dm[q] -= (m - mean) / variance
			dv[q] += 0.5 * (1/v[q] - 1/variance)
		}
	}
}
