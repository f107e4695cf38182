//go:build purego || !amd64

package asm

// The secular equation's loops spend their time in divisions, which NEON does no
// faster than scalar code: two at a time, half as often.

func poleSum(d, z []float64, sigma, tau float64) (sum, slope float64) {
	return poleSumGeneric(d, z, sigma, tau)
}

func poleRatios(p, d []float64, sigma, tau, pole float64) {
	poleRatiosGeneric(p, d, sigma, tau, pole)
}

func poleVector(v, z, d []float64, sigma, tau float64) float64 {
	return poleVectorGeneric(v, z, d, sigma, tau)
}
