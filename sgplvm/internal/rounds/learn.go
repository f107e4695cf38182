package rounds

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// chosen holds out some observed values, chooses settings, and fills in missing and held-out values with them.
func (c *completer) chosen(ctx context.Context, s training.Settings) (training.Settings, error) {
	given, begin, clock, plan := s.Infer.Blends, time.Now(), c.d.Clock, selection.Plans[s.Effort]
	clock.Expects(c.folds()*(2+c.roundsToCome(s)) + 2)
	if c.Holes.HeldOut == nil {
		c.holdOut().Some(plan.HeldOut)
	}
	if err := c.censor(ctx); err != nil {
		return s, err
	}
	if err := c.firstCompletion(ctx); err != nil {
		return s, err
	}
	if open := c.open(s); open && c.Y.Cols == 1 && c.d.Times == nil {
		s = s.Or(selection.Series(c.Y.Rows))
		s.Effort, s.Training.Uncalibrated = field.EffortNone, true
	} else if open {
		chosen, done, err := c.search(ctx, s, begin)
		if err != nil || done {
			return chosen, err
		}
		s = chosen
	}
	if c.took.trained > 0 {
		clock.Tell(clock.After+c.took.trained/time.Duration(c.folds())+c.wholeTime(s, true), true)
	}
	if err := c.round(ctx, s); err != nil {
		return s, err
	}
	clock.Tell(time.Duration(c.roundsToCome(s))*(c.took.trained+c.took.imputed)+c.took.trained/time.Duration(c.folds())+c.wholeTime(s, true), true)
	if err := c.converge(ctx, s, plan); err != nil {
		return s, err
	}
	if c.how != nil && given == nil {
		s.Infer.Blends = c.rescaled(s.Infer.Blends)
	}
	c.score()
	return s, nil
}

// converge makes rounds with the chosen settings as long as held-out values are filled in better, as an EM algorithm converges: none if the noise has a parametric
// covariance, which ignores the errors of imputed values and would shrink with each round.
func (c *completer) converge(ctx context.Context, chosen training.Settings, p selection.Plan) error {
	c.score()
	for range hidden(chosen, p) {
		if c.d.Clock.Over(limit.RoundsShare) {
			c.d.Clock.Rounds++
			break
		}
		before := validation.Mean(c.scores.Errors)
		if err := c.round(ctx, chosen); err != nil {
			return err
		}
		if c.score(); validation.Mean(c.scores.Errors) >= (1-leastGain)*before { // both are 0 where nothing is held out
			break
		}
	}
	return nil
}

// leastGain is by how much a round lowers the error of held-out values for another one to follow: sea temperatures of which 30 % are missing get two more (0.0334
// becomes 0.0325 K), and 13 other sets are filled in as by a fixed number, in the same time (docs/measurements.md, 16.3).
const leastGain = 0.03

// search chooses settings after a round with those from which a quick search starts: candidates are scored by examples that are not of few components. It
// reports whether values are filled in already: no search is worth its time, or there is none left.
func (c *completer) search(ctx context.Context, s training.Settings, begin time.Time) (chosen training.Settings, done bool, err error) {
	first, err := c.first(s)
	if err != nil {
		return s, false, err
	}
	if lost, err := c.probe(ctx, first, s); err != nil || lost {
		return first, true, err
	}
	if err := c.round(ctx, first); err != nil {
		return s, false, err
	}
	clock := c.d.Clock
	if clock.Over(limit.SearchShare) {
		c.how = &Choice{Report: field.Selection{Effort: s.Effort, Ended: clock.Text()}}
		c.score()
		return first, true, nil
	}
	clock.Expects(c.folds()*(1+c.roundsToCome(s)) + 1)
	c.foresee(s, time.Since(begin))
	if c.how, err = c.d.Choose(ctx, s); err != nil {
		return s, false, err
	}
	return c.how.Settings, false, nil
}

// first returns the settings of the first round, from which a quick search starts.
func (c *completer) first(s training.Settings) (training.Settings, error) {
	s.Effort = field.EffortQuick
	s, err := c.d.Opened(s)
	if err != nil {
		return s, err
	}
	s = c.d.Search(s).First()
	s.Effort = field.EffortNone
	return s, nil
}

// searchGain is how many times smaller the errors of fields become by a search and rounds, at most: 2.4 times for sea temperatures of which 30 % are missing here and there.
const searchGain = 3

// MinProbed is the least number of held-out examples for which probe compares anything. Tests raise it.
var MinProbed = validation.MinValidated

