package asm_test

import (
	"fmt"
	"math"
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

func BenchmarkGemmPanel(b *testing.B) {
	atLevels(b, func(b *testing.B) {
		mr, nr := asm.Tile()
		for _, k := range []int{32, 64, 128, 256, 384} {
			b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
				s := fuzz.New(1)
				pa, pb := packed(fuzz.Normal(s, mr, k), fuzz.Normal(s, k, nr))
				c := make([]float64, mr*nr)
				fuzz.Rate(b, asm.Peak, 2*float64(mr*nr*k), func() { asm.GemmPanel(k, 1e-3, pa, 1, mr, 0, pb, nr, 1, c, nr, mr, nr) })
			})
		}
	})
}

// Tiles at the edge of a matrix.
func BenchmarkGemmPanelEdge(b *testing.B) {
	atLevels(b, func(b *testing.B) {
		mr, nr := asm.Tile()
		for _, d := range [][2]int{{mr, nr - 1}, {mr, nr * 2 / 3}, {mr, nr / 3}, {mr / 2, nr}, {1, nr}, {mr, 1}} {
			b.Run(fmt.Sprintf("m=%d/n=%d", d[0], d[1]), func(b *testing.B) {
				const k = 256
				s := fuzz.New(1)
				pa, pb := packed(fuzz.Normal(s, mr, k), fuzz.Normal(s, k, nr))
				c := make([]float64, mr*nr)
				fuzz.Rate(b, asm.Peak, 2*float64(d[0]*d[1]*k), func() { asm.GemmPanel(k, 1e-3, pa, 1, mr, 0, pb, nr, 1, c, nr, d[0], d[1]) })
			})
		}
	})
}

func BenchmarkDot(b *testing.B)        { benchmarkVector(b, "Dot", 2) }
func BenchmarkSumSquares(b *testing.B) { benchmarkVector(b, "SumSquares", 2) }
func BenchmarkMaxAbs(b *testing.B)     { benchmarkVector(b, "MaxAbs", 1) }
func BenchmarkAxpy(b *testing.B)       { benchmarkVector(b, "Axpy", 2) }
func BenchmarkAddScaled(b *testing.B)  { benchmarkVector(b, "AddScaled", 2) }
func BenchmarkScale(b *testing.B)      { benchmarkVector(b, "Scale", 1) }
func BenchmarkMulTo(b *testing.B)      { benchmarkVector(b, "MulTo", 1) }
func BenchmarkRotate(b *testing.B)     { benchmarkVector(b, "Rotate", 6) }
func BenchmarkDotRows(b *testing.B)    { benchmarkVector(b, "DotRows", 2*rows) }
func BenchmarkAxpyRows(b *testing.B)   { benchmarkVector(b, "AxpyRows", 2*rows) }
func BenchmarkSymvRows(b *testing.B)   { benchmarkVector(b, "SymvRows", 16) }

// A sweep of rotations over 64 columns that stay in the second-level cache.
func BenchmarkRotateRows(b *testing.B) {
	atLevels(b, func(b *testing.B) {
		const turns, n = 300, 64
		s := fuzz.New(1)
		z := fuzz.Normal(s, turns+1, n).Data
		c, sn := make([]float64, turns), make([]float64, turns)
		for i := range c {
			sn[i], c[i] = math.Sincos(float64(i))
		}
		for b.Loop() {
			asm.RotateRows(z, n, n, c, sn)
		}
		b.ReportMetric(6*turns*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOPS")
	})
}

// benchmarkVector measures a kernel that does so many floating-point operations
// for each of its n numbers, in the first-level cache, and a very short one.
func benchmarkVector(b *testing.B, name string, flops float64) {
	k := vectors[slices.IndexFunc(vectors, func(k vectorKernel) bool { return k.name == name })]
	atLevels(b, func(b *testing.B) {
		for _, n := range []int{20, 500} {
			b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
				s := fuzz.New(1)
				var v [][]float64
				for _, size := range k.sizes(n) {
					x := fuzz.Normal(s, size, 1).Data
					asm.Scale(x, 0.1, x)
					v = append(v, x)
				}
				for b.Loop() {
					k.do(v)
				}
				seconds := b.Elapsed().Seconds() / float64(b.N)
				b.ReportMetric(flops*float64(n)/seconds/1e9, "GFLOPS")
			})
		}
	})
}

// The longest time for which a call of assembly keeps a goroutine from being
// preempted: the longest vectors and the deepest tile, in memory far away.
func BenchmarkLongestCall(b *testing.B) {
	atLevels(b, func(b *testing.B) {
		run := func(name string, f func()) {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(1e6*b.Elapsed().Seconds()/float64(b.N), "µs")
			})
		}
		for _, k := range vectors {
			const copies = 32 // too many to stay in a cache near by
			sets := make([][][]float64, copies)
			for i := range sets {
				for _, size := range k.sizes(block) {
					sets[i] = append(sets[i], make([]float64, size))
				}
			}
			at := 0
			run(k.name, func() { k.do(sets[at]); at = (at + 1) % copies })
		}
		mr, nr := asm.Tile()
		a, p, c := make([]float64, 8192*mr), make([]float64, 8192*nr), make([]float64, mr*nr)
		run("GemmPanel", func() { asm.GemmPanel(8192, 1, a, 1, mr, 0, p, nr, 1, c, nr, mr, nr) })
	})
}
