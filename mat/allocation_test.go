//go:build !race

package mat_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Once its buffers have grown, no operation allocates: small, blocked, long and
// parallel ones, in row-major and transposed destinations.
func TestNoAllocation(t *testing.T) {
	tier.Skip(t, tier.Emulated)
	s := fuzz.New(60)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4)) // work is shared out (testing.AllocsPerRun would not)
	check := func(name string, body func()) {
		t.Helper()
		least := uint64(math.MaxUint64)
		for attempt := 0; attempt < 50 && least > 0; attempt++ { // the runtime itself may allocate now and then, where goroutines sleep
			var before, after runtime.MemStats
			body()
			runtime.ReadMemStats(&before)
			for range 4 {
				body()
			}
			runtime.ReadMemStats(&after)
			least = min(least, after.Mallocs-before.Mallocs)
		}
		if least != 0 {
			t.Errorf("%s: %d allocations in 4 calls", name, least)
		}
	}
	for _, d := range [][3]int{{5, 4, 6}, {64, 64, 64}, {200, 150, 130}, {9, 7, 9000}, {600, 5, 80}, {5, 600, 80}} {
		m, n, k := d[0], d[1], d[2]
		a, b, dst := fuzz.Normal(s, m, k), fuzz.Normal(s, k, n), mat.New(m, n)
		turned := mat.New(n, m).T()
		check(fmt.Sprintf("Mul %v", d), func() { mat.Mul(dst, 1, a, b, 0) })
		check(fmt.Sprintf("Mul %v into a transposed view", d), func() { mat.Mul(turned, 1, a, b, 0.5) })
	}
	a, l, b := fuzz.Normal(s, 200, 90), fuzz.Triangular(s, 200, 10, true), fuzz.Normal(s, 200, 70)
	dst := mat.New(200, 200)
	check("Syrk", func() { mat.Syrk(dst, 1, a, 0) })
	check("MulSym", func() { mat.MulSym(dst, 1, a, a.T(), 1) })
	check("SolveLower", func() { mat.SolveLower(l, b) })
	check("MulUpper", func() { mat.MulUpper(l.T(), b) })
}
