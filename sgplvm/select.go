package sgplvm

import (
	"context"
	"fmt"
	"math"
)

// Model selection. Candidates are trained on a part of the data and scored on the rest, and a candidate
// replaces an earlier one where its scores are better by several standard errors of their mean
// difference. With few scores chance would select otherwise.

// A Watcher shows what model selection is doing.
type Watcher interface {
	// Tell shows a line that stays: what was tried and what it brought.
	Tell(line string)

	// Timing shows that something is being done, until stop is called.
	Timing(text string) (stop func())

	// Training shows steps of training with a text before them, until stop is called.
	Training(text string) (step func(Progress) bool, stop func())

	// Counting shows how many of total examples are done, until stop is called. count may be called by
	// several goroutines at once.
	Counting(verb string, total int) (count func(done int), stop func())
}

// unwatched shows nothing.
type unwatched struct{}

func (unwatched) Tell(string)                                   {}
func (unwatched) Timing(string) func()                          { return func() {} }
func (unwatched) Training(string) (func(Progress) bool, func()) { return nil, func() {} }
func (unwatched) Counting(string, int) (func(int), func())      { return func(int) {}, func() {} }

// watcherOf returns w, or one that shows nothing.
func watcherOf(w Watcher) Watcher {
	if w == nil {
		return unwatched{}
	}
	return w
}

// better reports whether scores are lower than others of the same examples by more than some
// standard errors of the mean difference.
func better(scores, others []float64, errors float64) bool {
	n := float64(len(scores))
	var mean, square float64
	for k, s := range scores {
		mean += (others[k] - s) / n
	}
	for k, s := range scores {
		square += (others[k] - s - mean) * (others[k] - s - mean)
	}
	return n > 1 && mean > errors*math.Sqrt(square/(n*(n-1)))
}

// timeErrors is by how many standard errors a later candidate of bestOf must be better.
const timeErrors = 2

// bestOf returns the candidate whose examples score the least, a later one only where it is better by
// more than chance makes it. Candidates with an error or a score that is not finite are passed over;
// where all are, the last such error is returned.
func bestOf(ctx context.Context, candidates []Config, score func(cfg Config) ([]float64, error)) (best Config, failure error) {
	var least []float64
	for _, cfg := range candidates {
		scores, err := score(cfg)
		for i, v := range scores {
			if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
				err = fmt.Errorf("example %d has the negative log density %v", i, v)
			}
		}
		if ctx.Err() != nil {
			return best, ctx.Err()
		}
		if err != nil {
			failure = err
			continue
		}
		if least == nil || better(scores, least, timeErrors) {
			least, best = scores, cfg
		}
	}
	if least == nil {
		return best, failure
	}
	return best, nil
}

// hiddenDensity returns the mean negative log density (nats a value, in the user's units) of the values
// of truth where seen is NaN, under a prediction; 0 where nothing is hidden. All are n_s·d_y numbers.
func hiddenDensity(truth, seen []float64, p Prediction) float64 {
	var sum, hidden float64
	channels := p.Mean.Cols
	for j, y := range seen {
		if math.IsNaN(y) {
			r, v := truth[j]-p.Mean.At(j/channels, j%channels), p.Variance.At(j/channels, j%channels)
			sum += 0.5 * (math.Log(2*math.Pi*v) + r*r/v)
			hidden++
		}
	}
	return sum / max(1, hidden)
}
