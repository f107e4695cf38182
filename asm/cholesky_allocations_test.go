//go:build !race

package asm_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
)

// Arrays on the stack stay there.
func TestCholAllocations(t *testing.T) {
	everyLevel(func(level string) {
		w := asm.CholPanel()
		if n := testing.AllocsPerRun(10, func() {
			var b, c [24 * 24]float64
			var inv [24]float64
			for k := range w {
				b[k*w+k] = 1
			}
			if good, _ := asm.CholFactor(0, b[:], inv[:]); good != w {
				t.Errorf("pivot %d", good)
			}
			asm.CholSolve(0, b[:], c[:], inv[:])
			asm.CholUpdate(w, b[:], b[:], c[:])
		}); n != 0 {
			t.Errorf("%s: %v allocations", level, n)
		}
	})
}
