//go:build !race

package eig_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// TestNoAllocation: a Solver that has met an order allocates nothing for it or
// for a smaller one, whether or not work is shared out.
func TestNoAllocation(t *testing.T) {
	tier.Skip(t, tier.Emulated)
	to := eig.Tuned()
	to.SymvOrder = 50
	eig.Tune(t, to)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4)) // testing.AllocsPerRun would share nothing out
	rng := fuzz.New(40)
	var s eig.Solver
	for _, n := range []int{200, 70, 8, 1} {
		a, l := fuzz.Normal(rng, n, n), fuzz.Triangular(rng, n, 100, true)
		sp := eig.Spectrum{Values: make([]float64, n), Vectors: mat.New(n, n)}
		for name, call := range map[string]func() error{
			"Sym":       func() error { return s.Sym(&sp, a) },
			"SymValues": func() error { return s.SymValues(sp.Values, a) },
			"General":   func() error { return s.General(&sp, a, l) },
		} {
			name = fmt.Sprintf("%s n=%d", name, n)
			least := uint64(math.MaxUint64)
			for attempt := 0; attempt < 50 && least > 0; attempt++ { // the runtime itself may allocate now and then, where goroutines sleep
				var before, after runtime.MemStats
				if err := call(); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				runtime.ReadMemStats(&before)
				for range 3 {
					call()
				}
				runtime.ReadMemStats(&after)
				least = min(least, after.Mallocs-before.Mallocs)
			}
			if least != 0 {
				t.Errorf("%s: %d allocations in 3 calls", name, least)
			}
		}
	}
}
