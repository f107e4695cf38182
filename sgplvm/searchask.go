package sgplvm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// A judge scores candidates by examples that they have not seen.
type judge interface {
	// judge returns the mean negative log density of each example (nats a value, in the user's units) and the
	// root mean square error of all, in standard deviations.
	judge(ctx context.Context, cfg Config) (scores []float64, rmse float64, err error)
}

// A question is some candidates, of which the first stands where no other is better.
type question struct {
	name       string
	candidates []option
	ladder     bool    // a candidate that is worse than the best ends it: what lies beyond is worse still
	sure       float64 // standard errors by which another candidate must be better; 0: sureErrors
}

// An option is one of them.
type option struct {
	name  string
	apply func(cfg *Config)
}

// standing is the best configuration so far.
type standing struct {
	cfg    Config
	scores []float64
	rmse   float64
}

// Standard errors of the mean difference by which another candidate must be better than the best so far, and by
// which it must look better for a ladder to go on.
const (
	sureErrors = 1
	goOnErrors = 0.3
)

// ask judges a question's candidates and returns the best one's standing. Where the search has ended it
// returns what stands.
func (s *search) ask(j judge, best standing, q question) (standing, error) {
	if s.ended() || len(q.candidates) < 2 && best.scores != nil {
		return best, nil
	}
	stage := SelectionStage{Name: q.name}
	var all [][]float64
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
		tried[text(trial.cfg)] = true
		if i == 0 && best.scores != nil && same(trial.cfg, best.cfg) {
			trial = best
		} else {
			var err error
			if trial.scores, trial.rmse, err = s.judged(j, q, i, trial.cfg); err != nil {
				if s.ctx.Err() != nil {
					break
				}
				if unread := (*ReadError)(nil); errors.As(err, &unread) {
					return best, err
				}
				stage.Candidates = append(stage.Candidates, Candidate{Name: o.name, Failure: err.Error()})
				all = append(all, nil)
				continue
			}
		}
		stage.Candidates = append(stage.Candidates, Candidate{Name: o.name, Score: mean(trial.scores), RMSE: trial.rmse})
		all = append(all, trial.scores)
		s.watch.Tell(fmt.Sprintf("%s, %s: %.4g nats a value, error %.3g", q.name, o.name, mean(trial.scores), trial.rmse))
		if chosen < 0 || better(trial.scores, best.scores, cmp.Or(q.sure, sureErrors)) {
			best, chosen = trial, len(all)-1
		} else if q.ladder && !better(trial.scores, best.scores, goOnErrors) {
			break
		}
	}
	s.record(stage, all, chosen)
	if best.scores == nil && !s.ended() { // whether best can be trained at all its training says
		s.selection.Ended = fmt.Sprintf("no candidate for %s could be judged", q.name)
	}
	return best, s.outer.Err()
}

// mostNats bounds what can be meant, so that squares of it are finite.
const mostNats = 1e100

// judged has a candidate judged and shows that.
func (s *search) judged(j judge, q question, i int, cfg Config) ([]float64, float64, error) {
	stop := s.watch.Timing(fmt.Sprintf("model selection: %s, %s (%d of %d)", q.name, q.candidates[i].name, i+1, len(q.candidates)))
	begin := time.Now()
	scores, rmse, err := j.judge(s.ctx, cfg)
	stop()
	if s.forecast == 0 && err == nil {
		s.forecast = time.Duration(float64(time.Since(begin)) * s.likeFirst())
		s.watch.Tell(fmt.Sprintf("search and training will take some %s", max(time.Second, s.forecast.Round(time.Second))))
	}
	for i, v := range scores {
		if err == nil && !(math.Abs(v) < mostNats) {
			err = fmt.Errorf("example %d has the negative log density %v", i, v)
		}
	}
	if err == nil && !(rmse < mostNats) {
		err = fmt.Errorf("the error is %v", rmse)
	}
	return scores, rmse, err
}

// likeFirst returns how many times as long as its first candidate a search takes with the training after it, by
// experience.
func (s *search) likeFirst() float64 {
	if s.data.Times != nil {
		return float64(len(s.timeCandidates()) + 4)
	}
	return s.plan.likeFirst
}

// record keeps how a question was answered.
func (s *search) record(stage SelectionStage, all [][]float64, chosen int) {
	if chosen < 0 {
		if len(stage.Candidates) > 0 {
			s.selection.Stages = append(s.selection.Stages, stage)
		}
		return
	}
	for i := range stage.Candidates {
		c := &stage.Candidates[i]
		c.Chosen = i == chosen
		if all[i] != nil {
			c.Difference, c.Error = difference(all[i], all[chosen])
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

// difference returns the mean of scores − others, and its standard error.
func difference(scores, others []float64) (m, e float64) {
	n := float64(len(scores))
	for k, s := range scores {
		m += (s - others[k]) / n
	}
	var square float64
	for k, s := range scores {
		square += (s - others[k] - m) * (s - others[k] - m)
	}
	if n < 2 {
		return m, 0
	}
	return m, math.Sqrt(square / (n * (n - 1)))
}

// better reports whether scores are lower than others of the same examples by more than some
// standard errors of the mean difference.
func better(scores, others []float64, errors float64) bool {
	m, e := difference(scores, others)
	return len(scores) > 1 && -m > errors*e
}
