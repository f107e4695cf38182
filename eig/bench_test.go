package eig_test

import (
	"fmt"
	"testing"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/fuzz"
)

var benchSizes = []int{64, 128, 256, 560, 1000, 2000}

// milliseconds runs body and reports the mean time of a round.
func milliseconds(b *testing.B, body func()) {
	for b.Loop() {
		body()
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms")
	b.ReportMetric(0, "ns/op")
}

func BenchmarkSym(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			a := fuzz.Normal(fuzz.New(13), n, n)
			var s eig.Solver
			var sp eig.Spectrum
			milliseconds(b, func() {
				if err := s.Sym(&sp, a); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}
