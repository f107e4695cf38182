package work

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The law is that of the variances from which means of squares were drawn.
func TestLogLinearVariance(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	for _, want := range []float64{0, 0.5, 1, 1.7} {
		var ratios, sizes []float64
		for range 4000 {
			size := 2 * rng.NormFloat64()
			var mean float64
			for range 20 {
				z := rng.NormFloat64()
				mean += z * z / 20
			}
			ratios, sizes = append(ratios, 3*mean*math.Exp((want-1)*size)), append(sizes, size)
		}
		intercept, slope := LogLinearVariance(ratios, sizes, -1, 1)
		if math.Abs(1+slope-want) > 0.02 {
			t.Errorf("power %v, want %v", 1+slope, want)
		}
		if ratio := math.Exp(intercept); math.Abs(ratio-3) > 0.15 {
			t.Errorf("factor %v at power %v, want 3", ratio, 1+slope)
		}
	}
}

// The law of single squares is found too, with the slope within its bounds.
func TestLogLinearVarianceBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	for _, c := range []struct{ a, gamma, want float64 }{{-2, 0.7, 0.7}, {1, 0, 0}, {0, 1.6, 1}} {
		var squares, x []float64
		for range 20000 {
			x = append(x, 2*rng.NormFloat64()-3)
			z := rng.NormFloat64()
			squares = append(squares, z*z*math.Exp(c.a+c.gamma*x[len(x)-1]))
		}
		// Fisher's information of a slope is n·var(x)/2: a deviation of 0.005.
		a, gamma := LogLinearVariance(squares, x, 0, 1)
		if math.Abs(gamma-c.want) > 0.03 || c.want == c.gamma && math.Abs(a-c.a) > 0.1 {
			t.Errorf("intercept %v and slope %v, found %v and %v", c.a, c.gamma, a, gamma)
		}
	}
}
