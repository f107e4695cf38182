package sgplvm

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// walkAndWave returns rows of four columns, sums of a walk and of a wave whose period is 12 times, with noise.
func walkAndWave(n int) mat.Matrix {
	rng, walk := rand.New(rand.NewPCG(12, 65)), 0.
	y := mat.New(n, 4)
	for i := range n {
		walk += 0.1 * rng.NormFloat64()
		wave := math.Sin(2 * math.Pi * float64(i) / 12)
		for j, w := range [][2]float64{{1, 0.5}, {0.5, -1}, {-1, 1}, {1, 1}} {
			y.Set(i, j, w[0]*walk+w[1]*wave+0.05*rng.NormFloat64())
		}
	}
	return y
}

// A model is tested on examples it was not trained on: the values of each kind are counted, the error that is foretold is that of what it fills in, by the drawn truth, principal
// components do as well, since the world is linear, and what is missing everywhere is hidden elsewhere, in one piece.
func TestCheckFilling(t *testing.T) {
	y := walkAndWave(240)
	m, _, err := Fit(t.Context(), Data{Examples: 120, Y: y.Slice(0, 120, 0, 4), Grid: Grid{line(1)}}, Config{Effort: EffortNone, LatentDims: 2, LatentKernel: "linear+bias", Training: steps(60)})
	if err != nil {
		t.Fatal(err)
	}
	rng, missing, squares := rand.New(rand.NewPCG(3, 65)), 0, 0.
	var given []Observed
	for i := 120; i < 240; i++ {
		v := y.Slice(i, i+1, 0, 4).Clone()
		if rng.IntN(2) == 0 {
			v.Set(0, rng.IntN(4), math.NaN())
			missing++
		}
		given = append(given, Observed{Values: v})
	}
	sd := [4]float64{}
	for j := range sd {
		mean := 0.
		for i := range 240 {
			mean += y.At(i, j) / 240
		}
		for i := range 240 {
			sd[j] += (y.At(i, j) - mean) * (y.At(i, j) - mean) / 240
		}
	}
	for i, obs := range given {
		p, _, err := m.Impute(t.Context(), obs, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range obs.Values.Data {
			if e := p.Mean.At(0, j) - y.At(120+i, j); v != v {
				squares += e * e / sd[j] / float64(missing)
			}
		}
	}
	of := func(i int) Observed { return given[i] }
	all, err := m.CheckFilling(t.Context(), len(given), of, InferOptions{})
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if c := all[0]; c.Missing != missing || c.By != "the model" || c.Values < 20 || !c.Deviations || c.RMSE > 2*math.Sqrt(squares) || c.RMSE < math.Sqrt(squares)/2 ||
		c.Simplest != "principal components" || c.SimplestRMSE < 0.7*c.RMSE || c.RMSE > 0.5 || c.Coverage < 0.75 {
		t.Errorf("%+v, the error is %v of %d", c, math.Sqrt(squares), missing)
	}
	whole := func(i int) Observed { return Observed{Values: y.Slice(i, i+1, 0, 4)} }
	if all, err := m.CheckFilling(t.Context(), 10, whole, InferOptions{}); all != nil || err != nil {
		t.Errorf("nothing missing: %v, %v", all, err)
	}
	var config *ConfigError
	if _, err := m.CheckFilling(t.Context(), 1, func(int) Observed { return Observed{Values: mat.New(2, 4)} }, InferOptions{}); !errors.As(err, &config) {
		t.Errorf("of another size: %v", err)
	}
	d := bumps(20, 8, 9, 4)
	pictures, _, err := Fit(t.Context(), d, small().with(steps(20)))
	if err != nil {
		t.Fatal(err)
	}
	all, err = pictures.CheckFilling(t.Context(), 3, func(i int) Observed {
		v := d.Y.Slice(i*72, i*72+72, 0, 1).Clone()
		v.Slice(0, 27, 0, 1).Fill(math.NaN())
		return Observed{Values: v}
	}, InferOptions{})
	if err != nil || len(all) != 1 || all[0].Kind != "blocks of values" || all[0].Missing != 81 || all[0].Values == 0 {
		t.Errorf("the same missing everywhere: %+v, %v", all, err)
	}
}

// Where training examples never show what changes, the method that is better is named: for values and, beside known times, for examples that are missing as a whole.
func TestCheckFillingNamesBetter(t *testing.T) {
	y, d := walkAndWave(360), Data{Examples: 60, Y: mat.New(60, 4), Grid: Grid{line(1)}}
	for i := range 60 {
		copy(d.Y.Row(i), y.Row(6*i)) // zeros of the wave
		d.Times = append(d.Times, float64(6*i))
	}
	m, _, err := Fit(t.Context(), d, Config{Effort: EffortNone, LatentDims: 2, LatentKernel: "linear+bias", Training: steps(30)})
	if err != nil {
		t.Fatal(err)
	}
	all, err := m.CheckFilling(t.Context(), 100, func(i int) Observed {
		at, err := m.LatentAt(0, []float64{float64(i + 100)})
		if err != nil {
			t.Fatal(err)
		}
		v := y.Slice(i+100, i+101, 0, 4).Clone()
		for j := range 4 {
			if i%25 == 7 || (i+j)%5 == 0 {
				v.Set(0, j, math.NaN())
			}
		}
		return Observed{Values: v, Prior: &at[0]}
	}, InferOptions{KeepOutliers: true})
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	for k, kind := range []string{"values here and there", "whole examples"} {
		if c := all[k]; c.Kind != kind || c.Simplest == "" || c.SimplestRMSE > 0.7*c.RMSE || k == 1 && c.Missing != 16 {
			t.Errorf("%+v", c)
		}
	}
}
