package sgplvm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Model selection. What a Config leaves open is chosen stage by stage. The first candidate of a stage is
// replaced by another that predicts hidden values better, by more than chance. The candidates and the hidden
// values depend on the effort, the shape of the data and the seed alone, and so does the choice.

// Select returns cfg with what it leaves open chosen by what d say, and how that went. The model that
// NewTrainer trains with it is the one that Fit returns. Limit and End end the search, not a candidate.
// Candidates that cannot be trained are passed over, all of them if need be. Errors: *ConfigError, also of data with
// missing values, for which Complete chooses, *ReadError, ctx.Err().
func Select(ctx context.Context, d Data, cfg Config) (Config, *Selection, error) {
	return Run{}.Select(ctx, d, cfg)
}

// Select is the function Select, watched, ended and kept as r says.
func (r Run) Select(ctx context.Context, d Data, cfg Config) (Config, *Selection, error) {
	if holes, err := d.incomplete(); err != nil {
		return cfg, nil, err
	} else if holes {
		return cfg, nil, &ConfigError{Field: "Data", Err: errors.New("missing values or known errors, expected complete examples: Complete chooses for others")}
	}
	cfg, s, err := choose(ctx, trainingSet{Data: d, run: r}, cfg)
	if s == nil || err != nil {
		return cfg, nil, err
	}
	return cfg, &s.selection, nil
}

// choose is Select, and returns the search.
func choose(ctx context.Context, d trainingSet, cfg Config) (Config, *search, error) {
	d, err := d.checked()
	if err != nil {
		return cfg, nil, err
	}
	if _, err := data.Check(d.Source); err != nil {
		return cfg, nil, err
	}
	if cfg, err = cfg.checkedOpen(d); err != nil {
		return cfg, nil, err
	}
	s := &search{run: d.run, film: d.film, given: cfg, plan: plans[cfg.Effort], begin: time.Now(), outer: ctx}
	d.film = nil // what is left out is compared as it was learned
	d.Hide = completion.Hiding(d.Hide)
	s.data = d.quiet()
	found, err := s.found(ctx)
	if err != nil {
		return cfg, nil, err
	}
	s.selection, s.searched = found.Selection, found.Searched
	return *found.config, s, nil
}

// A choice is the outcome of a search.
type choice struct {
	config    *Config // nil where an earlier run has made it
	Text      []byte  // the same as JSON
	Selection Selection
	Searched  time.Duration
}

// found searches, or returns the outcome of an earlier run.
func (s *search) found(ctx context.Context) (choice, error) {
	j := s.run.journal
	if !s.given.hasText() {
		j = nil // what was found is found again from the parts of the search
	}
	c, err := journal.Within(j, "a search", func() (choice, error) { return s.choose(ctx) })
	if err != nil || c.config != nil {
		return c, err
	}
	chosen, err := ReadConfig(bytes.NewReader(c.Text))
	if err != nil {
		return c, &FileError{Err: fmt.Errorf("checkpoint: %w", err)}
	}
	chosen.Attributes = s.given.Attributes
	c.config = &chosen
	return c, nil
}

// choose searches.
func (s *search) choose(ctx context.Context) (c choice, err error) {
	j := s.run.journal
	s.selection.Effort = s.given.Effort
	s.ctx, s.cancel = s.run.searchContext(ctx)
	defer s.end()
	earlier := j.BeginSearch(s.limit)
	defer j.EndSearch()
	chosen, err := s.all()
	if ctx.Err() != nil {
		return c, ctx.Err()
	}
	if err != nil {
		return c, err
	}
	chosen.Effort = EffortNone
	c = choice{config: &chosen, Selection: s.selection, Searched: earlier + time.Since(s.begin)}
	if j != nil && chosen.hasText() {
		c.Text, err = json.Marshal(chosen.kept())
	}
	return c, err
}

// limit starts the clock of a search, of whose time an earlier run has spent some.
func (s *search) limit(spent time.Duration) {
	left := s.run.Limit
	if s.run.clock != nil {
		left = s.run.clock.search()
	}
	if left -= spent; s.run.Limit > 0 {
		s.deadline = time.Now().Add(left)
		s.timer = time.AfterFunc(left, func() { s.cancel(context.DeadlineExceeded) })
	}
}

// end ends the search.
func (s *search) end() {
	s.cancel(nil)
	if s.timer != nil {
		s.timer.Stop()
	}
}

