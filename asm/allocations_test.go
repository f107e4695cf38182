//go:build !race

package asm_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
)

// No kernel allocates, nor makes its operands escape to the heap.
func TestAllocations(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		w := asm.CholPanel()
		for name, do := range map[string]func(){
			"products and vectors": func() {
				var x, y, z, w [asm.MaxTile]float64
				var p, q [4]float64
				asm.GemmPanel(1, 1, x[:], 1, mr, 0, y[:], nr, 1, z[:], nr, mr, nr)
				asm.SolvePanel(false, 1, x[:], z[:])
				asm.SolvePanel(true, 1, x[:], z[:])
				asm.CopyRows(z[:], nr, y[:], nr, mr, nr, 0)
				asm.Dot(x[:], y[:])
				asm.SumSquares(x[:])
				asm.MaxAbs(x[:])
				asm.Axpy(2, x[:], y[:])
				asm.AddScaled(x[:], y[:], 2, z[:])
				asm.Scale(x[:], 2, y[:])
				asm.MulTo(x[:], y[:], z[:])
				asm.Rotate(x[:], y[:], 1, 0)
				asm.RotateRows(x[:], 32, 32, p[:], q[:])
				asm.DotRows(p[:], x[:], 20, y[:20])
				asm.AxpyRows(p[:], x[:], 20, y[:20])
				asm.SymvRows(y[:20], z[:], &p, &q, x[:], 20)
				asm.Transpose(w[:], 8, x[:], 20, 8, 20)
			},
			"a factorisation": func() {
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
			},
			"elementary functions": func() {
				var x [40]float64
				asm.Exp(x[:], x[:])
				asm.ExpAdd(x[:], x[:], 1, x[:])
				asm.ExpSqrt(x[:], x[:], 1, 1, 1, 1)
				asm.Log(x[:], x[:])
				asm.SumLog(x[:])
			},
		} {
			if n := testing.AllocsPerRun(10, do); n > 0 {
				t.Errorf("%s: %g allocations", name, n)
			}
		}
	})
}
