//go:build (linux || darwin) && (amd64 || arm64)

package asm_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
)

// No kernel of the factorisation touches what is outside its panels, where these
// end or begin with a page.
func TestCholFences(t *testing.T) {
	const deepest, widest = 300, 24
	s := fuzz.New(37)
	pieces := make([][]float64, 4)
	for i := range pieces {
		pieces[i] = fence(t, deepest*widest)
	}
	eachLevel(t, func(t *testing.T) {
		w := asm.CholPanel()
		for _, d := range cholDepths() {
			full := cholPanel(s, d)
			for sides := range 1 << len(pieces) {
				v := make([][]float64, len(pieces))
				for i, length := range []int{d * w, d * w, w * w, (d + w) * w} {
					v[i] = flush(pieces[i], length, sides>>i&1 == 1)
					copy(v[i], full)
				}
				if faults(func() { asm.CholUpdate(d, v[0], v[1], v[2]) }) {
					t.Fatalf("CholUpdate of %d columns, sides %04b: touches what is outside", d, sides)
				}
				copy(v[3], full)
				inv := flush(pieces[0], w, sides&1 == 1)
				if faults(func() { asm.CholFactor(d, v[3], inv) }) {
					t.Fatalf("CholFactor after %d columns, sides %04b: touches what is outside", d, sides)
				}
				b := flush(pieces[1], (d+w)*w, sides&2 == 2)
				if faults(func() { asm.CholSolve(d, v[3], b, inv) }) {
					t.Fatalf("CholSolve after %d columns, sides %04b: touches what is outside", d, sides)
				}
			}
		}
	})
}
