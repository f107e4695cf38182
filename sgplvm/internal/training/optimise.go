package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
)

// startError reports parameters from which a phase cannot start.
type startError struct{ err error }

func (e *startError) Error() string {
	return fmt.Sprintf("sgplvm: the bound cannot be evaluated at the start: %v", e.err)
}

func (e *startError) Unwrap() error { return e.err }

// An objective is the negative bound as the optimiser sees it.
type objective struct {
	t           *Trainer
	coordinates bound.Coordinates
	trial, grad *bound.Params
	first       float64 // the bound at the start, as the phase sees it; NaN before it is known
	failure     error   // of the last evaluation that failed
	unread      *field.ReadError
	stop        func() // ends training: no other parameters help
}

// at returns the negative bound at x and sets slope to its derivatives; NaN where it cannot be evaluated.
func (o *objective) at(ctx context.Context, x, slope []float64) float64 {
	o.coordinates.Unpack(o.trial, x)
	err := o.trial.Validate(o.t.data.Grid)
	var value float64
	if err == nil {
		value, err = o.t.evaluator.Evaluate(ctx, o.trial, o.grad, o.coordinates.Free)
	}
	if err != nil {
		o.failure = err
		if errors.As(err, &o.unread) {
			o.stop()
		}
		return math.NaN()
	}
	if math.IsNaN(o.first) {
		o.first = value
	}
	o.coordinates.PackGradient(slope, o.trial, o.grad)
	for i := range slope {
		slope[i] = -slope[i]
	}
	return -value
}

// optimise runs a phase from the state and leaves the best point in it. It returns
// how the phase ended.
func (t *Trainer) optimise(ctx context.Context, p phase) (status string, err error) {
	s := &t.state
	if s.Optimiser != nil && t.fell(s.Low >= collapsedSteps) { // stopped where the guard ends the phase
		return collapsed, nil
	}
	c := t.free(p.free)
	x0 := make([]float64, c.Count(s.Params))
	c.Pack(x0, s.Params)
	outer := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f := &objective{t: t, coordinates: c, trial: s.Params.Clone(), grad: s.Params.Clone(), first: math.NaN(), stop: stop}
	if s.Optimiser != nil {
		f.first = s.Bound
	}
	before := s.Phase
	steps, evaluations := 0, 0 // of an earlier part of the phase
	if s.Optimiser != nil {
		steps, evaluations = s.Optimiser.Iterations, s.Optimiser.Evaluations
	}
	o := t.options(p)
	t.forecast.begin(t.watch.elapsed())
	accepted, late := s.Params.Clone(), false
	o.Progress = func(q lbfgs.Progress) bool {
		c.Unpack(accepted, q.X)
		s.Phase.Steps = before.Steps + q.Iteration - steps
		note(&s.Phase, -q.F)
		if s.Stage == stageTraining && accepted.Noise.Beta < min(collapsedRatio, s.NoiseFreed.Noise.Beta) {
			s.Low++
		} else {
			s.Low = 0
		}
		t.stopped = !t.progress(p, q, accepted.Noise.Beta)
		if late = t.data.Clock.Ends(); late {
			s.Limit = s.Result.Iterations + s.Phase.Steps
		}
		return !late && !t.stopped && !t.fell(s.Low >= collapsedSteps)
	}
	r, err := lbfgs.Minimize(ctx, func(x, slope []float64) float64 { return f.at(ctx, x, slope) }, x0, o)
	s.Phase.Steps = before.Steps + r.Iterations - steps
	s.Phase.Evaluations = before.Evaluations + r.Evaluations - evaluations
	var start *lbfgs.NonFiniteError
	switch {
	case f.unread != nil:
		err = f.unread
	case outer.Err() != nil && errors.As(err, &start):
		return r.Status.String(), outer.Err()
	case errors.As(err, &start):
		if f.failure != nil {
			err = f.failure
		}
		s.Bound = math.Inf(-1)
		return r.Status.String(), &startError{err}
	}
	if !math.IsNaN(r.F) {
		if lost := t.take(p, r, f.first, steps); lost != nil {
			return r.Status.String(), lost
		}
	}
	if late && err == nil {
		return outOfTime, nil
	}
	return r.Status.String(), err
}

// options returns those of the optimiser for a phase.
func (t *Trainer) options(p phase) lbfgs.Options {
	o := lbfgs.Options{
		Memory:           20,
		MaxIterations:    p.steps,
		GradTolerance:    1e-8 * t.size(),
		RelativeDecrease: p.tolerance,
		Decrease:         p.tolerance * t.size(),
		Noise:            1e-10,
		InitialState:     t.state.Optimiser,
	}
	if p.pairs != nil {
		o.InitialPairs = *p.pairs
	}
	return o
}

