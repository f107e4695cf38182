package sgplvm

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// mustFit trains a model and returns it with the result.
func mustFit(t testing.TB, m *Model, o FitOptions) FitResult {
	t.Helper()
	r, err := m.Fit(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustNew(t testing.TB, d Data, cfg Config) *Model {
	t.Helper()
	m, err := New(d, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// With most of its steps on the latent side, the alternating schedule comes as far
// as the joint one in as many steps.
func TestSchedulesAgree(t *testing.T) {
	free := bumpConfig(6, 5)
	free.Space[0].Xu = mat.NewDense(3, 1, []float64{0.5, 2.5, 4.5})
	for name, cfg := range map[string]Config{"tied": bumpConfig(6, 5), "free inducing points": free} {
		if testing.Short() && name != "tied" {
			continue
		}
		bounds := map[Schedule]float64{}
		for _, s := range Schedules {
			m := mustNew(t, bumps(12, 6, 5, 2), cfg)
			dear := 0 // steps that move space
			r := mustFit(t, m, FitOptions{Iterations: sizes(900), Warmup: 30, Schedule: s, Progress: func(p Progress) bool {
				if p.Phase == "joint" {
					dear++
				}
				return true
			}})
			bounds[s] = r.Bound
			if most := r.Iterations - 30; s == Alternating && 5*dear > most || s == Joint && dear < most {
				t.Errorf("%s, %s: %d of %d steps moved space", name, s, dear, r.Iterations)
			}
		}
		if short := bounds[Joint] - bounds[Alternating]; short > 1e-3*math.Abs(bounds[Joint]) {
			t.Errorf("%s: bound %v, jointly %v", name, bounds[Alternating], bounds[Joint])
		}
	}
}

// Training a model twice gives the same file, however many processors there are.
func TestTrainingSameFile(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	free := bumpConfig(6, 5)
	free.Space[0].Xu = mat.NewDense(3, 1, []float64{0.5, 2.5, 4.5})
	files := map[string][]byte{}
	for name, c := range map[string]struct {
		cfg Config
		o   FitOptions
	}{
		"alternating":          {bumpConfig(6, 5), FitOptions{}},
		"joint":                {bumpConfig(6, 5), FitOptions{Schedule: Joint}},
		"restarts":             {bumpConfig(6, 5), FitOptions{Restarts: 4}},
		"free inducing points": {free, FitOptions{Restarts: 2}},
	} {
		c.o.Iterations, c.o.Warmup = 40, 10
		if testing.Short() {
			c.o.Iterations = 14
		}
		for _, procs := range []int{1, 2, 7, 1} {
			runtime.GOMAXPROCS(procs)
			m := mustNew(t, bumps(12, 6, 5, 2), c.cfg)
			mustFit(t, m, c.o)
			var file bytes.Buffer
			if err := m.Save(&file); err != nil {
				t.Fatal(err)
			}
			if files[name] == nil {
				files[name] = file.Bytes()
			}
			if !bytes.Equal(file.Bytes(), files[name]) {
				t.Errorf("%s: other bytes at GOMAXPROCS %d", name, procs)
			}
		}
	}
	if bytes.Equal(files["alternating"], files["joint"]) {
		t.Error("the schedules do the same")
	}
}

// The bound never falls from phase to phase, and the phases add up.
func TestPhases(t *testing.T) {
	for name, set := range trainingSets() {
		for _, o := range []FitOptions{{Restarts: 3}, {}, {Schedule: Joint}, {Warmup: -1}, {Warmup: 80}, {Warmup: -1, Restarts: 2}}[:sizes(6)] {
			m, err := set()
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%s, %+v", name, o)
			o.Iterations = 80
			before := m.mustBound(t)
			r := mustFit(t, m, o)
			steps, evaluations := 0, 0
			var names []string
			for _, p := range r.Phases {
				steps += p.Steps
				evaluations += p.Evaluations
				names = append(names, p.Name)
				if p.Status == "" || p.Status == "not run" {
					t.Errorf("%s: %+v", what, p)
				}
				if strings.HasPrefix(p.Name, "start") {
					if p.Bound != r.Starts[p.Name[6]-'0'] {
						t.Errorf("%s: %+v, starts %v", what, p, r.Starts)
					}
					continue
				}
				if !(p.Bound >= before-1e-11*math.Abs(before)) {
					t.Errorf("%s: %s from %v to %v", what, p.Name, before, p.Bound)
				}
				before = p.Bound
			}
			last := r.Phases[len(r.Phases)-1]
			if steps != r.Iterations || evaluations != r.Evaluations || last.Status != r.Status || !(r.Bound >= last.Bound) || r.Bound != m.mustBound(t) {
				t.Errorf("%s: %+v", what, r)
			}
			restarts, schedule := max(o.Restarts, 1), string(o.Schedule)
			if schedule == "" {
				schedule = "alternating"
			}
			var want []string
			if restarts > 1 {
				for k := range restarts {
					want = append(want, fmt.Sprintf("start %d", k))
				}
			}
			if o.Warmup >= 0 || restarts > 1 {
				want = append(want, "warm-up")
			}
			if o.Warmup < 80 {
				want = append(want, schedule)
			}
			if o.Warmup < 80 && !slices.Equal(names, want) || len(r.Starts) != restarts && restarts > 1 || r.Collapses != 0 {
				t.Errorf("%s: phases %v, want %v; %d starts", what, names, want, len(r.Starts))
			}
			if most := 80 + (restarts-1)*8; r.Iterations > most || r.Iterations < most && r.Phases[len(r.Phases)-1].Status == "iteration limit" && o.Warmup < 80 {
				t.Errorf("%s: %d steps", what, r.Iterations)
			}
		}
	}
}

// Training goes on from the best start as if it had been the only one.
func TestRestarts(t *testing.T) {
	chosen := map[int]bool{}
	for seed := range uint64(6) {
		cfg := bumpConfig(6, 5)
		cfg.Seed = seed
		var tried []int
		m := mustNew(t, bumps(12, 6, 5, seed), cfg)
		if seed%2 == 1 { // the others have less of it
			m.params.S.Fill(0.005)
		}
		start := m.Params()
		r := mustFit(t, m, FitOptions{Iterations: 60, Restarts: 3, Progress: func(p Progress) bool {
			if p.Starts != 3 || p.Total != 72 {
				t.Errorf("step %+v", p)
			}
			if n := len(tried); n == 0 || tried[n-1] != p.Start {
				tried = append(tried, p.Start)
			}
			return true
		}})
		best := slices.Index(r.Starts, slices.Max(r.Starts))
		chosen[best] = true
		if want := slices.Compact([]int{0, 1, 2, best}); !slices.Equal(tried, want) {
			t.Errorf("seed %d: starts %v, want %v", seed, tried, want)
		}
		if len(slices.Compact(slices.Sorted(slices.Values(r.Starts)))) != 3 {
			t.Errorf("seed %d: starts alike: %v", seed, r.Starts)
		}
		alone := mustNew(t, bumps(12, 6, 5, seed), cfg)
		if alone.params = start; best > 0 {
			alone.params = mustPerturb(t, start, seed, best)
		}
		mustFit(t, alone, FitOptions{Iterations: 60})
		sameBits(t, fmt.Sprintf("seed %d, start %d", seed, best), flat(m.params), flat(alone.params))
	}
	if len(chosen) < 2 {
		t.Errorf("always start %v was best", chosen)
	}
}

// A further start that cannot be evaluated is passed over.
func TestRestartsPassOver(t *testing.T) {
	m := mustNew(t, bumps(6, 4, 3, 1), bumpConfigOf(6, 4, 3))
	m.problem.jitter = 0
	m.params.Mu.Slice(0, 6, 0, 1).Fill(0) // other examples' means as inducing inputs coincide
	m.params.Mu.Slice(0, 6, 1, 2).Fill(0)
	r := mustFit(t, m, FitOptions{Iterations: 20, Restarts: 2})
	if !math.IsInf(r.Starts[1], -1) || math.IsInf(r.Starts[0], 0) || r.Phases[1].Status != "infeasible" || r.Phases[2].Name != "warm-up" {
		t.Errorf("%+v", r)
	}
}

// A phase that comes again starts from the pairs of the last time, and is ahead of
// one that does not.
func TestPairsStay(t *testing.T) {
	at := func(forget bool) float64 {
		o := FitOptions{Iterations: 300, Warmup: 12}
		if err := o.complete(); err != nil {
			t.Fatal(err)
		}
		tr := newTrainer(mustNew(t, bumps(24, 8, 7, 1), Config{Space: []SpatialFactor{{X: line(8)}, {X: line(7)}}, LatentDims: 4}), o)
		for range 9 { // the warm-up and four rounds
			if err := tr.advance(context.Background()); err != nil {
				t.Fatal(err)
			}
			if forget {
				tr.Latent, tr.Joint = nil, nil
			}
		}
		return tr.Bound
	}
	if with, without := at(false), at(true); !(with > without+5) {
		t.Errorf("bound %v with pairs, %v without", with, without)
	}
}

// A phase that gains nothing ends no round: the other may.
func TestRoundIsWhole(t *testing.T) {
	m := mustNew(t, bumps(12, 6, 5, 2), bumpConfig(6, 5))
	o := FitOptions{Iterations: 3000, Warmup: -1}
	if err := o.complete(); err != nil {
		t.Fatal(err)
	}
	tr := newTrainer(m, o)
	tr.release()
	p := tr.next()
	p.steps = 3000
	if _, err := tr.climb(context.Background(), p); err != nil { // to the end of it
		t.Fatal(err)
	}
	m.params = tr.Best
	before, joint := m.mustBound(t), 0
	r := mustFit(t, m, FitOptions{Iterations: 100, Warmup: -1, Progress: func(p Progress) bool {
		if p.Phase == "joint" {
			joint++
		}
		return true
	}})
	if joint == 0 || !(r.Bound > before+1) {
		t.Errorf("%d steps with space free, bound %v after %v", joint, r.Bound, before)
	}
}

// A state that has gone through an encoder continues with the same bits.
func TestTrainerState(t *testing.T) {
	fresh := func() *trainer {
		o := FitOptions{Iterations: 60, Warmup: 12, Restarts: 2}
		if err := o.complete(); err != nil {
			t.Fatal(err)
		}
		return newTrainer(mustNew(t, bumps(12, 6, 5, 2), bumpConfig(6, 5)), o)
	}
	whole := fresh()
	want, err := whole.finish(whole.run(context.Background()))
	if err != nil {
		t.Fatal(err)
	}
	phases, at := 0, fresh()
	for ; at.Stage != stageEnd; phases++ {
		if err := at.advance(context.Background()); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(at.trainerState); err != nil {
			t.Fatal(err)
		}
		at = fresh()
		at.trainerState = trainerState{}
		if err := gob.NewDecoder(&b).Decode(&at.trainerState); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := at.finish(nil)
	if phases < 6 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d phases: %+v, want %+v", phases, got, want)
	}
	sameBits(t, "parameters", flat(at.model.params), flat(whole.model.params))
}

// Where the bound stands still a phase ends, and no sooner.
func TestStall(t *testing.T) {
	m := mustNew(t, bumps(12, 6, 5, 2), bumpConfig(6, 5))
	var bounds []float64
	r := mustFit(t, m, FitOptions{Iterations: 600, Warmup: 600, Progress: func(p Progress) bool {
		if p.Phase == "warm-up" {
			bounds = append(bounds, p.Bound)
		}
		return p.Phase == "warm-up"
	}})
	if p := r.Phases[0]; p.Status != "stalled" || p.Steps != len(bounds) || p.Steps == 600 {
		t.Fatalf("%+v", r)
	}
	for i := 10; i < len(bounds); i++ {
		gain, scale := bounds[i]-bounds[i-10], max(math.Abs(bounds[i]), 12*30)
		if (gain <= warmupTolerance*scale) != (i == len(bounds)-1) && math.Abs(gain-warmupTolerance*scale) > 1e-3*scale*warmupTolerance {
			t.Errorf("step %d of %d gained %v", i+1, len(bounds), gain)
		}
	}
	// Training of a model that is at its optimum ends within two rounds.
	m = mustNew(t, bumps(12, 6, 5, 2), Config{Space: []SpatialFactor{{X: line(6)}, {X: line(5)}}, LatentDims: 1, Inducing: 2})
	r = mustFit(t, m, FitOptions{Iterations: 3000, Warmup: -1})
	again := mustFit(t, m, FitOptions{Iterations: 3000, Warmup: -1})
	for _, r := range []FitResult{r, again} {
		if !r.Converged || r.Iterations == 3000 || r.Status != "stalled" && r.Status != "gradient converged" {
			t.Errorf("%+v", r)
		}
	}
	if again.Iterations > 2*(latentSteps+jointSteps) {
		t.Errorf("%+v", again)
	}
}

// collapsing is a model that explains its data as noise if the noise is free
// from the first step: it begins with a lot of it and latent means near 0.
func collapsing(t testing.TB) *Model {
	d := Data{Examples: 16, Y: normalMatrix(rand.New(rand.NewPCG(2, 21)), 16*30, 1)}
	mat.Add(d.Y, d.Y, 0.1, bumps(16, 6, 5, 1).Y)
	cfg := bumpConfig(6, 5)
	cfg.Noise = 0.9
	m := mustNew(t, d, cfg)
	m.params.S.Fill(0.5)
	mat.Scale(m.params.Mu, 0.03, m.params.Mu)
	mat.Scale(m.params.Z, 0.03, m.params.Z)
	return m
}

// The guard goes back from a collapse and finds what is there; without it the
// model stays collapsed.
func TestGuard(t *testing.T) {
	for _, s := range Schedules {
		o := FitOptions{Iterations: 100, Warmup: -1, Schedule: s}
		defer func(n int) { maxCollapses = n }(maxCollapses)
		maxCollapses = 0
		m := collapsing(t)
		without := mustFit(t, m, o)
		if m.SignalToNoise() > collapsedRatio || without.Collapses != 0 || len(without.Warnings) != 1 || !strings.Contains(without.Warnings[0], "longer warm-up") {
			t.Errorf("%s: signal-to-noise ratio %v without the guard, %+v", s, m.SignalToNoise(), without)
		}
		maxCollapses = 2
		m = collapsing(t)
		with := mustFit(t, m, o)
		if m.SignalToNoise() < 1.9 || with.Collapses != 1 || !(with.Bound > without.Bound+50) || with.Phases[0].Status != collapsed || with.Phases[1].Name != "warm-up" {
			t.Errorf("%s: signal-to-noise ratio %v with the guard, %+v", s, m.SignalToNoise(), with)
		}
		if len(with.Warnings) != 1 || !strings.Contains(with.Warnings[0], "went back") {
			t.Errorf("%s: %q", s, with.Warnings)
		}
		if steps := with.Iterations - with.Phases[0].Steps - with.Phases[1].Steps; steps > 100 || with.Status == "iteration limit" && steps != 100 {
			t.Errorf("%s: %d steps after the collapse", s, steps)
		}
	}
}

// A long collapse is noticed before the end, a short one is left to pass.
func TestGuardIsPatient(t *testing.T) {
	for low, want := range map[int]stage{0: stageTraining, collapsedSteps - 1: stageTraining, collapsedSteps: stageWarmup} {
		o := FitOptions{Iterations: 300, Warmup: -1}
		if err := o.complete(); err != nil {
			t.Fatal(err)
		}
		tr := newTrainer(mustNew(t, bumps(6, 4, 3, 1), bumpConfigOf(6, 4, 3)), o)
		tr.release()
		p := tr.next()
		status, err := tr.climb(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		tr.Low = low
		if tr.nextRound(p, status); tr.Stage != want {
			t.Errorf("%d steps of a collapsed ratio: stage %d, expected %d", low, tr.Stage, want)
		}
	}
	m := collapsing(t) // the smaller noise stays above its floor
	m.params.NoiseFloor = 0.8
	mustFit(t, m, FitOptions{Iterations: 60, Warmup: -1})
	if noise := 1 / m.params.Beta; !(noise > 0.8) {
		t.Errorf("noise %v", noise)
	}
	m = collapsing(t)
	o := FitOptions{Iterations: 300, Warmup: -1}
	if err := o.complete(); err != nil {
		t.Fatal(err)
	}
	tr := newTrainer(m, o)
	tr.release()
	tr.Released.Beta = 100
	p := tr.next()
	if _, err := tr.climb(context.Background(), p); err != nil || tr.Low != p.steps {
		t.Errorf("%d collapsed steps of %d, error %v", tr.Low, p.steps, err)
	}
}

// Pure noise collapses again and again; the best bound is kept and the warning names
// the remedy.
func TestGuardGivesUp(t *testing.T) {
	d := Data{Examples: 10, Y: normalMatrix(rand.New(rand.NewPCG(2, 21)), 10*20, 1)}
	m := mustNew(t, d, Config{Space: []SpatialFactor{{X: line(20)}}, LatentDims: 1, Inducing: 3})
	best := math.Inf(-1)
	r := mustFit(t, m, FitOptions{Iterations: 200, Progress: func(p Progress) bool {
		best = max(best, p.Bound)
		if p.Iteration > p.Total {
			t.Errorf("step %d of %d", p.Iteration, p.Total)
		}
		return true
	}})
	if r.Collapses != maxCollapses || m.SignalToNoise() > collapsedRatio || !(r.Bound >= best) || m.mustBound(t) != r.Bound {
		t.Errorf("signal-to-noise ratio %v, best bound seen %v, %+v", m.SignalToNoise(), best, r)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "smaller initial noise") || !strings.Contains(r.Warnings[0], "2 times") {
		t.Errorf("%q", r.Warnings)
	}
}

// Stopped in whatever phase, the model keeps the best of all starts.
func TestRestartsStop(t *testing.T) {
	for _, last := range []int{1, 4, 5, 9, 12, 20, 40} { // starts of 4 steps
		for _, byContext := range []bool{false, true} {
			m := mustNew(t, bumps(10, 5, 4, 9), bumpConfig(5, 4))
			ctx, cancel := context.WithCancel(context.Background())
			best := math.Inf(-1)
			r, err := m.Fit(ctx, FitOptions{Iterations: 40, Warmup: 10, Restarts: 3, Progress: func(p Progress) bool {
				best = max(best, p.Bound)
				if p.Iteration == last && byContext {
					cancel()
				}
				return p.Iteration < last || byContext
			}})
			cancel()
			if byContext != errors.Is(err, context.Canceled) {
				t.Errorf("stopped at step %d, by context %v: error %v", last, byContext, err)
			}
			if !(r.Bound >= best) || m.mustBound(t) != r.Bound || r.Iterations != last {
				t.Errorf("stopped at step %d, by context %v: %+v, best seen %v", last, byContext, r, best)
			}
			if want := map[bool]string{false: "stopped", true: "cancelled"}[byContext]; r.Status != want {
				t.Errorf("stopped at step %d, by context %v: %s", last, byContext, r.Status)
			}
		}
	}
}

func mustPerturb(t *testing.T, p *Params, seed uint64, k int) *Params {
	t.Helper()
	p, err := perturbed(p, seed, k)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
