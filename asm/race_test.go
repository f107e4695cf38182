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
	"GemmTile": {
		func(x, y []float64) { asm.GemmTile(1, 1, y, y, x, 2, 1, 2) },
		func(x, y []float64) { asm.Axpy(1, x, make([]float64, len(x))) },
	},
}

// The race detector sees what assembly reads and writes. A process of its own
// runs each pair, since the detector makes it fail.
func TestRaceDetected(t *testing.T) {
	if name := os.Getenv("ASM_TEST_RACING"); name != "" {
		x, y := make([]float64, 40), make([]float64, 40)
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
