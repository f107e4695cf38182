package sgplvm

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// independentKL returns KL(q(X) ‖ p(X)) = ½ Σ (μ² + S − log S − 1) for the prior
// under which all latent coordinates are independent and standard normal. mu
// and s are n×d_ξ.
func independentKL(mu, s mat.Matrix) float64 {
	var kl float64
	for n := range mu.Rows {
		v := s.Row(n)
		for q, m := range mu.Row(n) {
			kl += 0.5 * (m*m + v[q] - math.Log(v[q]) - 1)
		}
	}
	return kl
}

// subtractIndependentKL adds the derivatives of −KL, −μ and ½(1/S − 1), to dmu
// and ds (n×d_ξ).
func subtractIndependentKL(dmu, ds, mu, s mat.Matrix) {
	for n := range mu.Rows {
		v, dm, dv := s.Row(n), dmu.Row(n), ds.Row(n)
		for q, m := range mu.Row(n) {
			dm[q] -= m
			dv[q] += 0.5 * (1/v[q] - 1)
		}
	}
}
