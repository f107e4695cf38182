package compare_test

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// recorder notes a failure.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

// What compares numbers fails where it should, and only there.
func TestChecks(t *testing.T) {
	nan, negative := math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		got, want  []float64
		near, same bool // with a tolerance of 1e-10
	}{
		{[]float64{1, 2}, []float64{1, 2}, true, true},
		{nil, nil, true, true},
		{[]float64{0}, []float64{negative}, true, false},
		{[]float64{1 + 0.9e-10}, []float64{1}, true, false},
		{[]float64{1 + 1.1e-10}, []float64{1}, false, false},
		{[]float64{1000, 0.9e-7}, []float64{1000, 0}, true, false}, // relative to the largest number
		{[]float64{1000, 1.1e-7}, []float64{1000, 0}, false, false},
		{[]float64{1}, []float64{1, 2}, false, false},
		{[]float64{nan}, []float64{1}, false, false},
		{[]float64{1}, []float64{nan}, false, false},
		{[]float64{nan, 1}, []float64{1, 1}, false, false},
	} {
		near, same := &recorder{TB: t}, &recorder{TB: t}
		compare.Near(near, "", c.got, c.want, 1e-10)
		compare.SameBits(same, "", c.got, c.want)
		if near.failed == c.near || same.failed == c.same {
			t.Errorf("%v, %v: near %v, same bits %v", c.got, c.want, !near.failed, !same.failed)
		}
	}
	x := []float64{0.3, -2}
	f := func() float64 { return math.Sin(x[0]) * x[1] * x[1] }
	for by, fails := range map[float64]bool{0: false, 0.5e-6: false, 2e-5: true, nan: true} {
		r := &recorder{TB: t}
		grad := []float64{math.Cos(x[0])*x[1]*x[1] + by, 2 * math.Sin(x[0]) * x[1]}
		compare.CheckGradient(r, func(int) string { return "" }, compare.Pointers(x), grad, f)
		if r.failed != fails {
			t.Errorf("a derivative off by %v: failed %v", by, r.failed)
		}
	}
}