// take puts the result of a phase into the state; first is the bound where the phase began, steps are those
// of an earlier part of it.
func (t *Trainer) take(p phase, r lbfgs.Result, first float64, steps int) error {
	s := &t.state
	t.free(p.free).Unpack(s.Params, r.X)
	if err := t.evaluator.Derive(s.Params); err != nil {
		return err
	}
	if s.Stage == stageTraining {
		s.Free += r.Iterations - steps
		s.Gained += -r.F - first
	}
	s.Bound = -r.F
	s.Optimiser = r.State
	if p.pairs != nil {
		*p.pairs = r.State
	}
	if s.Best == nil || s.Bound > s.BestBound {
		s.Best, s.BestBound = s.Params.Clone(), s.Bound
	}
	return nil
}

// progress tells Progress of a step and returns whether to go on.
func (t *Trainer) progress(p phase, s lbfgs.Progress, beta float64) bool {
	tell := t.Progress
	if tell == nil {
		return true
	}
	earlier := 0
	if t.coarse != nil {
		earlier = t.coarse.state.Result.Iterations
	}
	elapsed := t.watch.elapsed()
	t.forecast.step(p.name, elapsed)
	i, limit := t.state.Result.Iterations+t.state.Phase.Steps, t.state.Limit
	now, after, open := t.ahead()
	o := field.Progress{Phase: p.name, Iteration: earlier + i, Total: earlier + limit,
		StepsLeft: stepsOf(now), Bound: -s.F, GradNorm: s.GradNorm, Noise: 1 / math.Sqrt(beta), Elapsed: elapsed}
	var known bool
	if o.PhaseLeft, known = t.forecast.left(now); known && t.data.Clock.Untold() {
		if rest, known := t.forecast.left(after); known {
			film := t.data.Motion
			if all := t.of; all != nil { // steps at all points take as many times as long as there are more
				film = all.data.Motion
				times := float64(all.atAll().Iterations) / float64(limit) * float64(all.data.Grid.Len()) / float64(t.data.Grid.Len())
				rest += time.Duration(times * float64(elapsed+o.PhaseLeft))
			}
			t.data.Clock.Tell(o.PhaseLeft+rest+film.CalibrationTime(), true)
		}
	}
	if known && !open {
		if rest, known := t.forecast.left(after); known {
			o.TimeLeft = o.PhaseLeft + rest
		}
	}
	return tell(o)
}

// atAll returns how training goes on at all points.
func (t *Trainer) atAll() Training {
	o := t.config.Training
	if len(t.data.Grid) > 1 {
		o.Iterations, o.Warmup = min(CoarseRounds*(LatentSteps+JointSteps), max(1, o.Iterations/8)), 0
	} else {
		o.Iterations, o.Warmup, o.HoldSpace = AdaptSteps, AdaptSteps, true
	}
	return o
}

// ahead returns what is left of the present part of training, and what comes after it; open is true where
// more comes of which nothing is known before.
func (t *Trainer) ahead() (now, after []stretch, open bool) {
	s, o := &t.state, &t.config.Training
	left := s.Limit - s.Result.Iterations - s.Phase.Steps
	open = t.of != nil || !o.Uncalibrated && t.CanLeaveOut() == nil
	if rounds := t.config.Residual.Rounds; rounds > 0 && s.Params.Noise.Structured() && s.Stage != stageResidual {
		after = []stretch{{"residual", float64(rounds * t.config.Residual.Steps)}}
	}
	switch s.Stage {
	case stageResidual:
		return []stretch{{"residual", float64(left)}}, nil, open
	case stageWarmup:
		warm := max(0, min(s.Hold-s.Phase.Steps, left))
		return []stretch{{"warm-up", float64(warm)}}, append(after, t.schedule(left-warm)...), open
	}
	return t.schedule(left), after, open
}

// schedule returns what so many steps of the schedule are made of.
func (t *Trainer) schedule(steps int) []stretch {
	o := &t.config.Training
	if o.Joint || o.HoldSpace || t.free(bound.GroupSpatial).Count(t.state.Params) == 0 {
		return []stretch{{"joint", float64(steps)}}
	}
	const round = LatentSteps + JointSteps
	return []stretch{{"latent", float64(steps) * LatentSteps / round}, {"joint", float64(steps) * JointSteps / round}}
}
