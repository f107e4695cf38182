package emulator

import (
	"context"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// On the training grid a model predicts what it did, and on a finer one of two factors and two channels the smooth fields between.
func TestGrid(t *testing.T) {
	line := func(n int, step float64) mat.Matrix {
		x := mat.New(n, 1)
		for i := range n {
			x.Set(i, 0, step*float64(i))
		}
		return x
	}
	wave := func(a, u, v float64, c int) float64 { return math.Sin(a+u/4)*math.Cos(v/5+a) + float64(c)*u*a/10 }
	coarse, fine := field.Grid{line(7, 1), line(9, 1)}, field.Grid{line(13, 0.5), line(17, 0.5)}
	var d Data
	d.Columns = []Column{{}}
	var y []float64
	for i := range 30 {
		a := float64(i) / 15
		d.Columns[0].Numbers = append(d.Columns[0].Numbers, a)
		for u := range 7 {
			for v := range 9 {
				y = append(y, wave(a, float64(u), float64(v), 0), wave(a, float64(u), float64(v), 1))
			}
		}
	}
	var err error
	if d.Outputs, err = data.NewScaled(field.NewSource(y, 30, 63, 2)); err != nil {
		t.Fatal(err)
	}
	m, err := Fit(context.Background(), d, Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	x, _, err := m.Coordinates([]Column{{Numbers: []float64{1.03}}}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	mean, _ := m.Predict(x)
	same, err := m.On(coarse, coarse)
	if err != nil {
		t.Fatal(err)
	}
	want, got := make([]float64, 126), make([]float64, 126)
	m.Field(want, mean.Row(0))
	same.Field(got, mean.Row(0))
	for i, v := range want {
		near(t, "on the same grid", got[i], v, 1e-6)
	}
	g, err := m.On(coarse, fine)
	if err != nil {
		t.Fatal(err)
	}
	finer := make([]float64, 13*17*2)
	g.Field(finer, mean.Row(0))
	for u := range 13 {
		for v := range 17 {
			for c := range 2 {
				near(t, "on a finer grid", finer[(u*17+v)*2+c], wave(1.03, float64(u)/2, float64(v)/2, c), 0.005)
			}
		}
	}
	if _, err := m.On(coarse, fine[:1]); err == nil {
		t.Error("one factor instead of two: no error")
	}
}
