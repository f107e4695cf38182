package asm_test

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
)

// Exp is right to 2ε, relative, wherever the result is normal, to the least
// subnormal number below, and at the ends of its range.
func TestExp(t *testing.T) {
	s := fuzz.New(6)
	x := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 709.78, 709.79, 1e300, -1e300,
		-708.3, -708.4, -745.13, -745.14, 1e-300, -1e-17, math.Ln2, -math.Ln2 / 2}
	for range 5000 {
		x = append(x, 1500*s.Float64()-760)
	}
	for range 5000 {
		x = append(x, s.NormFloat64())
	}
	for _, n := range append(slices.Clone(lengths), len(x)) {
		for offset := range 2 {
			g, dst := guard(x[:n], offset), guard(make([]float64, n+1), 1-offset)
			asm.Exp(dst.v, g.v)
			if dst.v[n] != 0 {
				t.Errorf("element %d behind the end is %g", n, dst.v[n])
			}
			for i, v := range x[:n] {
				got, want := dst.v[i], math.Exp(v)
				if got != want && !(math.Abs(got-want) <= 2*fuzz.Eps*want+0x1p-1074) && !(got != got && want != want) {
					t.Errorf("Exp(%v) = %v, want %v", v, got, want)
				}
			}
			same(t, "x", g.v, x[:n])
			asm.Exp(g.v, g.v)
			equal(t, "Exp in place", g.v, dst.v[:n])
			g.check(t, "x")
			dst.check(t, "dst")
		}
	}
}
