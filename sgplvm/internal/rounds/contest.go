package rounds

import (
	"context"
	"time"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
)

// withoutMotion is the name of the model that takes the frames of a film as examples in no order.
const withoutMotion = "a model without motion"

// newContest begins a contest on values of the data.
func (c *completer) newContest() *completion.Contest {
	t := completion.NewContest(c.Y, c.Holes, c.Channels, c.all.Table())
	if by := c.d.transform; by != nil {
		t.By, t.Scale = by.links, by.scale
	}
	return t
}

// compete compares on the held-out values the model with the simplest methods, with what other views say, and for a film with a model without motion. It returns nil if
// nothing was held out of examples with times, or less than two frames of a film were.
func (c *completer) compete(ctx context.Context, s training.Settings) (*completion.Contest, error) {
	t, err := c.againstSimple(ctx, s)
	if err == nil && t != nil {
		err = c.againstOthers(ctx, s, t)
	}
	return t, err
}

// againstSimple is compete without other views, and without whole examples.
func (c *completer) againstSimple(ctx context.Context, s training.Settings) (*completion.Contest, error) {
	if len(c.Holes.HeldOut) == 0 && c.all.At != nil || c.d.Film && len(c.Holes.HeldOut) < 2 {
		return nil, nil
	}
	t := c.newContest()
	list := c.heldValues()
	c.all.SetKinds(list, c.Holes.HeldOut)
	t.Add("", list)
	if c.still != nil {
		still := c.still.heldValues()
		for i := range still {
			still[i].Kind = list[i].Kind
		}
		t.Add(withoutMotion, still)
	}
	if !c.simplest.About(list) {
		defer c.d.Run.Timing("the simplest methods beside the model")()
		begin := time.Now()
		own := c.all
		own.Beside = nil // which takes long
		c.simplest = c.newContest()
		if err := c.simplest.Try(ctx, list, inTime(c.d.Clock, own.Fillers(list, s.Seed))); err != nil {
			return nil, err
		}
		c.simple = time.Since(begin)
	}
	t.Join(c.simplest)
	t.Decide()
	return t, nil
}

// againstOthers adds to a contest what other views say, and decides what fills in whole examples, which are missing in no held-out values.
func (c *completer) againstOthers(ctx context.Context, s training.Settings, t *completion.Contest) error {
	if c.all.Beside != nil {
		list := t.Held[""]
		if err := t.Try(ctx, list, c.all.Beside(c.all.Hiding(list).Missing)); err != nil {
			return err
		}
		t.Decide()
	}
	if c.all.At != nil {
		return nil
	}
	whole := c.wholeHeld() // which nothing tells from others but another view
	methods := c.all.Fillers(whole, s.Seed)
	if err := t.Try(ctx, whole, methods[:1]); err != nil || c.all.Beside == nil {
		t.Shares[completion.KindWhole] = completion.Alone(simple.Mean)
		return err
	}
	w := c.newContest()
	if err := w.Try(ctx, whole, append(methods[:1], c.all.Beside(c.all.Hiding(whole).Missing)...)); err != nil {
		return err
	}
	t.Shares[completion.KindWhole] = w.SharesOf(completion.KindWhole)
	for _, name := range w.Names[1:] {
		t.Add(name, w.Held[name])
	}
	return nil
}

// heldValues returns the held-out values with what was filled in for them.
func (c *completer) heldValues() (list []completion.HeldValue) {
	for _, r := range c.Holes.HeldOut {
		for k, truth := range r.Values() {
			list = append(list, completion.HeldValue{Example: c.rows[r.Example], Value: k, Group: r.Group, Truth: truth,
				Mean: c.Y.Row(r.Example)[k], Variance: c.Variance.Row(r.Example)[k]})
		}
	}
	return list
}

// wholeHeld returns the observed values of every WholeShare-th example.
func (c *completer) wholeHeld() (list []completion.HeldValue) {
	for k := 0; k < len(c.rows); k += completion.WholeShare {
		i := c.rows[k]
		for j, missing := range c.Holes.Of(k) {
			if !missing {
				list = append(list, completion.HeldValue{Example: i, Value: j, Kind: completion.KindWhole, Group: i, Truth: c.Y.At(k, j)})
			}
		}
	}
	return list
}

// inTime returns the methods of a contest, which end where limit.MethodsShare of the limit has passed: what they fill in stays open. The first, the mean, goes on, and what
// has a clock of its own: methods that must be surely better.
func inTime(c *limit.Clock, methods []completion.Filler) []completion.Filler {
	if !c.Limited() {
		return methods
	}
	for i := range methods {
		m := &methods[i]
		if fill := m.Fill; i > 0 && !m.Sure {
			m.Fill = func(ctx context.Context) (mean, variance mat.Matrix, err error) {
				some, cancel := c.InTime(ctx, limit.MethodsShare)
				defer cancel()
				if mean, variance, err = fill(some); some.Err() != nil && ctx.Err() == nil {
					c.Untried++
				}
				return mean, variance, err
			}
		}
	}
	return methods
}
