package sgplvm

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// Values are missing in several ways, each of which is a task of its own. Observed values are held out in each of these ways, and what fills in those
// of a kind best fills in the missing ones of it: the model, or one of the simplest methods that a person would try.

// A kind is a way in which values are missing.
type kind int

const (
	kindScattered kind = iota // here and there
	kindBlocks                // together with those around them in space
	kindGaps                  // of a point or a column for a while
	kindWhole                 // all values of an example
	kindCount
)

var kindNames = [kindCount]string{"values here and there", "blocks of values", "points for a while", "whole examples"}

// byChance is how many runs of missing values as long as a gap in time are expected at most in data whose values are missing independently (docs/math.md, 22.8).
const byChance = 0.1

// kindsOf returns of which kind each missing value is: kindCount where it is not missing. at are the times of the examples, nil without times; x are the
// coordinates of the points in mean spacings.
func (h *holes) kindsOf(at []data.Instant, x mat.Matrix, channels int) []kind {
	n := len(h.missing) / h.size
	kinds := make([]kind, len(h.missing))
	whole, missing, partly := make([]bool, n), 0, 0
	for i := range n {
		if whole[i] = !slices.Contains(h.of(i), false); !whole[i] {
			partly += h.size
		}
	}
	for k, m := range h.missing {
		switch {
		case !m:
			kinds[k] = kindCount
		case whole[k/h.size]:
			kinds[k] = kindWhole
		default:
			missing++
		}
	}
	share := float64(missing) / float64(max(1, partly))
	far := 1.5 * math.Pow(1-share, -1/float64(x.Cols)) // mean spacings
	for i := range n {
		own, of := h.of(i), kinds[i*h.size:(i+1)*h.size]
		if whole[i] || x.Rows == 1 || !slices.Contains(own, true) {
			continue
		}
		if gap(x, channels, func(k int) bool { return own[k] }, func(k int) bool { return !own[k] }) > far {
			for k, m := range own {
				if m {
					of[k] = kindBlocks
				}
			}
		}
	}
	if at != nil && share > 0 {
		for _, g := range h.gapsInTime(at) {
			for _, i := range g.order[g.from:g.to] {
				kinds[i*h.size+g.value] = kindGaps
			}
		}
	}
	return kinds
}

// leastGap is how many missing values of a point, one after the other in time, are a gap at least.
const leastGap = 3

// A gapInTime is a value of examples that miss it one after the other: from ≤ k < to of some in order of time.
type gapInTime struct {
	order           []int
	value, from, to int
}

