package training

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
)

// collapsing explains its data as noise if the noise is free from the first step: it begins with a lot of it
// and latent means near 0.
func collapsing(t testing.TB, o Training) *Trainer {
	d, noise := bumps(16, 6, 5, 1), normals(16*30, 2)
	y := make([]float64, len(noise))
	if err := d.Source.ReadExamples(y, 0, 16); err != nil {
		t.Fatal(err)
	}
	for i, v := range y {
		y[i] = noise[i] + 0.1*v
	}
	d.Source = field.NewSource(y, 16, 30, 1)
	cfg := small()
	cfg.Noise = 0.9
	return startFrom(t, newTrainer(t, d, cfg.with(o)), func(p *bound.Params) {
		p.X.S.Fill(0.5)
		mat.Scale(p.X.Mu, 0.03, p.X.Mu)
		mat.Scale(p.Z, 0.03, p.Z)
	})
}

// normals returns n independent numbers.
func normals(n int, seed uint64) []float64 {
	y, rng := make([]float64, n), rand.New(rand.NewPCG(seed, 21))
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	return y
}

// The guard goes back from a collapse and finds what is there; without it the model stays collapsed.
func TestGuard(t *testing.T) {
	for _, joint := range []bool{false, true} {
		o := Training{Iterations: 100, Warmup: -1, Joint: joint}
		defer func(n int) { maxCollapses = n }(maxCollapses)
		maxCollapses = 0
		tr := collapsing(t, o)
		without := finish(t, tr)
		if b := tr.params.Noise.Beta; b > collapsedRatio || without.Collapses != 0 || len(without.Warnings) != 1 || !strings.Contains(without.Warnings[0], "longer warm-up") {
			t.Errorf("joint %t: signal-to-noise ratio %v without the guard, %+v", joint, b, without)
		}
		maxCollapses = 2
		tr = collapsing(t, o)
		with := finish(t, tr)
		if b := tr.params.Noise.Beta; b < 1.9 || with.Collapses != 1 || !(with.Bound > without.Bound+50) || with.Phases[0].Status != collapsed || with.Phases[1].Name != "warm-up" {
			t.Errorf("joint %t: signal-to-noise ratio %v with the guard, %+v", joint, b, with)
		}
		if len(with.Warnings) != 1 || !strings.Contains(with.Warnings[0], "went back") {
			t.Errorf("joint %t: %q", joint, with.Warnings)
		}
		if count := with.Iterations - with.Phases[0].Steps - with.Phases[1].Steps; count > 100 || with.Status == "iteration limit" && count != 100 {
			t.Errorf("joint %t: %d steps after the collapse", joint, count)
		}
	}
}

// A long collapse is noticed before the end, a short one is left to pass.
func TestGuardIsPatient(t *testing.T) {
	o := Training{Iterations: 300, Warmup: -1}
	for low, want := range map[int]stage{0: stageTraining, collapsedSteps - 1: stageTraining, collapsedSteps: stageWarmup} {
		tr := newTrainer(t, bumps(6, 4, 3, 1), Settings{LatentDims: 2, Training: o})
		tr.freeNoise()
		p := tr.next()
		status, err := tr.optimise(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		tr.state.Low = low
		if tr.nextRound(p, status); tr.state.Stage != want {
			t.Errorf("%d steps of a collapsed ratio: stage %d, expected %d", low, tr.state.Stage, want)
		}
	}
	tr := collapsing(t, o) // the smaller noise stays above its floor
	tr.state.Params.Noise.Floor = 0.8
	finish(t, tr)
	if noise := 1 / tr.params.Noise.Beta; !(noise > 0.8) {
		t.Errorf("noise %v", noise)
	}
	tr = collapsing(t, o)
	tr.freeNoise()
	tr.state.NoiseFreed.Noise.Beta = 100
	p := tr.next()
	if _, err := tr.optimise(context.Background(), p); err != nil || tr.state.Low != p.steps {
		t.Errorf("%d collapsed steps of %d, error %v", tr.state.Low, p.steps, err)
	}
}

// Pure noise collapses again and again; the best bound is kept and the warning names the remedy. A model
// of what is no noise says nothing.
func TestGuardGivesUp(t *testing.T) {
	best := math.Inf(-1)
	tr, r := fit(t, Data{Source: field.NewSource(normals(10*20, 2), 10, 20, 1), Grid: field.Grid{line(20)}}, Settings{LatentDims: 1, Inducing: 3, Training: Training{Iterations: 200}}, func(p field.Progress) bool {
		best = max(best, p.Bound)
		if p.Iteration > p.Total {
			t.Errorf("step %d of %d", p.Iteration, p.Total)
		}
		return true
	})
	ratio := tr.params.Noise.Beta
	if r.Collapses != maxCollapses || ratio > collapsedRatio || !(r.Bound >= best) || boundOf(t, tr) != r.Bound {
		t.Errorf("signal-to-noise ratio %v, best bound seen %v, %+v", ratio, best, r)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "smaller initial noise") || !strings.Contains(r.Warnings[0], "2 times") {
		t.Errorf("%q", r.Warnings)
	}
	if tr, _ := fit(t, bumps(16, 6, 5, 1), small().with(steps(150))); tr.params.Noise.Beta < 20 {
		ratio := tr.params.Noise.Beta
		t.Errorf("signal-to-noise ratio %v where the noise is a small part", ratio)
	}
}
