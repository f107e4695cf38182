package sgplvm

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// holedSets are the sets whose data have holes or known errors.
func holedSets() map[string]set {
	all := map[string]set{}
	for name, s := range sets() {
		if strings.HasPrefix(name, "holes") || name == "known errors" {
			all[name] = s
		}
	}
	return all
}

// Every step of training raises the bound, which is that of the model, and the report says what is missing.
func TestHolesMonotone(t *testing.T) {
	for name, s := range holedSets() {
		s.config.Training.Iterations, s.config.Training.Warmup = 90, 45
		last := -math.MaxFloat64
		tr, r := fit(t, s.data, s.config, func(p Progress) bool {
			if p.Bound < last-1e-11*math.Abs(last) {
				t.Errorf("%s: the bound fell from %v to %v", name, last, p.Bound)
			}
			last = p.Bound
			return true
		})
		missing := 0
		for _, v := range s.data.Y.Data {
			if v != v {
				missing++
			}
		}
		if r.Missing != missing {
			t.Errorf("%s: report %+v, %d missing", name, r, missing)
		}
		compare.NearOne(t, name+": bound", r.Bound, boundOf(t, s.data, tr), 1e-12)
	}
}

// Models of data with holes are the same after a file, and trainers complete the examples: better than by the mean of each
// point, with variances that fit, and observed values as they were.
func TestHolesComplete(t *testing.T) {
	for name, s := range holedSets() {
		if name == "known errors" {
			continue // whose truth is another
		}
		whole := bumps(12, 6, 5, 2).Y
		if name == "holes by channel" {
			whole = mat.NewDense(12*10, 3, bumps(12, 6, 5, 6).Y.Data)
		}
		tr, _ := fit(t, s.data, s.config.with(steps(150)))
		m := modelOf(t, tr)
		file := saved(t, m)
		if !bytes.Equal(saved(t, loaded(t, file)), file) {
			t.Errorf("%s: another file after loading", name)
		}
		points, count := whole.Rows/12, 0
		var square, byMean, score float64
		err := tr.Complete(context.Background(), InferOptions{}, func(i int, p Prediction) error {
			obs := Observed{Values: s.data.Y.Slice(i*points, (i+1)*points, 0, whole.Cols).Clone()}
			for j := range points {
				for c := range whole.Cols {
					mean, variance, truth := p.Mean.At(j, c), p.Variance.At(j, c), whole.At(i*points+j, c)
					if v := obs.Values.At(j, c); v == v {
						if mean != v || variance != 0 {
							t.Fatalf("%s: observed %v became %v ± %v", name, v, mean, variance)
						}
						continue
					}
					if i == 3 || j == 4 {
						continue // of which nothing was seen
					}
					count++
					square += (mean - truth) * (mean - truth)
					score += (mean - truth) * (mean - truth) / variance
					e := m.Summary().Mean[c] - truth
					byMean += e * e
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if count == 0 || square > 0.3*byMean || score > 4*float64(count) || score < 0.1*float64(count) {
			t.Errorf("%s: %d missing values, mean squares %v where the mean has %v, over the variance %v", name, count, square/float64(count), byMean/float64(count), score/float64(count))
		}
	}
}

// What cannot be done with holes is refused by name, and errors that are none.
func TestHolesRefuse(t *testing.T) {
	base := bumps(8, 4, 3, 2).holed(0.2, 1)
	for name, c := range map[string]struct {
		change func(d *Data, cfg *Config)
		field  string
		text   string
	}{
		"errors of another shape": {func(d *Data, _ *Config) { d.Errors = NewSource(make([]float64, 8*4), 8, 4, 1) }, "Errors",
			"8 examples, 4 points and 1 channels, expected 8, 12 and 1"},
		"nothing": {func(d *Data, _ *Config) {
			d.Y = d.Y.Clone()
			d.Y.Fill(math.NaN())
		}, "Data", "all 96 values are missing"},
	} {
		d, cfg := base, small()
		c.change(&d, &cfg)
		_, err := NewTrainer(d, cfg)
		var bad *ConfigError
		if !errors.As(err, &bad) || bad.Field != c.field || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		e := make([]float64, len(base.Y.Data))
		at := slices.IndexFunc(base.Y.Data, func(v float64) bool { return v == v })
		e[at] = bad
		d := base
		d.Errors = NewSource(e, 8, 12, 1)
		var value *ValueError
		if _, err := NewTrainer(d, small()); !errors.As(err, &value) || value.Example != at/12 || value.Point != at%12 {
			t.Errorf("standard error %v: error %v", bad, err)
		}
	}
}
