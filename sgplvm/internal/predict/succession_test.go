package predict

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// The covariance of what is drawn at a grid finer than the points given is the kernel's, to a
// hundredth of the variance, and that of points drawn twice is their variance.
func TestSuccessionCovariance(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	for _, kind := range []kernel.Kind{kernel.Matern12, kernel.Matern32, kernel.Matern52, kernel.RBF} {
		k := kernel.Kernel{Kind: kind, Variance: 2, LengthScale: []float64{3, 2}}
		given, x := plane(5, 1), plane(20, 0.26)
		copy(x.Row(7), x.Row(200))
		s, err := newSuccession(t.Context(), k, given, x)
		if err != nil {
			t.Fatal(err)
		}
		m, n := given.Rows, x.Rows
		root := mat.New(m+n, m+n) // the values known are root·z
		l, want := mat.New(m, m), mat.New(m+n, m+n)
		k.Matrix(l, given, given)
		first, err := dynamics.Root(l, 0)
		if err != nil {
			t.Fatal(err)
		}
		mat.Copy(root.Slice(0, m, 0, m), first)
		all := mat.New(m+n, 2)
		mat.Copy(all.Slice(0, m, 0, 2), given)
		for at, i := range s.order {
			copy(all.Row(m+at), x.Row(i))
			row := root.Row(m + at)
			for j, near := range s.near[at*neighboursDrawn : (at+1)*neighboursDrawn] {
				if near >= 0 {
					for c, v := range root.Row(int(near)) {
						row[c] += s.weights[at*neighboursDrawn+j] * v
					}
				}
			}
			row[m+at] += s.deviation[at]
		}
		got := mat.New(m+n, m+n)
		mat.Mul(got, 1, root, root.T(), 0)
		k.Matrix(want, all, all)
		if d := difference(got, want); !(d < 0.01*k.Variance) {
			t.Errorf("%s: covariances are off by %.3g of the variance", kind, d/k.Variance)
		}
		// The same numbers come out of draw.
		z := rand.New(rand.NewPCG(1, 2))
		known, dst := make([]float64, m+n), make([]float64, n)
		s.draw(dst, known, rand.New(rand.NewPCG(1, 2)))
		numbers := mat.New(m+n, 1)
		for at := range n {
			numbers.Data[m+at] = z.NormFloat64()
		}
		field := mat.New(m+n, 1)
		mat.Mul(field, 1, root, numbers, 0)
		for at, i := range s.order {
			if d := math.Abs(dst[i] - field.Data[m+at]); !(d < 1e-9) {
				t.Fatalf("%s: point %d is off by %g", kind, i, d)
			}
		}
	}
}

// plane returns n×n points some spacing apart.
func plane(n int, spacing float64) mat.Matrix {
	x := mat.New(n*n, 2)
	for i := range n * n {
		copy(x.Row(i), []float64{float64(i/n) * spacing, float64(i%n) * spacing})
	}
	return x
}
