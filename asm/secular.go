package asm

// PoleSum returns Σ z[i]²/δ[i] and its derivative by tau, Σ z[i]²/δ[i]², for
// δ[i] = (d[i] − sigma) − tau and i < len(d): the terms of a secular equation. z
// must not be shorter than d.
//
// Each term has a relative error of a few ε, and sums are formed in lanes; levels
// differ in both. δ must be 0 nowhere, nor subnormal.
func PoleSum(d, z []float64, sigma, tau float64) (sum, slope float64) {
	atLeast("PoleSum", "z", len(z), len(d))
	raceRead(d)
	raceRead(z[:len(d)])
	if len(d) <= block {
		return poleSum(d, z, sigma, tau)
	}
	for ; len(d) > block; d, z = d[block:], z[block:] {
		s, t := poleSum(d[:block], z, sigma, tau)
		sum, slope = sum+s, slope+t
	}
	s, t := poleSum(d, z, sigma, tau)
	return sum + s, slope + t
}

// PoleRatios multiplies p[i] by δ[i]/(d[i] − pole) for i < len(p), with δ as in
// [PoleSum] and d[i] ≠ pole: what the root sigma + tau of a secular equation and one of
// its poles contribute to the weights of Gu and Eisenstat. The error is a few ε.
// d must not be shorter than p nor overlap it.
func PoleRatios(p, d []float64, sigma, tau, pole float64) {
	atLeast("PoleRatios", "d", len(d), len(p))
	raceRead(d[:len(p)])
	raceWrite(p)
	for ; len(p) > block; p, d = p[block:], d[block:] {
		poleRatios(p[:block], d, sigma, tau, pole)
	}
	poleRatios(p, d, sigma, tau, pole)
}

// PoleVector sets v[i] = z[i]/δ[i] for i < len(v), with δ as in [PoleSum], and
// returns Σ v[i]²: an eigenvector of diag(d) + ρ·z·zᵀ, and the square of its length. The
// error is a few ε. z and d must not be shorter than v nor overlap it.
func PoleVector(v, z, d []float64, sigma, tau float64) float64 {
	atLeast("PoleVector", "z", len(z), len(v))
	atLeast("PoleVector", "d", len(d), len(v))
	raceRead(z[:len(v)])
	raceRead(d[:len(v)])
	raceWrite(v)
	if len(v) <= block {
		return poleVector(v, z, d, sigma, tau)
	}
	var sum float64
	for ; len(v) > block; v, z, d = v[block:], z[block:], d[block:] {
		sum += poleVector(v[:block], z, d, sigma, tau)
	}
	return sum + poleVector(v, z, d, sigma, tau)
}

func poleSumGeneric(d, z []float64, sigma, tau float64) (sum, slope float64) {
	z = z[:len(d)]
	var s0, s1, t0, t1 float64
	i := 0
	for ; i+2 <= len(d); i += 2 {
		w0 := z[i] / ((d[i] - sigma) - tau)
		w1 := z[i+1] / ((d[i+1] - sigma) - tau)
		s0 += float64(z[i] * w0)
		s1 += float64(z[i+1] * w1)
		t0 += float64(w0 * w0)
		t1 += float64(w1 * w1)
	}
	if i < len(d) {
		w := z[i] / ((d[i] - sigma) - tau)
		s0 += float64(z[i] * w)
		t0 += float64(w * w)
	}
	return s0 + s1, t0 + t1
}

func poleRatiosGeneric(p, d []float64, sigma, tau, pole float64) {
	d = d[:len(p)]
	for i, x := range d {
		p[i] *= ((x - sigma) - tau) / (x - pole)
	}
}

func poleVectorGeneric(v, z, d []float64, sigma, tau float64) float64 {
	z, d = z[:len(v)], d[:len(v)]
	var sum float64
	for i, x := range d {
		w := z[i] / ((x - sigma) - tau)
		v[i] = w
		sum += float64(w * w)
	}
	return sum
}
