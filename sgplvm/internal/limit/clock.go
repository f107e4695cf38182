// Package limit divides the limit of a run among the parts of its work, and foretells how long it takes.
package limit

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// A Clock is the time of a run of Fit or Complete: what was foretold of it, and how its limit is divided among the parts of the work. The
// methods of nil do nothing.
type Clock struct {
	Begin time.Time
	limit time.Duration // 0: none
	Watch interface {
		Forecast(total time.Duration, atMost bool)
	} // is told how long the run takes; nil: nobody is
	Told     time.Duration // how long the run will take; 0: nothing yet
	After    time.Duration // what comes after a search and the training that follows
	Searches int           // of which the first is under way; 0: it is the only one
	Twice    bool          // a completion is tried without times too
	waits    bool          // a training is not the last one
	Parts    int           // trainings to come beside those of searches, by what is known
	until    time.Time     // when the training under way ends; zero: it may take what it needs
	Cut      int           // trainings that ended early
	AsItIs   bool          // some values were not filled in
	Late     int           // examples that a simpler method filled in
	counted  bool          // the training under way among them
	Rounds   int           // of completion that were left out
	Unknown  bool          // the variances of a film are not calibrated
	given    time.Duration // limit of the run that this is a part of; 0: it is none
	Without  bool          // views are completed without the model of all of them
	Checked  int           // folds in which models of views were not compared
	Untried  int           // simplest methods that were not compared
}

// New returns the clock of a run that begins now and may take so long (0: as long as it takes).
func New(limit time.Duration) *Clock { return &Clock{Begin: time.Now(), limit: limit, Parts: 1} }

// TrainShare is how much of the time of what trains and fills in the training has.
const TrainShare = 0.5

// Part returns the clock of a part of the run, which has a share of the time that is left and tells nothing.
func (c *Clock) Part(share float64) *Clock {
	if c == nil {
		return nil
	}
	p := &Clock{Begin: time.Now(), given: cmp.Or(c.given, c.limit), Parts: 1}
	if c.limit > 0 {
		p.limit = 1 + time.Duration(share*float64(c.Left()))
	}
	return p
}

// Ended counts what the limit has ended in a part.
func (c *Clock) Ended(p *Clock) {
	if c == nil {
		return
	}
	c.Cut, c.Rounds, c.Untried, c.Late, c.AsItIs, c.Without = c.Cut+p.Cut, c.Rounds+p.Rounds, c.Untried+p.Untried, c.Late+p.Late, c.AsItIs || p.AsItIs, c.Without || p.Without
}

// Warnings say what the limit has ended.
func (c *Clock) Warnings() (list []string) {
	note := func(some int, what string) {
		if some > 0 {
			list = append(list, fmt.Sprintf("the limit of %v ended %s", cmp.Or(c.given, c.limit), what))
		}
	}
	note(c.Cut, quote.Counted(c.Cut, "training")+" early")
	note(c.Rounds, "the completion "+quote.Counted(c.Rounds, "round")+" early")
	if c.AsItIs {
		note(1, "filling in early: some values are as a matrix of low rank, or the round before, has them")
	}
	note(c.Late, "filling in by the model early: "+quote.Counted(c.Late, "example")+" are as simpler methods have them")
	if c.Unknown {
		note(1, "the run before variances of the film were calibrated")
	}
	if c.Without {
		note(1, "the run before a model of all views was compared")
	}
	note(c.Untried, "the comparison with "+quote.Counted(c.Untried, "simple method")+" early")
	note(c.Checked, "the comparison of models "+quote.Counted(c.Checked, "fold")+" early")
	if took := time.Since(c.Begin); c.given == 0 && c.limit > 0 && took > c.limit+max(time.Second, c.limit/10) {
		list = append(list, fmt.Sprintf("the limit of %v was too short: with all that can end early left out it took %v", c.limit, took.Round(time.Second)))
	}
	return list
}

// Expects is told how many trainings are to come.
func (c *Clock) Expects(parts int) {
	if c != nil {
		c.Parts, c.waits = parts, true
	}
}

// Tell tells how long the run will take, given what is still to come, the limit at most; the first time alone.
func (c *Clock) Tell(left time.Duration, atMost bool) {
	if c != nil && c.Told == 0 {
		c.Told = time.Since(c.Begin) + left
		switch {
		case c.Watch == nil:
		case c.limit > 0 && c.limit < c.Told:
			c.Watch.Forecast(c.limit, true)
		default:
			c.Watch.Forecast(c.Told, atMost)
		}
	}
}

// Untold reports whether the training under way is what the run consists of, and nothing was told.
func (c *Clock) Untold() bool { return c != nil && c.Told == 0 && !c.waits }

// Limited reports whether there is a limit.
func (c *Clock) Limited() bool { return c != nil && c.limit > 0 }

// Left returns what is left of the limit; 0 where nothing is.
func (c *Clock) Left() time.Duration { return max(0, c.limit-time.Since(c.Begin)) }

// Spent reports whether nothing is left of the limit.
func (c *Clock) Spent() bool { return c.Limited() && c.Left() == 0 }

// Search returns how long a search may take before the trainings to come.
func (c *Clock) Search() time.Duration {
	parts := max(1, c.Parts)
	weight := max(1, parts/2)
	return c.Left() * time.Duration(weight) / time.Duration(weight+parts)
}

// Train begins a training, which has a share of the time that is left, and what comes after it the rest.
func (c *Clock) Train(share float64) { c.Takes(share, 1) }

// Takes begins what has a share of some parts of the time that is left, and returns when it ends; zero: no limit is.
func (c *Clock) Takes(share float64, parts int) (until time.Time) {
	if !c.Limited() {
		return until
	}
	c.until = time.Now().Add(time.Duration(share * float64(c.Left()) * float64(parts) / float64(max(parts, c.Parts))))
	c.Parts -= parts
	c.counted = false
	return c.until
}

// Ends reports whether the training under way is to end, and counts it then.
func (c *Clock) Ends() bool {
	if c == nil || c.until.IsZero() || time.Now().Before(c.until) {
		return false
	}
	if !c.counted {
		c.counted = true
		c.Cut++
	}
	return true
}

// InTime returns a context that ends with a share of the limit.
func (c *Clock) InTime(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	if !c.Limited() {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, c.Begin.Add(time.Duration(share*float64(c.limit))))
}

// Text says that a search ended for the limit.
func (c *Clock) Text() string { return fmt.Sprintf("the run had %v", cmp.Or(c.given, c.limit)) }

// Over reports whether more than a share of the limit has passed.
func (c *Clock) Over(share float64) bool {
	return c.Limited() && float64(time.Since(c.Begin)) > share*float64(c.limit)
}

// How much of the time that is left for a training its steps may take, and those of a film, which is calibrated afterwards; after how much of the limit no
// search, no further round of completion begins, no simple method is compared, nor a film is calibrated any more; and what the first completion may take.
const (
	StepsShare   = 0.85
	FilmShare    = 0.5
	SearchShare  = 0.5
	RoundsShare  = 0.7
	MethodsShare = 0.8
	FirstShare   = 0.3
	LeavingShare = 0.9
)
