package edge

import (
	"math"
	"slices"
)

// farOff bounds the scaled values, so that their squares do not overflow.
const farOff = 1e100

// observe takes over an example: values, of which mask says which were observed; nil: all of them.
// Errors: *LengthError, *ValueError.
func (w *Workspace) observe(values []float64, mask []bool) error {
	c := w.m.c
	if len(values) != w.m.values() {
		return &LengthError{"values", len(values), w.m.values()}
	}
	if mask != nil && len(mask) != len(values) {
		return &LengthError{"elements of a mask", len(mask), len(values)}
	}
	for ch := range w.seen {
		w.seen[ch] = w.seen[ch][:0]
	}
	w.missing, w.observed, w.ready, w.measured = w.missing[:0], 0, false, false
	for i := range c.Points {
		whole := true
		for ch := range c.Channels {
			k := i*c.Channels + ch
			w.values[k], w.known[k], w.surprise[k], w.nearby[k] = math.NaN(), 0, math.NaN(), 1
			if mask != nil && !mask[k] {
				whole = false
				continue
			}
			v := values[k]
			if v-v != 0 {
				return &ValueError{k, v, "a finite number where the mask does not say that it is missing"}
			}
			if v = (v - c.Mean[ch]) / c.Scale[ch]; math.Abs(v) > farOff {
				return &ValueError{k, values[k], "a value nearer to those of training"}
			}
			if len(w.seen[ch]) == w.most {
				return &LengthError{"observed values of a channel", w.count(mask, ch), w.most}
			}
			w.values[k], w.known[k] = v, v
			w.seen[ch] = append(w.seen[ch], i)
			w.observed++
		}
		if !whole {
			w.missing = append(w.missing, i)
		}
	}
	return nil
}

// count returns how many values of a channel a mask has.
func (w *Workspace) count(mask []bool, channel int) int {
	if mask == nil {
		return w.m.c.Points
	}
	n := 0
	for i := channel; i < len(mask); i += w.m.c.Channels {
		if mask[i] {
			n++
		}
	}
	return n
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
