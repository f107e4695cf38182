package completion

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A fold holds out at most one in WholeShare whole examples, so that gaps grow little; for the longest run at most one in longestShare.
const WholeShare, longestShare = 6, 4

// MaxWhole is the largest number of examples that a fold holds out.
const MaxWhole = 200

// HoldOutRuns returns the examples that each fold holds out, in ascending order. They come in runs as long as the missing ones: at the beginning or end of a
// sequence if those are there, else between observed examples if possible. No example is in two folds.
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

// A run is a number of missing examples in a row, at the beginning of a sequence, at its end, or between others.
type run struct {
	length     int
	first, end bool
}

// runsOf returns the examples of each sequence in order of time, −1 for a missing one, and the runs of missing ones.
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

// placeTries is how many places a run tries.
const placeTries = 100

// place returns length examples in a row for a run: none of them taken, observed ones on both sides if possible; nil if there is no place.
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

// alikeErrors is by how many standard errors the correlation of neighbouring rows must exceed that of rows in no order.
const alikeErrors = 3

// RowsInOrder reports whether examples without times are in an order: neighbours are alike, in the mean of the correlations of values.
func (h *Mask) RowsInOrder(y mat.Matrix) bool {
	mean, deviation := Moments(y, h, y.Cols)
	var sum, pairs float64
	for i := 1; i < y.Rows; i++ {
		for k, m := range mean {
			if !h.Of(i)[k] && !h.Of(i - 1)[k] {
				sum += (y.At(i, k) - m) * (y.At(i-1, k) - m) / (deviation[k] * deviation[k])
				pairs++
			}
		}
	}
	return sum > alikeErrors*math.Sqrt(pairs*float64(y.Cols)) // of columns that may all be the same
}
