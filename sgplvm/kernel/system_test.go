package kernel_test

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// The system of a kernel has its values, of an RBF kernel to 10⁻³ of them, and is refused where a term has none.
func TestSystem(t *testing.T) {
	for text, tolerance := range map[string]float64{
		"matern12(2)": 1e-13, "matern52(0.7)": 1e-13, "0.3*matern12(1)+0.7*matern32(3)": 1e-13, "matern32(2)*matern12(1)": 1e-13,
		"periodic(3,1)": 1e-7, "periodic(3,0.3)": 1e-7, "matern32(9)*periodic(2,1)": 1e-7, "0.2*matern12(1)+0.5*periodic(2,0.8)+0.3*matern32(4)": 1e-7,
		"rbf(2)": 1e-3, "rbf(5)*periodic(2,1)": 1e-3,
	} {
		k, err := kernel.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		s, ok := k.System()
		if !ok {
			t.Fatalf("%s has no system", text)
		}
		n := len(s.Input)
		a := mat.New(n, n)
		for delta := 0.0; delta < 12; delta += 0.37 {
			kernel.Exponential(a, s.Generator, delta, mat.New(2*n, n))
			var got float64
			for i, h := range s.Output {
				for j, b := range s.Input {
					got += h * a.At(i, j) * b
				}
			}
			want := make([]float64, 1)
			k.Values(want, []float64{delta})
			if !(math.Abs(got-want[0]) <= tolerance) {
				t.Errorf("%s at %g: %v, expected %v", text, delta, got, want[0])
			}
		}
	}
	k := kernel.Kernel{Kind: kernel.Sum, Weights: []float64{0.5, 0.5}, Terms: []kernel.Kernel{{Kind: kernel.Matern12, LengthScale: []float64{1}}, {Kind: kernel.White}}}
	if _, ok := k.System(); ok {
		t.Error("white noise has a system")
	}
}
