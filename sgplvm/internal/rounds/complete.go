package rounds

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Options say what a completion may do.
type Options struct {
	Fixed           bool // settings are taken as they are, whatever their effort
	Fold, Transform bool // a long series into periods, values into their logarithms
	Values          bool // alone are wanted: no model that fills in nothing is trained
}

// Complete fills in what is missing of data without known errors: stage by stage. Errors: those of Learner.Fit; *field.ConfigError where nothing was observed. With an
// error after training there may be a completion beside it.
func Complete(ctx context.Context, d Set, s training.Settings, o Options, l Learner) (done *Completion, err error) {
	n, points, channels := d.Source.Dims()
	d, series, err := d.Folded(o)
	if err != nil {
		return nil, err
	}
	if d, err = d.transformed(ctx, s, o); err != nil {
		return nil, err
	}
	c, err := newCompleter(d, s.Seed, o.Fixed, l)
	if err == nil {
		c.values = o.Values
		c, err = c.apart(s, series)
	}
	if err != nil {
		return nil, err
	}
	chosen := s
	if len(c.Incomplete()) > 0 {
		if chosen, err = c.learn(ctx, s); err != nil {
			return nil, c.tooLittle(err)
		}
	}
	done, err = c.train(ctx, s, chosen)
	if done.Model == nil && err != nil {
		return nil, err
	}
	kinds, failure := c.finish(ctx, s, done)
	if failure == nil {
		failure = done.natural(d)
	}
	if failure != nil {
		return nil, failure
	}
	if c.contest != nil && !c.contest.Wins("", kinds) && (len(c.none) == 0 || c.whole != nil && !c.whole.Shares[completion.KindWhole].Need("")) {
		done.Report.Warnings = nil // of the training of a model that fills in nothing
	}
	place := func(example int) int { return example }
	if series != nil {
		done.Period = series.Steps
		done.Mean, done.Variance = series.Unfold(c.all.Y, n, points, channels), series.Unfold(c.all.Variance, n, points, channels)
		place = func(example int) int { return series.Place[example] }
	}
	done.restore(d.Outliers, points, func(v field.Outlier) completion.Kind {
		return kinds[(place(v.Example)*points+v.Point)*channels+v.Channel]
	})
	done.Check = completion.CheckOf(done.Kinds, c.check)
	return done, err
}

// MaxLearned is the largest number of examples that a completion learns from; its model fills in the others. Rows of a table tell less, so that fewer do.
func MaxLearned(points int, e field.Effort) int {
	if points > 1 || e == field.EffortNone {
		return selection.Plans[field.EffortThorough].Rows
	}
	return selection.Plans[e].Rows
}

// apart returns a completer of the examples to learn from. With times, those of which nothing was observed teach nothing; of very many examples some are enough.
func (c *completer) apart(s training.Settings, series *completion.Folding) (*completer, error) {
	all, at, film := c.Filled, c.At, c.d.Film
	all.Holes, all.Film, all.Beside, all.Series = &completion.Mask{Size: c.Holes.Size, Missing: slices.Clone(c.Holes.Missing)}, film, c.d.beside, series
	var some, none []int
	for i := range c.Y.Rows {
		if at != nil && !film && !slices.Contains(c.Holes.Of(i), false) {
			none = append(none, i)
		} else {
			some = append(some, i)
		}
	}
	if most := MaxLearned(c.Points.Rows, s.Effort); len(some) > most && !film {
		some = c.sample(some, most)
	}
	if len(some) < c.Y.Rows {
		own := c.d.of(c.given, some)
		for _, i := range none {
			own.Absent = append(own.Absent, at[i])
		}
		var err error
		values := c.values
		if c, err = newCompleter(own, s.Seed, c.fixed, c.learner); err != nil {
			return nil, err
		}
		c.values = values
	}
	c.all, c.rows, c.none = all, some, none
	if series != nil {
		c.d.Run.Tell(series.String())
		if s.Effort == field.EffortQuick {
			c.d.Times, c.d.Sequences = nil, nil // a series says more of time than its periods
		}
	}
	return c, nil
}

