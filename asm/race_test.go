//go:build race

package asm_test

import (
	"os"
	"os/exec"
	"slices"
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
	"FromHalf reads its source": {
		func(x, y []float64) { asm.FromHalf(y[:8], bytesOf(x[4:6])) },
		func(x, _ []float64) { asm.Scale(x[5:6], 2, x[5:6]) }, // all bytes; x[5] = 1 announces the first
	},
	"FromHalf writes its destination": {
		func(x, y []float64) { asm.FromHalf(x[:4], bytesOf(y[:1])) },
		func(x, _ []float64) { asm.SumSquares(x) },
	},
	"FromSingle reads its source": {
		func(x, y []float64) { asm.FromSingle(y[:4], bytesOf(x[4:6])) },
		func(x, _ []float64) { asm.Scale(x[5:6], 2, x[5:6]) }, // all bytes; x[5] = 1 announces the first
	},
	"FromSingle writes its destination": {
		func(x, y []float64) { asm.FromSingle(x[:4], bytesOf(y[:2])) },
		func(x, _ []float64) { asm.SumSquares(x) },
	},
	"CopyRows reads its source": {
		func(x, y []float64) { asm.CopyRows(y, 10, x, 10, 4, 2, 0) },
		func(x, _ []float64) { x[31] = 1 },
	},
}

// beside are pairs of calls that write and read different columns of a matrix of rows
// of 10.
var beside = map[string][2]func(x, y []float64){
	"rows of A beside C": {
		func(x, _ []float64) { multiply(3, x, 10, 1, make([]float64, 200), 2, make([]float64, 200), 2) },
		func(x, _ []float64) { multiply(3, make([]float64, 200), 3, 1, make([]float64, 200), 2, x[3:], 10) },
	},
	"columns of A beside numbers": {
		func(x, _ []float64) { multiply(7, x, 1, 10, make([]float64, 200), 2, make([]float64, 200), 2) },
		func(x, _ []float64) { x[9], x[59] = 1, 1 },
	},
	"columns of A between numbers": {
		func(x, _ []float64) { multiply(2, x, 20, 2, make([]float64, 200), 2, make([]float64, 200), 2) },
		func(x, _ []float64) { asm.CopyRows(x[1:], 10, make([]float64, 200), 2, 9, 1, 0) },
	},
	"B beside C": {
		func(x, _ []float64) { multiply(9, make([]float64, 200), 9, 1, x[2:], 10, make([]float64, 200), 2) },
		func(x, _ []float64) { multiply(1, make([]float64, 200), 1, 1, make([]float64, 200), 2, x, 10) },
	},
	"copied rows": {
		func(x, y []float64) { asm.CopyRows(x, 10, y, 10, 9, 2, 0) },
		func(x, y []float64) { asm.CopyRows(y[2:], 10, x[2:], 10, 9, 2, 0) },
	},
}

// multiply adds the product of a panel of nine rows with two columns.
func multiply(k int, a []float64, rsa, csa int, b []float64, ldb int, c []float64, ldc int) {
	mr, _ := asm.Tile()
	asm.GemmPanel(k, 1, a, rsa, csa, mr*rsa, b, ldb, 1, c, ldc, 9, 2)
}

// The race detector sees what assembly reads and writes. A process of its own
// runs each pair, since the detector makes it fail. It sees nothing more: blocks of
// one matrix may be read and written side by side.
func TestRaceDetected(t *testing.T) {
	if name := os.Getenv("ASM_TEST_RACING"); name != "" {
		x, y := make([]float64, asm.MaxTile), make([]float64, asm.MaxTile)
		var wg sync.WaitGroup
		for _, f := range slices.Concat(pair(racing, name), pair(beside, name)) {
			wg.Go(func() { f(x, y) })
		}
		wg.Wait()
		return
	}
	run := func(name, level string) (out string, failed bool) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRaceDetected$")
		cmd.Env = append(os.Environ(), "ASM_TEST_RACING="+name, "KRONFIELD_ISA="+level, "GORACE=atexit_sleep_ms=0")
		b, err := cmd.CombinedOutput()
		return string(b), err != nil
	}
	for name := range racing {
		for _, level := range asm.Levels() {
			if out, failed := run(name, level); !failed || !strings.Contains(out, "DATA RACE") {
				t.Errorf("%s at %s: no race found:\n%s", name, level, out)
			}
		}
	}
	for name := range beside {
		for _, level := range asm.Levels() {
			if out, failed := run(name, level); failed {
				t.Errorf("%s at %s: a race where there is none:\n%s", name, level, out)
			}
		}
	}
}

// pair returns the two calls of a name, none if it is not there.
func pair(calls map[string][2]func(x, y []float64), name string) []func(x, y []float64) {
	p, ok := calls[name]
	if !ok {
		return nil
	}
	return p[:]
}
