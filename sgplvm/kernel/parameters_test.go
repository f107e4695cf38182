package kernel_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Visit gives what an optimiser may move, and the derivatives beside it.
func TestVisit(t *testing.T) {
	k := parsed(t, "0.5*rbf(2,3)*periodic(12,0.8)+0.5*matern12")
	k.Variance = 9
	grad := k.Clone()
	for i, p := range func() []*float64 { _, p := parameters(&grad, true); return p }() {
		*p = float64(10 + i) // variance 10, weights 11 and 12, length scales 13 and 14, 15, period 16
	}
	type part struct{ Value, Slope []float64 }
	var got []part
	k.Visit(&grad, func(value, slope []float64, positive bool) {
		got = append(got, part{append([]float64(nil), value...), append([]float64(nil), slope...)})
		if !positive {
			t.Error("a parameter that may be negative")
		}
		for i := range value {
			value[i] *= 2
		}
	})
	want := []part{
		{[]float64{1}, []float64{0.5 * (11 - 11.5)}},
		{[]float64{2, 3}, []float64{13, 14}},
		{[]float64{0.8}, []float64{15}},
		{[]float64{12}, []float64{16}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("visited (-want +got):\n%s", diff)
	}
	after := parsed(t, "0.5*rbf(4,6)*periodic(24,1.6)+0.5*matern12")
	after.Variance, after.Weights = 9, []float64{2. / 3, 1. / 3}
	if diff := cmp.Diff(after, k); diff != "" {
		t.Errorf("after doubling (-want +got):\n%s", diff)
	}
}

// Weights are visited as ratios, and add up to 1 whatever comes back.
func TestWeights(t *testing.T) {
	k := kernel.Kernel{Kind: kernel.Sum, Terms: make([]kernel.Kernel, 3), Weights: []float64{0.5, 0.2, 0.3}}
	k.Visit(&k, func(value, _ []float64, _ bool) { near(t, "ratios", value, []float64{5. / 3, 2. / 3}, 1e-15) })
	compare.SameBits(t, "weights", k.Weights, []float64{0.5, 0.2, 0.3})
	for _, ratio := range []float64{1e-300, 1, 1e300} {
		k.Visit(&k, func(value, _ []float64, _ bool) { value[0], value[1] = ratio, 2 })
		var total float64
		for _, w := range k.Weights {
			total += w
			if !(w > 0) {
				t.Errorf("ratio %v: weights %v", ratio, k.Weights)
			}
		}
		if !(math.Abs(total-1) <= 1e-15) || !(math.Abs(k.Weights[1]/k.Weights[2]-2) <= 1e-14) && ratio < 1e299 {
			t.Errorf("ratio %v: weights %v", ratio, k.Weights)
		}
	}
	k.Weights = nil // nothing to visit
	k.Visit(&k, func(value, _ []float64, _ bool) { t.Errorf("visited %v", value) })
}

func TestZero(t *testing.T) {
	k := parsed(t, "0.5*rbf(2,3)*periodic(12,0.8)+0.5*matern12(1)")
	k.Variance = 2
	k.Zero()
	near(t, "zero", numbers(k), make([]float64, len(numbers(k))), 0)
}
