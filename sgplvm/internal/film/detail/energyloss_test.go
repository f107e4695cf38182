package detail

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A mean that shows nothing of what is white lacks 5/4 of its errors in Laplacian energy, of which all of them count. A mean that shows half of it beside other noise lacks less, and in older files one lacks what a spline through 2×2 pixels misses. A mean that is right, and one that shows more than there is, change nothing.
func TestEnergyLoss(t *testing.T) {
	const width, height, n = 64, 48, 4
	rng := rand.New(rand.NewPCG(8, 6))
	values := make([]float64, n*width*height)
	for k := range values {
		values[k] = 100 + 5*rng.NormFloat64()
	}
	d, err := Measure(context.Background(), data.NewSource(values, n, width*height, 1), width, height)
	if err != nil {
		t.Fatal(err)
	}
	after := func(shown, noise float64) *Detail {
		loss := new(EnergyLoss)
		for i := range n {
			truth, predicted := frame.New(width, height, 1), frame.New(width, height, 1)
			copy(truth.Mean.Data, values[i*width*height:])
			for k, v := range truth.Mean.Data {
				predicted.Mean.Data[k] = 100 + shown*(v-100) + noise*rng.NormFloat64()
			}
			loss.Add(d, truth, predicted)
		}
		return loss.Detail(d)
	}
	for _, c := range []struct{ shown, noise float64 }{{1, 0}, {1, 5}} {
		if after(c.shown, c.noise) != d {
			t.Errorf("a mean with %v of what frames show and noise of %v lacks energy", c.shown, c.noise)
		}
	}
	whole, blurred := after(0.5, 5*math.Sqrt(1./2)), frame.New(2*width, 2*height, 1)
	if want := 5. / 12; math.Abs(whole.lost-want) > 0.05*want { // 5/4·(1 − ¼ − ½) of ¼ + ½
		t.Errorf("%v of the errors, want %v", whole.lost, want)
	}
	if all := after(0, 0).lost; all != mostLost {
		t.Errorf("%v of the errors, want all", all)
	}
	d.Laplacian = nil
	if want, all := d.Energy[0]/25, after(0, 0).lost; math.Abs(all-want) > 0.05*want {
		t.Errorf("%v of the errors by what a spline misses, want %v", all, want)
	}
	// With γ = 1 the detail is in proportion to the energy, which is all a part of the variance.
	blurred.Variance.Fill(25)
	(&Detail{Width: width, Height: height, Energy: []float64{4}, A: math.Log(0.3), Gamma: 1, lost: 0.5}).AddTo(blurred, Unresolved{})
	for k, v := range blurred.Variance.Data {
		if want := 25 + 4*0.3*(0.5*25/4+leastEnergy); math.Abs(v-want) > 1e-12*want {
			t.Fatalf("variance %v of pixel %d, want %v", v, k, want)
		}
	}
	text, err := whole.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again := new(Detail)
	if err := again.Decode(text); err != nil || again.lost != whole.lost {
		t.Errorf("%v read as %v, error %v", whole.lost, again.lost, err)
	}
}
