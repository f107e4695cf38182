package asm_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
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
				ratePanel(b, panel{m: mr, n: nr, k: k, order: orders[0], gapB: -1, beta: 1})
			})
		}
	})
}

// ratePanel measures a panel in the caches near by.
func ratePanel(b *testing.B, p panel) {
	s := fuzz.New(1)
	x, y := p.operands(fuzz.Normal(s, p.m, p.k), fuzz.Normal(s, p.k, p.n))
	c := make([]float64, p.m*p.n)
	rsa, csa, stepa := p.order.strides(p.m, p.k)
	ldb := p.ldb()
	tier.Rate(b, asm.Peak, 2*float64(p.m*p.n*p.k), func() {
		asm.GemmPanel(p.k, 1e-3, x, rsa, csa, stepa, y, ldb, p.beta, c, p.n, p.m, p.n)
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
