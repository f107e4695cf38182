package completion

import (
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// WholeShare is of how many examples one is held out of a fold at most where whole examples are missing, so that gaps do not grow much by it, but for the
// longest run, of which longestShare are.
const WholeShare, longestShare = 6, 4

// MaxWhole is how many are held out of a fold at most.
const MaxWhole = 200

// HoldOutRuns returns which examples each fold holds out, in ascending order: in runs as long as those that are missing, at the beginning or end of a
// sequence where these are, elsewhere between observed examples where possible. No example is in two folds.
func HoldOutRuns(rng *rand.Rand, at, missing []data.Instant, folds int) [][]int {
	order, runs := runsOf(at, missing)
	var all [][]int
	taken, longest := make([]bool, len(at)), 0
	for _, r := range runs {
		longest = max(longest, r.length)
	}
	most := min(max(1, len(at)/WholeShare, min(longest, len(at)/longestShare)), MaxWhole)
	var next []int // runs, none of which comes again before all others
	for range folds {
		var out []int
		for range runs {
			if len(next) == 0 {
				next = rng.Perm(len(runs))
			}
			r := runs[next[0]]
			next = next[1:]
			for _, i := range r.place(rng, order, min(r.length, most-len(out)), taken) {
				taken[i] = true
				out = append(out, i)
			}
			if len(out) >= most {
				break
			}
		}
		if len(out) > 0 {
			slices.Sort(out)
			all = append(all, out)
		}
	}
	return all
}

// A run is so many missing examples, one after the other, at the beginning of a sequence, at its end, or between others.
type run struct {
	length     int
	first, end bool
}

// runsOf returns each sequence in order of time, examples by their number and missing ones as −1, and the runs of these.
func runsOf(at, missing []data.Instant) (order [][]int, runs []run) {
	var times []float64
	var labels []int
	for _, a := range slices.Concat(at, missing) {
		times, labels = append(times, a.Time), append(labels, a.Sequence)
	}
	for _, s := range data.Sequences(times, labels) {
		var list []int
		for k, i := range s.Examples {
			if i < len(at) {
				list = append(list, i)
				continue
			}
			if k == 0 || list[k-1] >= 0 {
				runs = append(runs, run{first: k == 0})
			}
			list = append(list, -1)
			r := &runs[len(runs)-1]
			r.length++
			r.end = k == len(s.Examples)-1
		}
		order = append(order, list)
	}
	return order, runs
}

// placeTries is at how many places a run is tried.
const placeTries = 100

// place returns length examples, one after the other, in the place of a run: none of them taken, observed ones on both sides where possible; nil where
// there is no room.
func (r run) place(rng *rand.Rand, order [][]int, length int, taken []bool) (found []int) {
	if length == 0 {
		return nil
	}
	free := func(list []int, k int) bool { return k >= 0 && k < len(list) && list[k] >= 0 && !taken[list[k]] }
	for range placeTries {
		list := order[rng.IntN(len(order))]
		if r.first || r.end { // what is missing there makes no gap longer
			list = slices.DeleteFunc(slices.Clone(list), func(i int) bool { return i < 0 })
		}
		if len(list) < length {
			continue
		}
		k := rng.IntN(len(list) - length + 1)
		switch {
		case r.first:
			k = 0
		case r.end:
			k = len(list) - length
		}
		some := list[k : k+length]
		before, after := free(list, k-1), free(list, k+length)
		switch {
		case slices.ContainsFunc(some, func(i int) bool { return i < 0 || taken[i] }), !before && !after:
		case before && after || r.first || r.end:
			return some
		case found == nil:
			found = some
		}
		if r.first || r.end {
			break
		}
	}
	return found
}
