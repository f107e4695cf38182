package training

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
)

// The bound never falls from phase to phase, and the phases add up.
func TestPhases(t *testing.T) {
	for _, name := range []string{"product", "one factor", "free inducing points", "white", "channels", "moving"} {
		for _, o := range []Training{{}, {Joint: true}, {Warmup: -1}, {Warmup: 80}}[:compare.Sizes(4)] {
			t.Run(fmt.Sprintf("%s/warm-up %d, joint %t", name, o.Warmup, o.Joint), func(t *testing.T) {
				s := sets()[name]
				o.Iterations = 80
				checkPhases(t, s, o)
			})
		}
	}
}

func checkPhases(t *testing.T, s set, o Training) {
	before := boundOf(t, newTrainer(t, s.data, s.config))
	tr, r := fit(t, s.data, s.config.with(o))
	count, evaluations := 0, 0
	var names []string
	for _, p := range r.Phases {
		count += p.Steps
		evaluations += p.Evaluations
		names = append(names, p.Name)
		if p.Status == "" || p.Status == "not run" {
			t.Errorf("%+v", p)
		}
		if !(p.Bound >= before-1e-11*math.Abs(before)) {
			t.Errorf("%s from %v to %v", p.Name, before, p.Bound)
		}
		before = p.Bound
	}
	last := r.Phases[len(r.Phases)-1]
	if count != r.Iterations || evaluations != r.Evaluations || last.Status != r.Status || !(r.Bound >= last.Bound) || r.Bound != boundOf(t, tr) {
		t.Errorf("%+v", r)
	}
	schedule := "alternating"
	if o.Joint {
		schedule = "joint"
	}
	var want []string
	if o.Warmup >= 0 {
		want = append(want, "warm-up")
	}
	if o.Warmup < 80 {
		want = append(want, schedule)
	}
	if o.Warmup < 80 && !slices.Equal(names, want) || r.Collapses != 0 {
		t.Errorf("phases %v, want %v", names, want)
	}
	if r.Iterations > 80 || r.Iterations < 80 && last.Status == "iteration limit" && o.Warmup < 80 {
		t.Errorf("%d steps", r.Iterations)
	}
}

// A phase that gains nothing ends no round: the other may.
func TestRoundIsWhole(t *testing.T) {
	tr := newTrainer(t, bumps(12, 6, 5, 2), small().with(Training{Iterations: 3000, Warmup: -1}))
	tr.freeNoise()
	p := tr.next()
	p.steps = 3000
	if _, err := tr.optimise(context.Background(), p); err != nil { // to the end of it
		t.Fatal(err)
	}
	joint := 0
	again := newTrainer(t, bumps(12, 6, 5, 2), small().with(Training{Iterations: 100, Warmup: -1}), func(p field.Progress) bool {
		if p.Phase == "joint" {
			joint++
		}
		return true
	})
	startFrom(t, again, func(p *bound.Params) { *p = *tr.state.Best })
	before := boundOf(t, again)
	if r := finish(t, again); joint == 0 || !(r.Bound > before+1) {
		t.Errorf("%d steps with space free, bound %v after %v", joint, r.Bound, before)
	}
}
