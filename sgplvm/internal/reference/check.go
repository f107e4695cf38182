package reference

import (
	"math"
	"testing"
)

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
