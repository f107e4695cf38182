package emulator

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// Of runs of which a third of the values are missing, in blocks, and all but five of one run, what is filled in is wrong by a twentieth of the standard deviation at
// most, and an emulator of them predicts new runs with at most twice the error of one of complete runs.
func TestHoles(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of rounds")
	}
	w := worlds(80, 2, 4, 5)
	rng := rand.New(rand.NewPCG(1, 2))
	whole := world{w.x.Slice(0, 60, 0, 2).Clone(), w.p, w.y.Slice(0, 60, 0, 60).Clone()}
	holed := world{whole.x, w.p, whole.y.Clone()}
	for i := range 60 {
		from, count := rng.IntN(40), 20
		if i == 7 {
			from, count = 5, 55
		}
		for s := from; s < from+count; s++ {
			holed.y.Set(i, s, math.NaN())
		}
	}
	d := holed.data()
	full, _, err := completed(context.Background(), &Inputs{Numbers: holed.x, Fixed: make([]bool, 2)}, d.Outputs)
	if err != nil {
		t.Fatal(err)
	}
	filled := make([]float64, 60*60)
	if err := full.Source.ReadExamples(filled, 0, 60); err != nil {
		t.Fatal(err)
	}
	sum, count := 0., 0.
	for i, v := range holed.y.Data {
		if v != v {
			e := filled[i] - whole.y.Data[i]
			sum, count = sum+e*e, count+1
		} else if math.Abs(filled[i]-v) > 1e-12 {
			t.Fatalf("observed value %d is changed by %v", i, filled[i]-v)
		}
	}
	if rmse := math.Sqrt(sum/count) / d.Outputs.Scaler.Scale[0]; rmse > 0.05 {
		t.Errorf("filled in with error %.3g", rmse)
	}
	if a, b := testError(t, w, whole), testError(t, w, holed); b > 2*a+0.01 {
		t.Errorf("error %.3g with holes, %.3g without", b, a)
	}
}

// testError returns the error of predictions of the runs of w from 60 on by an emulator of others.
func testError(t *testing.T, w, of world) float64 {
	t.Helper()
	m, err := Fit(context.Background(), of.data(), Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	x, _, err := m.Coordinates(world{w.x.Slice(60, 80, 0, 2).Clone(), w.p, w.y}.data().Columns, nil, 20)
	if err != nil {
		t.Fatal(err)
	}
	mean, _ := m.Predict(x)
	field, sum := make([]float64, 60), 0.
	for i := range 20 {
		m.Field(field, mean.Row(i))
		for s, v := range field {
			sum += (v - w.y.At(60+i, s)) * (v - w.y.At(60+i, s)) / 1200
		}
	}
	return math.Sqrt(sum)
}
