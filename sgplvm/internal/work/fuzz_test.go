package work_test

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// FuzzFormulas holds variances that are linear in logarithms to be the likeliest, and distances and spacings of points to their
// definitions.
func FuzzFormulas(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		s := fuzz.FromBytes(data)
		n := 1 + s.IntN(20)
		squares, x := make([]float64, n), make([]float64, n)
		for i := range n {
			x[i] = math.Pow(10, float64(s.IntN(3)-1)) * s.NormFloat64()
			squares[i] = math.Exp(s.NormFloat64()) * math.Pow(s.NormFloat64(), 2)
		}
		loss := func(a, b float64) (sum float64) {
			for i, e := range squares {
				sum += a + b*x[i] + float64(e*math.Exp(-a-b*x[i]))
			}
			return sum
		}
		a, b := work.LogLinearVariance(squares, x, -1, 1)
		least := loss(a, b)
		for range 8 {
			other, slope := a+s.NormFloat64()*math.Pow(10, float64(-s.IntN(4))), min(max(b+s.NormFloat64()*math.Pow(10, float64(-s.IntN(4))), -1), 1)
			if v := loss(other, slope); !(v >= least-1e-9*max(1, math.Abs(least))) {
				t.Errorf("squares %v at %v: %v and %v have the loss %v, but %v and %v %v", squares, x, a, b, least, other, slope, v)
			}
		}
		points := fuzz.Normal(s, n, 1+s.IntN(3))
		of, from := s.Perm(n)[:s.IntN(n+1)], s.Perm(n)[:s.IntN(n+1)]
		sum, count := work.NearestDistances(points, of, from, n)
		var want float64
		for _, i := range of {
			nearest := math.Inf(1)
			for _, j := range from {
				var square float64
				for q := range points.Cols {
					square += math.Pow(points.At(i, q)-points.At(j, q), 2)
				}
				nearest = min(nearest, math.Sqrt(square))
			}
			want += nearest
		}
		if len(from) == 0 {
			want, of = 0, nil
		}
		if count != float64(len(of)) || !(math.Abs(sum-want) <= 1e-12*(1+want)) {
			t.Errorf("distances %v of %v points, want %v of %d", sum, count, want, len(of))
		}
		for q, spacing := range work.Spacing(points) {
			column := work.Column(points, q)
			want := (slices.Max(column) - slices.Min(column)) / math.Pow(float64(n), 1/float64(points.Cols))
			if n == 1 {
				want = 0.5
			}
			if !(math.Abs(spacing-want) <= 1e-12) {
				t.Errorf("spacing %v of dimension %d, want %v", spacing, q, want)
			}
		}
	})
}
