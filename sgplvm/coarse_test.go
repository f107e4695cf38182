package sgplvm

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// pictureModel is a model of small pictures, seen as one factor, with a structured residual.
func pictureModel(t *testing.T, cfg Config) *Model {
	t.Helper()
	x := mat.New(30, 2)
	for i := range 30 {
		x.Set(i, 0, float64(i/5))
		x.Set(i, 1, float64(i%5))
	}
	cfg.Space, cfg.LatentDims, cfg.Residual = []SpatialFactor{{X: x}}, 3, Kernel{Kind: Matern32}
	return mustNew(t, bumps(12, 6, 5, 2), cfg)
}

// The coarse model has the values and places of the points it was given, each once, and the
// parameters of the whole.
func TestCoarse(t *testing.T) {
	m := pictureModel(t, Config{Seed: 5})
	for _, count := range []int{1, 7, 30} {
		c, err := m.coarse(count)
		if err != nil {
			t.Fatal(err)
		}
		at, missing := among(c.space[0], m.space[0])
		if missing >= 0 || len(at) != count {
			t.Fatalf("%d points, the training points %v, missing %d", count, at, missing)
		}
		for k, i := range at {
			if k > 0 && i <= at[k-1] {
				t.Errorf("%d points: not ascending: %v", count, at)
			}
		}
		whole, some := m.problem.observations(), c.problem.observations()
		for e := range m.Examples() {
			for k, i := range at {
				sameBits(t, fmt.Sprintf("%d points, example %d", count, e), some.Row(e*count+k), whole.Row(e*30+i))
			}
		}
		sameBits(t, "means", c.params.Mu.Data, m.params.Mu.Data)
	}
	if c, _ := m.coarse(30); c.mustBound(t) != m.mustBound(t) {
		t.Errorf("bound of all points %v, expected %v", c.mustBound(t), m.mustBound(t))
	}
}

// Fit with CoarsePoints trains kernels and noise at these alone, then the latent side and
// the covariance of the noise at all, and counts its steps through.
func TestFitCoarse(t *testing.T) {
	o := FitOptions{Iterations: 40, CoarsePoints: 12, ResidualRounds: 1, LocalResiduals: true}
	var want *Model
	atEveryWidth(func(procs int) {
		m, last := pictureModel(t, Config{}), 0
		o.Progress = func(p Progress) bool {
			if p.Iteration != last+1 || p.Iteration > p.Total {
				t.Errorf("step %d of %d follows step %d", p.Iteration, p.Total, last)
			}
			last = p.Iteration
			return true
		}
		r := mustFit(t, m, o)
		if last != r.Iterations {
			t.Errorf("progress of %d steps, %d reported", last, r.Iterations)
		}
		if want == nil {
			want = m
			c, err := pictureModel(t, Config{}).coarse(12)
			if err != nil {
				t.Fatal(err)
			}
			first := mustFit(t, c, FitOptions{Iterations: 40})
			n := len(first.Phases)
			if len(r.Phases) != n+2 || r.Phases[n].Name != "warm-up" || r.Phases[n].Steps > adaptSteps || r.Phases[n+1].Name != "residual 1" {
				t.Errorf("phases %+v after %+v", r.Phases, first.Phases)
			}
			p := m.params
			if p.Beta != c.params.Beta || !equalKernel(p.Residual, c.params.Residual) || !equalKernel(p.Spatial[0], c.params.Spatial[0]) {
				t.Errorf("noise and kernels %v %v %v, expected %v %v %v", p.Beta, p.Residual, p.Spatial, c.params.Beta, c.params.Residual, c.params.Spatial)
			}
			if p.Covariance.Rows != 30 || m.residuals.Rows != 12 || equalMatrix(p.Mu, c.params.Mu) {
				t.Errorf("Σ %d×%d, %d residuals, expected 30×30, 12 and adapted means", p.Covariance.Rows, p.Covariance.Cols, m.residuals.Rows)
			}
			near(t, "bound", one(m.mustBound(t)), one(r.Bound), 1e-9)
		}
		sameBits(t, fmt.Sprintf("Σ with %d processors", procs), m.params.Covariance.Data, want.params.Covariance.Data)
	})
}

// Training that is stopped or fails while it is coarse ends there.
func TestFitCoarseStops(t *testing.T) {
	m, steps := pictureModel(t, Config{}), 0
	r := mustFit(t, m, FitOptions{Iterations: 40, CoarsePoints: 12, ResidualRounds: 1, Progress: func(Progress) bool {
		steps++
		return steps < 5
	}})
	if steps != 5 || r.Iterations != 5 || m.params.Covariance.Rows != 0 {
		t.Errorf("stopped after 5 steps: %d calls, %d steps, Σ of order %d", steps, r.Iterations, m.params.Covariance.Rows)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Fit(ctx, FitOptions{CoarsePoints: 12}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, expected %v", err, context.Canceled)
	}
	if _, err := m.Fit(context.Background(), FitOptions{CoarsePoints: -1}); !isConfigError(err, "CoarsePoints") {
		t.Errorf("error %v, expected one about CoarsePoints", err)
	}
}

func isConfigError(err error, field string) bool {
	var c *ConfigError
	return errors.As(err, &c) && c.Field == field
}

// A model starts from given parameters as the one that they are from goes on, and
// refuses those that do not fit.
func TestConfigStart(t *testing.T) {
	m := pictureModel(t, Config{})
	mustFit(t, m, FitOptions{Iterations: 10})
	p := m.Params()
	again := pictureModel(t, Config{Start: p})
	p.Mu.Fill(0)
	if got, want := again.mustBound(t), m.mustBound(t); got != want {
		t.Errorf("bound %v at the start, expected %v", got, want)
	}
	few := m.Params()
	few.Mu, few.S = few.Mu.Slice(0, 5, 0, 3), few.S.Slice(0, 5, 0, 3)
	bad := m.Params()
	bad.S.Set(3, 1, -1)
	for name, p := range map[string]*Params{"few examples": few, "negative variance": bad} {
		if _, err := New(bumps(12, 6, 5, 2), Config{Space: []SpatialFactor{{X: m.space[0]}}, Start: p}); !isConfigError(err, "Start") {
			t.Errorf("%s: error %v, expected one about Start", name, err)
		}
	}
}