// gapsInTime returns the gaps in time: runs of missing values of one column that are too long to be chance, given how often a value is missing after
// an observed one. Examples of which nothing was observed are left out of all runs.
func (h *holes) gapsInTime(at []data.Instant) (gaps []gapInTime) {
	observed, begun := 0., 0.
	for _, order := range inOrder(at) {
		order = slices.DeleteFunc(order, func(i int) bool { return !slices.Contains(h.of(i), false) })
		for k := range h.size {
			for from := 0; from < len(order); from++ {
				to := from
				for to < len(order) && h.missing[order[to]*h.size+k] {
					to++
				}
				if to > from {
					gaps = append(gaps, gapInTime{order, k, from, to})
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
	least := leastGap
	if share := begun / observed; share > 0 && share < 1 {
		least = max(least, int(math.Ceil(math.Log(byChance/float64(len(h.missing)))/math.Log(share))))
	}
	return slices.DeleteFunc(gaps, func(g gapInTime) bool { return g.to-g.from < least })
}

// inOrder returns the examples of each sequence in order of time.
func inOrder(at []data.Instant) (all [][]int) {
	times, labels := make([]float64, len(at)), make([]int, len(at))
	for i, a := range at {
		times[i], labels[i] = a.Time, a.Sequence
	}
	for _, s := range data.Sequences(times, labels) {
		all = append(all, s.Examples)
	}
	return all
}

// A heldValue is an observed value that was hidden, and what was filled in for it.
type heldValue struct {
	example, value int
	kind           kind
	group          int // values of one group were hidden together
	truth          float64
	mean, variance float64
}

// A filler fills in missing values by a method that needs no search. It returns all values of all examples, NaN where it cannot tell or was not asked.
type filler struct {
	name string
	fill func(ctx context.Context) (mean, variance mat.Matrix, err error)
}

// fillers returns the simplest methods for data with holes, which fill in the wanted values at least, all for nil.
func fillers(y mat.Matrix, missing, wanted []bool, x mat.Matrix, channels int, at []data.Instant, seed uint64) (list []filler) {
	d := simple.Data{Y: y, Missing: missing, Wanted: wanted, Channels: channels, Seed: seed}
	if x.Rows > 1 {
		d.Points = x
	}
	for _, a := range at {
		d.Times, d.Sequences = append(d.Times, a.Time), append(d.Sequences, a.Sequence)
	}
	for _, m := range simple.Methods(d) {
		list = append(list, filler{m.Name, func(ctx context.Context) (mean, variance mat.Matrix, err error) { return m.Fill(ctx, d) }})
	}
	if at == nil {
		return list
	}
	return append(list, filler{"each column over time by itself", func(ctx context.Context) (mean, variance mat.Matrix, err error) {
		mean, variance = mat.New(y.Rows, y.Cols), mat.New(y.Rows, y.Cols)
		return mean, variance, dynamics.FillSeries(ctx, mean, variance, y, missing, d.Times, d.Sequences)
	}})
}

// A contest compares on the values that were held out what fills in the missing ones: the model, the simplest methods, and the best of these together
// with another.
type contest struct {
	table          bool                   // errors are told in deviations of its columns
	scale          []float64              // deviations of the channels
	centre, spread []float64              // means and deviations of the values of an example, over examples
	held           map[string][]heldValue // by each method, in one order; "" is the model
	names          []string               // of the methods, in the order in which they were tried
	winner         [kindCount]entrant
}

// An entrant fills in the values of a kind.
type entrant struct {
	name   string  // "" is the model
	and    string  // the method that is taken together with it
	pair   bool    // there is one
	factor float64 // of its variances
}

func (e entrant) String() string {
	name := cmp.Or(e.name, "the model")
	if e.pair {
		name += " and " + cmp.Or(e.and, "the model")
	}
	return name
}

// newContest begins a contest of data with holes.
func newContest(y mat.Matrix, h *holes, channels int, table bool) *contest {
	c := &contest{held: map[string][]heldValue{}, table: table}
	_, c.scale = moments(y, h, channels)
	c.centre, c.spread = moments(y, h, y.Cols)
	return c
}

// together returns the moments of a value of which one method says N(m, v) and another N(n, w). Given the value, what the two see is taken to be
// independent: precisions add up, less that of the value over examples, N(centre, spread²), which both contain (docs/math.md, 22.9).
func (c *contest) together(value int, m, v, n, w float64) (mean, variance float64) {
	a, b := 1/v, 1/w
	p := min(a, b, 1/(c.spread[value]*c.spread[value]))
	variance = 1 / (a + b - p)
	return variance * (a*m + b*n - p*c.centre[value]), variance
}

// add adds what a method made of values that were held out.
func (c *contest) add(name string, list []heldValue) {
	if _, known := c.held[name]; !known {
		c.names = append(c.names, name)
	}
	c.held[name] = append(c.held[name], list...)
}

// try fills in held values by simplest methods.
func (c *contest) try(ctx context.Context, list []heldValue, methods []filler) error {
	for _, m := range methods {
		mean, variance, err := m.fill(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue
		}
		tried := slices.Clone(list)
		for i := range tried {
			v := &tried[i]
			v.mean, v.variance = mean.At(v.example, v.value), variance.At(v.example, v.value)
		}
		c.add(m.name, tried)
	}
	return nil
}

// of returns what a method made of one kind, for kindCount of all but whole examples, which are another task; nil where it cannot tell all of it.
func (c *contest) of(name string, k kind) (list []heldValue) {
	for _, v := range c.held[name] {
		if v.kind == k || k == kindCount && v.kind != kindWhole {
			if v.mean-v.mean != 0 || !(v.variance > 0) || math.IsInf(v.variance, 1) {
				return nil
			}
			list = append(list, v)
		}
	}
	return list
}

// pooled is the weight, in groups, of the mean difference over all kinds in that of one kind.
const pooled = 8

// list returns what an entrant made of one kind, of all for kindCount; nil where it cannot tell all of it.
func (c *contest) list(e entrant, k kind) []heldValue {
	list := c.of(e.name, k)
	if !e.pair {
		return list
	}
	other := c.of(e.and, k)
	if list == nil || other == nil {
		return nil
	}
	for i := range list {
		v, w := &list[i], &other[i]
		v.mean, v.variance = c.together(v.value, v.mean, v.variance, w.mean, w.variance)
	}
	return list
}

// decide finds the winner for each kind. Methods are challenged in order, the model first where there is one, and the better mean stands: only the
// model was chosen by these values. Then the best pair of methods wins where it is surely better. A kind without held values goes to the first method.
func (c *contest) decide() {
	if len(c.names) == 0 {
		return
	}
	all := c.best(kindCount)
	for k := range kindCount {
		if c.winner[k] = all; len(c.of(c.names[0], k)) > 0 {
			c.winner[k] = c.best(k)
		}
	}
}

// best returns what fills in a kind best, or all for kindCount.
func (c *contest) best(k kind) entrant {
	best := entrant{name: c.names[0]}
	_, best.factor = c.verdict(c.list(best, k))
	for _, name := range c.names[1:] {
		c.challenge(entrant{name: name}, &best, k, 0)
	}
	var pair entrant
	for i, name := range c.names {
		for _, and := range c.names[:i] {
			switch e := (entrant{name: and, and: name, pair: true}); {
			case name == simple.Mean || and == simple.Mean: // which together takes into account
			case c.list(e, k) != nil && !pair.pair:
				pair = e
			default:
				c.challenge(e, &pair, k, 0)
			}
		}
	}
	if pair.pair {
		c.challenge(pair, &best, k, validation.SureErrors)
	}
	best.factor = max(1, best.factor) // variances that are too large cost less than those that are too small
	if groups := len(byGroup(c.list(best, k))); groups > 0 {
		known := float64(groups + validation.PriorExamples)
		best.factor *= known / (known - 2) // the variance of a Student distribution of as many degrees of freedom: few groups hardly tell the factor
	}
	return best
}

// challenge puts an entrant in the place of the best where it is better by more than some standard errors. The mean difference is drawn to that over all
// kinds, with the weight pooled.
func (c *contest) challenge(e entrant, best *entrant, k kind, errors float64) {
	list := c.list(e, k)
	if list == nil {
		return
	}
	v, factor := c.verdict(list)
	stands, _ := c.verdict(c.list(*best, k))
	m, s := validation.Difference(v, stands)
	if every := c.list(e, kindCount); k != kindWhole && every != nil && c.list(*best, kindCount) != nil {
		v, _ := c.verdict(every)
		all, _ := c.verdict(c.list(*best, kindCount))
		of, e := validation.Difference(v, all)
		s = max(s, e) // which few groups hardly tell
		n := float64(len(stands.Losses))
		m = (n*m + pooled*of) / (n + pooled)
	}
	if -m > errors*s {
		*best = e
		best.factor = factor
	}
}

// verdict returns what values say of their groups, with variances multiplied as is best, and by how much.
func (c *contest) verdict(list []heldValue) (v validation.Scores, factor float64) {
	groups := byGroup(list)
	var chi float64
	for _, g := range groups {
		for _, h := range g {
			chi += (h.truth - h.mean) * (h.truth - h.mean) / h.variance / float64(len(g))
		}
	}
	factor = validation.Inflation(chi/float64(max(1, len(groups))), float64(len(groups)))
	for _, g := range groups {
		var t validation.Tally
		for _, h := range g {
			t.Add(h.truth-h.mean, factor*h.variance, c.scale[h.value%len(c.scale)])
		}
		loss, _, square := t.Means()
		v.Losses, v.Errors = append(v.Losses, loss), append(v.Errors, math.Sqrt(square))
	}
	return v, factor
}

// byGroup returns the values of each group, in the order of groups.
func byGroup(list []heldValue) (groups [][]heldValue) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b heldValue) int { return cmp.Compare(a.group, b.group) })
	for from := 0; from < len(list); {
		to := from
		for to < len(list) && list[to].group == list[from].group {
			to++
		}
		groups = append(groups, list[from:to])
		from = to
	}
	return groups
}

// units are those of errors, by channel: of a table the deviations of its columns; nil: those of the data.
func (c *contest) units() []float64 {
	if c.table {
		return c.scale
	}
	return nil
}
