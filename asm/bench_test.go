package asm_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
)

// atLevels runs a benchmark on every level that runs here.
func atLevels(b *testing.B, f func(b *testing.B)) {
	for _, level := range asm.Levels() {
		b.Run(level, func(b *testing.B) {
			defer asm.SetLevel(level)()
			f(b)
		})
	}
}

// rate times f, which does flops floating-point operations, and reports the
// speed and its ratio to the multiply-add peak. Pairs of short runs of the two
// follow each other, so that both meet the same clock and the same neighbours;
// the ratio is the median of the pairs.
func rate(b *testing.B, flops float64, f func()) {
	inner := max(1, int(5e7/flops))
	var ratios []float64
	for b.Loop() {
		const n = 50000
		t0 := time.Now()
		peak := asm.Peak(n)
		t1 := time.Now()
		for range inner {
			f()
		}
		t2 := time.Now()
		ratios = append(ratios, flops*float64(inner)/t2.Sub(t1).Seconds()/(peak/t1.Sub(t0).Seconds()))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "of-peak")
}

func BenchmarkGemmTile(b *testing.B) {
	atLevels(b, func(b *testing.B) {
		mr, nr := asm.Tile()
		for _, k := range []int{32, 64, 128, 256} {
			b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
				s := fuzz.New(1)
				pa, pb := packed(fuzz.Normal(s, mr, k), fuzz.Normal(s, k, nr))
				c := make([]float64, mr*nr)
				rate(b, 2*float64(mr*nr*k), func() { asm.GemmTile(k, 1e-3, pa, pb, c, nr, mr, nr) })
			})
		}
	})
}
