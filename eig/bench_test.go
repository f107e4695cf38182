package eig_test

import (
	"fmt"
	"testing"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
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

func BenchmarkSymValues(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			a := fuzz.Normal(fuzz.New(13), n, n)
			var s eig.Solver
			w := make([]float64, n)
			milliseconds(b, func() {
				if err := s.SymValues(w, a); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// BenchmarkReduction is the copy of the matrix and its reduction to tridiagonal
// form.
func BenchmarkReduction(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			a := fuzz.Normal(fuzz.New(13), n, n)
			var s eig.Solver
			milliseconds(b, func() { reduce(b, &s, a) })
		})
	}
}

func BenchmarkBackTransformation(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			a := fuzz.Normal(fuzz.New(13), n, n)
			var s eig.Solver
			reduce(b, &s, a)
			z := mat.Identity(n)
			milliseconds(b, func() { s.BackTransform(z) })
		})
	}
}

// reduce leaves s with the tridiagonal form T of a divided by 2^scale, and
// returns T's diagonal and subdiagonal.
func reduce(t testing.TB, s *eig.Solver, a mat.Matrix) (d, e []float64, scale int) {
	scale, err := s.Load(a)
	if err != nil {
		t.Fatal(err)
	}
	d, e = s.Tridiagonalize()
	return d, e, scale
}
