package sgplvm

import (
	"context"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// degenerate are changes of data and configuration that make something degenerate.
func degenerate() map[string]func(d *Data, cfg *Config) {
	same := func(stride int) func(d *Data, cfg *Config) {
		return func(d *Data, cfg *Config) {
			for n := 1; n < d.Examples; n += stride {
				mat.Copy(d.Y.Slice(n*12, n*12+12, 0, 1), d.Y.Slice((n-1)*12, n*12, 0, 1))
			}
		}
	}
	few := func(n int) func(d *Data, cfg *Config) {
		return func(d *Data, cfg *Config) {
			d.Examples, d.Y = n, d.Y.Slice(0, 12*n, 0, 1)
			cfg.Inducing, cfg.LatentDims = 0, 0
		}
	}
	scale := func(v float64) func(d *Data, cfg *Config) {
		return func(d *Data, cfg *Config) { mat.Scale(d.Y, v, d.Y) }
	}
	return map[string]func(d *Data, cfg *Config){
		"a channel of rounding": func(d *Data, cfg *Config) {
			y := mat.New(d.Y.Rows, 2)
			mat.Copy(y.Slice(0, y.Rows, 0, 1), d.Y)
			for i := range y.Rows {
				y.Set(i, 1, 1e6+float64(i%2)*0x1p-32)
			}
			d.Y = y
		},
		"a constant channel": func(d *Data, cfg *Config) {
			y := mat.New(d.Y.Rows, 2)
			mat.Copy(y.Slice(0, y.Rows, 0, 1), d.Y)
			y.Slice(0, y.Rows, 1, 2).Fill(7)
			d.Y = y
		},
		"examples in pairs": same(2),
		"one example":       few(1),
		"two examples":      few(2),
		"one point":         func(d *Data, cfg *Config) { d.Y, d.Grid = d.Y.Slice(0, 8, 0, 1), Grid{mat.New(1, 1)} },
		"two points":        func(d *Data, cfg *Config) { d.Y, d.Grid = d.Y.Slice(0, 16, 0, 1), Grid{line(2)} },
		"one row":           func(d *Data, cfg *Config) { d.Grid = Grid{line(1), line(12)} },
		"two columns": func(d *Data, cfg *Config) {
			d.Y, d.Grid = mat.NewDense(8, 2, d.Y.Data[:16]), Grid{mat.New(1, 1)}
		},
		"two columns in time": func(d *Data, cfg *Config) {
			d.Y, d.Grid, d.Times = mat.NewDense(8, 2, d.Y.Data[:16]), Grid{mat.New(1, 1)}, line(8).Data
		},
		"all alike but one": func(d *Data, cfg *Config) {
			for n := 1; n < 7; n++ {
				mat.Copy(d.Y.Slice(n*12, n*12+12, 0, 1), d.Y.Slice(0, 12, 0, 1))
			}
		},
		"all alike but one in time": func(d *Data, cfg *Config) {
			d.Times = line(8).Data
			for n := 1; n < 7; n++ {
				mat.Copy(d.Y.Slice(n*12, n*12+12, 0, 1), d.Y.Slice(0, 12, 0, 1))
			}
		},
		"five examples": few(5),
		"five frames": func(d *Data, cfg *Config) {
			few(5)(d, cfg)
			d.Times = line(5).Data
		},
		"points that coincide":                 func(d *Data, cfg *Config) { d.Grid[0].Fill(2) },
		"inducing points that coincide":        func(d *Data, cfg *Config) { cfg.Spatial = []SpatialConfig{{Inducing: mat.New(2, 1)}, {}} },
		"more latent dimensions than examples": func(d *Data, cfg *Config) { cfg.LatentDims = 20 },
		"times 1e6":                            scale(1e6),
		"times 1e-6":                           scale(1e-6),
		"times 1e150":                          scale(1e150),
		"one huge value":                       func(d *Data, cfg *Config) { d.Y.Set(17, 0, 1e8) },
		"a large offset": func(d *Data, cfg *Config) {
			for i := range d.Y.Data {
				d.Y.Data[i] += 1e9
			}
		},
		"without noise":   func(d *Data, cfg *Config) { cfg.Noise = 1e-12 },
		"without jitter":  func(d *Data, cfg *Config) { cfg.Jitter = -1 },
		"noise alone":     func(d *Data, cfg *Config) { d.Y = normals(8, 12, 1, 1).Y },
		"all at one time": func(d *Data, cfg *Config) { d.Times = make([]float64, 8) },
		"each a sequence": func(d *Data, cfg *Config) { d.Times, d.Sequences = line(8).Data, []int{7, 6, 5, 4, 3, 2, 1, 0} },
		"two sequences":   func(d *Data, cfg *Config) { d.Times, d.Sequences = line(8).Data, []int{0, 1, 0, 1, 0, 1, 0, 1} },
		"times far apart": func(d *Data, cfg *Config) { d.Times = []float64{-1e300, 0, 1, 2, 3, 4, 1e9, 1e300} },
		"times close by":  func(d *Data, cfg *Config) { d.Times = []float64{0, 1e-300, 2e-300, 3e-300, 1, 1, 1, 1 + 0x1p-52} },
		"one frame": func(d *Data, cfg *Config) {
			few(1)(d, cfg)
			d.Times = []float64{4}
		},
	}
}

// Data in which something is degenerate train to finite numbers, and predict finite numbers, without a search, with a short one and,
// one in four, with a thorough one, which asks all that a normal one does.
func TestDegenerateData(t *testing.T) {
	oneProcessor(t)
	all := degenerate()
	for i, name := range slices.Sorted(maps.Keys(all)) {
		change := all[name]
		for _, effort := range []Effort{EffortNone, EffortQuick, EffortThorough} {
			if effort != EffortNone && testing.Short() || effort == EffortThorough && i%4 > 0 {
				continue
			}
			t.Run(name+", "+effort.String(), func(t *testing.T) {
				d, cfg := bumps(8, 4, 3, 12), small()
				cfg.Effort, cfg.Training = effort, steps(25)
				if effort != EffortNone { // all open
					cfg = Config{Effort: effort, Seed: 1, Training: steps(2)}
				}
				change(&d, &cfg)
				testDegenerate(t, d, cfg)
			})
		}
	}
}

// testDegenerate trains, saves, loads and fills in.
func testDegenerate(t *testing.T, d Data, cfg Config) {
	t.Helper()
	m, r, err := Fit(context.Background(), d, cfg)
	if err != nil {
		t.Fatal(err)
	}
	m = loaded(t, saved(t, m)) // which refuses what is not finite
	values := mat.New(d.Grid.Len(), m.Channels())
	values.Fill(math.NaN())
	values.Set(0, 0, d.Y.At(0, 0))
	obs := Observed{Values: values}
	if d.Times != nil {
		at, err := m.LatentAt(m.Times()[0].Sequence, []float64{0.5})
		if err != nil {
			t.Fatal(err)
		}
		obs.Prior = &at[0]
	}
	p, _, err := m.Impute(context.Background(), obs, InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range append(append([]float64{r.Bound}, p.Mean.Data...), p.Variance.Data...) {
		if v-v != 0 {
			t.Errorf("number %d is %v", i, v)
		}
	}
	for i, v := range p.Variance.Data {
		if v < 0 {
			t.Errorf("variance %v at %d", v, i)
		}
	}
}
