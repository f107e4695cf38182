package emulator

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// With all runs as inducing inputs predictions are those of exact conditioning.
func TestInduced(t *testing.T) {
	w := worlds(50, 2, 3, 3)
	for i, v := range w.p.Data {
		w.p.Data[i] = v + 0.1*math.Sin(1e3*float64(i)) // noise, which b must find
	}
	k := &Kernel{Form: Matern52, Share: 0.8, Scales: []float64{1, 2}, Linear: []float64{0.5, 0.5}}
	modes := [][]int{{0, 1, 2}}
	exact, err := newProcess(w.x, w.p, []*Kernel{k}, modes)
	if err != nil {
		t.Fatal(err)
	}
	g, err := induced(k, modes[0], w.x, w.x, w.p)
	if err != nil {
		t.Fatal(err)
	}
	other := &Process{x: w.x, p: w.p, groups: []group{g}}
	at := worlds(20, 2, 3, 4).x
	mean, variance := exact.Predict(at)
	m, v := other.Predict(at)
	for i := range mean.Data {
		near(t, "mean", m.Data[i], mean.Data[i], 1e-6)
		near(t, "variance", v.Data[i]/variance.Data[i], 1, 1e-6)
	}
}

// More runs than are conditioned on exactly, of which some have holes, make an emulator of less than half of the error of as many as are, which says so, and the same one from
// its file.
func TestMany(t *testing.T) {
	defer func(n int) { exactRuns = n }(exactRuns)
	exactRuns = 50
	w := worlds(240, 2, 4, 5)
	d := world{w.x.Slice(0, 200, 0, 2).Clone(), w.p, w.y.Slice(0, 200, 0, 60).Clone()}
	d.y.Set(3, 7, math.NaN())
	error_ := func(d Data) (float64, *Model) {
		m, err := Fit(context.Background(), d, Options{Quick: true})
		if err != nil {
			t.Fatal(err)
		}
		sum, y := 0., make([]float64, 60)
		mean, _ := m.Predict(mustCoordinates(t, m, w.x.Slice(200, 240, 0, 2)))
		for i := range mean.Rows {
			m.Field(y, mean.Row(i))
			for s, v := range y {
				sum += (v - w.y.At(200+i, s)) * (v - w.y.At(200+i, s))
			}
		}
		return math.Sqrt(sum), m
	}
	many, m := error_(d.data())
	few, _ := error_(world{w.x.Slice(0, 50, 0, 2).Clone(), w.p, w.y.Slice(0, 50, 0, 60).Clone()}.data())
	if notes := strings.Join(m.Notes, "\n"); many > 0.5*few || m.X.Rows != 199 || !strings.Contains(notes, "50 of 200 runs") || !strings.Contains(notes, "1 of 200 runs, which lack") {
		t.Errorf("errors %.3g of %d runs, %.3g of 50; %s", many, m.X.Rows, few, notes)
	}
	x := w.x.Slice(200, 201, 0, 2)
	before, _ := m.Predict(x)
	if err := m.Restore(); err != nil {
		t.Fatal(err)
	}
	if after, _ := m.Predict(x); after.Data[0] != before.Data[0] {
		t.Errorf("%v, and %v from the file", before.Data[0], after.Data[0])
	}
}

func mustCoordinates(t *testing.T, m *Model, x mat.Matrix) mat.Matrix {
	t.Helper()
	xi, _, err := m.Coordinates(world{x: x, y: mat.New(x.Rows, 60)}.data().Columns, nil, x.Rows)
	if err != nil {
		t.Fatal(err)
	}
	return xi
}
