package sgplvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seed-08962ecc/kronfield/lbfgs"
)

// The schedule, as measured (doc_training.go).
const (
	residualSteps = 30 // of a round that learned the covariance of the noise

	latentSteps = 20 // of a round of the alternating schedule, with the spatial kernels held
	jointSteps  = 3  // the others of a round, everything free

	// A phase ends when the bound gains at most tolerance·max(|bound|, number of data)
	// in ten steps, the alternation when it gains no more in a whole round.
	warmupTolerance   = 1e-4
	trainingTolerance = 1e-7

	// Training has collapsed when the signal-to-noise ratio is below collapsedRatio, and
	// below where it was when the noise was set free, for collapsedSteps in a row (fewer
	// come about where the noise was held too low) or at the end. It then goes back, but
	// no more than maxCollapses times, divides the noise variance there, above its
	// floor, by collapseFactor and holds it.
	collapsedRatio = 1.5
	collapsedSteps = 25
	collapseFactor = 4
)

// maxCollapses is how often training goes back from a collapse. Tests lower it.
var maxCollapses = 2

// collapsed is the status of a phase that the guard ended.
const collapsed = "collapsed"

// A stage is a part of training.
type stage int

const (
	stageStarts   stage = iota // one start after the other
	stageWarmup                // noise and space held
	stageTraining              // the schedule
	stageResidual              // rounds that learn the covariance of the noise
	stageEnd
)

// A trainer maximises the bound of a model. It changes the model only at the end.
type trainer struct {
	trainerState
	model   *Model
	options FitOptions // complete
	begin   time.Time
	stopped bool // by Progress
}

// trainerState is all that training goes on from, as plain data.
type trainerState struct {
	Stage     stage
	Round     int          // phases of stageTraining before this one
	Start     int          // the start that is tried or was chosen
	Hold      int          // steps of the warm-up
	Limit     int          // steps in all
	Params    *Params      // at the beginning of the phase
	Truncated *Params      // for which the components left out of the phase were chosen
	Bound     float64      // of Params; −Inf before it is known
	Optimiser *lbfgs.State // of the phase, where it goes on after an interruption
	Latent    *lbfgs.State // where the phases of a round ended last, for their pairs
	Joint     *lbfgs.State
	Gained    float64     // by the bound since the round began
	Chosen    *startState // the best start so far
	Released  *Params     // when the noise was last set free
	Free      int         // steps since then
	Low       int         // the last of them, with a collapsed signal-to-noise ratio
	Learned   bool        // the covariance of the noise, for the round of stageResidual
	Best      *Params     // with the highest bound of all
	BestBound float64
	Phase     PhaseResult // as it is
	Result    FitResult   // without it
}

// startState is a start after its steps.
type startState struct {
	Start     int
	Params    *Params
	Bound     float64
	Optimiser *lbfgs.State
}

// A phase is a run of the optimiser.
type phase struct {
	name      string
	free      group
	steps     int // at most, those of Optimiser included
	tolerance float64
	pairs     **lbfgs.State // what it starts from and leaves; nil: nothing
}

func newTrainer(m *Model, o FitOptions) *trainer {
	t := &trainer{model: m, options: o, begin: time.Now()}
	t.Hold, t.Limit = o.Warmup, o.Iterations
	t.Params, t.Bound, t.BestBound = t.origin(), math.Inf(-1), math.NaN()
	t.Stage = stageWarmup
	if o.Restarts > 1 {
		t.Stage = stageStarts
		t.Hold = max(t.Hold, t.trial())
		t.Limit += (o.Restarts - 1) * t.trial()
	}
	t.enter()
	return t
}

// origin returns the model's parameters as training starts from them.
func (t *trainer) origin() *Params {
	p := t.model.params.clone()
	p.Whitening = p.Dynamics.Kernel.clone()
	return p
}

// trial returns the number of steps that each start takes.
func (t *trainer) trial() int { return max(1, t.options.Iterations/10) }

