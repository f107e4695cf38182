package tier_test

import (
	"flag"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
)

// once makes testing.Benchmark go once through a benchmark's loop.
func once(t *testing.T) {
	t.Helper()
	f := flag.Lookup("test.benchtime")
	former := f.Value.String()
	if err := f.Value.Set("1x"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Value.Set(former) })
}

// Rate runs both of what it compares, as often as their operations ask for, and
// reports three numbers.
func TestRate(t *testing.T) {
	once(t)
	sum := 0.
	for _, c := range []struct {
		flops float64
		calls int // in one round of the benchmark
	}{{1e5, 100 * 100}, {4e6, 2 * 125}, {1e8, 10}, {1e10, 1}} {
		calls, rounds := 0, 0
		work := func() { // long enough for any clock
			for i := range 300 {
				sum += math.Sqrt(float64(i))
			}
		}
		r := testing.Benchmark(func(b *testing.B) {
			calls, rounds = 0, 0
			yardstick := func(n int) float64 {
				rounds += n
				work()
				return 1000 * float64(n)
			}
			tier.Rate(b, yardstick, c.flops, func() { calls++; work() })
		})
		if calls != c.calls*r.N+1 {
			t.Errorf("%g operations: %d calls in %d rounds, want %d in each and one before", c.flops, calls, r.N, c.calls)
		}
		// The yardstick does as much in a run as f, but 10⁹ operations at most.
		if want := min(c.flops*float64(c.calls), 1e9) / 1000; math.Abs(float64(rounds-1)/float64(r.N)-want) > 0.01*want {
			t.Errorf("%g operations: %d rounds of the yardstick, want %g", c.flops, rounds, want)
		}
		for _, unit := range []string{"GFLOPS", "of-peak", "of-peak-in-cycles"} {
			if v, ok := r.Extra[unit]; !ok || !(v > 0) || math.IsInf(v, 0) {
				t.Errorf("%g operations: %s is %g", c.flops, unit, v)
			}
		}
	}
}

// What is no number of operations panics, since nothing could be divided by it.
func TestRateOfNothing(t *testing.T) {
	once(t)
	for _, flops := range []float64{0, -1, 0.5, 1e-310, math.NaN(), math.Inf(1)} {
		var text any
		testing.Benchmark(func(b *testing.B) {
			defer func() { text = recover() }()
			tier.Rate(b, func(n int) float64 { return float64(n) }, flops, func() { t.Errorf("%g operations are measured", flops) })
		})
		if text == nil {
			t.Errorf("%g operations: no panic", flops)
		}
	}
}
