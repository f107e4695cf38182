package training

import (
	"errors"
	"fmt"

	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
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

// The schedule, as measured (docs/measurements.md).
const (
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

// outOfTime is the status of a phase that the limit of the run ended.
const outOfTime = "out of time"

// A phase is a run of the optimiser.
type phase struct {
	name      string
	free      bound.Group
	steps     int // at most, those of Optimiser included
	tolerance float64
	pairs     **lbfgs.State // what it starts from and leaves; nil: nothing
}
