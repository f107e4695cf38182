package psi

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

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
