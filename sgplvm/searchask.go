package sgplvm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
)

// A judge scores candidates by examples that they have not seen.
type judge interface {
	// judge returns how well a configuration predicts. Where hopeless says so of the first examples, the others are spared.
	judge(ctx context.Context, cfg Config, hopeless func(verdict) bool) (verdict, error)
}

// A verdict is what a judge says of a configuration, an element for each example that it was judged by.
type verdict struct {
	losses []float64 // mean negative log density, nats a value in the user's units
	errors []float64 // root mean square error, in standard deviations of the data
}

// check refuses what cannot be meant.
func (v verdict) check() error {
	for i, l := range v.losses {
		if !(math.Abs(l) < mostNats) {
			return fmt.Errorf("example %d has the negative log density %v", i, l)
		}
		if !(v.errors[i] < mostNats) {
			return fmt.Errorf("example %d has the error %v", i, v.errors[i])
		}
	}
	return nil
}

// A question is some candidates, of which the first stands where no other is better.
type question struct {
	name       string
	candidates []option
	ladder     bool    // a candidate that is worse than the best ends it: what lies beyond is worse still
	like       int     // the candidate that is passed over where the one before it is far worse than the best; 0: none
	brief      int     // the candidate that is judged after fewer steps first, and no further where it looks hopeless then; 0: none
	structures bool    // of the noise are its candidates
	sure       float64 // standard errors by which another candidate must be better
}

// An option is one of them.
type option struct {
	name  string
	apply func(cfg *Config)
}

// standing is the best configuration so far, and what was said of it; nothing where it was not judged.
type standing struct {
	cfg Config
	verdict
}

func (b standing) judged() bool { return b.losses != nil }

// Standard errors of the mean difference by which another candidate must be better than the best so far, by
// which it must look better for a ladder to go on, and by which it must look worse for its judge to stop: where the best mean
// stands, and where a candidate must be surely better, which after a third of the examples one that is
// worse by half an error becomes once in ten times.
const (
	sureErrors     = 1
	goOnErrors     = 0.3
	stopErrors     = 3.
	stopSureErrors = 0.5
)

// A candidate is judged after a part of its steps, one in briefSteps, first where its question says so. It is hopeless then where it is worse by more
// than briefNats, which further steps hardly bring, and surely.
const (
	briefSteps = 4
	briefNats  = 0.5
)

// fewestJudged is how many examples a candidate is judged by at least before it can look hopeless.
const fewestJudged = 6

// ask judges a question's candidates and returns the best one's standing. Where the search has ended it
// returns what stands.
func (s *search) ask(j judge, best standing, q question) (standing, error) {
	if s.ended() || len(q.candidates) < 2 && best.judged() {
		return best, nil
	}
	stage := SelectionStage{Name: q.name}
	var all []verdict
	first, chosen := best, -1
	tried := map[string]bool{}
	for i, o := range q.candidates {
		if s.ended() {
			break
		}
		trial := standing{cfg: first.cfg}
		o.apply(&trial.cfg)
		if tried[text(trial.cfg)] {
			continue // what is given leaves no difference
		}
		if s.forbidden(trial.cfg) {
			continue
		}
		tried[text(trial.cfg)] = true
		if i > 0 && i == q.like && len(all) > 0 && far(all[len(all)-1], best.verdict, stopErrors) {
			continue
		}
		if i == 0 && best.judged() && same(trial.cfg, best.cfg) {
			trial = best
		} else {
			var err error
			var steps int
			if trial.verdict, steps, err = s.judgedFrom(j, q, i, trial.cfg, best.verdict); err != nil {
				if s.ctx.Err() != nil {
					break
				}
				if unread := (*ReadError)(nil); errors.As(err, &unread) {
					return best, err
				}
				stage.Candidates = append(stage.Candidates, Candidate{Name: o.name, Failure: err.Error()})
				all = append(all, verdict{})
				continue
			}
			if steps > 0 {
				o.name += fmt.Sprintf(", after %d steps", steps)
			}
		}
		stage.Candidates = append(stage.Candidates, Candidate{Name: o.name, Score: mean(trial.losses), RMSE: mean(trial.errors)})
		all = append(all, trial.verdict)
		s.watch.Tell(fmt.Sprintf("%s, %s: %.4g nats a value, error %.3g", q.name, o.name, mean(trial.losses), mean(trial.errors)))
		if chosen < 0 || better(trial.verdict, best.verdict, q.sure) {
			best, chosen = trial, len(all)-1
		} else if q.ladder && !better(trial.verdict, best.verdict, goOnErrors) {
			break
		}
	}
	s.record(stage, all, chosen)
	if !best.judged() && !s.ended() { // whether best can be trained at all its training says
		s.selection.Ended = fmt.Sprintf("no candidate for %s could be judged", q.name)
	}
	return best, s.outer.Err()
}

