package sgplvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// Training gives the same file however many processors there are.
func TestTrainingSameFile(t *testing.T) {
	all := sets()
	all["joint"] = set{bumps(12, 6, 5, 2), small().with(TrainingConfig{Warmup: 4, Joint: true})}
	large := small().with(TrainingConfig{Iterations: 4, Warmup: 2}) // products large enough to be split
	all["large"] = set{bumps(40, 14, 13, 7).on(plane(14, 13)), large}
	files := map[string][]byte{}
	for name, s := range all {
		if s.config.Training.Iterations == 0 {
			s.config.Training.Iterations = 16
		}
		if testing.Short() && (name == "large" || name == "coarse") {
			continue
		}
		compare.AtEveryWidth(func(procs int) {
			tr, _ := fit(t, s.data, s.config)
			file := fileOf(t, tr)
			if files[name] == nil {
				files[name] = file
			}
			if !bytes.Equal(file, files[name]) {
				t.Errorf("%s: another file at GOMAXPROCS %d", name, procs)
			}
		})
	}
	if bytes.Equal(files["joint"], files["product"]) {
		t.Error("schedules do the same")
	}
}

// The unit of the data does not matter: a power of two changes no bit of the parameters and multiplies
// predictions.
func TestTrainingKnowsNoUnits(t *testing.T) {
	latent := Latent{Mu: []float64{0.3, -0.2}, S: []float64{0.1, 0.2}}
	train := func(scale float64) (*Trainer, Prediction) {
		d := bumps(8, 4, 3, 8)
		mat.Scale(d.Y, scale, d.Y)
		tr, _ := fit(t, d, small().with(steps(15)))
		p, err := modelOf(t, tr).Predict(latent, nil)
		if err != nil {
			t.Fatal(err)
		}
		return tr, p
	}
	plain, want := train(1)
	for _, scale := range []float64{0x1p20, 0x1p-20, 0x1p300} {
		tr, got := train(scale)
		if d := diff(tr.inner.Params(), plain.inner.Params()); d != "" {
			t.Errorf("scale %g: %s", scale, d)
		}
		mat.Scale(got.Mean, 1/scale, got.Mean)
		mat.Scale(got.Variance, 1/scale, got.Variance)
		mat.Scale(got.Variance, 1/scale, got.Variance)
		compare.SameBits(t, fmt.Sprintf("mean, scale %g", scale), got.Mean.Data, want.Mean.Data)
		compare.SameBits(t, fmt.Sprintf("variance, scale %g", scale), got.Variance.Data, want.Variance.Data)
	}
}

// Fit, the function, gives no model where nothing was learned, and the best one found where training was
// ended.
func TestFit(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name  string
		ctx   context.Context
		data  Data
		cfg   Config
		err   error
		model bool
	}{
		{"to the end", context.Background(), bumps(10, 5, 4, 10), small().with(steps(5)), nil, true},
		{"stopped", context.Background(), bumps(10, 5, 4, 10), small(), nil, true},
		{"cancelled at once", ended, bumps(10, 5, 4, 10), small(), context.Canceled, false},
		{"from a model", context.Background(), bumps(16, 6, 5, 1), Config{Start: trained(t), Training: steps(2)}, nil, true},
	} {
		run := Run{}
		if c.name == "stopped" {
			run.Watch = OnStep(func(p Progress) bool { return p.Iteration < 3 })
		}
		m, r, err := run.Fit(c.ctx, c.data, c.cfg)
		if !errors.Is(err, c.err) || (m != nil) != c.model {
			t.Errorf("%s: model %v, error %v", c.name, m, err)
		}
		if m != nil && (m.Examples() != c.data.Examples || r.Iterations == 0 || math.IsNaN(r.Bound)) {
			t.Errorf("%s: %d examples, %+v", c.name, m.Examples(), r)
		}
	}
	if m, _, err := Fit(context.Background(), Data{}, Config{}); m != nil || err == nil {
		t.Errorf("without data: model %v, error %v", m, err)
	}
}

// The warm-up holds noise and space, and takes the steps that it is given.
func TestWarmup(t *testing.T) {
	for _, c := range []struct{ warmup, steps, first int }{{-1, 6, 0}, {0, 8, 6}, {3, 6, 3}, {100, 6, 6}} {
		counts := map[bool]int{}
		cfg := Config{LatentDims: 2, Inducing: 4}
		start := newTestTrainer(t, bumps(6, 4, 3, 11), cfg).inner.Params()
		tr, _ := fit(t, bumps(6, 4, 3, 11), cfg.with(TrainingConfig{Iterations: c.steps, Warmup: c.warmup}), func(p Progress) bool {
			counts[p.Phase == "warm-up"]++
			return true
		})
		if counts[true] != c.first || counts[false] != c.steps-c.first {
			t.Errorf("%d steps, warm-up %d: steps %v", c.steps, c.warmup, counts)
		}
		held := tr.inner.Params().Noise.Beta == start.Noise.Beta && tr.inner.Params().Space[0].Kernel.Equal(start.Space[0].Kernel)
		if held != (c.first == c.steps) {
			t.Errorf("%d steps, %d of them warm-up: noise and space held: %v", c.steps, c.first, held)
		}
	}
}

// HoldSpace leaves the spatial side as it is.
func TestHoldSpace(t *testing.T) {
	for _, name := range []string{"product", "free inducing points", "residual"} {
		s := sets()[name]
		s.config.Residual.Rounds, s.config.Residual.Local = 0, Off
		start := newTestTrainer(t, s.data, s.config).inner.Params()
		tr, r := fit(t, s.data, s.config.with(TrainingConfig{Iterations: 12, Warmup: 4, HoldSpace: true}))
		if d := diff(tr.inner.Params().Space, start.Space); d != "" || r.Iterations < 5 {
			t.Errorf("%s: %d steps, space has moved: %s", name, r.Iterations, d)
		}
		if tr.inner.Params().Noise.Structured() && !tr.inner.Params().Noise.Residual.Equal(start.Noise.Residual) {
			t.Errorf("%s: residual %v, started from %v", name, tr.inner.Params().Noise.Residual, start.Noise.Residual)
		}
	}
}
