package emulator

import (
	"context"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Of positive outputs over decades, and of shares, that are smooth only once transformed, the transform is chosen and errors are less than half of those without; of smooth
// outputs it is not. Draws, and a density of what was held out, are those of the values themselves.
func TestTransforms(t *testing.T) {
	w := worlds(80, 2, 3, 5)
	for i, v := range w.y.Data {
		w.y.Data[i] = 1.5 * v
	}
	for _, by := range []work.Transform{work.Identity, work.Log, work.Logit} {
		y := w.y.Clone()
		for i, v := range y.Data {
			if y.Data[i] = by.Back(v); by == work.Identity {
				y.Data[i] = 0.5 + 0.02*v // could be a share
			}
		}
		train := world{w.x.Slice(0, 40, 0, 2).Clone(), w.p, y.Slice(0, 40, 0, 60).Clone()}
		m, err := Fit(context.Background(), train.data(), Options{Quick: true})
		if err != nil {
			t.Fatal(err)
		}
		if chosen := m.Transforms != nil && m.Transforms[0] == by; chosen != (by != work.Identity) {
			t.Fatalf("%d: chosen: %v", by, m.Transforms)
		}
		p := m.Outputs(mustCoordinates(t, m, w.x.Slice(40, 80, 0, 2)), mat.Matrix{})
		least := 0.
		for _, v := range train.y.Data {
			least = min(least, -v)
		}
		for i := range train.y.Data {
			train.y.Data[i] += least // neither positive nor a share
		}
		plain, err := Fit(context.Background(), train.data(), Options{Quick: true})
		if err != nil {
			t.Fatal(err)
		}
		q := plain.Outputs(mustCoordinates(t, plain, w.x.Slice(40, 80, 0, 2)), mat.Matrix{})
		mean, variance, other := make([]float64, 60), make([]float64, 60), make([]float64, 60)
		var a, b, within float64
		for i := range 40 {
			p.Mean(mean, i)
			p.Variance(variance, i)
			q.Mean(other, i)
			for s, v := range y.Row(40 + i) {
				a += (mean[s] - v) * (mean[s] - v)
				b += (other[s] - least - v) * (other[s] - least - v)
				if math.Abs(mean[s]-v) < 2*math.Sqrt(variance[s])+1e-9 {
					within++
				}
			}
		}
		if by != work.Identity && a > 0.25*b || within < 0.8*40*60 {
			t.Errorf("%d: squared errors %.3g, without a transform %.3g, %.0f of 2400 values within two deviations", by, a, b, within)
		}
		f, left := p.Covariance(3)
		p.Variance(variance, 3)
		for s, v := range variance {
			for _, x := range f.Row(s) {
				left[s] += x * x
			}
			near(t, "diagonal", left[s]/v, 1, 1e-9)
		}
	}
}