// forbidden reports whether a candidate contradicts what is given.
func (s *search) forbidden(cfg Config) bool {
	d := s.data
	var err error
	if d.Grid, err = seenAs(d.Grid, cfg.Factors); err == nil {
		err = cfg.contradiction(d)
	}
	return err != nil
}

// mostNats bounds what can be meant, so that squares of it are finite.
const mostNats = 1e100

// judgedFrom is judged, where the question says so after fewer steps first: steps are those with which it was hopeless, 0 where it has had all.
func (s *search) judgedFrom(j judge, q question, i int, cfg Config, best verdict) (v verdict, steps int, err error) {
	if steps = cfg.Training.Iterations / briefSteps; i > 0 && i == q.brief && best.losses != nil && steps >= s.plan.steps {
		short := cfg
		short.Training.Iterations = steps
		if short.Training.Warmup > 0 {
			short.Training.Warmup = shortWarmup(steps)
		}
		if v, err = s.judged(j, q, i, short, best); err == nil && far(v, best, stopErrors) {
			if m, _ := difference(v, best); m > briefNats {
				return v, steps, nil
			}
		}
	}
	v, err = s.judged(j, q, i, cfg, best)
	return v, 0, err
}

// judged has a candidate judged beside the best so far, and shows that.
func (s *search) judged(j judge, q question, i int, cfg Config, best verdict) (verdict, error) {
	stop := s.watch.Timing(fmt.Sprintf("model selection: %s, %s (%d of %d)", q.name, q.candidates[i].name, i+1, len(q.candidates)))
	defer stop()
	worse := stopErrors
	if q.sure > 0 {
		worse = stopSureErrors
	}
	v, err := j.judge(s.ctx, cfg, func(v verdict) bool { return far(v, best, worse) })
	return v, cmp.Or(err, v.check())
}

// judgement is what became of a candidate or a part of its judging: a value, or why there is none.
type judgement[T any] struct {
	Value   T
	Failure string
}

// judgedOnce is once of work whose failures belong to a candidate, unless ctx has ended or the data could not be read.
func judgedOnce[T any](ctx context.Context, j *journal, key string, work func() (T, error)) (T, error) {
	found, err := once(j, key, func() (found judgement[T], err error) {
		if found.Value, err = work(); err == nil {
			return found, nil
		}
		if unread := (*ReadError)(nil); j == nil || ctx.Err() != nil || errors.As(err, &unread) {
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

// far reports whether a verdict is worse than the best by so many standard errors, by enough examples to say so.
func far(v, best verdict, errors float64) bool {
	m, e := difference(v, best)
	return best.losses != nil && len(v.losses) >= fewestJudged && m > errors*e
}

// record keeps how a question was answered.
func (s *search) record(stage SelectionStage, all []verdict, chosen int) {
	if chosen < 0 {
		if len(stage.Candidates) > 0 {
			s.selection.Stages = append(s.selection.Stages, stage)
		}
		return
	}
	for i := range stage.Candidates {
		c := &stage.Candidates[i]
		c.Chosen = i == chosen
		if n := len(all[i].losses); n > 0 {
			c.Difference, c.Error = difference(all[i], all[chosen])
			if n < len(all[chosen].losses) {
				c.Examples = n
			}
		}
	}
	s.selection.Stages = append(s.selection.Stages, stage)
}

func mean(v []float64) (m float64) {
	for _, x := range v {
		m += x / float64(len(v))
	}
	return m
}

// difference returns how much worse a verdict is than another on the examples that both are about: the mean over them of the
// difference of losses and of errors relative to the mean error of both, which for small differences is that of the logarithms;
// and its standard error. So a candidate counts twice, by its own variances and by one variance that its errors would have
// (−log N of errors of variance σ² is log σ and a constant).
func difference(v, w verdict) (m, e float64) {
	n := min(len(v.losses), len(w.losses))
	if n == 0 {
		return 0, 0
	}
	weight := mean(v.errors[:n])/2 + mean(w.errors[:n])/2
	if weight > 0 {
		weight = 1 / weight
	}
	d := make([]float64, n)
	for k := range d {
		d[k] = v.losses[k] - w.losses[k] + weight*(v.errors[k]-w.errors[k])
	}
	m = mean(d)
	if n < 2 {
		return m, 0
	}
	var square float64
	for _, x := range d {
		square += (x - m) * (x - m)
	}
	return m, math.Sqrt(square / float64(n*(n-1)))
}

// better reports whether a verdict is better than another by more than some standard errors of the mean difference.
func better(v, w verdict, errors float64) bool {
	m, e := difference(v, w)
	return len(v.losses) > 1 && -m > errors*e
}
