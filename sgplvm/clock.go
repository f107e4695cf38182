package sgplvm

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
)

// A clock is the time of a run of Fit or Complete: what was foretold of it, and how its limit is divided among the parts of the work. The
// methods of nil do nothing.
type clock struct {
	begin    time.Time
	limit    time.Duration // 0: none
	watch    Watcher
	told     time.Duration // how long the run will take; 0: nothing yet
	after    time.Duration // what comes after a search and the training that follows
	searches int           // of which the first is under way; 0: it is the only one
	twice    bool          // a completion is tried without times too
	waits    bool          // a training is not the last one
	parts    int           // trainings to come beside those of searches, by what is known
	until    time.Time     // when the training under way ends; zero: it may take what it needs
	cut      int           // trainings that ended early
	asItIs   bool          // some values were not filled in
	late     int           // examples that a simpler method filled in
	counted  bool          // the training under way among them
	rounds   int           // of completion that were left out
	unknown  bool          // the variances of a film are not calibrated
	given    time.Duration // limit of the run that this is a part of; 0: it is none
	without  bool          // views are completed without the model of all of them
	checked  int           // folds in which models of views were not compared
	untried  int           // simplest methods that were not compared
}

// trainShare is how much of the time of what trains and fills in the training has.
const trainShare = 0.5

// part returns the clock of a part of the run, which has a share of the time that is left and tells nothing.
func (c *clock) part(share float64) *clock {
	if c == nil {
		return nil
	}
	p := &clock{begin: time.Now(), given: cmp.Or(c.given, c.limit), watch: unwatched{}, parts: 1}
	if c.limit > 0 {
		p.limit = 1 + time.Duration(share*float64(c.left()))
	}
	return p
}

// ended counts what the limit has ended in a part.
func (c *clock) ended(p *clock) {
	if c == nil {
		return
	}
	c.cut, c.rounds, c.untried, c.late, c.asItIs, c.without = c.cut+p.cut, c.rounds+p.rounds, c.untried+p.untried, c.late+p.late, c.asItIs || p.asItIs, c.without || p.without
}

// warnings say what the limit has ended.
func (c *clock) warnings() (list []string) {
	note := func(some int, what string) {
		if some > 0 {
			list = append(list, fmt.Sprintf("the limit of %v ended %s", cmp.Or(c.given, c.limit), what))
		}
	}
	note(c.cut, quote.Counted(c.cut, "training")+" early")
	note(c.rounds, "the completion "+quote.Counted(c.rounds, "round")+" early")
	if c.asItIs {
		note(1, "filling in early: some values are as a matrix of low rank, or the round before, has them")
	}
	note(c.late, "filling in by the model early: "+quote.Counted(c.late, "example")+" are as simpler methods have them")
	if c.unknown {
		note(1, "the run before variances of the film were calibrated")
	}
	if c.without {
		note(1, "the run before a model of all views was compared")
	}
	note(c.untried, "the comparison with "+quote.Counted(c.untried, "simple method")+" early")
	note(c.checked, "the comparison of models "+quote.Counted(c.checked, "fold")+" early")
	if took := time.Since(c.begin); c.given == 0 && c.limit > 0 && took > c.limit+max(time.Second, c.limit/10) {
		list = append(list, fmt.Sprintf("the limit of %v was too short: with all that can end early left out it took %v", c.limit, took.Round(time.Second)))
	}
	return list
}

// expects is told how many trainings are to come.
func (c *clock) expects(parts int) {
	if c != nil {
		c.parts, c.waits = parts, true
	}
}

// tell tells how long the run will take, given what is still to come, the limit at most; the first time alone.
func (c *clock) tell(left time.Duration, atMost bool) {
	if c != nil && c.told == 0 {
		c.told = time.Since(c.begin) + left
		if c.limit > 0 && c.limit < c.told {
			c.watch.Forecast(c.limit, true)
			return
		}
		c.watch.Forecast(c.told, atMost)
	}
}

// untold reports whether the training under way is what the run consists of, and nothing was told.
func (c *clock) untold() bool { return c != nil && c.told == 0 && !c.waits }

// left returns what is left of the limit; 0 where nothing is.
func (c *clock) left() time.Duration { return max(0, c.limit-time.Since(c.begin)) }

// spent reports whether nothing is left of the limit.
func (c *clock) spent() bool { return c.limit > 0 && c.left() == 0 }

// search returns how long a search may take before the trainings to come.
func (c *clock) search() time.Duration {
	parts := max(1, c.parts)
	weight := max(1, parts/2)
	return c.left() * time.Duration(weight) / time.Duration(weight+parts)
}

// train begins a training, which has a share of the time that is left, and what comes after it the rest.
func (c *clock) train(share float64) { c.takes(share, 1) }

// takes begins what has a share of some parts of the time that is left, and returns when it ends; zero: no limit is.
func (c *clock) takes(share float64, parts int) (until time.Time) {
	if c == nil || c.limit == 0 {
		return until
	}
	c.until = time.Now().Add(time.Duration(share * float64(c.left()) * float64(parts) / float64(max(parts, c.parts))))
	c.parts -= parts
	c.counted = false
	return c.until
}

// ends reports whether the training under way is to end, and counts it then.
func (c *clock) ends() bool {
	if c == nil || c.until.IsZero() || time.Now().Before(c.until) {
		return false
	}
	if !c.counted {
		c.counted = true
		c.cut++
	}
	return true
}

// within returns the methods of a contest, which end where methodsShare of the limit has passed: what they fill in stays open. The first, the mean, goes on, and what
// has a clock of its own: methods that must be surely better.
func (c *clock) within(methods []completion.Filler) []completion.Filler {
	if c == nil || c.limit == 0 {
		return methods
	}
	for i := range methods {
		m := &methods[i]
		if fill := m.Fill; i > 0 && !m.Sure {
			m.Fill = func(ctx context.Context) (mean, variance mat.Matrix, err error) {
				inTime, cancel := c.inTime(ctx, methodsShare)
				defer cancel()
				if mean, variance, err = fill(inTime); inTime.Err() != nil && ctx.Err() == nil {
					c.untried++
				}
				return mean, variance, err
			}
		}
	}
	return methods
}

// inTime returns a context that ends with a share of the limit.
func (c *clock) inTime(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	if c == nil || c.limit == 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, c.begin.Add(time.Duration(share*float64(c.limit))))
}

// text says that a search ended for the limit.
func (c *clock) text() string { return fmt.Sprintf("the run had %v", cmp.Or(c.given, c.limit)) }

// over reports whether more than a share of the limit has passed.
func (c *clock) over(share float64) bool {
	return c != nil && c.limit > 0 && float64(time.Since(c.begin)) > share*float64(c.limit)
}

// How much of the time that is left for a training its steps may take, and those of a film, which is calibrated afterwards; after how much of the limit no
// search, no further round of completion begins, no simple method is compared, nor a film is calibrated any more; and what the first completion may take.
const (
	stepsShare   = 0.85
	filmShare    = 0.5
	searchShare  = 0.5
	roundsShare  = 0.7
	methodsShare = 0.8
	firstShare   = 0.3
	leavingShare = 0.9
)
