package points

import (
	"math"
	"slices"
)

// Observe takes over an example: scaled values, n·d_y, finite and of no more than 1e100, NaN where they are missing. It panics if they are of another number or
// more are observed of a channel than the workspace is for.
func (w *Workspace) Observe(values []float64) {
	c := w.m.c
	if len(values) != w.m.values() {
		panic("points: Observe: values of the wrong number")
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

// alike returns the channels from c on that miss the same points as c, nil if an earlier channel does.
func (w *Workspace) alike(c int) []int {
	for earlier := range c {
		if slices.Equal(w.seen[earlier], w.seen[c]) {
			return nil
		}
	}
	w.group = w.group[:0]
	for later := c; later < len(w.seen); later++ {
		if later == c || slices.Equal(w.seen[later], w.seen[c]) {
			w.group = append(w.group, later)
		}
	}
	return w.group
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
		if len(seen) > w.m.c.Options.Exact {
			return false
		}
	}
	return true
}
