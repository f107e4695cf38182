package psi

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// KL from a prior of correlated variables by quadrature in two dimensions, and its derivatives.
func TestKLCorrelated(t *testing.T) {
	const a, b, c = 2., .7, 1.5 // the precision
	prior := &Normal{Mean: []float64{.4, -.2}, Variance: []float64{c / (a*c - b*b), a / (a*c - b*b)}, Precision: mat.NewDense(2, 2, []float64{a, b, b, c}), LogDet: math.Log(a*c - b*b)}
	mu, s := mat.NewDense(1, 2, []float64{0.3, -1}), mat.NewDense(1, 2, []float64{0.2, .6})
	var want float64
	const step = .02
	for i := -400; i <= 400; i++ {
		for k := -400; k <= 400; k++ {
			x, y := step*float64(i), step*float64(k)
			q := -.5*((x-mu.Data[0])*(x-mu.Data[0])/s.Data[0]+(y-mu.Data[1])*(y-mu.Data[1])/s.Data[1]) - .5*math.Log(s.Data[0]*s.Data[1])
			dx, dy := x-prior.Mean[0], y-prior.Mean[1]
			p := -.5*(a*dx*dx+2*b*dx*dy+c*dy*dy) + .5*math.Log(a*c-b*b)
			want += step * step * math.Exp(q) / (2 * math.Pi) * (q - p)
		}
	}
	f := func() float64 { return -KL(mu, s, prior) }
	compare.NearOne(t, "KL", -f(), want, 1e-9)
	dmu, ds := mat.New(1, 2), mat.New(1, 2)
	SubtractKL(dmu, ds, mu, s, prior)
	compare.CheckGradient(t, func(i int) string { return fmt.Sprint("derivative ", i) }, compare.Pointers(mu.Data, s.Data), slices.Concat(dmu.Data, ds.Data), f)
}

// KL(N(μ, S) ‖ N(m, v)) by quadrature, and its derivatives.
func TestKL(t *testing.T) {
	mu, s := mat.NewDense(1, 2, []float64{0.3, -1}), mat.NewDense(1, 2, []float64{0.2, 2})
	for what, prior := range map[string]*Normal{"standard normal": nil, "another": {Mean: []float64{1.1, -0.5}, Variance: []float64{0.5, 3}}} {
		var want float64
		for q := range 2 {
			m, v := prior.At(q)
			logDensity := func(x, m, v float64) float64 { return -0.5*(x-m)*(x-m)/v - 0.5*math.Log(2*math.Pi*v) }
			const step = 1e-3
			for k := -20000; k <= 20000; k++ { // the trapezoidal rule is exact to rounding here
				x := float64(k) * step
				p := logDensity(x, mu.Data[q], s.Data[q])
				want += step * math.Exp(p) * (p - logDensity(x, m, v))
			}
		}
		f := func() float64 { return -KL(mu, s, prior) }
		compare.NearOne(t, what, f(), -want, 1e-10)
		dmu, ds := mat.New(1, 2), mat.New(1, 2)
		SubtractKL(dmu, ds, mu, s, prior)
		name := func(i int) string { return fmt.Sprintf("%s, [%d]", what, i) }
		compare.CheckGradient(t, name, compare.Pointers(mu.Data, s.Data), slices.Concat(dmu.Data, ds.Data), f)
	}
}
