package tier

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// Rate reports the speed of f, which does flops floating-point operations, beside that of a yardstick such as asm.Peak, which
// does n rounds and returns its operations: GFLOPS, and the ratio of the two speeds, of-peak. flops must be at least 1.
//
// Runs of the two take turns, so that both meet the same clock and the same neighbours; the speed is the median, the ratios are
// those of medians. of-peak-in-cycles is the ratio in clock cycles, with the clock measured beside every run: the two ratios
// differ where the processor lowers its clock for f.
func Rate(b *testing.B, yardstick func(n int) float64, flops float64, f func()) {
	const run, turn = 1e7, 1e9 // operations of a run, about 0.1 ms, and of what runs in turn
	if !(flops >= 1) || math.IsInf(flops, 0) {
		panic(fmt.Sprintf("tier: Rate: %g operations, want 1 or more", flops))
	}
	calls := int(max(1, run/flops))
	work := flops * float64(calls)
	together := int(max(1, turn/work))
	rounds := int(max(1, min(work, turn)/yardstick(1)))
	var speed, cycleSpeed [2][]float64 // of the yardstick, of f
	f()                                // pages are mapped, buffers allocated
	clock := multiplications()
	measure := func(i int, g func() float64) {
		start := time.Now()
		done := g()
		seconds := time.Since(start).Seconds()
		after := multiplications()
		speed[i] = append(speed[i], done/seconds)
		cycleSpeed[i] = append(cycleSpeed[i], done/seconds/(clock+after))
		clock = after
	}
	for b.Loop() {
		for range together {
			measure(0, func() float64 { return yardstick(rounds) })
		}
		for range together {
			measure(1, func() float64 {
				for range calls {
					f()
				}
				return work
			})
		}
	}
	median := func(x []float64) float64 {
		slices.Sort(x)
		return x[len(x)/2]
	}
	b.ReportMetric(median(speed[1])/1e9, "GFLOPS")
	b.ReportMetric(median(speed[1])/median(speed[0]), "of-peak")
	b.ReportMetric(median(cycleSpeed[1])/median(cycleSpeed[0]), "of-peak-in-cycles")
	b.ReportMetric(0, "ns/op") // of both and of no interest
}

// multiplications returns how many integer multiplications, one waiting for the other, are done in a second: the clock, but for a
// factor of 3.
func multiplications() float64 {
	const n = 1000
	x := uint64(3)
	start := time.Now()
	for range n {
		x *= x
	}
	seconds := time.Since(start).Seconds()
	if x == 0 {
		panic("tier: a power of 3 is even")
	}
	return n / seconds
}
