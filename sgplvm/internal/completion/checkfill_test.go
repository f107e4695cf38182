package completion

import (
	"context"
	"math"
	"sync/atomic"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// Of examples of many points those around what is missing are looked at: there values are hidden, nowhere else, and the error told is that of what fills them in. As many examples are filled in as
// were foretold, with a time for the simplest methods.
func TestFillTestOfManyPoints(t *testing.T) {
	const height, width, channels = 50, 60, 1
	line := func(n int) mat.Matrix {
		x := mat.New(n, 1)
		for k := range n {
			x.Data[k] = float64(k)
		}
		return x
	}
	truth := func(i, k int) float64 { return math.Sin(float64(k)/9) * float64(1+i) }
	missing := func(k int) bool { return k/channels/width < 8 && k/channels%width < 8 } // a corner
	test := &FillTest{Known: 6, Grid: field.Grid{line(height), line(width)}, Channels: channels}
	test.Observed = func(i int) field.Observed {
		y := mat.New(height*width, channels)
		for k := range y.Data {
			if y.Data[k] = truth(i, k); missing(k) {
				y.Data[k] = math.NaN()
			}
		}
		return field.Observed{Values: y}
	}
	test.Recall = func(y mat.Matrix, examples []int, _ field.Grid) error {
		for k, i := range examples {
			for j := range y.Cols {
				y.Set(k, j, truth(i+10, j))
			}
		}
		return nil
	}
	foretold := *test
	filled, methods, err := foretold.Foretold(5)
	if err != nil || methods <= 0 {
		t.Fatal(filled, methods, err)
	}
	var calls atomic.Int64
	test.Impute = func(_ context.Context, obs field.Observed) (p field.Prediction, err error) {
		calls.Add(1)
		p.Mean, p.Variance = obs.Values.Clone(), mat.New(height*width, channels)
		p.Variance.Fill(1)
		for k, v := range obs.Values.Data {
			if row, column := k/channels/width, k/channels%width; v != v && row+column > 100 {
				t.Errorf("value %d is hidden, far from what is missing", k)
			}
			for i := range 5 { // which of the examples it is
				if at := channels * (height*width - 1); v != v && obs.Values.Data[at] == truth(i, at) {
					p.Mean.Data[k] = truth(i, k) + 0.5
				}
			}
		}
		return p, nil
	}
	all, err := test.Check(t.Context(), 5)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if int(calls.Load()) != filled {
		t.Errorf("%d examples filled in, foretold %d", calls.Load(), filled)
	}
	if c := all[0]; c.Missing != 5*8*8*channels || c.Values == 0 || math.Abs(c.RMSE-0.5) > 1e-12 || !(c.SimplestRMSE < 0.1) {
		t.Errorf("%+v, expected an error of 0.5 of %d values, and a small one of components", c, 5*8*8*channels)
	}
}
