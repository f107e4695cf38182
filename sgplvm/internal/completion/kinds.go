package completion

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// To fill in values that are missing here and there is one task, whole examples another. Observed values are held out in each of these ways, and the method that fills in
// those of a kind best fills in its missing values.

// A Kind is a way in which values are missing.
type Kind int

// The kinds.
const (
	KindScattered Kind = iota // here and there
	KindBlocks                // together with those around them in space
	KindGaps                  // of a point or a column for a while
	KindWhole                 // all values of an example
	KindCount                 // how many kinds there are
)

// KindNames are the kinds in words.
var KindNames = [KindCount]string{"values here and there", "blocks of values", "points for a while", "whole examples"}

// chanceGaps bounds the expected number of runs as long as a gap in data whose values are missing independently (docs/math.md, 22.8).
const chanceGaps = 0.1

// KindsOf returns the kind of each value, KindCount if it is not missing. at has the times of the examples, nil without times; x the
// coordinates of the points in mean spacings.
func (h *Mask) KindsOf(at []data.Instant, x mat.Matrix, channels int) []Kind {
	n := len(h.Missing) / h.Size
	kinds := make([]Kind, len(h.Missing))
	whole, missing, partly := make([]bool, n), 0, 0
	for i := range n {
		if whole[i] = !slices.Contains(h.Of(i), false); !whole[i] {
			partly += h.Size
		}
	}
	for k, m := range h.Missing {
		switch {
		case !m:
			kinds[k] = KindCount
		case whole[k/h.Size]:
			kinds[k] = KindWhole
		default:
			missing++
		}
	}
	share := float64(missing) / float64(max(1, partly))
	far := 1.5 * math.Pow(1-share, -1/float64(x.Cols)) // mean spacings
	for i := range n {
		own, of := h.Of(i), kinds[i*h.Size:(i+1)*h.Size]
		if whole[i] || x.Rows == 1 || !slices.Contains(own, true) {
			continue
		}
		if Distance(x, channels, func(k int) bool { return own[k] }, func(k int) bool { return !own[k] }) > far {
			for k, m := range own {
				if m {
					of[k] = KindBlocks
				}
			}
		}
	}
	if at != nil && share > 0 {
		for _, g := range h.TimeGaps(at) {
			for _, i := range g.Order[g.From:g.To] {
				kinds[i*h.Size+g.Value] = KindGaps
			}
		}
	}
	return kinds
}

// minGap is the least number of missing values of a point, one after the other in time, that are a gap.
const minGap = 3

// A TimeGap is a value that examples miss one after the other: those from ≤ k < to of Order, which is that of time.
type TimeGap struct {
	Order           []int
	Value, From, To int
}

// TimeGaps returns the runs of missing values of a column that are too long to be chance, given how often a missing value follows
// an observed one. Examples of which nothing was observed do not count.
func (h *Mask) TimeGaps(at []data.Instant) (gaps []TimeGap) {
	observed, begun := 0., 0.
	for _, order := range InOrder(at) {
		order = slices.DeleteFunc(order, func(i int) bool { return !slices.Contains(h.Of(i), false) })
		for k := range h.Size {
			for from := 0; from < len(order); from++ {
				to := from
				for to < len(order) && h.Missing[order[to]*h.Size+k] {
					to++
				}
				if to > from {
					gaps = append(gaps, TimeGap{order, k, from, to})
					if from > 0 {
						begun++
					}
				}
				if from = to; to+1 < len(order) {
					observed++
				}
			}
		}
	}
	least := minGap
	if share := begun / observed; share > 0 && share < 1 {
		least = max(least, int(math.Ceil(math.Log(chanceGaps/float64(len(h.Missing)))/math.Log(share))))
	}
	return slices.DeleteFunc(gaps, func(g TimeGap) bool { return g.To-g.From < least })
}

// InOrder returns the examples of each sequence in order of time.
func InOrder(at []data.Instant) (all [][]int) {
	times, labels := make([]float64, len(at)), make([]int, len(at))
	for i, a := range at {
		times[i], labels[i] = a.Time, a.Sequence
	}
	for _, s := range data.Sequences(times, labels) {
		all = append(all, s.Examples)
	}
	return all
}

// A HeldValue is an observed value that was hidden, and what was filled in for it.
type HeldValue struct {
	Example, Value int
	Kind           Kind
	Group          int // values of one group were hidden together
	Truth          float64
	Mean, Variance float64
}

// CountKinds returns how many values are missing of each kind.
func CountKinds(kinds []Kind) (count [KindCount]int) {
	for _, k := range kinds {
		if k < KindCount {
			count[k]++
		}
	}
	return count
}
