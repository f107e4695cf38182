package kernel

import "github.com/seed-08962ecc/kronfield/asm"

// rbf is exp(−r²/2).
type rbf struct{}

// Values sets r2[j] to the covariance.
func (rbf) Values(r2 []float64, variance float64) {
	asm.Scale(r2, -0.5, r2)
	asm.Exp(r2, r2)
	asm.Scale(r2, variance, r2)
}

// Slopes sets r2[j] to −k′(r)/r, which is k itself.
func (f rbf) Slopes(r2 []float64, variance float64) { f.Values(r2, variance) }
