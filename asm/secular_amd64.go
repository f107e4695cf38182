//go:build !purego

package asm

// poleSumAVX512 is poleSumGeneric with reciprocals by Newton's iteration, products
// that are not rounded, and 32 lanes:
//
//	for i := range d {
//		w := z[i] * (1 / ((d[i] - sigma) - tau))
//		sum, slope = math.FMA(z[i], w, sum), math.FMA(w, w, slope)
//	}
//
//go:noescape
func poleSumAVX512(d, z []float64, sigma, tau float64) (sum, slope float64)

// poleRatiosAVX512 is poleRatiosGeneric with reciprocals by Newton's iteration:
//
//	for i := range p {
//		p[i] *= ((d[i] - sigma) - tau) * (1 / (d[i] - pole))
//	}
//
//go:noescape
func poleRatiosAVX512(p, d []float64, sigma, tau, pole float64)

// poleVectorAVX512 is poleVectorGeneric with reciprocals by Newton's iteration,
// products that are not rounded, and 32 lanes:
//
//	for i := range v {
//		v[i] = z[i] * (1 / ((d[i] - sigma) - tau))
//		sum = math.FMA(v[i], v[i], sum)
//	}
//
//go:noescape
func poleVectorAVX512(v, z, d []float64, sigma, tau float64) float64

// poleSumAVX2 is poleSumGeneric with products that are not rounded, and 8 lanes:
//
//	for i := range d {
//		w := z[i] / ((d[i] - sigma) - tau)
//		sum, slope = math.FMA(z[i], w, sum), math.FMA(w, w, slope)
//	}
//
//go:noescape
func poleSumAVX2(d, z []float64, sigma, tau float64) (sum, slope float64)

// poleRatiosAVX2 is poleRatiosGeneric, with the same bits:
//
//	for i := range p {
//		p[i] *= ((d[i] - sigma) - tau) / (d[i] - pole)
//	}
//
//go:noescape
func poleRatiosAVX2(p, d []float64, sigma, tau, pole float64)

// poleVectorAVX2 is poleVectorGeneric with products that are not rounded, and 8
// lanes:
//
//	for i := range v {
//		v[i] = z[i] / ((d[i] - sigma) - tau)
//		sum = math.FMA(v[i], v[i], sum)
//	}
//
//go:noescape
func poleVectorAVX2(v, z, d []float64, sigma, tau float64) float64

func poleSum(d, z []float64, sigma, tau float64) (sum, slope float64) {
	switch active {
	case avx512:
		return poleSumAVX512(d, z, sigma, tau)
	case avx2:
		return poleSumAVX2(d, z, sigma, tau)
	default:
		return poleSumGeneric(d, z, sigma, tau)
	}
}

func poleRatios(p, d []float64, sigma, tau, pole float64) {
	switch active {
	case avx512:
		poleRatiosAVX512(p, d, sigma, tau, pole)
	case avx2:
		poleRatiosAVX2(p, d, sigma, tau, pole)
	default:
		poleRatiosGeneric(p, d, sigma, tau, pole)
	}
}

func poleVector(v, z, d []float64, sigma, tau float64) float64 {
	switch active {
	case avx512:
		return poleVectorAVX512(v, z, d, sigma, tau)
	case avx2:
		return poleVectorAVX2(v, z, d, sigma, tau)
	default:
		return poleVectorGeneric(v, z, d, sigma, tau)
	}
}