// next returns the phase that the state calls for.
func (t *trainer) next() phase {
	left := t.Limit - t.Result.Iterations - t.Phase.Steps
	p := phase{name: "warm-up", free: groupLatent, steps: t.Hold, tolerance: warmupTolerance}
	switch {
	case t.Stage == stageStarts:
		p.name, p.steps = "start", t.trial()
	case t.Stage == stageResidual:
		p.name, p.steps, p.tolerance = "residual", residualSteps, trainingTolerance
	case t.Stage == stageTraining:
		p = phase{name: "joint", free: groupAll, steps: left, tolerance: trainingTolerance}
		if t.options.HoldSpace || t.Params.count(groupSpatial) == 0 {
			p.free = groupLatent | groupNoise
		} else if t.options.Schedule == Alternating {
			p.steps, p.pairs = min(left, jointSteps), &t.Joint
			if t.Round%2 == 0 {
				p.name, p.free = "latent", groupLatent|groupNoise
				p.steps, p.pairs = min(left, latentSteps), &t.Latent
			}
		}
	}
	return p
}

// enter begins the record of a stage, or of another start.
func (t *trainer) enter() {
	t.Phase = PhaseResult{Name: "warm-up"}
	switch t.Stage {
	case stageStarts:
		t.Phase.Name = fmt.Sprintf("start %d", t.Start)
	case stageTraining:
		t.Phase.Name = string(t.options.Schedule)
	case stageResidual:
		t.Phase.Name = fmt.Sprintf("residual %d", t.Round+1)
	}
}

// record ends the record.
func (t *trainer) record(status string) {
	r := &t.Result
	t.Phase.Bound, t.Phase.Status = t.Bound, status
	r.Iterations += t.Phase.Steps
	r.Evaluations += t.Phase.Evaluations
	r.Status = status
	r.Converged = status == lbfgs.GradientConverged.String() || status == lbfgs.Stalled.String()
	r.Phases = append(r.Phases, t.Phase)
	t.Phase = PhaseResult{}
}

// run goes on from the state to the end of training.
func (t *trainer) run(ctx context.Context) error {
	for t.Stage != stageEnd && !t.stopped {
		if err := t.advance(ctx); err != nil {
			return err
		}
	}
	return nil
}

// advance runs the phase that the state calls for.
func (t *trainer) advance(ctx context.Context) error {
	if t.Stage == stageResidual && !t.Learned {
		if err := t.learnResidual(); err != nil {
			return err
		}
	}
	p := t.next()
	if t.Stage == stageWarmup && p.steps == 0 {
		t.release()
		return nil
	}
	status, err := t.climb(ctx, p)
	var start *startError
	if errors.As(err, &start) && t.Stage == stageStarts && t.Start > 0 {
		err = nil // the others will do
	}
	switch {
	case err != nil || t.stopped:
		if t.Phase.Steps > 0 {
			t.record(status)
		}
		t.Result.Status, t.Result.Converged = status, false
	case t.Stage == stageStarts:
		t.record(status)
		err = t.nextStart()
	case t.Stage == stageWarmup:
		t.record(status)
		t.release()
	case t.Stage == stageResidual:
		t.record(status)
		t.Round++
		t.Learned = false
		if t.Round == t.options.ResidualRounds {
			t.Stage = stageEnd
		}
	default:
		t.nextRound(p, status)
	}
	return err
}

// release sets the noise free.
func (t *trainer) release() {
	t.Stage, t.Round, t.Free, t.Low, t.Gained = stageTraining, 0, 0, 0, 0
	t.Optimiser, t.Latent, t.Joint = nil, nil, nil
	t.Released = t.Params.clone()
	t.enter()
	if t.Result.Iterations >= t.Limit {
		t.settle()
	}
}

// settle ends the schedule.
func (t *trainer) settle() {
	t.Stage = stageEnd
	if t.options.ResidualRounds > 0 && t.Params.structured() {
		t.Stage, t.Round = stageResidual, 0
		t.Limit = t.Result.Iterations + t.options.ResidualRounds*residualSteps
		if t.Best != nil {
			t.Params = t.Best.clone()
		}
	}
}

