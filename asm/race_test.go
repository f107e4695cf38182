//go:build race

package asm_test

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
)

// racing are pairs of calls that touch the same numbers, one of them writing.
var racing = map[string][2]func(x, y []float64){
	"Dot": {
		func(x, _ []float64) { asm.Scale(x, 2, x) },
		func(x, y []float64) { asm.Dot(x, y) },
	},
	"RotateRows": {
		func(x, y []float64) { asm.RotateRows(x, 5, 3, y[:2], y[:2]) },
		func(x, _ []float64) { asm.MaxAbs(x) },
	},
	"GemmPanel writes C": {
		func(x, y []float64) { asm.GemmPanel(1, 1, y, 1, 1, 0, y, 2, 1, x, 2, 1, 2) },
		func(x, y []float64) { asm.Axpy(1, x, make([]float64, len(x))) },
	},
	"GemmPanel reads A": {
		func(x, y []float64) { asm.GemmPanel(3, 1, x, 3, 1, 0, y, 2, 1, make([]float64, 4), 2, 2, 2) },
		func(x, _ []float64) { x[5] = 1 },
	},
	"GemmPanel reads B": {
		func(x, y []float64) { asm.GemmPanel(3, 1, y, 3, 1, 0, x, 2, 1, make([]float64, 4), 2, 2, 2) },
		func(x, _ []float64) { x[5] = 1 },
	},
	"SolvePanel writes X": {
		func(x, _ []float64) { asm.SolvePanel(false, 1, make([]float64, asm.MaxTile), x) },
		func(x, _ []float64) { asm.SumSquares(x) },
	},
	"SolvePanel reads T": {
		func(x, _ []float64) { asm.SolvePanel(true, 1, x, make([]float64, asm.MaxTile)) },
		func(x, _ []float64) { x[3] = 1 },
	},
	"CopyRows writes its destination": {
		func(x, y []float64) { asm.CopyRows(x, 10, y, 10, 4, 2, 0) },
		func(x, _ []float64) { asm.SumSquares(x) },
	},
	"CopyRows reads its source": {
		func(x, y []float64) { asm.CopyRows(y, 10, x, 10, 4, 2, 0) },
		func(x, _ []float64) { x[31] = 1 },
	},
}

// The race detector sees what assembly reads and writes. A process of its own
// runs each pair, since the detector makes it fail.
func TestRaceDetected(t *testing.T) {
	if name := os.Getenv("ASM_TEST_RACING"); name != "" {
		x, y := make([]float64, asm.MaxTile), make([]float64, asm.MaxTile)
		var wg sync.WaitGroup
		for _, f := range racing[name] {
			wg.Go(func() { f(x, y) })
		}
		wg.Wait()
		return
	}
	for name := range racing {
		for _, level := range asm.Levels() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestRaceDetected$")
			cmd.Env = append(os.Environ(), "ASM_TEST_RACING="+name, "KRONFIELD_ISA="+level)
			if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "DATA RACE") {
				t.Errorf("%s at %s: no race found: %v\n%s", name, level, err, out)
			}
		}
	}
}
