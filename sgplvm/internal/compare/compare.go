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

// CheckGradient compares grad with central differences of f in every coordinate that x points
// to. With h = 1e-5 the differences err by h² times the third derivative and by ε·|f|/h; the
// tolerance 1e-6·max(1, |g|) + 1e-10·|f| covers both.
func CheckGradient(t testing.TB, name func(i int) string, x []*float64, grad []float64, f func() float64) {
	t.Helper()
	if len(grad) != len(x) {
		t.Errorf("%d derivatives in %d coordinates", len(grad), len(x))
		return
	}
	value := f()
	for i, p := range x {
		at := *p
		h := 1e-5 * max(1, math.Abs(at))
		*p = at + h
		high := f()
		*p = at - h
		low := f()
		*p = at
		if d := math.Abs((high-low)/(2*h) - grad[i]); !(d <= 1e-6*max(1, math.Abs(grad[i]))+1e-10*math.Abs(value)) {
			t.Errorf("%s: derivative %v, differences give %v", name(i), grad[i], (high-low)/(2*h))
		}
	}
}

// Pointers returns a pointer to each number of all lists.
func Pointers(lists ...[]float64) []*float64 {
	var all []*float64
	for _, v := range lists {
		for i := range v {
			all = append(all, &v[i])
		}
	}
	return all
}

// Sizes returns how many random models a test takes: all, with -short a fifth of them.
func Sizes(full int) int {
	if testing.Short() {
		return max(1, full/5)
	}
	return full
}
