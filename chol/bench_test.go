package chol_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
)

// benchmarkOrders are those of the table in the package's documentation.
var benchmarkOrders = []int{64, 128, 256, 560, 1000, 2000}

// covariance returns one of n points on a line, without subnormal numbers, which
// some processors are slow with, plus a tenth of the identity.
func covariance(n int) mat.Matrix {
	a := mat.New(n, n)
	for i := range n {
		for j := range n {
			d := float64(i-j) / 10
			a.Set(i, j, 1/(1+d*d))
		}
		a.Set(i, i, 1.1)
	}
	return a
}

func eachOrder(b *testing.B, flops func(n float64) float64, run func(f *chol.Factor, a mat.Matrix) func()) {
	for _, n := range benchmarkOrders {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			a := covariance(n)
			f, err := chol.Factorize(a)
			if err != nil {
				b.Fatal(err)
			}
			tier.Rate(b, asm.Peak, flops(float64(n)), run(f, a))
		})
	}
}

func BenchmarkFactorize(b *testing.B) {
	eachOrder(b, func(n float64) float64 { return n * n * n / 3 }, func(f *chol.Factor, a mat.Matrix) func() {
		return func() {
			if err := f.Refactorize(a); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSolve(b *testing.B) {
	for _, columns := range []int{1, 4, 8, 16, 0} {
		name := fmt.Sprintf("columns=%d", columns)
		if columns == 0 {
			name = "columns=n"
		}
		b.Run(name, func(b *testing.B) {
			k := func(n float64) float64 { return max(float64(columns), n*float64(1-columns)) }
			eachOrder(b, func(n float64) float64 { return 2 * n * n * k(n) }, func(f *chol.Factor, a mat.Matrix) func() {
				x := mat.New(a.Rows, int(k(float64(a.Rows))))
				x.Fill(1)
				solution := mat.New(x.Rows, x.Cols)
				return func() {
					mat.Copy(solution, x)
					f.Solve(solution)
				}
			})
		})
	}
}

// BenchmarkFewColumns solves for few right-hand sides, which reads L twice, in turns with reading
// as many numbers from one end to the other: their speed and the ratio of the two.
func BenchmarkFewColumns(b *testing.B) {
	for _, columns := range []int{1, 2, 4, 8} {
		for _, n := range benchmarkOrders {
			b.Run(fmt.Sprintf("columns=%d/n=%d", columns, n), func(b *testing.B) {
				f, err := chol.Factorize(covariance(n))
				if err != nil {
					b.Fatal(err)
				}
				x := mat.New(n, columns)
				numbers := f.L().Data[:n*(n+1)/2]
				rounds := 1 + 1<<20/(n*n)
				least := func(now *time.Duration, body func()) {
					begin := time.Now()
					for range rounds {
						body()
					}
					if took := time.Since(begin) / time.Duration(rounds); *now == 0 || took < *now {
						*now = took
					}
				}
				var solve, read time.Duration
				for b.Loop() {
					least(&solve, func() { x.Fill(1); f.Solve(x) })
					least(&read, func() { asm.SumSquares(numbers); asm.SumSquares(numbers) })
				}
				b.ReportMetric(16*float64(len(numbers))/float64(solve.Nanoseconds()), "GB/s")
				b.ReportMetric(float64(read)/float64(solve), "of-stream")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func BenchmarkInverse(b *testing.B) {
	eachOrder(b, func(n float64) float64 { return 2 * n * n * n / 3 }, func(f *chol.Factor, a mat.Matrix) func() {
		inverse := mat.New(a.Rows, a.Rows)
		return func() { f.Inverse(inverse) }
	})
}

func BenchmarkUpdate(b *testing.B) {
	eachOrder(b, func(n float64) float64 { return 6 * n * n }, func(f *chol.Factor, a mat.Matrix) func() {
		x := make([]float64, a.Rows)
		for i := range x {
			x[i] = 1e-3
		}
		return func() {
			if err := f.Update(x); err != nil {
				b.Fatal(err)
			}
			if err := f.Downdate(x); err != nil {
				b.Fatal(err)
			}
		}
	})
}
