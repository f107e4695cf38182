package sgplvm

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
)

// Training goes on from the best start as if it had been the only one.
func TestRestarts(t *testing.T) {
	chosen := map[int]bool{}
	for seed := range uint64(6) {
		cfg, d := small(), bumps(12, 6, 5, seed)
		cfg.Seed = seed
		narrow := func(p *bound.Params) {
			if seed%2 == 1 { // the others have less of it
				p.X.S.Fill(0.005)
			}
		}
		var tried []int
		tr := startFrom(t, newTestTrainer(t, d, cfg.with(TrainingConfig{Iterations: 60, Restarts: 3, Progress: func(p Progress) bool {
			if p.Starts != 3 || p.Total != 72 {
				t.Errorf("step %+v", p)
			}
			if n := len(tried); n == 0 || tried[n-1] != p.Start {
				tried = append(tried, p.Start)
			}
			return true
		}})), narrow)
		origin := tr.params.Clone()
		r := finish(t, tr)
		best := slices.Index(r.Starts, slices.Max(r.Starts))
		chosen[best] = true
		if want := slices.Compact([]int{0, 1, 2, best}); !slices.Equal(tried, want) {
			t.Errorf("seed %d: starts %v, want %v", seed, tried, want)
		}
		if len(slices.Compact(slices.Sorted(slices.Values(r.Starts)))) != 3 {
			t.Errorf("seed %d: starts alike: %v", seed, r.Starts)
		}
		alone := startFrom(t, newTestTrainer(t, d, cfg.with(steps(60))), func(p *bound.Params) {
			*p = *origin
			if best > 0 {
				*p = *mustPerturb(t, origin, seed, best)
			}
		})
		finish(t, alone)
		if d := diff(tr.params, alone.params); d != "" {
			t.Errorf("seed %d, start %d: %s", seed, best, d)
		}
	}
	if len(chosen) < 2 {
		t.Errorf("always start %v was best", chosen)
	}
}

func mustPerturb(t *testing.T, p *bound.Params, seed uint64, k int) *bound.Params {
	t.Helper()
	p, err := perturbed(p, nil, seed, k)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Further starts of a dynamical prior are paths of their own, with the marginals that belong to them.
func TestRestartsInTime(t *testing.T) {
	s := sets()["timed"]
	tr := newTestTrainer(t, s.data, s.config.with(TrainingConfig{Iterations: 20, Restarts: 4}))
	for k := 1; k < 4; k++ {
		p, err := perturbed(tr.params, tr.coordinates.Preconditioner, 1, k)
		if err != nil {
			t.Fatal(err)
		}
		derived := p.Clone()
		if err := tr.evaluator.Derive(derived); err != nil {
			t.Fatal(err)
		}
		if d := diff(p.X.Mu, derived.X.Mu) + diff(p.X.S, derived.X.S); d != "" {
			t.Errorf("start %d: %s", k, d)
		}
		if diff(p.X.Mu, tr.params.X.Mu) == "" || slices.Equal(p.ZExamples, tr.params.ZExamples) {
			t.Errorf("start %d is the first one", k)
		}
		if err := p.Validate(s.data.Grid); err != nil {
			t.Errorf("start %d: %v", k, err)
		}
	}
	if r := finish(t, tr); len(r.Starts) != 4 {
		t.Errorf("%+v", r)
	}
}

// A further start that cannot be evaluated is passed over.
func TestRestartsPassOver(t *testing.T) {
	cfg := Config{LatentDims: 2, Inducing: 6, Jitter: -1, Training: TrainingConfig{Iterations: 20, Restarts: 2}}
	tr := startFrom(t, newTestTrainer(t, bumps(6, 4, 3, 1), cfg), func(p *bound.Params) {
		p.X.Mu.Fill(0) // other examples' means as inducing inputs coincide
	})
	r := finish(t, tr)
	if len(r.Starts) != 2 || !math.IsInf(r.Starts[1], -1) || math.IsInf(r.Starts[0], 0) || r.Phases[1].Status != "infeasible" || r.Phases[2].Name != "warm-up" {
		t.Errorf("%+v", r)
	}
	if fmt.Sprint(r.Bound) == "NaN" {
		t.Errorf("bound %v", r.Bound)
	}
}
