// Package compare holds numbers that tests compute to those expected. Tests alone import it; it knows
// nothing of the model, so that those of every room may.
package compare

import (
	"math"
	"runtime"
	"testing"
)

// Near fails unless max|got − want| ≤ tolerance·max(1, max|want|); a NaN fails.
func Near(t testing.TB, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	if d := disagreement(got, want); !(d <= tolerance) {
		t.Errorf("%s: relative difference %.3g, at most %.3g expected\n got %v\nwant %v", what, d, tolerance, got, want)
	}
}

// NearOne is Near for single numbers.
func NearOne(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	Near(t, what, []float64{got}, []float64{want}, tolerance)
}

func disagreement(got, want []float64) float64 {
	scale, worst := 1.0, 0.0
	for i, v := range want {
		scale = max(scale, math.Abs(v))
		worst = max(worst, math.Abs(got[i]-v)) // NaN stays NaN
	}
	return worst / scale
}

// SameBits fails unless got has want's bits.
func SameBits(t testing.TB, what string, got, want []float64) {
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

// AtEveryWidth calls f at several GOMAXPROCS.
func AtEveryWidth(f func(procs int)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(procs)
		f(procs)
	}
}