// learnResidual learns the covariance of the noise before a round. Bounds before and
// after are those of two models, so the best one so far counts no more.
func (t *trainer) learnResidual() error {
	p, problem := t.Params.clone(), t.model.problem
	p.Taper = nil
	if taper := t.options.ResidualTaper; taper >= 0 {
		if taper == 0 {
			taper = DefaultTaper(problem.y.examples)
		}
		for _, two := range twoSpacings(problem.x[0]) {
			p.Taper = append(p.Taper, taper*two/2)
		}
	}
	if err := problem.learnNoise(p, t.options.ResidualStrength); err != nil {
		return err
	}
	bound, err := problem.bound(p)
	if err != nil {
		return err
	}
	t.Params, t.Bound, t.Optimiser = p, bound, nil
	t.Best, t.BestBound = p.clone(), bound
	t.Learned = true
	t.enter()
	return nil
}

// fell reports a collapse that is to be recovered from.
func (t *trainer) fell(low bool) bool { return low && t.Result.Collapses < maxCollapses }

// nextRound decides what comes after a phase of the schedule.
func (t *trainer) nextRound(p phase, status string) {
	t.Round++
	t.Optimiser = nil
	limit := t.Result.Iterations+t.Phase.Steps >= t.Limit
	round := p.pairs == nil || t.Round%2 == 0
	ends := true
	switch {
	case p.pairs == nil, p.free == groupAll && status == lbfgs.GradientConverged.String():
	case limit:
		status = lbfgs.IterationLimit.String()
	case round && t.Gained <= trainingTolerance*t.scale():
		status = lbfgs.Stalled.String()
	default:
		ends = false
	}
	switch {
	case t.fell(t.Low >= collapsedSteps || ends && t.Params.Beta < collapsedRatio):
		t.record(collapsed)
		t.recover()
	case ends:
		t.record(status)
		t.settle()
	case round:
		t.Gained = 0
	}
}

// recover goes back from a collapse to where the noise was set free, and holds a
// smaller noise for a while. The steps that were lost are granted again.
func (t *trainer) recover() {
	t.Result.Collapses++
	t.Hold = max(t.options.Warmup, t.options.Iterations/4, 1)
	t.Limit += t.Free + t.Hold
	t.Params = t.Released.clone()
	floor := t.Params.NoiseFloor
	t.Params.Beta = 1 / (floor + (1/t.Params.Beta-floor)/collapseFactor)
	t.Bound = math.Inf(-1)
	t.Stage = stageWarmup
	t.enter()
}

// scale is what tolerances of the bound are relative to: its size, or the number
// of data where that is larger, as near 0.
func (t *trainer) scale() float64 { return max(math.Abs(t.Bound), t.data()) }

func (t *trainer) data() float64 {
	y := t.model.problem.y
	return float64(y.examples * y.size())
}

