package asm_test

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
)

// poles are the operands of the kernels of a secular equation: d ascending, and
// sigma + tau not one of them.
type poles struct {
	d, z       []float64
	sigma, tau float64
}

// newPoles draws n poles, from evenly spread ones to ones that differ by many
// orders of magnitude, and weights of all sizes.
func newPoles(s *fuzz.Source, n int) poles {
	p := poles{make([]float64, n), make([]float64, n), 0.5, 0}
	span := []int{0, 40, 300}[s.IntN(3)]
	for i := range n {
		p.d[i] = math.Ldexp(1+s.Float64(), -s.IntN(span+1)) * float64(1-2*s.IntN(2))
		p.z[i] = math.Ldexp(s.NormFloat64(), -s.IntN(span+1))
	}
	slices.Sort(p.d)
	if n > 0 {
		p.sigma = p.d[s.IntN(n)]
	}
	p.tau = math.Ldexp(1+s.Float64(), -60-s.IntN(span+1)) * float64(1-2*s.IntN(2))
	return p
}

// A number of 200 bits.
func long(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }

// quotient returns z/δ[i], where δ[i] has the roundings that the kernels promise:
// of d[i] − sigma, and of what tau leaves of it.
func (p *poles) quotient(z float64, i int) *big.Float {
	return new(big.Float).Quo(long(z), long((p.d[i]-p.sigma)-p.tau))
}

// agrees reports whether got is the number x within so many ε of size, or of x.
func agrees(got float64, x *big.Float, size, eps float64) bool {
	exact, _ := x.Float64()
	return math.Abs(got-exact) <= eps*fuzz.Eps*max(math.Abs(exact), size)
}

var poleCounts = append(slices.Collect(func(yield func(int) bool) {
	for n := range 70 {
		if !yield(n) {
			return
		}
	}
}), 127, 128, 129, 255, 300, 1<<14-1, 1<<14, 1<<14+1, 40000)

// The kernels of a secular equation agree with 200 bits, at every level: a term
// within 4 ε (estimate, Newton's steps and three products), a sum within as many
// ε of the sum of magnitudes as the longest lane has terms, plus those.
func TestSecular(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		s := fuzz.New(31)
		for _, n := range poleCounts {
			if n > 300 && testing.Short() {
				continue
			}
			p := newPoles(s, n)
			v, ratios := make([]float64, n), fuzz.Normal(s, n, 1).Data
			before := slices.Clone(ratios)
			pole := 0.125
			asm.PoleRatios(ratios, p.d, p.sigma, p.tau, pole)
			squares := asm.PoleVector(v, p.z, p.d, p.sigma, p.tau)
			sum, slope := asm.PoleSum(p.d, p.z, p.sigma, p.tau)
			wantSum, wantSlope := long(0), long(0)
			var size float64
			for i, d := range p.d {
				q := p.quotient(p.z[i], i)
				if !agrees(v[i], q, 0, 4) {
					t.Fatalf("n=%d: z/δ of %d is %g, want %g", n, i, v[i], q)
				}
				wantSlope.Add(wantSlope, new(big.Float).Mul(q, q))
				term := new(big.Float).Mul(q, long(p.z[i]))
				wantSum.Add(wantSum, term)
				magnitude, _ := term.Float64()
				size += math.Abs(magnitude)
				ratio := new(big.Float).Quo(long((d-p.sigma)-p.tau), long(d-pole))
				if !agrees(ratios[i], ratio.Mul(ratio, long(before[i])), 0, 4) {
					t.Fatalf("n=%d: ratio %d is %g, want %g", n, i, ratios[i], ratio)
				}
			}
			terms := float64(8 + n/2)
			slopeSize, _ := wantSlope.Float64()
			if !agrees(sum, wantSum, size, terms) || !agrees(slope, wantSlope, slopeSize, terms) || !agrees(squares, wantSlope, slopeSize, terms) {
				t.Errorf("n=%d: sums %g, %g and %g, want %g and %g", n, sum, slope, squares, wantSum, wantSlope)
			}
		}
	})
}

// Slices that are too short are refused by name.
func TestSecularLengths(t *testing.T) {
	long, short := make([]float64, 4), make([]float64, 3)
	for _, c := range []struct {
		want string
		call func()
	}{
		{"asm: PoleSum: z has 3 numbers, want at least 4", func() { asm.PoleSum(long, short, 1, 1) }},
		{"asm: PoleRatios: d has 3 numbers, want at least 4", func() { asm.PoleRatios(long, short, 1, 1, 2) }},
		{"asm: PoleVector: z has 3 numbers, want at least 4", func() { asm.PoleVector(long, short, long, 1, 1) }},
		{"asm: PoleVector: d has 3 numbers, want at least 4", func() { asm.PoleVector(long, long, short, 1, 1) }},
	} {
		if got := tier.Panic(c.call); got != c.want {
			t.Errorf("panic %q, want %q", got, c.want)
		}
	}
}
