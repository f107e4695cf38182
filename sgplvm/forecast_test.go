package sgplvm

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Steps of each kind are forecast from steps of that kind; the later ones count more, and what was not measured is
// not forecast.
func TestForecast(t *testing.T) {
	var f forecast
	if _, known := f.left([]stretch{{"latent", 4}}); known {
		t.Error("nothing was measured")
	}
	now := time.Duration(0)
	run := func(name string, steps int, each time.Duration) {
		now += time.Hour // between phases
		f.begin(now)
		for range steps {
			now += each
			f.step(name, now)
		}
	}
	run("latent", 2, time.Second)
	if _, known := f.left([]stretch{{"latent", 4}}); known {
		t.Error("two steps are too few")
	}
	run("latent", 1, time.Second)
	run("joint", 3, time.Minute)
	for _, c := range []struct {
		ahead []stretch
		left  time.Duration
		known bool
	}{
		{nil, 0, true},
		{[]stretch{{"latent", 4}}, 4 * time.Second, true},
		{[]stretch{{"latent", 40}, {"joint", 6}}, 6*time.Minute + 40*time.Second, true},
		{[]stretch{{"latent", 40}, {"residual", 30}}, 0, false},
		{[]stretch{{"latent", 40}, {"residual", 0}}, 40 * time.Second, true},
	} {
		if left, known := f.left(c.ahead); left != c.left || known != c.known {
			t.Errorf("%v: %v, %v, expected %v, %v", c.ahead, left, known, c.left, c.known)
		}
	}
	run("latent", 1000, 3*time.Second)
	if left, _ := f.left([]stretch{{"latent", 1}}); (left - 3*time.Second).Abs() > time.Microsecond {
		t.Errorf("%v for a step, expected 3s as the last ones took", left)
	}
}

// What is ahead shrinks by a step with each step, in every part of training, and a time is told as soon as
// all kinds of steps to come have been measured, but where calibration or another trainer comes after.
func TestStepsAhead(t *testing.T) {
	matern := kernel.Kernel{Kind: kernel.Matern32}
	for name, c := range map[string]struct {
		cfg   Config
		times bool
		told  string // the phases in which the time left is told
	}{
		"alternating": {small().with(TrainingConfig{Iterations: 80, Warmup: 10}), false, "latent joint"},
		"together":    {small().with(TrainingConfig{Iterations: 40, Warmup: 10, Joint: true}), false, "joint"},
		"calibrated":  {small().with(TrainingConfig{Iterations: 80, Warmup: 10}), true, ""},
		"residual": {Config{LatentDims: 2, Inducing: 6, Residual: ResidualConfig{Kernel: matern, Rounds: 2},
			Training: TrainingConfig{Iterations: 50, Warmup: 10}}, false, "residual"},
		"coarse": {Config{LatentDims: 2, Inducing: 6, Residual: ResidualConfig{Kernel: matern, Rounds: 1},
			Training: TrainingConfig{Iterations: 50, Warmup: 10, CoarsePoints: 12}}, false, "residual"},
	} {
		d := bumps(12, 6, 5, 2)
		if c.cfg.Residual.Kernel.Kind != "" {
			d = d.on(plane(6, 5))
		}
		if c.times {
			d.Times = line(12).Data
		}
		var last Progress
		told := map[string]bool{}
		fit(t, d, c.cfg, func(p Progress) bool {
			same := p.Phase == last.Phase && p.Total == last.Total && p.Iteration == last.Iteration+1
			if same && (p.StepsLeft > last.StepsLeft || p.StepsLeft < last.StepsLeft-2) || p.StepsLeft < 0 || p.StepsLeft > p.Total {
				t.Errorf("%s: %+v after %+v", name, p, last)
			}
			if p.TimeLeft > 0 {
				told[p.Phase] = true
			}
			if p.TimeLeft > 0 && p.PhaseLeft > p.TimeLeft || p.PhaseLeft < 0 {
				t.Errorf("%s: %+v", name, p)
			}
			last = p
			return true
		})
		for phase := range told {
			if !strings.Contains(c.told, phase) {
				t.Errorf("%s: a time left in phase %s", name, phase)
			}
		}
		if c.told != "" && len(told) == 0 {
			t.Errorf("%s: no time left was told", name)
		}
	}
}
