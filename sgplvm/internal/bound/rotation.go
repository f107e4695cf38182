package bound

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// T moves with the parameters, and the bound depends on it through N alone: a change T·(1 + Y) changes
// L by −Σ_{c≠a} Y_ca·X_ca, X_ca = Σ ω·(F_i)_ca·s_a, where s_a is what w makes of all other factors. The diagonal of Y does not
// count, since w is at its optimum. From TᵀKT = I and TᵀΨ2T = Λ,
//
//	Y_ca = (λ_a·dK̃_ca − dΨ̃2_ca)/(λ_c − λ_a)
//
// so that
//
//	∂L/∂Ψ̃2_ca = ½·(X_ca − X_ac)/(λ_c − λ_a)        ∂L/∂K̃_ca = −½·(λ_a·X_ca − λ_c·X_ac)/(λ_c − λ_a)
//
// For complete data, and examples × points, X is symmetric in this sense and all of it vanishes but ½·X in K̃: no
// eigenvector is differentiated there. Where eigenvalues meet T jumps, by next to nothing in L, and the quotient is
// damped: with Δ = λ_c − λ_a it is Δ/(Δ² + η²), η = meeting·max λ.

// meeting is relative to the largest eigenvalue.
const meeting = 1e-10

// rotation adds the derivatives through T to those in K̃, m×m, and returns those in Ψ̃2 of the weighted statistics.
func rotation(dK, x mat.Matrix, values []float64) mat.Matrix {
	dPsi2, largest := mat.New(x.Rows, x.Rows), 0.0
	for _, v := range values {
		largest = max(largest, v)
	}
	eta := math.Max(meeting*largest, math.SmallestNonzeroFloat64)
	for c := range x.Rows {
		for a := range c {
			delta := values[c] - values[a]
			quotient := (x.At(c, a) - x.At(a, c)) * (delta / (delta*delta + eta*eta))
			if largest == 0 {
				quotient = 0
			}
			dPsi2.Set(c, a, 0.5*quotient)
			dPsi2.Set(a, c, 0.5*quotient)
			// λ_a·X_ca − λ_c·X_ac = λ_a·(X_ca − X_ac) − Δ·X_ac = λ_c·(X_ca − X_ac) − Δ·X_ca: the mean of the two
			k := 0.25*(x.At(c, a)+x.At(a, c)) - 0.25*(values[a]+values[c])*quotient
			dK.Row(c)[a] += k
			dK.Row(a)[c] += k
		}
	}
	return dPsi2
}
