//go:build !race

package asm_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
)

// Arrays on the stack stay there.
func TestElementaryAllocations(t *testing.T) {
	everyLevel(func(level string) {
		for _, k := range []struct {
			name string
			do   func()
		}{
			{"Exp", func() { var x [40]float64; asm.Exp(x[:], x[:]) }},
			{"ExpAdd", func() { var x [40]float64; asm.ExpAdd(x[:], x[:], 1, x[:]) }},
			{"ExpSqrt", func() { var x [40]float64; asm.ExpSqrt(x[:], x[:], 1, 1, 1, 1) }},
			{"Log", func() { var x [40]float64; asm.Log(x[:], x[:]) }},
			{"SumLog", func() { var x [40]float64; asm.SumLog(x[:]) }},
		} {
			if n := testing.AllocsPerRun(10, k.do); n != 0 {
				t.Errorf("%s at %s: %v allocations", k.name, level, n)
			}
		}
	})
}
