package sgplvm

import (
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

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
