package training

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// Every accepted step raises the bound, up to the rounding error that the optimiser is told of, and the
// report has that of the model.
func TestTrainingIsMonotone(t *testing.T) {
	for _, name := range []string{"product", "one factor", "free inducing points", "white", "channels", "moving", "timed"} {
		t.Run(name, func(t *testing.T) {
			s := sets()[name]
			start := boundOf(t, newTrainer(t, s.data, s.config))
			last, count := start, 0
			tr, r := fit(t, s.data, s.config.with(Training{Iterations: 40}), func(p field.Progress) bool {
				count++
				if p.Iteration != count || p.Total != 40 {
					t.Errorf("step %d of 40 reported as step %d of %d", count, p.Iteration, p.Total)
				}
				if !(p.Bound >= last-1e-11*math.Abs(last)) {
					t.Errorf("step %d (%s) lowers the bound from %v to %v", count, p.Phase, last, p.Bound)
				}
				if !(p.Noise > 0) || !(p.GradNorm >= 0) || p.Elapsed < 0 || p.TimeLeft < 0 {
					t.Errorf("step %+v", p)
				}
				last = p.Bound
				return true
			})
			if !(r.Bound > start+1) || !(r.Bound >= last) || r.Iterations != count || r.Evaluations < count {
				t.Errorf("report %+v after %d steps from %v to %v", r, count, start, last)
			}
			if got := boundOf(t, tr); got != r.Bound {
				t.Errorf("the model has the bound %v, the report %v", got, r.Bound)
			}
			if err := tr.params.Validate(s.data.Grid); err != nil {
				t.Error(err)
			}
		})
	}
}

// A start at which nothing can be evaluated is an error that says why, and changes nothing.
func TestTrainingCannotStart(t *testing.T) {
	cfg := small()
	cfg.Jitter = -1
	tr := startFrom(t, newTrainer(t, bumps(8, 4, 3, 1), cfg), func(p *bound.Params) {
		p.Z.Fill(0.5)
		p.Latent.Parts[0].(*psi.RBF).Variance = 1
	})
	before := tr.params.Clone()
	r, err := tr.Fit(context.Background())
	var at *field.FactorizationError
	if !errors.As(err, &at) || at.Factor != 0 || !strings.Contains(err.Error(), "cannot be evaluated at the start") || r.Iterations != 0 {
		t.Errorf("error %v, expected one about the latent factor; %+v", err, r)
	}
	if d := diff(tr.params, before); d != "" {
		t.Error(d)
	}
}
