package sgplvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seed-08962ecc/kronfield/lbfgs"
)

// FitOptions steer training. The zero value works.
type FitOptions struct {
	// Iterations is the number of L-BFGS steps in all. Default 400.
	Iterations int

	// Warmup is how many of them come first with the noise and the spatial kernels
	// held, so that the latent variables find structure before anything can be
	// explained as noise; they are cheap. Default: three quarters. Negative: none.
	Warmup int

	// Progress, if not nil, is called after every step and reports whether to go on.
	Progress func(Progress) bool
}

// Progress describes a step of training.
type Progress struct {
	Phase             string        // "warm-up" or "training"
	Iteration, Total  int           // steps so far, and at most
	Bound             float64       // lower bound on the log evidence of the scaled data
	GradNorm          float64       // largest derivative of the bound in an optimised variable
	Noise             float64       // noise standard deviation as a fraction of the data's
	Elapsed, TimeLeft time.Duration // since the start, and until the end at the present pace
}

// FitResult is the outcome of training.
type FitResult struct {
	Bound       float64  // lower bound on the log evidence of the scaled data
	Iterations  int      // L-BFGS steps
	Evaluations int      // evaluations of the bound and its gradient
	Converged   bool     // the last phase ended by itself, not at the limit
	Status      string   // how the last phase ended
	Warnings    []string // what a user should know, one sentence each
}

// errNoData is returned by Fit on a loaded model.
var errNoData = errors.New("sgplvm: a loaded model holds no training data and cannot be trained")

// Fit trains the model: it maximises the collapsed bound over all parameters
// with L-BFGS, a warm-up first. When ctx ends or Progress stops it, the model
// keeps the best parameters found and the error, if any, is ctx.Err(). It keeps
// them likewise when the data can no longer be read, which is a *ReadError.
func (m *Model) Fit(ctx context.Context, o FitOptions) (FitResult, error) {
	if m.problem == nil {
		return FitResult{}, errNoData
	}
	if o.Iterations < 0 {
		return FitResult{}, &ConfigError{"Iterations", fmt.Errorf("%d iterations, expected at least 1", o.Iterations)}
	}
	if o.Iterations == 0 {
		o.Iterations = 400
	}
	switch {
	case o.Warmup < 0:
		o.Warmup = 0
	case o.Warmup == 0:
		o.Warmup = o.Iterations * 3 / 4
	}
	o.Warmup = min(o.Warmup, o.Iterations)

	m.mu.Lock()
	m.posterior, m.alpha = nil, nil
	m.mu.Unlock()
	t := &trainer{model: m, options: o, begin: time.Now()}
	if err := t.run(ctx, "warm-up", groupLatent, o.Warmup); err != nil || t.stopped {
		return t.finish(err)
	}
	return t.finish(t.run(ctx, "training", groupAll, o.Iterations-t.result.Iterations))
}

type trainer struct {
	model   *Model
	options FitOptions
	begin   time.Time
	result  FitResult
	stopped bool
}

// run maximises the bound over the free parameters for at most the given number
// of steps and leaves the best in the model.
func (t *trainer) run(ctx context.Context, phase string, free group, steps int) error {
	if steps <= 0 {
		return nil
	}
	m := t.model
	trial, accepted, grad := m.params.clone(), m.params.clone(), m.params.clone()
	x0 := make([]float64, m.params.count(free))
	m.params.pack(x0, free)
	var lastError error
	var unread *ReadError // ends training: no other parameters help
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	objective := func(x, slope []float64) float64 {
		trial.unpack(x, free)
		if err := trial.validate(m.space); err != nil {
			lastError = err
			return math.NaN()
		}
		bound, err := m.problem.evaluate(trial, grad, free)
		if err != nil {
			lastError = err
			if errors.As(err, &unread) {
				stop()
			}
			return math.NaN()
		}
		trial.packGradient(slope, grad, free)
		for i := range slope {
			slope[i] = -slope[i]
		}
		return -bound
	}
	done := t.result.Iterations
	r, err := lbfgs.Minimize(ctx, objective, x0, lbfgs.Options{
		Memory:           20,
		MaxIterations:    steps,
		GradTolerance:    1e-8 * float64(m.problem.y.examples*m.problem.y.size()),
		RelativeDecrease: 1e-7,
		Noise:            1e-10,
		Progress: func(p lbfgs.Progress) bool {
			if t.options.Progress == nil {
				return true
			}
			elapsed := time.Since(t.begin)
			i := done + p.Iteration
			accepted.unpack(p.X, free)
			t.stopped = !t.options.Progress(Progress{Phase: phase, Iteration: i, Total: t.options.Iterations,
				Bound: -p.F, GradNorm: p.GradNorm, Noise: 1 / math.Sqrt(accepted.Beta),
				Elapsed: elapsed, TimeLeft: elapsed / time.Duration(i) * time.Duration(t.options.Iterations-i)})
			return !t.stopped
		},
	})
	var start *lbfgs.NonFiniteError
	switch {
	case unread != nil:
		err = unread
		if r.Iterations == 0 {
			return err
		}
	case errors.As(err, &start):
		if lastError != nil {
			err = lastError
		}
		return fmt.Errorf("sgplvm: the bound cannot be evaluated at the start: %w", err)
	}
	if r.X != nil {
		m.params.unpack(r.X, free)
	}
	t.result.Bound = -r.F
	t.result.Iterations += r.Iterations
	t.result.Evaluations += r.Evaluations
	t.result.Status = r.Status.String()
	t.result.Converged = r.Status == lbfgs.GradientConverged || r.Status == lbfgs.Stalled
	return err
}

// finish adds the warnings.
func (t *trainer) finish(err error) (FitResult, error) {
	m := t.model
	if snr := m.SignalToNoise(); snr < 1.5 {
		t.result.Warnings = append(t.result.Warnings, fmt.Sprintf(
			"signal-to-noise ratio %.2f: the model explains the data as noise; train with a longer warm-up, a smaller initial noise or more latent dimensions", snr))
	}
	return t.result, err
}
