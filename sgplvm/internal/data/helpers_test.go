package data_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// normals returns standard normal numbers.
func normals(seed uint64, r, c int) mat.Matrix {
	rng := rand.New(rand.NewPCG(seed, 71))
	x := mat.New(r, c)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	return x
}

// counting is a source that counts the examples read, and fails in call number failAt, counted from 1.
type counting struct {
	data.Source
	mu                 sync.Mutex
	calls, total, most int
	failAt             int
}

var errSource = errors.New("the disk is gone")

func (s *counting) ReadExamples(dst []float64, from, to int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	s.total += to - from
	s.most = max(s.most, to-from)
	if s.calls == s.failAt {
		return errSource
	}
	return s.Source.ReadExamples(dst, from, to)
}

// near fails unless max|got − want| ≤ tolerance·max(1, max|want|); a NaN fails.
func near(t testing.TB, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	scale, worst := 1.0, 0.0
	for i, v := range want {
		scale, worst = max(scale, math.Abs(v)), max(worst, math.Abs(got[i]-v)) // NaN stays NaN
	}
	if !(worst <= tolerance*scale) {
		t.Errorf("%s: difference %.3g, at most %.3g expected\n got %v\nwant %v", what, worst, tolerance*scale, got, want)
	}
}

// sameBits fails unless got has want's bits.
func sameBits(t testing.TB, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	for i, w := range want {
		if math.Float64bits(got[i]) != math.Float64bits(w) {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], w)
			return
		}
	}
}
