//go:build (linux || darwin) && (amd64 || arm64)

package asm_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
)

// No kernel of a secular equation reads or writes outside its slices, where these
// end or begin with a page, nor changes what it should only read.
func TestSecularFences(t *testing.T) {
	s := fuzz.New(33)
	var page [3][]float64
	for i := range page {
		page[i] = fence(t, 600)
	}
	eachLevel(t, func(t *testing.T) {
		for n := range 70 {
			for sides := range 1 << 3 {
				var v [3][]float64
				for i := range page {
					v[i] = flush(page[i], n, sides>>i&1 == 1)
				}
				p := newPoles(s, n)
				copy(v[1], p.z)
				copy(v[2], p.d)
				if faults(func() {
					asm.PoleSum(v[2], v[1], p.sigma, p.tau)
					asm.PoleVector(v[0], v[1], v[2], p.sigma, p.tau)
					asm.PoleRatios(v[0], v[2], p.sigma, p.tau, 0.125)
				}) {
					t.Fatalf("%d numbers, sides %03b: touches what is outside", n, sides)
				}
				for i := range n {
					if v[1][i] != p.z[i] || v[2][i] != p.d[i] {
						t.Fatalf("%d numbers: an operand has changed", n)
					}
				}
			}
		}
	})
}
