package sgplvm

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Where the bound stands still a phase ends, and no sooner.
func TestStall(t *testing.T) {
	const tolerance = 1e-4
	var bounds []float64
	_, r := fit(t, bumps(12, 6, 5, 2), small().with(TrainingConfig{Iterations: 600, Warmup: 600}), func(p Progress) bool {
		if p.Phase == "warm-up" {
			bounds = append(bounds, p.Bound)
		}
		return p.Phase == "warm-up"
	})
	if p := r.Phases[0]; p.Status != "stalled" || p.Steps != len(bounds) || p.Steps == 600 {
		t.Fatalf("%+v", r)
	}
	for i := 10; i < len(bounds); i++ {
		gain, scale := bounds[i]-bounds[i-10], max(math.Abs(bounds[i]), 12*30)
		if (gain <= tolerance*scale) != (i == len(bounds)-1) && math.Abs(gain-tolerance*scale) > 1e-3*scale*tolerance {
			t.Errorf("step %d of %d gained %v", i+1, len(bounds), gain)
		}
	}
	// Training of a model that is at its optimum ends within two rounds, and gives it again.
	cfg := Config{LatentDims: 1, Inducing: 2, Training: TrainingConfig{Iterations: 3000, Warmup: -1}}
	tr, first := fit(t, bumps(12, 6, 5, 2), cfg)
	cfg.Start = modelOf(t, tr)
	m, again, err := Fit(context.Background(), bumps(12, 6, 5, 2), cfg)
	if m == nil || err != nil {
		t.Errorf("model %v, error %v", m, err)
	}
	for _, r := range []Report{first, again} {
		if !r.Converged || r.Iterations == 3000 || r.Status != "stalled" && r.Status != "gradient converged" {
			t.Errorf("%+v", r)
		}
	}
	if again.Iterations > 2*(training.LatentSteps+training.JointSteps) {
		t.Errorf("%+v", again)
	}
}

// Training that starts where the slope is 0 takes no step, which is no failure.
func TestNoStep(t *testing.T) {
	cfg := Config{Effort: EffortNone, LatentDims: 1, Inducing: 1, LatentKernel: "bias", Spatial: []SpatialConfig{{Kernel: kernel.Kernel{Kind: kernel.White}}}}
	d := Data{Examples: 2, Y: mat.NewDense(2, 1, []float64{1, -1}), Grid: Grid{line(1)}}
	for range 3 {
		m, r, err := Fit(context.Background(), d, cfg)
		if m == nil || err != nil {
			t.Fatalf("model %v, error %v, report %+v", m, err, r)
		}
		cfg.Start = m
	}
}

// A model keeps the bounds of each phase, as many as there is room for, and its file does.
func TestBoundsAreKept(t *testing.T) {
	told := map[int]float64{}
	tr, r := fit(t, bumps(12, 6, 5, 2), small().with(TrainingConfig{Iterations: 150, Warmup: 10}), func(p Progress) bool {
		told[p.Iteration] = p.Bound
		return true
	})
	m := modelOf(t, tr)
	if d := diff(m.Training(), r.Phases); d != "" {
		t.Error(d)
	}
	before, thinned := 0, false
	for _, p := range r.Phases {
		if len(p.Bounds) >= training.MaxBounds || len(p.Bounds) != p.Steps/p.Every || len(p.Bounds) < min(p.Steps, training.MaxBounds/2) {
			t.Errorf("%d bounds of %d steps, one in %d", len(p.Bounds), p.Steps, p.Every)
		}
		for i, b := range p.Bounds {
			if want := told[before+(i+1)*p.Every]; b != want {
				t.Errorf("bound after step %d is %v, expected %v", before+(i+1)*p.Every, b, want)
			}
		}
		before, thinned = before+p.Steps, thinned || p.Every > 1
	}
	if !thinned {
		t.Error("no phase is so long that its bounds are thinned out")
	}
	l := loaded(t, saved(t, m))
	for i, p := range l.Training() {
		w := m.Training()[i]
		if d := diff(p, PhaseReport{Name: w.Name, Steps: w.Steps, Status: w.Status, Every: w.Every, Bounds: w.Bounds}); d != "" || len(l.Training()) != len(m.Training()) {
			t.Errorf("phase %d: %s", i, d)
		}
	}
}

// A file whose phases cannot be is refused.
func TestBoundsMustFit(t *testing.T) {
	m := referenceModel(t, fileShape)
	for _, p := range []PhaseReport{{Steps: -1}, {Steps: 1, Bounds: []float64{1}}, {Steps: 3, Every: 2, Bounds: []float64{1, 2}}, {Steps: 200, Every: 1, Bounds: make([]float64, training.MaxBounds)}} {
		m.phases = []PhaseReport{p}
		if _, err := Load(bytes.NewReader(saved(t, m))); err == nil || !strings.Contains(err.Error(), "metadata entry training: phase 0 has ") {
			t.Errorf("%+v: error %v", p, err)
		}
	}
	m.phases = []PhaseReport{{Name: "joint", Steps: 3, Every: 2, Bounds: []float64{1}}}
	if got := loaded(t, saved(t, m)).Training(); diff(got, m.phases) != "" {
		t.Errorf("%+v", got)
	}
}
