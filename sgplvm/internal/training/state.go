package training

import (
	"errors"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
)

// A stage is a part of training.
type stage int

const (
	stageCoarse   stage = iota // all of it on some of the points
	stageWarmup                // noise and space held
	stageTraining              // the schedule
	stageResidual              // rounds that learn the covariance of the noise
	stageFinish                // calibration, residuals
	stageEnd
)

// trainerState is all that training goes on from, as plain data.
type trainerState struct {
	Stage      stage
	Round      int           // phases of stageTraining before this one
	Hold       int           // steps of the warm-up
	Limit      int           // steps in all
	Params     *bound.Params // at the beginning of the phase
	Origin     *bound.Params // where training starts
	Bound      float64       // of Params; −Inf before it is known
	Optimiser  *lbfgs.State  // of the phase, where it goes on after an interruption
	Latent     *lbfgs.State  // where the phases of a round ended last, for their pairs
	Joint      *lbfgs.State
	Gained     float64       // by the bound since the round began
	NoiseFreed *bound.Params // when the noise was last set free
	Free       int           // steps since then
	Low        int           // the last of them, with a collapsed signal-to-noise ratio
	Learned    bool          // the covariance of the noise, for the round of stageResidual
	Widened    bool          // the white noise has the errors of imputed values
	Refitted   bool          // the kernels in time of single dimensions were found again
	Best       *bound.Params // with the highest bound of all
	BestBound  float64
	Phase      field.PhaseReport // the one that goes on
	Result     field.Report      // of the phases before it
}

// check returns what a state from a file lacks to go on.
func (s *trainerState) check() error {
	running := s.Stage > stageCoarse && s.Stage < stageFinish
	switch {
	case s.Stage < stageCoarse || s.Stage > stageEnd:
		return fmt.Errorf("stage %d of training, expected %d to %d", s.Stage, stageCoarse, stageEnd)
	case running && (s.Params == nil || s.Origin == nil), s.Stage == stageTraining && s.NoiseFreed == nil:
		return errors.New("parameters of its stage are missing")
	}
	return nil
}

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
