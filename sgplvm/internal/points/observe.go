package points

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// SetOptions changes how examples are filled in. No limit may be above the model's.
func (w *Workspace) SetOptions(o *Options) { w.o = *o }

// SetContext has a search and conditioning group by group end when it does; nil: nothing ends them.
func (w *Workspace) SetContext(ctx context.Context) { w.ctx = ctx }

// SetTime says at which time the next examples are; nil: it is not known.
func (w *Workspace) SetTime(at *kernel.Instant) {
	if w.timed = at != nil; w.timed {
		w.at[0] = *at
	}
}

// Observe takes over an example: scaled values, n·d_y, finite and of no more than 1e100, NaN where they are missing. It panics if they are of another number or
// more are observed of a channel than the workspace is for.
func (w *Workspace) Observe(values []float64) { w.ObserveInexact(values, nil) }

// ObserveInexact is Observe of values with standard errors, known beside the noise, of which squares has the squares; nil: there are none.
func (w *Workspace) ObserveInexact(values, squares []float64) {
	c := w.m.c
	if len(values) != w.m.values() || squares != nil && len(squares) != len(values) {
		panic("points: Observe: values of the wrong number")
	}
	if w.inexact = squares != nil; w.inexact {
		w.squares = append(w.squares[:0], squares...)
	}
	for ch := range w.seen {
		w.seen[ch] = w.seen[ch][:0]
	}
	w.missing, w.observed, w.ready, w.measured = w.missing[:0], 0, false, false
	for i := range c.Points {
		whole := true
		for ch := range c.Channels {
			k := i*c.Channels + ch
			v := values[k]
			if w.field.active {
				v -= w.field.at[k]
			}
			if w.drift.active {
				v -= w.drift.at[k]
			}
			w.values[k], w.known[k], w.surprise[k], w.nearby[k] = v, 0, math.NaN(), 1
			if v != v {
				whole = false
				continue
			}
			if len(w.seen[ch]) == w.most {
				panic("points: Observe: more observed values of a channel than the workspace is for")
			}
			w.known[k] = v
			w.seen[ch] = append(w.seen[ch], i)
			w.observed++
		}
		if !whole {
			w.missing = append(w.missing, i)
		}
	}
}

// value returns an observed value, scaled.
func (w *Workspace) value(point, channel int) float64 { return w.values[point*w.m.c.Channels+channel] }

// square returns the squared standard error of an observed value.
func (w *Workspace) square(point, channel int) float64 {
	if !w.inexact {
		return 0
	}
	return w.squares[point*w.m.c.Channels+channel]
}

// alike returns the channels from c on that miss the same points as c, with the same errors and version of the mask of the training data; nil if an earlier
// channel does.
func (w *Workspace) alike(c int) []int {
	for earlier := range c {
		if w.same(earlier, c) {
			return nil
		}
	}
	w.group = append(w.group[:0], c)
	for later := c + 1; later < len(w.seen); later++ {
		if w.same(later, c) {
			w.group = append(w.group, later)
		}
	}
	return w.group
}

func (w *Workspace) same(a, b int) bool {
	if w.version(a) != w.version(b) || !slices.Equal(w.seen[a], w.seen[b]) {
		return false
	}
	if w.inexact {
		for _, i := range w.seen[a] {
			if w.square(i, a) != w.square(i, b) {
				return false
			}
		}
	}
	return true
}

// without returns the points of an ascending list that are not among some others, ascending too.
func (w *Workspace) without(within, seen []int) []int {
	block := w.room.block[:0]
	for _, i := range within {
		for len(seen) > 0 && seen[0] < i {
			seen = seen[1:]
		}
		if len(seen) == 0 || seen[0] != i {
			block = append(block, i)
		}
	}
	w.room.block = block
	return block
}

// exactly reports whether all observed values of every channel are used at once.
func (w *Workspace) exactly() bool {
	for _, seen := range w.seen {
		if len(seen) > w.o.Exact {
			return false
		}
	}
	return true
}

// version returns which of the moments' shares is that of a channel.
func (w *Workspace) version(c int) int {
	if w.field.apart {
		return c
	}
	return w.m.version(c)
}
