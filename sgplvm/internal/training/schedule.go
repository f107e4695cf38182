package training

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// next returns the phase that the state calls for.
func (t *Trainer) next() phase {
	s, o := &t.state, &t.config.Training
	left := s.Limit - s.Result.Iterations - s.Phase.Steps
	if s.Optimiser != nil {
		left += s.Optimiser.Iterations // of this phase
	}
	p := phase{name: "warm-up", free: bound.GroupLatent, steps: s.Hold, tolerance: warmupTolerance}
	switch {
	case s.Stage == stageResidual:
		p.name, p.steps, p.tolerance = "residual", t.config.Residual.Steps, trainingTolerance
	case s.Stage == stageTraining:
		p = phase{name: "joint", free: bound.GroupAll, steps: left, tolerance: trainingTolerance}
		if o.HoldSpace || t.free(bound.GroupSpatial).Count(s.Params) == 0 {
			p.free = bound.GroupLatent | bound.GroupNoise
		} else if !o.Joint {
			p.steps, p.pairs = min(left, JointSteps), &s.Joint
			if s.Round%2 == 0 {
				p.name, p.free = "latent", bound.GroupLatent|bound.GroupNoise
				p.steps, p.pairs = min(left, LatentSteps), &s.Latent
			}
		}
	}
	return p
}

// advance runs the phase that the state calls for.
func (t *Trainer) advance(ctx context.Context) error {
	s := &t.state
	if s.Stage == stageResidual && !s.Learned {
		if err := t.learnResidual(ctx); err != nil {
			return err
		}
	}
	p := t.next()
	if s.Stage == stageWarmup && p.steps == 0 {
		t.freeNoise()
		return nil
	}
	status, err := t.optimise(ctx, p)
	s.Phase.Bound, s.Phase.Status = s.Bound, status
	switch {
	case err != nil || t.stopped: // the record stays open
		s.Result.Status, s.Result.Converged = status, false
	case s.Stage == stageWarmup:
		t.record(status)
		t.freeNoise()
	case s.Stage == stageResidual:
		t.record(status)
		s.Round++
		s.Learned = false
		if s.Round == t.config.Residual.Rounds {
			s.Stage = stageFinish
		}
	default:
		t.nextRound(p, status)
	}
	return err
}

// freeNoise sets the noise free.
func (t *Trainer) freeNoise() {
	s := &t.state
	s.Stage, s.Round, s.Free, s.Low, s.Gained = stageTraining, 0, 0, 0, 0
	s.Optimiser, s.Latent, s.Joint = nil, nil, nil
	s.NoiseFreed = s.Params.Clone()
	t.enter()
	if s.Result.Iterations >= s.Limit {
		t.endSchedule()
	}
}

// endSchedule goes on to the rounds that learn the residual, if there are any.
func (t *Trainer) endSchedule() {
	s := &t.state
	s.Stage = stageFinish
	if rounds := t.config.Residual.Rounds; rounds > 0 && s.Params.Noise.Structured() {
		s.Stage, s.Round = stageResidual, 0
		s.Limit = s.Result.Iterations + rounds*t.config.Residual.Steps
		if s.Best != nil {
			s.Params = s.Best.Clone()
		}
	}
}

// nextRound decides what comes after a phase of the schedule.
func (t *Trainer) nextRound(p phase, status string) {
	s := &t.state
	s.Round++
	s.Optimiser = nil
	limit := s.Result.Iterations+s.Phase.Steps >= s.Limit
	round := p.pairs == nil || s.Round%2 == 0
	ends := true
	switch {
	case p.pairs == nil, p.free == bound.GroupAll && status == lbfgs.GradientConverged.String():
	case status == outOfTime:
	case limit:
		status = lbfgs.IterationLimit.String()
	case round && s.Gained <= trainingTolerance*t.scale():
		status = lbfgs.Stalled.String()
	default:
		ends = false
	}
	switch {
	case t.fell(s.Low >= collapsedSteps || ends && s.Params.Noise.Beta < collapsedRatio):
		t.record(collapsed)
		t.recover()
	case ends:
		t.record(status)
		t.endSchedule()
	case round:
		s.Gained = 0
	}
}

