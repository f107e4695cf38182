package selection

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// A validator scores candidates on examples that they have not seen.
type validator interface {
	// validate returns the scores of a configuration. If hopeless says so of the first examples, it stops there.
	validate(ctx context.Context, cfg training.Settings, hopeless func(validation.Scores) bool) (validation.Scores, error)
}

// A searchStage is a list of candidates. The first wins if no other is better.
type searchStage struct {
	name       string
	candidates []option
	ordered    bool    // a candidate that is worse than the best ends it: what lies beyond is worse still
	like       int     // the candidate that is passed over where the one before it is far worse than the best; 0: none
	brief      int     // the candidate that is validated after fewer steps first, and no further where it looks hopeless then; 0: none
	structures bool    // of the noise are its candidates
	sure       float64 // standard errors by which another candidate must be better
}

// An option is a candidate: a name and a change of the configuration.
type option struct {
	name  string
	apply func(cfg *training.Settings)
}

// An incumbent is the best configuration so far, with its scores if it was validated.
type incumbent struct {
	settings training.Settings
	validation.Scores
}

func (b incumbent) scored() bool { return b.Losses != nil }

// A stage may have a candidate validated after one in briefSteps of its steps first. If it is then worse by more than briefNats, and surely, the other steps would not
// make up for it.
const (
	briefSteps = 4
	briefNats  = 0.5
)

// try validates the candidates of a stage and returns the incumbent after it. After the end of the search it returns the incumbent before it. With tasks for
// several processes it fails until all are done, of candidates that others may make needless too.
func (s *Search) try(j validator, best incumbent, q searchStage) (incumbent, error) {
	if s.ended() || len(q.candidates) < 2 && best.scored() {
		return best, nil
	}
	stage := field.SelectionStage{Name: q.name}
	var all []validation.Scores
	first, chosen := best, -1
	tried := map[string]bool{}
	name, end := s.run.Journal.Stage()
	for i, o := range q.candidates {
		if s.ended() {
			break
		}
		trial := incumbent{settings: first.settings}
		o.apply(&trial.settings)
		if tried[trial.settings.String()] {
			continue // what is given leaves no difference
		}
		if s.forbidden(trial.settings) {
			continue
		}
		tried[trial.settings.String()] = true
		if i > 0 && i == q.like && len(all) > 0 && validation.Worse(all[len(all)-1], best.Scores, validation.StopErrors) {
			continue
		}
		if i == 0 && best.scored() && trial.settings.String() == best.settings.String() {
			trial = best
		} else {
			var err error
			var steps int
			name(q.name + ", " + o.name)
			if trial.Scores, steps, err = s.validatedFrom(j, q, i, trial.settings, best.Scores); err != nil {
				if s.ctx.Err() != nil {
					break
				}
				if errors.Is(err, field.ErrTask) {
					continue
				}
				if unread, unkept := (*field.ReadError)(nil), (*field.FileError)(nil); errors.As(err, &unread) || errors.As(err, &unkept) {
					return best, err
				}
				stage.Candidates = append(stage.Candidates, field.Candidate{Name: o.name, Failure: err.Error()})
				all = append(all, validation.Scores{})
				continue
			}
			if steps > 0 {
				o.name += fmt.Sprintf(", after %d steps", steps)
			}
		}
		stage.Candidates = append(stage.Candidates, field.Candidate{Name: o.name, Score: validation.Mean(trial.Losses), RMSE: validation.Mean(trial.Errors)})
		all = append(all, trial.Scores)
		s.run.Tell(fmt.Sprintf("%s, %s: %.4g nats a value, error %.3g", q.name, o.name, validation.Mean(trial.Losses), validation.Mean(trial.Errors)))
		if chosen < 0 || validation.Better(trial.Scores, best.Scores, q.sure) {
			best, chosen = trial, len(all)-1
		} else if q.ordered && !validation.Better(trial.Scores, best.Scores, validation.GoOnErrors) {
			break
		}
	}
	if err := end(); err != nil {
		return best, err
	}
	Record(&s.Selection, stage, all, chosen)
	if !best.scored() && !s.ended() { // whether best can be trained at all its training says
		s.Ended = fmt.Sprintf("no candidate for %s could be validated", q.name)
	}
	return best, s.outer.Err()
}

// validatedFrom validates candidate i of a stage, after fewer steps first if the stage says so. steps is after how many it was given up, 0 if it was not.
func (s *Search) validatedFrom(j validator, q searchStage, i int, cfg training.Settings, best validation.Scores) (v validation.Scores, steps int, err error) {
	if steps = cfg.Training.Iterations / briefSteps; i > 0 && i == q.brief && best.Losses != nil && steps >= s.plan.Steps {
		short := cfg
		short.Training.Iterations = steps
		if short.Training.Warmup > 0 {
			short.Training.Warmup = training.ShortWarmup(steps)
		}
		if v, err = s.validated(j, q, i, short, best); err == nil && validation.Worse(v, best, validation.StopErrors) {
			if m, _ := validation.Difference(v, best); m > briefNats {
				return v, steps, nil
			}
		}
	}
	v, err = s.validated(j, q, i, cfg, best)
	return v, 0, err
}

// validated validates candidate i of a stage against the best scores so far, and shows its progress.
func (s *Search) validated(j validator, q searchStage, i int, cfg training.Settings, best validation.Scores) (validation.Scores, error) {
	stop := s.run.Timing(fmt.Sprintf("model selection: %s, %s (%d of %d)", q.name, q.candidates[i].name, i+1, len(q.candidates)))
	defer stop()
	worse := validation.StopErrors
	if q.sure > 0 {
		worse = validation.StopSureErrors
	}
	v, err := j.validate(s.ctx, cfg, func(v validation.Scores) bool { return validation.Worse(v, best, worse) })
	return v, cmp.Or(err, v.Check())
}

// An outcome is that of a piece of validation: a value, or why there is none.
type outcome[T any] struct {
	Value   T
	Failure string
}

// validatedOnce is journal.Once for work that may fail because of its candidate. Such a failure is kept as an outcome; the end of ctx and errors of reading are not.
func validatedOnce[T any](ctx context.Context, j *journal.Journal, key string, work func() (T, error)) (T, error) {
	found, err := journal.Once(j, key, func() (found outcome[T], err error) {
		if found.Value, err = work(); err == nil {
			return found, nil
		}
		if unread := (*field.ReadError)(nil); j == nil || ctx.Err() != nil || errors.As(err, &unread) {
			return found, err
		}
		found.Failure = err.Error()
		return found, nil
	})
	if err == nil && found.Failure != "" {
		err = errors.New(found.Failure)
	}
	return found.Value, err
}

// Record keeps the outcome of a stage in a report, of whose candidates all are the scores.
func Record(r *field.Selection, stage field.SelectionStage, all []validation.Scores, chosen int) {
	if chosen < 0 {
		if len(stage.Candidates) > 0 {
			r.Stages = append(r.Stages, stage)
		}
		return
	}
	for i := range stage.Candidates {
		c := &stage.Candidates[i]
		c.Chosen = i == chosen
		if n := len(all[i].Losses); n > 0 {
			c.Difference, c.Error = validation.Difference(all[i], all[chosen])
			if n < len(all[chosen].Losses) {
				c.Examples = n
			}
		}
	}
	r.Stages = append(r.Stages, stage)
}
