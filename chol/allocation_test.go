//go:build !race

package chol_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// TestSteadyStateAllocations holds every method on a factor in use to none.
func TestSteadyStateAllocations(t *testing.T) {
	tier.Skip(t, tier.Emulated)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const n = 230 // parallel
	s := fuzz.New(91)
	a := fuzz.WithSpectrum(s, "", fuzz.Spectrum(s, fuzz.Geometric, n, 100)).A
	f := mustFactorize(t, a)
	b, inverse := fuzz.Normal(s, n, 17), mat.New(n, n)
	x := times(0.01, fuzz.Normal(s, n, 1).Data)
	for name, op := range map[string]func() error{
		"Refactorize":        func() error { return f.Refactorize(a) },
		"RefactorizeShifted": func() error { return f.RefactorizeShifted(a, 1) },
		"RefactorizeJitter":  func() error { _, err := f.RefactorizeJitter(a, nil); return err },
		"Update, Downdate":   func() error { return errors.Join(f.Update(x), f.Downdate(x)) },
		"Solve":              func() error { f.Solve(b); return nil },
		"SolveHalf, MulHalf": func() error { f.SolveHalf(b); f.MulHalf(b); return nil },
		"SolveHalfT":         func() error { f.SolveHalfT(b); return nil },
		"Inverse":            func() error { f.Inverse(inverse); return nil },
		"InverseDiagonal":    func() error { f.InverseDiagonal(x); return nil },
		"LogDet":             func() error { f.LogDet(); return nil },
	} {
		run := func() {
			if err := op(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		run()
		// A helper that is busy elsewhere may leave a buffer to be allocated later.
		if got := testing.AllocsPerRun(20, run); got >= 1 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
}