// recover goes back from a collapse to where the noise was set free, and holds a
// smaller noise for a while. The steps that were lost are granted again.
func (t *Trainer) recover() {
	s, o := &t.state, &t.config.Training
	s.Result.Collapses++
	s.Hold = max(o.Warmup, o.Iterations/4, 1)
	s.Limit += s.Free + s.Hold
	s.Params = s.NoiseFreed.Clone()
	floor := s.Params.Noise.Floor
	s.Params.Noise.Beta = 1 / (floor + (1/s.Params.Noise.Beta-floor)/collapseFactor)
	s.Bound = math.Inf(-1)
	s.Stage = stageWarmup
	t.enter()
}

// learnResidual learns the covariance of the noise before a round. Bounds before and
// after are those of two models, so the best one so far counts no more.
func (t *Trainer) learnResidual(ctx context.Context) error {
	s, c := &t.state, &t.config.Residual
	p := s.Params.Clone()
	p.Noise.Taper = nil
	if taper := c.Taper; taper >= 0 {
		if taper == 0 {
			taper = bound.DefaultTaper(float64(t.evaluator.Data().Examples))
		}
		for _, two := range work.TwoSpacings(t.data.Grid[0]) {
			p.Noise.Taper = append(p.Noise.Taper, taper*two/2)
		}
	}
	if err := t.evaluator.LearnNoise(ctx, p, c.Strength, t.data.Imputed.Covariance); err != nil {
		return err
	}
	value, err := t.raiseNoise(ctx, p)
	if err != nil {
		return err
	}
	s.Params, s.Bound, s.Optimiser = p, value, nil
	s.Best, s.BestBound = p.Clone(), value
	s.Learned = true
	t.enter()
	return nil
}

// raiseNoise makes the white noise of p as large as it must be for the bound to be evaluated, which it returns: at more points than some, or with another covariance,
// it may need more, or no digit is left of what is uncertain, which is divided by it.
func (t *Trainer) raiseNoise(ctx context.Context, p *bound.Params) (float64, error) {
	for raised := 0; ; raised++ {
		value, err := t.evaluator.Bound(ctx, p)
		var bad *field.FactorizationError
		if !errors.As(err, &bad) {
			return value, err
		}
		if raised == maxRaised {
			return value, &startError{err}
		}
		more := (raisedBy - 1) / p.Noise.Beta
		p.Noise.Beta /= raisedBy
		cov := p.Noise.Covariance.Clone()
		for i := range cov.Rows {
			cov.Row(i)[i] += more
		}
		p.Noise.Covariance = cov
	}
}

// raisedBy is the factor of the noise's variance each time, and maxRaised how often it is taken at most.
const raisedBy, maxRaised = 4, 12

// begin sets the state to that at the start of training.
func (t *Trainer) begin() error {
	if count := t.config.Training.CoarsePoints; count > 0 && count < t.data.Grid.Len() && (t.params.Noise.Structured() || len(t.data.Grid) > 1 && !t.evaluator.Holes()) {
		t.state = trainerState{Stage: stageCoarse, BestBound: math.NaN()}
		return nil
	}
	return t.beginAt(t.config.Training)
}

// beginAt sets the state to the start of training with the given options from the trainer's parameters.
func (t *Trainer) beginAt(o Training) error {
	if err := t.precondition(t.params); err != nil {
		return err
	}
	t.config.Training = o
	t.state = trainerState{Stage: stageWarmup, Hold: o.Warmup, Limit: o.Iterations, Origin: t.params.Clone(), Params: t.params.Clone(), Bound: math.Inf(-1), BestBound: math.NaN()}
	t.enter()
	return nil
}

// precondition makes the optimiser see the paths of a dynamical prior in terms of their kernel at p.
func (t *Trainer) precondition(p *bound.Params) (err error) {
	if p.X.Paths != nil {
		t.coordinates.Preconditioner, err = dynamics.NewPreconditioner(p.X.Paths.Prior)
	}
	return err
}

// enter begins the record of a stage.
func (t *Trainer) enter() {
	s := &t.state
	s.Phase = field.PhaseReport{Name: "warm-up"}
	switch s.Stage {
	case stageTraining:
		s.Phase.Name = "alternating"
		if t.config.Training.Joint {
			s.Phase.Name = "joint"
		}
	case stageResidual:
		s.Phase.Name = fmt.Sprintf("residual %d", s.Round+1)
	}
}

// record ends the record.
func (t *Trainer) record(status string) {
	s := &t.state
	r := &s.Result
	s.Phase.Status = status
	r.Iterations += s.Phase.Steps
	r.Evaluations += s.Phase.Evaluations
	r.Status, r.Converged = status, terminates(status)
	r.Phases = append(r.Phases, s.Phase)
	s.Phase = field.PhaseReport{}
}
