package chol_test

import (
	"fmt"
	"testing"

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
