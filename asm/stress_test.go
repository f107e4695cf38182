package asm_test

import (
	"io"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
)

// Kernels on operands that lie on growing stacks, while goroutines are preempted
// by profiling signals and the collector, give the right sums: frames, registers
// and escape analysis are what the runtime expects.
func TestStress(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 30
	}
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	if pprof.StartCPUProfile(io.Discard) == nil {
		defer pprof.StopCPUProfile()
	}
	if trace.Start(io.Discard) == nil {
		defer trace.Stop()
	}
	eachLevel(t, func(t *testing.T) {
		done := make(chan bool)
		go func() {
			for {
				select {
				case <-done:
					return
				default:
					runtime.GC()
				}
			}
		}()
		defer close(done)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range rounds {
					if !deep(60) {
						t.Error("a wrong result")
						return
					}
				}
			})
		}
		wg.Wait()
	})
}

// deep calls kernels on operands on its own stack at every depth and reports
// whether their results are right, which are integers.
func deep(depth int) bool {
	const n = 45
	var x, y, z [n]float64
	for i := range x {
		x[i], y[i] = float64(i+depth), 2
	}
	sum := float64(n*(n-1)/2 + n*depth)
	asm.MulTo(z[:], x[:], y[:]) // 2x
	asm.Axpy(-1, x[:], z[:])    // x
	asm.Scale(y[:], 3, y[:])    // 6
	ok := asm.Dot(z[:], y[:]) == 6*sum && asm.MaxAbs(z[:]) == float64(n-1+depth)
	if depth > 0 && !deep(depth-1) {
		return false
	}
	asm.AddScaled(z[:], x[:], 1, z[:]) // 2x
	return ok && asm.Dot(z[:], y[:]) == 12*sum
}
