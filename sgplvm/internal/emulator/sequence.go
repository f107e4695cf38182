package emulator

import (
	"math/bits"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat"
)

// digits is how many bits points of a sequence have.
const digits = 40

// evenDims is for how many dimensions points are even; those beyond are random.
const evenDims = 40

// even returns n points of Sobol's sequence from a number on, in width dimensions: primitive polynomials over two elements, one a dimension, in order, with direction numbers
// and digits drawn at random [Sobol 1967, Matousek 1998].
func even(width, from, n int, seed uint64) mat.Matrix {
	u := mat.New(n, width)
	polynomial := uint(1)
	for k := range width {
		rng := rand.New(rand.NewPCG(seed, uint64(k)))
		if k >= evenDims {
			rng = rand.New(rand.NewPCG(seed^uint64(from+1)<<20, uint64(k)))
			for i := range n {
				u.Set(i, k, rng.Float64())
			}
			continue
		}
		v := directions(polynomial, rng)
		for polynomial++; !primitive(polynomial); polynomial++ {
		}
		shift := rng.Uint64() >> (64 - digits)
		for i := range n {
			x := shift
			for at, d := uint(from+i), 0; at > 0; at, d = at>>1, d+1 {
				if at&1 == 1 {
					x ^= v[d]
				}
			}
			u.Set(i, k, (float64(x)+0.5)/(1<<digits))
		}
	}
	return u
}

// directions returns direction numbers of a polynomial, of which bit k is the coefficient of x^k; 1 stands for those of van der Corput's sequence. Digits are
// scrambled by a random lower triangular matrix.
func directions(polynomial uint, rng *rand.Rand) (v [digits]uint64) {
	degree := bits.Len(polynomial) - 1
	for i := range v {
		if i < degree || degree == 0 {
			v[i] = 1 << (digits - 1 - i)
			if degree > 0 {
				v[i] |= (rng.Uint64() >> (64 - i)) << (digits - i)
			}
			continue
		}
		v[i] = v[i-degree] ^ v[i-degree]>>degree
		for k := 1; k < degree; k++ {
			if polynomial>>(degree-k)&1 == 1 {
				v[i] ^= v[i-k]
			}
		}
	}
	var rows [digits]uint64 // of the matrix, row d for digit d from the left
	for d := range rows {
		rows[d] = rng.Uint64()>>(64-digits)&^(1<<(digits-d)-1) | 1<<(digits-1-d)
	}
	for i, x := range v {
		v[i] = 0
		for d, row := range rows {
			v[i] |= uint64(bits.OnesCount64(row&x)&1) << (digits - 1 - d)
		}
	}
	return v
}

// primitive tells whether the powers of x modulo a polynomial are all others.
func primitive(p uint) bool {
	degree := bits.Len(p) - 1
	if p&1 == 0 {
		return false
	}
	x := uint(1)
	for k := 1; ; k++ {
		if x <<= 1; x>>degree&1 == 1 {
			x ^= p
		}
		if x == 1 || k >= 1<<degree {
			return x == 1 && k == 1<<degree-1
		}
	}
}
