package simple

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// The moments of a normal cut off at a limit, and the probability below it, are those of a fine sum, far in the tail too.
func TestBelow(t *testing.T) {
	for _, limit := range []float64{3, 0.5, -1, -3.9, -4.1, -12, -40} {
		const mean, sd, steps = 0.7, 1.3, 20000
		a := (limit - mean) / sd
		var sum, first, second float64 // of the density relative to that at the limit
		for k := range 20 * steps {
			u := (float64(k) + 0.5) / steps // below the limit
			w := math.Exp(a*u-u*u/2) / steps
			sum, first, second = sum+w, first+w*u, second+w*u*u
		}
		wantMean := limit - sd*first/sum
		wantVariance := sd * sd * (second/sum - first/sum*first/sum)
		wantLog := math.Log(sum) - a*a/2 - 0.5*math.Log(2*math.Pi)
		m, v, log := Below(limit, mean, sd*sd)
		if math.Abs(m-wantMean) > 1e-6 || math.Abs(v/wantVariance-1) > 1e-4 || math.Abs(log-wantLog) > 1e-6 {
			t.Errorf("below %v: %v, %v, %v, want %v, %v, %v", limit, m, v, log, wantMean, wantVariance, wantLog)
		}
	}
}

// Values that are known to be below a limit come near to what they were, as principal components of the others tell it, and none of them above it; others stay.
func TestCensor(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	const n, p, limit = 150, 12, -0.2
	y, truth := mat.New(n, p), mat.New(n, p)
	var a, b [p]float64
	for j := range p {
		a[j], b[j] = rng.NormFloat64(), rng.NormFloat64()
	}
	missing := make([]bool, n*p)
	for i := range n {
		u, v := rng.NormFloat64(), rng.NormFloat64()
		for j := range p {
			truth.Set(i, j, u*a[j]+v*b[j]+0.2*rng.NormFloat64())
			y.Set(i, j, max(limit, truth.At(i, j)))
			missing[i*p+j] = rng.Float64() < 0.1
		}
	}
	if err := Censor(t.Context(), Data{Y: y, Missing: missing, Channels: 1}, []float64{limit}); err != nil {
		t.Fatal(err)
	}
	var before, after float64
	for k, v := range truth.Data {
		switch got := y.Data[k]; {
		case missing[k]:
		case v > limit && got != v, v <= limit && got > limit:
			t.Fatalf("%v of %v", got, v)
		case v <= limit:
			before, after = before+square(limit-v), after+square(got-v)
		}
	}
	if after > 0.15*before {
		t.Errorf("squared errors %.3f of those of the limit", after/before)
	}
}