// checkedOpen checks a configuration with open settings, and returns it with Factors set if its kernels in space imply them.
func (c Config) checkedOpen(d trainingSet) (Config, error) {
	n, points, channels := d.Source.Dims()
	grid := d.Grid
	if c.Spatial != nil && c.Factors == "" && len(grid) > 1 {
		c.Factors = FactorsProduct
		if len(c.Spatial) == 1 {
			c.Factors = FactorsJoint
		}
	}
	if r := &c.Residual; r.Kernel.Kind == "" && (r.Rounds > 0 || r.Local == On || c.Training.CoarsePoints > 0) {
		r.Kernel = matern32 // which these are about
	}
	if k := c.Residual.Kernel.Kind; k != "" && k != kernel.White && c.Factors == "" {
		c.Factors = FactorsJoint // a residual needs it
	}
	grid, err := pointsOf(grid, c.Factors)
	if err != nil {
		return c, err
	}
	if err := completion.CheckPatterns(d.Hide, points*channels); err != nil {
		return c, err
	}
	seen := d
	seen.Grid = grid
	if err := c.contradiction(seen); err != nil {
		return c, err
	}
	return c, c.check(n, grid)
}

// searchContext returns a context that ends with the search.
func (r Run) searchContext(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if r.End != nil {
		go func() {
			select {
			case <-r.End:
				cancel(nil)
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}

// maxJoint is the largest number of points for which a covariance of all of them is learned.
const maxJoint = 5000

// manyExamples is the number of examples from which on fewer latent dimensions are enough, and the noise falls far in training.
const manyExamples = 200

// manySteps is the largest number of steps of a training.
const manySteps = 400

// shortWarmup returns the number of steps with the noise held, for short trainings: more would leave hardly any for the noise and the kernels in space.
func shortWarmup(steps int) int { return max(1, steps/6) }

// A plan is the amount of work of a search at an effort.
type plan struct {
	steps      int // of a candidate's training
	heldOut    int // examples, over all folds
	learned    int // examples that a fold learns from at most
	folds      int
	patterns   int // of what is missing, for each of them
	stages     int // how many are tried at most, after those that must be
	candidates int // candidates of a stage, beside the first
	rounds     int // through the numbers of a blend

	completions int // rounds of filling in holes after the choice
	rows        int // of a table that a completion learns from at most
}

var plans = map[Effort]plan{
	EffortQuick:    {steps: 30, heldOut: 12, learned: 200, folds: 1, patterns: 1, completions: 1, rows: 500},
	EffortNormal:   {steps: 60, heldOut: 40, learned: math.MaxInt, folds: 3, patterns: 2, stages: 9, candidates: 5, rounds: 1, completions: 2, rows: 1000},
	EffortThorough: {steps: 120, heldOut: 100, learned: math.MaxInt, folds: 5, patterns: 4, stages: 99, candidates: 9, rounds: 2, completions: 3, rows: 2000},
}

// A search goes from stage to stage.
type search struct {
	ctx, outer context.Context // until the search ends, and until all does
	cancel     context.CancelCauseFunc
	deadline   time.Time   // zero: none
	timer      *time.Timer // of the deadline
	run        Run
	data       trainingSet
	film       *film.Film // that data are of; nil where they are of none
	given      Config
	plan       plan
	begin      time.Time
	selection  Selection
	searched   time.Duration // how long the search took
}

// quick reports whether the search is a quick one of complete examples. All candidates with a learned covariance then start from the same small noise, so that
// they share a training, and smooth fields get the settings that later stages would choose.
func (s *search) quick() bool { return s.given.Effort == EffortQuick && s.data.holes == nil }

// all makes the search for the data's kind of prediction.
func (s *search) all() (Config, error) {
	if s.given.Start != nil || s.given.Effort == EffortNone {
		return s.given, nil
	}
	if s.data.Times != nil {
		return s.inTime()
	}
	return s.independent()
}

// jointPossible reports whether a covariance of all points can be learned.
func (s *search) jointPossible() bool {
	_, points, _ := s.data.Source.Dims()
	return points > 1 && points <= maxJoint && s.given.Factors != FactorsProduct && !s.freeSpace() &&
		s.given.Residual.Kernel.Kind != kernel.White && s.given.Residual.Rounds >= 0
}

// freeSpace reports whether inducing points in space are given; the noise is white then.
func (s *search) freeSpace() bool {
	return slices.ContainsFunc(s.given.Spatial, func(c SpatialConfig) bool { return c.Inducing.Rows > 0 })
}

// ended reports whether the search is over, and keeps why.
func (s *search) ended() bool {
	if s.run.journal.Replaying() {
		return false
	}
	s.run.journal.StartLive()
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
	if s.selection.Ended == "" && s.outer.Err() == nil {
		s.selection.Ended = "the search was stopped"
		if errors.Is(context.Cause(s.ctx), context.DeadlineExceeded) {
			s.selection.Ended = fmt.Sprintf("the run had %v", s.run.Limit)
		}
	}
	return true
}

var matern32 = kernel.Kernel{Kind: kernel.Matern32}

// same reports whether two configurations are equal.
func same(a, b Config) bool { return text(a) == text(b) }

// text returns a configuration as JSON, or as Go prints it if JSON cannot hold its numbers.
func text(c Config) string {
	b, err := json.Marshal(c.kept())
	if err != nil {
		return fmt.Sprintf("%+v", *c.kept())
	}
	return string(b)
}
