package sgplvm

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
)

// weather returns a table of temperatures and pressures that vary together.
func weather(rows int) Data {
	r := rand.New(rand.NewPCG(1, 65))
	d := Data{Examples: rows, Y: mat.New(rows, 2), Grid: Grid{line(1)}}
	for i := range rows {
		x := r.NormFloat64()
		d.Y.Set(i, 0, 15+4*x+0.5*r.NormFloat64())
		d.Y.Set(i, 1, 101300+300*x+40*r.NormFloat64())
	}
	return d
}

// Broken values of training data count as missing: the model is that of the data without them, to the last bit, and the report names them; whether they are found does not
// depend on how the data are read. With KeepOutliers they are data.
func TestFitDropsOutliers(t *testing.T) {
	clean := weather(60)
	places := map[[2]int]float64{{3, 1}: -9999, {7, 0}: -9999, {20, 0}: -9999, {33, 0}: -9999, {50, 0}: 1e6, {50, 1}: 5}
	broken, without := clean, clean
	broken.Y, without.Y = clean.Y.Clone(), clean.Y.Clone()
	for at, v := range places {
		broken.Y.Set(at[0], at[1], v)
		without.Y.Set(at[0], at[1], math.NaN())
	}
	for _, effort := range []Effort{EffortNone, EffortQuick} {
		cfg := small().with(steps(5))
		cfg.LatentDims = 1
		cfg.Effort = effort
		m, report, err := Fit(t.Context(), broken, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Outliers) != len(places) || !strings.HasPrefix(report.Warnings[0], "6 values lie far outside what the others say and count as missing: -9999 of example 3, point 0, channel 1 (") {
			t.Errorf("outliers %v, warnings %q", report.Outliers, report.Warnings)
		}
		for _, v := range report.Outliers {
			if places[[2]int{v.Example, v.Channel}] != v.Value {
				t.Errorf("outlier %v", v)
			}
		}
		want, other, err := Fit(t.Context(), without, cfg)
		if err != nil || len(other.Outliers) > 0 {
			t.Fatal(other.Outliers, err)
		}
		if !bytes.Equal(saved(t, m), saved(t, want)) {
			t.Errorf("effort %v: another model than that of the data without outliers", effort)
		}
	}
	numbers := outlier.Together
	defer func() { outlier.Together = numbers }()
	outlier.Together = 2 * 36 // rows of a part
	if found, err := broken.Outliers(); err != nil || len(found) != len(places) {
		t.Errorf("in parts: %v, %v", found, err)
	}
	if warnings, err := broken.Check(); err != nil || len(warnings) != 3 || !strings.HasPrefix(warnings[2], "6 values lie far outside") {
		t.Errorf("Check: %q, %v", warnings, err)
	}
	cfg := small().with(steps(2))
	cfg.LatentDims, cfg.KeepOutliers = 1, true
	broken.Y.Set(50, 0, 300) // no word for "no value", which a trainer refuses
	for _, i := range []int{7, 20, 33} {
		broken.Y.Set(i, 0, 12)
	}
	if m, report, err := Fit(t.Context(), broken, cfg); err != nil || len(report.Outliers) > 0 || report.Missing > 0 || m.Summary().Deviation[0] < 30 {
		t.Errorf("kept: %v, %v", report.Outliers, err)
	}
}

// What stands for land, at the same points of all examples, is refused as before, and so is an infinite value.
func TestFitRefusesLand(t *testing.T) {
	for name, spoil := range map[string]func(y mat.Matrix){
		"land":     func(y mat.Matrix) { y.Slice(0, 1, 0, 1).Fill(1e20) },
		"infinity": func(y mat.Matrix) { y.Set(5, 0, math.Inf(1)) },
	} {
		d := bumps(9, 5, 4, 1)
		for i := range 9 {
			spoil(d.Y.Slice(i*20, i*20+20, 0, 1))
		}
		var value *ValueError
		if _, _, err := Fit(t.Context(), d, small().with(steps(2))); !errors.As(err, &value) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