// climb runs a phase from the state and leaves the best point in it. It returns
// how the phase ended.
func (t *trainer) climb(ctx context.Context, p phase) (status string, err error) {
	problem := t.model.problem
	x0 := make([]float64, t.Params.count(p.free))
	t.Params.pack(x0, p.free)
	trial, accepted, grad := t.Params.clone(), t.Params.clone(), t.Params.clone()
	var lastError error
	first := math.NaN() // the bound at the start, as the phase sees it
	if t.Optimiser != nil {
		first = t.Bound
	}
	var unread *ReadError // ends training: no other parameters help
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	objective := func(x, slope []float64) float64 {
		trial.unpack(x, p.free)
		err := trial.validate(t.model.space)
		var bound float64
		if err == nil {
			bound, err = problem.evaluate(trial, grad, p.free)
		}
		if err != nil {
			lastError = err
			if errors.As(err, &unread) {
				stop()
			}
			return math.NaN()
		}
		if math.IsNaN(first) {
			first = bound
		}
		trial.packGradient(slope, grad, p.free)
		for i := range slope {
			slope[i] = -slope[i]
		}
		return -bound
	}
	truncates := t.options.Truncate > 0 && p.free&groupSpatial == 0
	if truncates {
		if t.Optimiser == nil || t.Truncated == nil {
			t.Truncated = t.Params.clone()
		}
		if err := problem.truncate(t.Truncated, t.options.Truncate*t.data()); err != nil {
			return "", err
		}
	}
	o := lbfgs.Options{
		Memory:           20,
		MaxIterations:    p.steps,
		GradTolerance:    1e-8 * t.data(),
		RelativeDecrease: p.tolerance,
		Decrease:         p.tolerance * t.data(),
		Noise:            1e-10,
		InitialState:     t.Optimiser,
	}
	if p.pairs != nil {
		o.InitialPairs = *p.pairs
	}
	steps, evaluations := 0, 0 // of an earlier part of the phase
	if t.Optimiser != nil {
		steps, evaluations = t.Optimiser.Iterations, t.Optimiser.Evaluations
	}
	before := t.Phase
	o.Progress = func(s lbfgs.Progress) bool {
		accepted.unpack(s.X, p.free)
		t.Phase.Steps = before.Steps + s.Iteration - steps
		if t.Stage == stageTraining && accepted.Beta < min(collapsedRatio, t.Released.Beta) {
			t.Low++
		} else {
			t.Low = 0
		}
		t.stopped = !t.report(p, s, accepted.Beta)
		return !t.stopped && !t.fell(t.Low >= collapsedSteps)
	}
	r, err := lbfgs.Minimize(ctx, objective, x0, o)
	t.Phase.Steps = before.Steps + r.Iterations - steps
	t.Phase.Evaluations = before.Evaluations + r.Evaluations - evaluations
	var start *lbfgs.NonFiniteError
	switch {
	case unread != nil:
		err = unread
	case errors.As(err, &start):
		if lastError != nil {
			err = lastError
		}
		t.Bound = math.Inf(-1)
		return r.Status.String(), &startError{err}
	}
	if !math.IsNaN(r.F) {
		t.Params.unpack(r.X, p.free)
		if lost := problem.derive(t.Params); lost != nil {
			return r.Status.String(), lost
		}
		if t.Stage == stageTraining {
			t.Free += r.Iterations - steps
			t.Gained += -r.F - first
		}
		t.Bound = -r.F
		t.Optimiser = r.State
		if p.pairs != nil {
			*p.pairs = r.State
		}
		if truncates {
			if lost := problem.factorize(t.Params); lost != nil {
				return r.Status.String(), lost
			}
			t.Phase.LeftOut, t.Phase.Components = len(problem.dropped.lambda), problem.components()
			t.Phase.TruncationLoss = problem.truncationLoss(t.Params.precision())
		}
		if t.Best == nil || t.Bound > t.BestBound {
			t.Best, t.BestBound = t.Params.clone(), t.Bound
		}
	}
	return r.Status.String(), err
}

// startError reports parameters from which a phase cannot start.
type startError struct{ err error }

func (e *startError) Error() string {
	return fmt.Sprintf("sgplvm: the bound cannot be evaluated at the start: %v", e.err)
}

func (e *startError) Unwrap() error { return e.err }

// report tells Progress of a step and returns whether to go on.
func (t *trainer) report(p phase, s lbfgs.Progress, beta float64) bool {
	if t.options.Progress == nil {
		return true
	}
	elapsed := time.Since(t.begin)
	i := t.Result.Iterations + t.Phase.Steps
	return t.options.Progress(Progress{Phase: p.name, Start: t.Start, Starts: t.options.Restarts, Iteration: i, Total: t.Limit,
		Bound: -s.F, GradNorm: s.GradNorm, Noise: 1 / math.Sqrt(beta),
		Elapsed: elapsed, TimeLeft: elapsed / time.Duration(i) * time.Duration(t.Limit-i)})
}

// finish gives the model the best parameters and adds the warnings.
func (t *trainer) finish(err error) (FitResult, error) {
	m, r := t.model, t.Result
	r.Bound = t.BestBound
	if t.Best != nil {
		m.params = t.Best
		m.params.Whitening, m.params.whitening = TimeKernel{}, nil
	}
	again := ""
	if r.Collapses > 0 {
		again = fmt.Sprintf(" although training went back %d times to hold a smaller noise for longer", r.Collapses)
	}
	switch snr := m.SignalToNoise(); {
	case snr < collapsedRatio:
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"signal-to-noise ratio %.2f: the model explains the data as noise%s; train with a longer warm-up, a smaller initial noise or more latent dimensions", snr, again))
	case r.Collapses > 0:
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"the model began to explain the data as noise; training went back %d times to hold a smaller noise for longer; a longer warm-up or a smaller initial noise avoids that", r.Collapses))
	}
	return r, err
}
