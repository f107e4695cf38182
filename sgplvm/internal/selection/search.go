// Package selection chooses settings of a model by held-out values. It goes stage by stage: the first candidate of a stage is replaced by another that predicts
// hidden values better, by more than chance. The candidates and the hidden values depend on the effort, the shape of the data and the seed alone, and so does the choice.
package selection

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Data are what a search chooses for, or what a fold learns from.
type Data struct {
	training.Data
	Hide [][]bool // masks of what will be missing; nil: the usual patterns

	Holes   *completion.Mask // of values that were filled in; nil: all were observed
	Guessed *completion.Mask // of values that were filled in, by which nothing is validated; nil: there are none
	Absent  []field.Instant  // of examples of which nothing was observed, which are none of these
}

// Trainers train candidates.
type Trainers interface {
	// New returns a trainer that starts from p, which it takes over, or where settings and data say (nil).
	New(d Data, c training.Settings, p *bound.Params) (Trainer, error)
}

// A Trainer trains one candidate on some data.
type Trainer interface {
	Fit(ctx context.Context) (field.Report, error)
	Params() *bound.Params                  // to which training has come
	Posterior() (*predict.Posterior, error) // of them

	// Evaluate evaluates bound and gradient once, with the parameters of some groups moved by a little.
	Evaluate(ctx context.Context, by float64, moved, free bound.Group) error

	// EvaluateDense evaluates the bound once with a covariance of the noise of which no symmetry is known.
	EvaluateDense(ctx context.Context) error
}

// A Run watches and ends a search. The zero Run does nothing of that.
type Run struct {
	Journal  *journal.Journal // nil: none is kept
	End      <-chan struct{}  // ends the search when it is closed
	Limit    time.Duration    // of the whole run; 0: none
	Left     func() time.Duration
	Watch    field.Watcher         // nil: nobody watches
	Forecast func(d time.Duration) // is told how long the search and the training after it take
	After    func() time.Duration  // returns how long what comes after that takes; nil: nothing does
}

// Tell shows a line that stays.
func (r Run) Tell(line string) {
	if r.Watch != nil {
		r.Watch.Tell(line)
	}
}

// Timing shows that something is being done, until stop is called.
func (r Run) Timing(text string) (stop func()) {
	if r.Watch == nil {
		return func() {}
	}
	return r.Watch.Timing(text)
}

// Training shows steps of training, until stop is called.
func (r Run) Training(text string) (step func(field.Progress) bool, stop func()) {
	if r.Watch == nil {
		return nil, func() {}
	}
	return r.Watch.Training(text)
}

// maxJoint is the largest number of points for which a covariance of all of them is learned.
const maxJoint = 5000

// manyExamples is the number of examples from which on fewer latent dimensions are enough, and the noise falls far in training.
const manyExamples = 200

// manySteps is the largest number of steps of a training.
const manySteps = 400

// A Plan is the amount of work of a search at an effort.
type Plan struct {
	Steps      int // of a candidate's training
	HeldOut    int // examples, over all folds
	Learned    int // examples that a fold learns from at most
	Folds      int
	Patterns   int // of what is missing, for each of them
	Stages     int // how many are tried at most, after those that must be
	Candidates int // candidates of a stage, beside the first
	Rounds     int // through the numbers of a blend

	Completions int // rounds of filling in holes after the choice, at most, in which held-out values stay hidden
	Rows        int // of a table that a completion learns from at most
}

// Plans are those of the efforts.
var Plans = map[field.Effort]Plan{
	field.EffortQuick:    {Steps: 30, HeldOut: 12, Learned: 200, Folds: 1, Patterns: 1, Rows: 500},
	field.EffortNormal:   {Steps: 60, HeldOut: 40, Learned: math.MaxInt, Folds: 3, Patterns: 2, Stages: 9, Candidates: 5, Rounds: 1, Completions: 4, Rows: 1000},
	field.EffortThorough: {Steps: 120, HeldOut: 100, Learned: math.MaxInt, Folds: 5, Patterns: 4, Stages: 99, Candidates: 9, Rounds: 2, Completions: 8, Rows: 2000},
}

// A Search goes from stage to stage.
type Search struct {
	field.Selection                 // how it went
	ctx, outer      context.Context // until the search ends, and until all does
	cancel          context.CancelCauseFunc
	deadline        time.Time   // zero: none
	timer           *time.Timer // of the deadline
	run             Run
	data            Data
	trainers        Trainers
	given           training.Settings
	plan            Plan
}

// New returns a search for what given settings leave open.
func New(d Data, given training.Settings, t Trainers, r Run) *Search {
	ctx := context.Background()
	return &Search{Selection: field.Selection{Effort: given.Effort}, ctx: ctx, outer: ctx, data: d, given: given, trainers: t, run: r, plan: Plans[given.Effort]}
}

// limit starts the clock of a search, of whose time an earlier run has spent some.
func (s *Search) limit(spent time.Duration) {
	if s.run.Limit > 0 {
		left := s.run.Left() - spent
		s.deadline = time.Now().Add(left)
		s.timer = time.AfterFunc(left, func() { s.cancel(context.DeadlineExceeded) })
	}
}

// end ends the search.
func (s *Search) end() {
	s.cancel(nil)
	if s.timer != nil {
		s.timer.Stop()
	}
}

// quick reports whether the search is a quick one of complete examples. All candidates with a learned covariance then start from the same small noise, so that
// they share a training, and smooth fields get the settings that later stages would choose.
func (s *Search) quick() bool { return s.given.Effort == field.EffortQuick && s.data.Holes == nil }

// jointPossible reports whether a covariance of all points can be learned.
func (s *Search) jointPossible() bool {
	_, points, _ := s.data.Source.Dims()
	return points > 1 && points <= maxJoint && s.given.Factors != field.FactorsProduct && !s.freeSpace() &&
		s.given.Residual.Kernel.Kind != kernel.White && s.given.Residual.Rounds >= 0
}

// forbidden reports whether a candidate contradicts what is given.
func (s *Search) forbidden(c training.Settings) bool {
	factors := len(s.data.Grid)
	if c.Factors == field.FactorsJoint {
		factors = min(1, factors)
	}
	return c.Contradiction(s.data.Times != nil, s.data.Film, factors) != nil
}

// freeSpace reports whether inducing points in space are given; the noise is white then.
func (s *Search) freeSpace() bool {
	return slices.ContainsFunc(s.given.Spatial, func(c training.Spatial) bool { return c.Inducing.Rows > 0 })
}

// ended reports whether the search is over, and keeps why.
func (s *Search) ended() bool {
	if s.run.Journal.Replaying() {
		return false
	}
	s.run.Journal.StartLive()
	select {
	case <-s.run.End: // at once, so that no further candidate begins
		s.end()
	default:
	}
	if !s.deadline.IsZero() && !time.Now().Before(s.deadline) { // which the timer may not know yet
		s.cancel(context.DeadlineExceeded)
	}
	if s.ctx.Err() == nil {
		return false
	}
	if s.Ended == "" && s.outer.Err() == nil {
		s.Ended = "the search was stopped"
		if errors.Is(context.Cause(s.ctx), context.DeadlineExceeded) {
			s.Ended = fmt.Sprintf("the run had %v", s.run.Limit)
		}
	}
	return true
}

var matern32 = kernel.Kernel{Kind: kernel.Matern32}
