package flow

import (
	"math"
	"testing"
)

// The weights are those of the polynomial through values at distinct times; equal times share.
func TestLagrange(t *testing.T) {
	times := []float64{-1, 0.5, 2, 7}
	at := 1.2
	w := lagrange(times, at)
	for power := range 4 {
		var got float64
		for i, time := range times {
			got += w[i] * math.Pow(time, float64(power))
		}
		if want := math.Pow(at, float64(power)); math.Abs(got-want) > 1e-12 {
			t.Errorf("power %d: %v, want %v", power, got, want)
		}
	}
	for i, want := range []float64{0.25, 0.25, 0.5} {
		if got := lagrange([]float64{1, 1, 3}, 2)[i]; got != want {
			t.Errorf("weight %d of equal times is %v, want %v", i, got, want)
		}
	}
}
