package completion

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Distance returns the mean distance from a hidden value of an example to the nearest seen one of its channel, in the units of the points x
// (n×d). It looks at maxGaps values at even steps. It is 0 if nothing is hidden or seen.
func Distance(x mat.Matrix, channels int, hidden, seen func(value int) bool) float64 {
	var sum, count float64
	for c := range channels {
		var of, from []int
		for i := range x.Rows {
			if hidden(i*channels + c) {
				of = append(of, i)
			}
			if seen(i*channels + c) {
				from = append(from, i)
			}
		}
		far, n := work.NearestDistances(x, of, from, maxGaps)
		sum, count = sum+far, count+n
	}
	return sum / max(1, count)
}

// maxGaps is how many values of a channel Distance looks at.
const maxGaps = 256

// maxDonors is how many other examples Borrow looks at.
const maxDonors = 20

// Borrow returns marks of what another example misses, to be hidden of this one. If this one misses values itself, the marks are all or a part of these, scattered or
// together, whichever is most like its own holes by their distance from seen values. It returns nil if nothing can be hidden, or nothing would be left.
func (h *Mask) Borrow(rng *rand.Rand, example int, x mat.Matrix, channels int) []bool {
	own, n := h.Of(example), len(h.Missing)/h.Size
	for range maxDonors {
		hide, count, seen := make([]bool, h.Size), 0, 0
		for k, missing := range h.Of(rng.IntN(n)) {
			switch {
			case own[k]:
			case missing:
				hide[k] = true
				count++
			default:
				seen++
			}
		}
		if count == 0 || seen == 0 {
			continue
		}
		if h.Any(example) {
			hide = h.part(rng, example, hide, x, channels)
		}
		return hide
	}
	return nil
}

// Observed returns marks of the observed values of an example, nil if there are none.
func (h *Mask) Observed(example int) []bool {
	hide := make([]bool, h.Size)
	for k, missing := range h.Of(example) {
		hide[k] = !missing
	}
	if !slices.Contains(hide, true) {
		return nil
	}
	return hide
}

// oneOf is the number of observed values of which SomeOf marks one.
const oneOf = 8

// SomeOf returns marks of observed values of an example at random, nil if it has fewer than two.
func (h *Mask) SomeOf(rng *rand.Rand, example int) []bool {
	var observed []int
	for k, missing := range h.Of(example) {
		if !missing {
			observed = append(observed, k)
		}
	}
	if len(observed) < 2 {
		return nil
	}
	rng.Shuffle(len(observed), func(i, j int) { observed[i], observed[j] = observed[j], observed[i] })
	hide := make([]bool, h.Size)
	for _, k := range observed[:max(1, len(observed)/oneOf)] {
		hide[k] = true
	}
	return hide
}

// Patch returns marks of the observed values of an example nearest to one of them, as many as are missing, at most half of them; nil if nothing is missing or the points
// are one.
func (h *Mask) Patch(rng *rand.Rand, example int, x mat.Matrix, channels int) []bool {
	own := h.Of(example)
	var points []int
	missing := 0
	for i := range x.Rows {
		if slices.Contains(own[i*channels:(i+1)*channels], true) {
			missing++
		} else {
			points = append(points, i)
		}
	}
	if x.Rows == 1 || missing == 0 || len(points) < 2 {
		return nil
	}
	centre := x.Row(points[rng.IntN(len(points))])
	slices.SortStableFunc(points, func(a, b int) int {
		return cmp.Compare(work.SquaredDistance(x.Row(a), centre), work.SquaredDistance(x.Row(b), centre))
	})
	return allChannels(points[:min(missing, len(points)/2)], x.Rows, channels)
}

// part returns a part of the marks hide, for an example that misses values itself.
func (h *Mask) part(rng *rand.Rand, example int, hide []bool, x mat.Matrix, channels int) []bool {
	if x.Rows == 1 {
		return hide
	}
	var points []int
	for i := range x.Rows {
		if slices.Contains(hide[i*channels:(i+1)*channels], true) {
			points = append(points, i)
		}
	}
	own := h.Of(example)
	wanted := math.Log(1 + Distance(x, channels, func(k int) bool { return own[k] }, func(k int) bool { return !own[k] }))
	best, least := hide, math.Inf(1)
	try := func(share int) {
		list := make([]bool, len(hide))
		for _, i := range points[:(len(points)+share-1)/share] {
			copy(list[i*channels:(i+1)*channels], hide[i*channels:(i+1)*channels])
		}
		far := Distance(x, channels, func(k int) bool { return list[k] }, func(k int) bool { return !own[k] && !list[k] })
		if e := math.Abs(math.Log(1+far) - wanted); e < least {
			best, least = list, e
		}
	}
	rng.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	random := slices.Clone(points)
	centre := x.Row(points[0])
	slices.SortStableFunc(points, func(a, b int) int {
		return cmp.Compare(work.SquaredDistance(x.Row(a), centre), work.SquaredDistance(x.Row(b), centre))
	})
	for _, share := range []int{1, 2, 4} { // the more the better where it makes no difference
		try(share)
	}
	points = random
	try(4)
	return best
}
