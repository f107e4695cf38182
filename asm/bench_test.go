package asm_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

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

// Panels of some tiles, whose operands lie in each way.
func BenchmarkGemmPanelLayouts(b *testing.B) {
	atLevels(b, func(b *testing.B) {
		mr, nr := asm.Tile()
		for _, order := range orders[:6] {
			for _, gap := range []int{-1, 7} {
				name := "A by " + order.name + ", B "
				if gap < 0 {
					name += "packed"
				} else {
					name += "by rows"
				}
				b.Run(name, func(b *testing.B) {
					ratePanel(b, panel{m: 10 * mr, n: nr, k: 256, order: order, gapB: gap, beta: 1})
				})
			}
		}
	})
}

// Tiles at the edge of a matrix.
func BenchmarkGemmPanelEdge(b *testing.B) {
	atLevels(b, func(b *testing.B) {
		mr, nr := asm.Tile()
		for _, d := range [][2]int{{mr, nr - 1}, {mr, nr * 2 / 3}, {mr, nr / 3}, {mr / 2, nr}, {1, nr}, {mr, 1}} {
			b.Run(fmt.Sprintf("m=%d/n=%d", d[0], d[1]), func(b *testing.B) {
				ratePanel(b, panel{m: d[0], n: d[1], k: 256, order: orders[0], gapB: -1, beta: 1})
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
				var times []time.Duration
				for b.Loop() {
					start := time.Now()
					f()
					times = append(times, time.Since(start))
				}
				slices.Sort(times) // others may have the processor meanwhile
				b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "median-µs")
				b.ReportMetric(0, "ns/op")
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
		// As many rows as one call takes, of operands and a result far away.
		mr, nr := asm.Tile()
		far := make([]float64, 1<<25)
		clear(far) // pages of its own
		for _, k := range []int{1, 64, 512, 2048} {
			m := mr * asm.TilesTogether(k)
			for _, order := range orders[:6] {
				for _, ldb := range []int{nr, 1000} {
					rsa, csa, stepa := order.strides(m, k)
					needA, needB := (m-1)/mr*stepa+(mr-1)*rsa+(k-1)*csa+1, (k-1)*ldb+nr
					if order.name == "columns with gaps" {
						csa = (len(far)/2 - m) / k // on pages of their own
						needA = (k-1)*csa + m
					}
					ldc := min(1000, (len(far)-needA-needB)/m)
					if ldc < nr {
						continue
					}
					at := 0
					run(fmt.Sprintf("GemmPanel/k=%d/m=%d/%s/ldb=%d", k, m, order.name, ldb), func() {
						whole := needA + needB + m*ldc
						if at += whole; at+whole > len(far) {
							at = 0
						}
						a, p, c := far[at:], far[at+needA:], far[at+needA+needB:]
						asm.GemmPanel(k, 1, a, rsa, csa, stepa, p, ldb, 1, c, ldc, m, nr)
					})
				}
			}
		}
		tiles := 512 / mr
		sizeL, sizeX := mr*mr*tiles*(tiles+1)/2, tiles*mr*nr
		at := 0
		for _, upper := range []bool{false, true} {
			run(fmt.Sprintf("SolvePanel/upper=%t", upper), func() {
				if at += sizeL + sizeX; at+sizeL+sizeX > len(far) {
					at = 0
				}
				asm.SolvePanel(upper, tiles, far[at:], far[at+sizeL:])
			})
		}
		run("CopyRows", func() {
			const lds = 1000
			if at += block / 8 * (lds + nr); at+block/8*(lds+nr) > len(far) {
				at = 0
			}
			asm.CopyRows(far[at:], nr, far[at+block/8*nr:], lds, block/8, nr, 0)
		})
	})
}
