package sgplvm

import (
	"maps"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Examples of few values have few inducing points.
func TestInducingDefault(t *testing.T) {
	for _, c := range []struct{ examples, channels, inducing int }{{300, 1, 20}, {300, 4, 50}, {300, 9, 100}, {300, 30, 100}, {30, 4, 30}} {
		cfg, err := Config{}.open().Complete(c.examples, Grid{mat.New(1, 1)}, c.channels)
		if err != nil || cfg.Inducing != c.inducing {
			t.Errorf("%+v: %d inducing points, error %v", c, cfg.Inducing, err)
		}
	}
}

func TestDefaults(t *testing.T) {
	grid := mat.NewDense(4, 2, []float64{0, 0, 0, 6, 8, 0, 8, 6})
	for _, c := range []struct{ examples, latent, inducing int }{{1, 1, 1}, {2, 1, 2}, {5, 4, 5}, {40, 30, 40}, {120, 30, 100}} {
		d := normals(c.examples, 32, 1, 1).on(grid, line(8))
		tr := newTestTrainer(t, d, Config{Spatial: []SpatialConfig{{}, {Kernel: kernel.Kernel{Kind: kernel.White}}}})
		m := modelOf(t, tr)
		s := m.Summary()
		if s.LatentDims != c.latent || s.Inducing != c.inducing || m.Examples() != c.examples || m.Channels() != 1 || s.LatentKernel == "" {
			t.Errorf("%d examples: %+v", c.examples, s)
		}
		if k := s.Spatial[0].Kernel; k.Kind != kernel.Matern32 || k.Variance != 1 {
			t.Errorf("spatial kernel %+v", k)
		}
		compare.Near(t, "length scales of two spacings", s.Spatial[0].Kernel.LengthScale, []float64{8, 6}, 1e-15)
		if w := s.Spatial[1].Kernel; w.Kind != kernel.White || w.Variance != 1 || len(w.LengthScale) != 0 {
			t.Errorf("white kernel %+v", w)
		}
		compare.NearOne(t, "noise", s.SignalToNoise, 100, 1e-15)
		if !(s.Jitter > 0 && s.Jitter <= 1e-4) || s.Residual.Kind != "" || s.TimeKernel.Kind != "" || s.Learned || s.Calibrated {
			t.Errorf("%+v", s)
		}
		compare.Near(t, "noise in the data's units", s.Noise, []float64{math.Sqrt(0.01) * s.Deviation[0]}, 1e-15)
	}
}

// A model has what was configured, and nothing that the caller changes afterwards, or that a model hands
// out, changes it.
func TestConfigIsKept(t *testing.T) {
	d := normals(6, 5, 2, 2)
	d.Times, d.Sequences = line(6).Data, []int{0, 0, 0, 1, 1, 1}
	cfg := Config{
		Spatial:    []SpatialConfig{{kernel.Kernel{Kind: kernel.Matern52, Variance: 3, LengthScale: []float64{1.5}}, mat.NewDense(2, 1, []float64{1, 3})}},
		TimeKernel: kernel.Kernel{Kind: kernel.Matern12, LengthScale: []float64{2}},
		LatentDims: 2, Inducing: 3, Noise: 0.2, Jitter: 1e-5, Seed: 7, Attributes: map[string]string{"camera": "left"},
	}
	tr := newTestTrainer(t, d, cfg)
	m := modelOf(t, tr)
	s := m.Summary()
	if k := s.Spatial[0].Kernel; k.Kind != kernel.Matern52 || k.Variance != 3 || k.LengthScale[0] != 1.5 || s.TimeKernel.Kind != kernel.Matern12 || s.TimeKernel.LengthScale[0] != 2 {
		t.Errorf("%+v", s)
	}
	if s.LatentDims != 2 || s.Inducing != 3 || s.Jitter != 1e-5 || s.Seed != 7 || m.Attributes()["camera"] != "left" {
		t.Errorf("%+v", s)
	}
	compare.NearOne(t, "noise", s.SignalToNoise, 5, 1e-15)
	file := saved(t, m)

	d.Grid[0].Fill(9)
	d.Grid[0] = line(2)
	d.Times[1], d.Sequences[0] = 17, 9
	cfg.Spatial[0].Inducing.Fill(8)
	cfg.Spatial[0].Kernel.LengthScale[0] = 0.1
	cfg.TimeKernel.LengthScale[0] = 0.1
	cfg.Attributes["camera"] = "right"
	attributes := m.Attributes()
	attributes["camera"], attributes["new"] = "none", "1"
	s.Spatial[0].Kernel.LengthScale[0] = 6
	s.Spatial[0].Inducing.Fill(5)
	s.Mean[0], s.Deviation[0], s.Noise[0] = 1e9, 1e9, 1e9
	s.Relevances[0].Slopes[0] = 1e9
	l := m.TrainingLatent(0)
	l.Mu[0], l.S[0] = 1e3, 1e3
	if string(saved(t, m)) != string(file) {
		t.Error("the model has changed")
	}
	if string(fileOf(t, tr)) != string(file) {
		t.Error("the trainer has changed")
	}
	finish(t, tr)
	if a := modelOf(t, tr).Attributes(); !maps.Equal(a, map[string]string{"camera": "left"}) {
		t.Errorf("attributes %v", a)
	}
}

// Equal seeds start equally, others elsewhere.
func TestSeed(t *testing.T) {
	start := func(seed uint64) string {
		cfg := Config{LatentDims: 3, Inducing: 4, Seed: seed}
		return diff(newTestTrainer(t, bumps(10, 4, 3, 1), cfg).inner.Params(), newTestTrainer(t, bumps(10, 4, 3, 1), Config{LatentDims: 3, Inducing: 4, Seed: 3}).inner.Params())
	}
	if d := start(3); d != "" {
		t.Error(d)
	}
	if start(4) == "" {
		t.Error("two seeds, one start")
	}
}
