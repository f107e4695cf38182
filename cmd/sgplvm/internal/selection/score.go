package selection

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// A Watcher shows what a selection is doing.
type Watcher interface {
	// Timing shows that something is being done, until stop is called.
	Timing(text string) (stop func())

	// Training shows steps of training with a text before them, until stop is called.
	Training(text string) (step func(sgplvm.Progress) bool, stop func())

	// Counting shows how many of total pictures are done, until stop is called.
	Counting(verb string, total int) (count func(done int), stop func())
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

// timeErrors is by how many standard errors a later candidate of [Best] must be better.
const timeErrors = 2

// Best returns the candidate whose examples score the least, a later one only where it is better by
// more than chance makes it. Candidates with an error or a score that is not finite are passed over;
// where all are, the last such error is returned.
func Best(ctx context.Context, candidates []sgplvm.Config, score func(cfg sgplvm.Config) ([]float64, error)) (best sgplvm.Config, failure error) {
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
