package kernel

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// matern is the Matérn covariance function of order ν = m − 1/2, where m = 1, 2, 3 is the
// size of its state. Rasmussen and Williams (2006), equation 4.17; as a linear system in
// time Hartikainen and Särkkä (2010), section 4.
type matern int

// Values sets r2[j] to the covariance.
func (m matern) Values(r2 []float64, variance float64) {
	switch m {
	case 1:
		asm.ExpSqrt(r2, r2, 1, variance, 0, 0)
	case 2:
		asm.ExpSqrt(r2, r2, 3, variance, variance, 0)
	case 3:
		asm.ExpSqrt(r2, r2, 5, variance, variance, variance/3)
	}
}

// Slopes sets r2[j] to −k′(r)/r. Matérn 1/2 has a kink where points coincide; the slope
// there is taken as 0.
func (m matern) Slopes(r2 []float64, variance float64) {
	switch m {
	case 1:
		for j, v := range r2 {
			r2[j] = 0
			if r := math.Sqrt(v); r > 0 {
				r2[j] = variance * math.Exp(-r) / r
			}
		}
	case 2:
		asm.ExpSqrt(r2, r2, 3, 3*variance, 0, 0)
	case 3:
		asm.ExpSqrt(r2, r2, 5, 5./3*variance, 5./3*variance, 0)
	}
}

// maternSystems are F and b by the size of the state, in units in which derivatives are
// multiplied by powers of ℓ/√(2ν): F has the eigenvalue −1 alone, and b is constant.
var maternSystems = [...]struct{ f, b []float64 }{
	1: {[]float64{-1}, []float64{1}},
	2: {[]float64{0, 1, -1, -2}, []float64{1, 0}},
	3: {[]float64{0, 1, 0, 0, 0, 1, -1, -3, -3}, []float64{1, 0, -1. / 3}},
}

// System returns √(2ν), F and b.
func (m matern) System() (rate float64, f, b []float64) {
	return math.Sqrt(float64(2*int(m) - 1)), maternSystems[m].f, maternSystems[m].b
}

// transition sets dst to exp(F·σ) for σ = s: exp(−s) times a polynomial.
func (m matern) transition(dst mat.Matrix, s float64) {
	e := math.Exp(-s)
	if e == 0 {
		dst.Fill(0) // s may be infinite
		return
	}
	var a []float64
	switch m {
	case 1:
		a = []float64{1}
	case 2:
		a = []float64{1 + s, s, -s, 1 - s}
	case 3:
		a = []float64{1 + s + s*s/2, s + s*s, s * s / 2, -s * s / 2, 1 + s - s*s, s - s*s/2, s*s/2 - s, s*s - 3*s, 1 - 2*s + s*s/2}
	}
	for i := range dst.Rows {
		for j := range dst.Cols {
			dst.Set(i, j, e*a[i*dst.Cols+j])
		}
	}
}