// sample returns so many of some examples. Half of them show how values are missing, if as many do.
func (c *completer) sample(some []int, most int) []int {
	rng := rand.New(rand.NewPCG(0, 0x6d616e79))
	rng.Shuffle(len(some), func(i, k int) { some[i], some[k] = some[k], some[i] })
	var holed, whole []int
	for _, i := range some {
		if c.Holes.Any(i) {
			holed = append(holed, i)
		} else {
			whole = append(whole, i)
		}
	}
	take := min(len(holed), max(most/2, most-len(whole)))
	some = append(holed[:take], whole[:most-take]...)
	slices.Sort(some)
	return some
}

// learn chooses settings, completes the data with them, and returns them with nothing left open.
func (c *completer) learn(ctx context.Context, s training.Settings) (training.Settings, error) {
	other, observed := c.withoutTimes(s), slices.Clone(c.Holes.Missing)
	if c.d.Clock != nil {
		c.d.Clock.Twice = other != nil
	}
	chosen, err := c.chosen(ctx, s)
	var still training.Settings
	if err == nil && other != nil && c.contest == nil {
		if c.d.Film {
			still, err = c.completeStill(ctx, other, s)
		} else {
			chosen, err = c.better(ctx, chosen, other, s)
		}
	}
	if err == nil && c.contest == nil && s.Effort != field.EffortNone {
		c.contest, err = c.compete(ctx, s)
	}
	if err != nil {
		return s, err
	}
	c.Holes.Missing = observed
	c.TakeBack()
	if err := c.censor(ctx); err != nil {
		return s, err
	}
	kinds := c.all.Kinds()
	if c.still != nil && c.contest.Wins(withoutMotion, kinds) {
		c.still.Holes.Missing = slices.Clone(observed)
		c.still.TakeBack()
		if err := c.still.again(ctx, still); err != nil {
			return s, err
		}
	}
	if c.contest != nil && !c.contest.Wins("", kinds) {
		return chosen, nil
	}
	return chosen, c.again(ctx, chosen)
}

// train makes the last training.
func (c *completer) train(ctx context.Context, given, chosen training.Settings) (done *Completion, err error) {
	done = &Completion{At: c.all.At}
	if len(c.rows)+len(c.none) < c.all.Y.Rows {
		done.Learnable = slices.DeleteFunc(work.AllBut(c.all.Y.Rows, c.none), func(i int) bool { return !slices.Contains(c.all.Holes.Of(i), false) })
	}
	how := c.how
	if c.values && c.contest != nil && !c.contest.Wins("", c.all.Kinds()) && len(c.none) == 0 {
		return done, nil
	}
	if len(c.none) > 0 {
		how, err = c.trainWhole(ctx, given, chosen, done)
	} else {
		done.Model, done.Report, err = c.learner.Fit(ctx, c.taught(given.Seed), chosen, "")
	}
	if done.Model != nil && how != nil {
		done.Selection, done.Report.Searched = &how.Report, how.Searched
	}
	return done, err
}

// taught returns the data of the last training. A model that fills in nothing is trained on as many examples as probe used.
func (c *completer) taught(seed uint64) Set {
	n := c.Y.Rows
	if !c.hopeless || n <= probeExamples {
		return c.d
	}
	some := rand.New(completion.Random(seed)).Perm(n)[:probeExamples]
	slices.Sort(some)
	return c.d.of(c.d.Source, some)
}

// tooLittle explains an error of training: all examples are the same, or too little was observed. Other errors it returns as they are.
func (c *completer) tooLittle(err error) error {
	if value := (*field.ValueError)(nil); !errors.As(err, &value) {
		return err
	}
	if c.same() {
		return &field.ConfigError{Field: "Data", Err: fmt.Errorf("all %d examples are the same where they were observed, expected examples that differ", c.Y.Rows)}
	}
	size := len(c.Holes.Missing)
	return &field.ConfigError{Field: "Data", Err: fmt.Errorf("%d of %d values were observed, too few to tell how examples differ", size-c.Holes.Count(), size)}
}

// same reports whether examples share observed places and agree at all of them.
func (c *completer) same() (twice bool) {
	first := make([]float64, c.Y.Cols)
	for k := range first {
		first[k] = math.NaN()
	}
	for i := range c.Y.Rows {
		for k, v := range c.Y.Row(i) {
			switch {
			case c.Holes.Of(i)[k]:
			case math.IsNaN(first[k]):
				first[k] = v
			case first[k] != v:
				return false
			default:
				twice = true
			}
		}
	}
	return twice
}
