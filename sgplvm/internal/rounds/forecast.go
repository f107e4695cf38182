package rounds

import (
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
)

// foresee tells the clock how long the work after the search will take. It scales the time of the first round, and counts the second completion without times
// and the search for whole examples if there will be any.
func (c *completer) foresee(s training.Settings, spent time.Duration) {
	clock := c.d.Clock
	if clock == nil {
		return
	}
	longer := time.Duration(selection.Plans[s.Effort].Steps / selection.Plans[field.EffortQuick].Steps)
	clock.After = time.Duration(1+c.roundsAfter(s, selection.Plans[s.Effort])) * (longer*c.took.trained + c.took.imputed)
	clock.Searches = 1
	if len(c.d.Absent) > 0 {
		clock.Searches++
		clock.After += c.wholeTime(s, false)
	}
	if clock.Twice && c.doing == "" {
		clock.Searches++
		clock.After = 2*clock.After + spent
	}
}

// wholeTime returns how long it takes to fill in the examples that are not learned from, the simplest methods to fill in what is missing and, beside the model, examples that
// are missing as a whole, and with searched how long the search and the trainings for these take, each as long as one of a fold.
func (c *completer) wholeTime(s training.Settings, searched bool) time.Duration {
	others := c.took.imputed * time.Duration(len(c.unlearned())) / time.Duration(max(1, len(c.Incomplete())))
	if len(c.d.Absent) == 0 {
		return c.simple + others
	}
	folds, trainings := 1+selection.Plans[s.Effort].Folds, 0
	if searched {
		trainings = folds*c.d.Search(s).TimeCandidates() + 2
	}
	return others + time.Duration(1+folds)*c.simple + time.Duration(trainings)*c.took.trained/time.Duration(c.folds())
}
