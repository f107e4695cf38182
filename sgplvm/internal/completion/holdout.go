package completion

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A HoldOut hides observed values in the ways in which others are missing.
type HoldOut struct {
	Mask     *Mask
	Y        mat.Matrix // values, an example a row
	Points   mat.Matrix // in mean spacings
	Channels int
	At       []data.Instant // of the examples; nil: there are no gaps in time
	Frames   []data.Instant // of the frames of a film, whole ones of which may be missing; nil of other data
	Rand     *rand.Rand
	Most     int  // examples, at most; 0: as many as Some says
	Patches  bool // where nothing is missing that others have, as much as is missing of an example is held out in one piece
}

// Values are held out of at least minHeld examples and at most the share maxHeldShare. Of many examples it is one in ten, at most maxTenth: a few values of each cost
// little to learn without. With gaps in time it is at least minGaps times their mean length.
const (
	minHeld      = 4
	maxHeldShare = 1. / 3
	maxTenth     = 100
	minGaps      = 6
)

// Some holds out values of at least so many examples. The ways in which values are missing have their shares; gaps in time are held out in runs as long. Of each channel a
// value stays: nothing else tells its mean.
func (h HoldOut) Some(examples int) {
	n := h.Y.Rows
	limit := max(1, int(maxHeldShare*float64(n)))
	if h.Most > 0 {
		limit = min(limit, h.Most)
	}
	examples = min(max(examples, minHeld, min(n/10, maxTenth)), limit)
	var gaps []TimeGap
	if h.At != nil {
		gaps = h.Mask.TimeGaps(h.At)
	}
	var values float64 // in gaps
	for _, g := range gaps {
		values += float64(g.To - g.From)
	}
	examples = min(max(examples, int(minGaps*values/float64(max(1, len(gaps))))), limit)
	inGaps := values / float64(max(1, h.Mask.Count()))
	order, group, used := h.Rand.Perm(n), 0, make([]bool, n)
	for _, i := range h.wholeFrames(examples) {
		h.hide(i, h.Mask.Observed(i), group, nil)
		used[i] = true
		group++
	}
	for tries := 0; tries < 4*n && len(h.Mask.HeldOut) < examples; tries++ {
		if len(gaps) > 0 && h.Rand.Float64() < inGaps {
			g := gaps[h.Rand.IntN(len(gaps))]
			steps, hidden := h.Shifted(g, used, examples-len(h.Mask.HeldOut))
			values := append(h.alongside(gaps, steps, hidden), g.Value)
			for _, i := range steps {
				h.hide(i, hidden[i], group, values)
				used[i] = true
			}
			group++
			continue
		}
		if len(order) == 0 {
			break
		}
		i := order[0]
		if order = order[1:]; used[i] {
			continue
		}
		hide := h.Mask.Borrow(h.Rand, i, h.Points, h.Channels)
		if hide == nil && h.Patches {
			hide = h.Mask.Patch(h.Rand, i, h.Points, h.Channels)
		}
		if hide == nil {
			hide = h.Mask.SomeOf(h.Rand, i)
		}
		if hide != nil {
			h.hide(i, hide, group, nil)
			used[i] = true
			group++
		}
	}
	sort.Slice(h.Mask.HeldOut, func(i, j int) bool { return h.Mask.HeldOut[i].Example < h.Mask.HeldOut[j].Example })
	left := make([]int, h.Channels) // observed values
	for k, missing := range h.Mask.Missing {
		if !missing {
			left[k%h.Channels]++
		}
	}
	h.Mask.HeldOut = slices.DeleteFunc(h.Mask.HeldOut, func(r Held) bool {
		missing, none := h.Mask.Of(r.Example), true
		for k := range r.Values() {
			if c := k % h.Channels; left[c] > 1 {
				left[c]--
				missing[k], none = true, false
			} else {
				r.Truth[k] = math.NaN()
			}
		}
		return none
	})
}

// hide holds out values of an example, with the others of a group.
func (h HoldOut) hide(example int, hide []bool, group int, gaps []int) {
	r := Held{Example: example, Group: group, Truth: slices.Clone(h.Y.Row(example)), Gaps: gaps}
	for k, hidden := range hide {
		if !hidden {
			r.Truth[k] = math.NaN()
		}
	}
	h.Mask.HeldOut = append(h.Mask.HeldOut, r)
}

// wholeFrames returns which frames of a film are held out whole, of so many examples: their share in what is missing, at least a half if whole ones are, in runs as
// long as those, at the ends too.
func (h HoldOut) wholeFrames(examples int) (out []int) {
	var at, missing []data.Instant
	var seen []int
	for i, t := range h.Frames {
		if slices.Contains(h.Mask.Of(i), false) {
			at, seen = append(at, t), append(seen, i)
		} else {
			missing = append(missing, t)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	share := float64(len(missing)*h.Mask.Size) / float64(h.Mask.Count())
	most := int(math.Ceil(max(share, 0.5) * float64(examples)))
	for _, fold := range HoldOutRuns(h.Rand, at, missing, most) {
		for _, k := range fold[:min(len(fold), most-len(out))] {
			out = append(out, seen[k])
		}
	}
	return out
}

// shiftTries is how many other times Shifted tries.
const shiftTries = 20

// Shifted moves a gap to another time: it returns examples there in order, none of them used, and for each marks of what the examples of the gap miss. A gap at an
// end moves inwards by its length.
func (h HoldOut) Shifted(g TimeGap, used []bool, limit int) (steps []int, hidden map[int][]bool) {
	length := min(g.To-g.From, limit, max(1, len(g.Order)/WholeShare))
	for range shiftTries {
		at := h.Rand.IntN(len(g.Order) - length + 1)
		switch { // what is missing from there on makes a gap at an end no longer
		case g.From == 0:
			at = g.To
		case g.To == len(g.Order):
			at = g.From - length
		}
		free := at >= 0 && at+length <= len(g.Order)
		for k := at; free && k < at+length; k++ {
			i := g.Order[k]
			free = !used[i] && !h.Mask.Of(i)[g.Value]
		}
		if !free {
			continue
		}
		hidden = map[int][]bool{}
		for k, i := range g.Order[at : at+length] {
			hide, seen := make([]bool, h.Mask.Size), false
			for v, missing := range h.Mask.Of(g.Order[g.From+k]) {
				if own := h.Mask.Of(i)[v]; !own && missing {
					hide[v] = true
				} else if !own {
					seen = true
				}
			}
			if seen {
				steps = append(steps, i)
				hidden[i] = hide
			}
		}
		return steps, hidden
	}
	return nil, nil
}

// maxGapShare is the share of an example's values up to which alongside hides more.
const maxGapShare = 0.25

// alongside hides in the steps of a shifted gap other values too, each as long as a gap between observed values that is no longer: several values tell
// more of a method than one, of as many examples. It returns these values.
func (h HoldOut) alongside(gaps []TimeGap, steps []int, hidden map[int][]bool) (values []int) {
	most := int(maxGapShare * float64(h.Mask.Size))
	for range shiftTries {
		g := gaps[h.Rand.IntN(len(gaps))]
		length := g.To - g.From
		if length > len(steps) || g.From == 0 || g.To == len(g.Order) {
			continue
		}
		from := h.Rand.IntN(len(steps) - length + 1)
		some := steps[from : from+length]
		if slices.ContainsFunc(some, func(i int) bool {
			return h.Mask.Of(i)[g.Value] || hidden[i][g.Value] || count(hidden[i]) >= most
		}) {
			continue
		}
		for _, i := range some {
			hidden[i][g.Value] = true
		}
		values = append(values, g.Value)
	}
	return values
}
