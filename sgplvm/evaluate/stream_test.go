package evaluate_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// rows returns some rows of a matrix.
func rows(m mat.Matrix, from, to int) mat.Matrix { return m.Slice(from, to, 0, m.Cols) }

// A picture has the same scores, to the last bit, wherever it is cut, and in a
// Stream that was used before.
func TestStream(t *testing.T) {
	const points, channels = 61, 3
	r := rand.New(rand.NewPCG(5, 5))
	truth, seen, mean, variance := mat.New(points, channels), mat.New(points, channels), mat.New(points, channels), mat.New(points, channels)
	for i := range truth.Data {
		truth.Data[i], mean.Data[i] = 10*r.NormFloat64(), 10*r.NormFloat64()
		seen.Data[i], variance.Data[i] = nan, 100*r.ExpFloat64()
		if i%7 == 3 {
			seen.Data[i] = truth.Data[i]
		}
		if i%11 == 4 {
			truth.Data[i] = nan
		}
	}
	var s evaluate.Stream
	for _, partly := range []bool{true, false} {
		hidden := mat.New(points, channels)
		hidden.Fill(nan)
		part := func(from, to int) mat.Matrix { return mat.Matrix{} }
		if partly {
			mat.Copy(hidden, seen)
			part = func(from, to int) mat.Matrix { return rows(seen, from, to) }
		}
		want, err := evaluate.Score(truth, hidden, mean, variance)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []int{1, 2, 10, 60, points} {
			s.Reset()
			for from := 0; from < points; from += step {
				to := min(from+step, points)
				if err := s.Add(rows(truth, from, to), part(from, to), rows(mean, from, to), rows(variance, from, to)); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(want, s.Scores()); diff != "" {
				t.Errorf("in steps of %d, -want +got:\n%s", step, diff)
			}
		}
	}
	variance.Set(40, 1, 0)
	truth.Set(40, 1, 1)
	s.Reset()
	if err := s.Add(rows(truth, 0, 30), mat.Matrix{}, rows(mean, 0, 30), rows(variance, 0, 30)); err != nil {
		t.Fatal(err)
	}
	err := s.Add(rows(truth, 30, points), mat.Matrix{}, rows(mean, 30, points), rows(variance, 30, points))
	if err == nil || !strings.Contains(err.Error(), " at point 40, channel 1: ") {
		t.Errorf("error %v, expected one about point 40, channel 1", err)
	}
	tier.Panics(t, "evaluate: Score: shapes 61×3 and 60×3 differ", func() { s.Add(truth, mat.Matrix{}, rows(mean, 0, 60), variance) })
}

// Medians found by selection are those found by sorting, with ties, in any order,
// and of both parities.
func TestQuantileBySelection(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for n := 1; n < 70; n++ {
		for range 20 {
			v := make([]float64, n)
			for i := range v {
				v[i] = float64(r.IntN(n))
			}
			sorted := slices.Sorted(slices.Values(v))
			want := 0.5*sorted[(n-1)/2] + 0.5*sorted[n/2]
			for _, values := range [][]float64{v, sorted} {
				if got := evaluate.Quantile(values, 0.5); got != want {
					t.Fatalf("median of %v is %v, expected %v", values, got, want)
				}
			}
		}
	}
}