// probe trains a first model and reports whether the simplest methods fill in the held-out values so much better that no search is worth its time.
func (c *completer) probe(ctx context.Context, first, s training.Settings) (lost bool, err error) {
	out := c.Holes.HeldExamples()
	in := work.AllBut(c.Y.Rows, out)
	if c.d.Film || len(out) < MinProbed || len(in) < selection.MinTraining {
		return false, nil
	}
	if len(in) > probeExamples {
		rng := rand.New(completion.Random(s.Seed))
		rng.Shuffle(len(in), func(i, k int) { in[i], in[k] = in[k], in[i] })
		in = in[:probeExamples]
		slices.Sort(in)
	}
	y, variance := work.Gather(c.Y, out), work.Gather(c.Variance, out)
	if _, err := c.fold(ctx, first, in, out, "first look: "); err != nil {
		return false, err
	}
	t, err := c.againstSimple(ctx, s)
	lost = err == nil && t != nil
	if lost && s.Effort == field.EffortQuick { // which tries hardly anything else
		lost = t.Lost(validation.SureErrors)
	} else if lost { // local regression may be far ahead of a first model and behind one that was searched for
		t := t.Without(simple.Local)
		lost = t.Lost(validation.StopErrors) && (c.Points.Rows == 1 || t.Behind() > searchGain)
	}
	if !lost {
		for k, i := range out {
			copy(c.Y.Row(i), y.Row(k))
			copy(c.Variance.Row(i), variance.Row(k))
		}
		return false, err
	}
	c.contest, c.hopeless = t.Without(""), true
	if err := c.againstOthers(ctx, s, c.contest); err != nil {
		return false, err
	}
	if clock := c.d.Clock; len(c.d.Absent) == 0 {
		left := c.simple
		if !c.values {
			left += c.took.trained + c.took.imputed
		}
		clock.Tell(left, true)
	} else if clock != nil { // whose search tells more
		clock.After += c.wholeTime(s, false)
	}
	c.how = &Choice{Report: field.Selection{Effort: s.Effort, Task: "values put aside: the way that others are missing"}}
	return true, nil
}

// holdOut returns what hides observed values of the data. Films have no gaps in time, but whole frames that are missing.
func (c *completer) holdOut() completion.HoldOut {
	h := completion.HoldOut{Mask: c.Holes, Y: c.Y, Points: c.Points, Channels: c.Channels, Rand: c.rng, At: c.At}
	if c.d.Film {
		h.Frames, h.At = c.At, nil
	}
	return h
}

// firstCompletion fills in all missing values by principal components; by the mean of each point where these take more than limit.FirstShare of the limit.
func (c *completer) firstCompletion(ctx context.Context) error {
	defer c.d.Run.Timing("first completion by principal components")()
	inTime, cancel := c.d.Clock.InTime(ctx, limit.FirstShare)
	defer cancel()
	err := c.ByComponents(inTime)
	if err == nil || inTime.Err() == nil || ctx.Err() != nil {
		return err
	}
	c.d.Clock.Untried++
	return c.ByMeans(ctx)
}

// censor replaces values at a limit, of which nothing else is known, by what principal components of the others expect of t, as far as there is time.
func (c *completer) censor(given context.Context) error {
	limits := c.d.transform.limits()
	if limits == nil {
		return nil
	}
	ctx, cancel := c.d.Clock.InTime(given, limit.FirstShare)
	defer cancel()
	err := c.Censor(ctx, limits)
	if ctx.Err() != nil {
		return given.Err()
	}
	return err
}

// rescaled multiplies the variances of all blends by the inflation that the held-out values ask for, since a search on some of the points does not see how rough
// values are between them. Without blends it returns one that does nothing else. The factor is at least 1: the search has fitted variances to the same values,
// which lie nearer to observed values than missing ones do. The variances of the held-out values are multiplied too.
func (c *completer) rescaled(list []field.Blend) []field.Blend {
	var chi float64 // squared errors over variances, their mean over each example added up
	for _, r := range c.Holes.HeldOut {
		var t validation.Tally
		for k, y := range r.Values() {
			t.Add(y-c.Y.Row(r.Example)[k], c.Variance.Row(r.Example)[k], 1)
		}
		_, of, _ := t.Means()
		chi += of
	}
	factor := max(1, (chi+selection.WholeExamples)/float64(len(c.Holes.HeldOut)+selection.WholeExamples))
	if list = slices.Clone(list); list == nil {
		list = []field.Blend{{Parts: 1, Inflation: 1}}
	}
	for i := range list {
		list[i].Inflation *= factor
	}
	for _, r := range c.Holes.HeldOut {
		for k := range r.Values() {
			c.Variance.Row(r.Example)[k] *= factor
		}
	}
	c.check.Factor = factor
	return list
}

// score scores what was filled in for the held-out values.
func (c *completer) score() {
	factor := c.check.Factor
	c.check, c.scores = c.newContest().CheckHeld(c.heldValues()), validation.Scores{}
	c.check.Factor = factor
	_, scale := completion.Moments(c.Y, c.Holes, 1)
	for _, r := range c.Holes.HeldOut {
		var t validation.Tally
		for k, y := range r.Values() {
			t.Add(y-c.Y.Row(r.Example)[k], c.Variance.Row(r.Example)[k], 1)
		}
		loss, _, square := t.Means()
		c.scores.Losses = append(c.scores.Losses, loss)
		c.scores.Errors = append(c.scores.Errors, math.Sqrt(square)/scale[0])
	}
}
