package sgplvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// CheckFilling hides values of one in oneChecked examples, at least minChecked if there are so many, and at most maxChecked. The simplest methods learn from maxLearnedFrom of the given examples, and as many training examples, or as many as have
// learnedNumbers numbers, but from minLearnedFrom at least.
const (
	oneChecked, minChecked, maxChecked             = 30, 32, 100
	minLearnedFrom, maxLearnedFrom, learnedNumbers = 12, 500, 1 << 16
)

// CheckFilling tells how well Impute fills in n examples like these, for each kind of their missing values: some observed values of a few of them are hidden in the ways in
// which others are missing, and filled in. Beside the model stand the simplest methods, which learn from these examples, and from training examples as far as the model
// knows them. All examples have one grid. Where nothing is missing or observed the result is nil. Errors: those of Impute.
func (m *Model) CheckFilling(ctx context.Context, n int, observed func(i int) Observed, o InferOptions) (checks []FillCheck, err error) {
	t := &fillTest{model: m, observed: observed, options: o}
	count, err := t.read(n)
	if len(t.some) == 0 || slices.Max(count[:]) == 0 || err != nil {
		return nil, err
	}
	contest, seed := completion.NewContest(t.all.Y, t.all.Holes, t.own.Channels, t.own.Points.Rows == 1 && t.own.Channels > 1), Config{}.Seed
	for _, held := range t.hidden(min(maxChecked, max(minChecked, n/oneChecked)), count) {
		list, err := t.fill(ctx, held)
		if err != nil {
			return nil, err
		}
		contest.Add("", list)
		if err := contest.Try(ctx, list, t.all.Fillers(list, seed)); err != nil {
			return nil, err
		}
	}
	for k := range completion.KindCount {
		if contest.Shares[k] = completion.Alone(""); count[k] > 0 {
			c := checkOfKind(contest, k, count[k])
			c.Factor = 0
			checks = append(checks, c)
		}
	}
	return checks, nil
}

// CheckMemory is about how many bytes CheckFilling takes for n examples.
func (m *Model) CheckMemory(n int) float64 {
	size := m.Grid().Len() * m.Channels()
	most := learnedFrom(size)
	return simple.Memory(min(n, most)+min(m.Examples(), most), size)
}

// learnedFrom returns how many examples of a size the simplest methods learn from at most.
func learnedFrom(size int) int {
	return min(maxLearnedFrom, max(minLearnedFrom, learnedNumbers/size))
}

// A fillTest hides observed values of some examples, which a model is given, and has it fill them in.
type fillTest struct {
	model    *Model
	observed func(i int) Observed
	options  InferOptions
	grid     Grid              // of the examples; nil: that of the model
	some     []int             // which of the examples
	own      completion.Filled // these
	all      completion.Filled // and training examples after them
}

// read reads some of n examples of which something was observed, and training examples, and returns how many values of all are missing in each way.
func (t *fillTest) read(n int) (count [completion.KindCount]int, err error) {
	m, x := t.model, t.model.Grid()
	if n > 0 && t.observed(0).Grid != nil {
		t.grid = t.observed(0).Grid
		x = t.grid
	}
	h := &completion.Mask{Size: x.Len() * m.Channels()}
	t.own = completion.Filled{Holes: h, Points: data.InSpacings(x), Channels: m.Channels(), Film: m.film != nil}
	var seen []int
	for i := range n {
		obs := t.observed(i)
		if v := obs.Values; v.Rows != x.Len() || v.Cols != m.Channels() {
			return count, &ConfigError{Field: "Values", Err: fmt.Errorf("example %d has %d×%d values, expected %d×%d", i, v.Rows, v.Cols, x.Len(), m.Channels())}
		}
		for _, v := range obs.Values.Clone().Data {
			h.Missing = append(h.Missing, v != v)
		}
		if slices.Contains(h.Of(i), false) {
			seen = append(seen, i)
		}
		if obs.Prior != nil && obs.Prior.At != nil {
			t.own.At = append(t.own.At, *obs.Prior.At)
		}
	}
	if len(t.own.At) < n {
		t.own.At = nil
	}
	count = completion.CountKinds(t.own.Kinds())
	missing, at := h.Missing, t.own.At
	most := learnedFrom(h.Size)
	t.some = examplesNear(seen, most, at, at)
	trained := examplesNear(work.AllBut(m.Examples(), nil), most, m.Times(), at)
	h.Missing, t.own.At, t.own.Y = nil, nil, mat.New(len(t.some)+len(trained), h.Size)
	for k, i := range t.some {
		copy(t.own.Y.Row(k), t.observed(i).Values.Clone().Data)
		h.Missing = append(h.Missing, missing[i*h.Size:(i+1)*h.Size]...)
		if at != nil {
			t.own.At = append(t.own.At, at[i])
		}
	}
	t.all = t.own
	t.all.Holes = &completion.Mask{Size: h.Size, Missing: append(slices.Clone(h.Missing), make([]bool, len(trained)*h.Size)...)}
	t.own.Y = t.own.Y.Slice(0, len(t.some), 0, h.Size)
	if at != nil {
		t.all.At = slices.Clone(t.own.At)
		for _, i := range trained {
			t.all.At = append(t.all.At, m.Times()[i])
		}
	}
	return count, m.recall(t.all.Y.Slice(len(t.some), t.all.Y.Rows, 0, h.Size), trained, t.grid)
}

// examplesNear returns so many of the examples in a list, or all: at even steps or, where times are known, those nearest to the middle one of given times.
func examplesNear(list []int, most int, at, given []Instant) []int {
	if given == nil {
		return spread(list, most)
	}
	near := slices.Clone(list)
	middle := given[len(given)/2].Time
	slices.SortStableFunc(near, func(a, b int) int {
		return cmp.Compare(math.Abs(at[a].Time-middle), math.Abs(at[b].Time-middle))
	})
	near = near[:min(len(near), most)]
	slices.Sort(near)
	return near
}

// spread returns so many of a list at even steps, or all.
func spread(list []int, most int) (some []int) {
	for k := range min(len(list), most) {
		some = append(some, list[k*len(list)/min(len(list), most)])
	}
	return some
}

// recall sets the rows of y to training examples as the model knows them at the points of a grid (nil: its own): as they were, where it keeps that, or as it predicts them.
func (m *Model) recall(y mat.Matrix, examples []int, grid Grid) error {
	if kept, s := m.posterior.Kept(), m.posterior.Scaler(); kept.Rows > 0 && grid == nil {
		for k, i := range examples {
			for j, v := range kept.Row(i) {
				c := j % len(s.Mean)
				y.Set(k, j, s.Mean[c]+s.Scale[c]*v)
			}
		}
		return nil
	}
	failures := make([]error, len(examples))
	mat.Parallel(len(examples), func(k int) {
		var p Prediction
		if p, failures[k] = m.Predict(m.TrainingLatent(examples[k]), grid); failures[k] == nil {
			copy(y.Row(k), p.Mean.Data)
		}
	})
	return cmp.Or(failures...)
}

// hidden returns what is hidden of at most so many examples: of those that are seen in part, and of some as a whole where some are missing whose times are known.
func (t *fillTest) hidden(most int, count [completion.KindCount]int) (all [][]completion.Held) {
	h := t.own.Hiding(nil)
	if count[completion.KindScattered]+count[completion.KindBlocks]+count[completion.KindGaps] > 0 {
		completion.HoldOut{Mask: h, Y: t.own.Y, Points: t.own.Points, Channels: t.own.Channels, At: t.own.GapTimes(), Rand: rand.New(completionRandom(Config{})), Most: most, Patches: true}.Some(most)
		all = append(all, h.HeldOut)
	}
	if count[completion.KindWhole] > 0 && t.own.At != nil {
		var whole []completion.Held
		for _, k := range spread(work.AllBut(len(t.some), nil), min(most, (len(t.some)+completion.WholeShare-1)/completion.WholeShare)) {
			whole = append(whole, completion.Held{Example: k, Group: k, Truth: t.own.Y.Row(k)}) // NaN where missing
		}
		all = append(all, whole)
	}
	return all
}

// fill has the model fill in held-out values.
func (t *fillTest) fill(ctx context.Context, held []completion.Held) (list []completion.HeldValue, err error) {
	lists, failures := make([][]completion.HeldValue, len(held)), make([]error, len(held))
	mat.Parallel(len(held), func(k int) {
		r := held[k]
		obs := t.observed(t.some[r.Example])
		obs.Values = obs.Values.Clone()
		for j := range r.Values() {
			obs.Values.Data[j] = math.NaN()
		}
		var p Prediction
		if p, _, failures[k] = t.model.Impute(ctx, obs, t.options); failures[k] != nil {
			return
		}
		for j, truth := range r.Values() {
			lists[k] = append(lists[k], completion.HeldValue{Example: r.Example, Value: j, Group: r.Group, Truth: truth, Mean: p.Mean.Data[j], Variance: p.Variance.Data[j]})
		}
	})
	list = slices.Concat(lists...)
	t.own.SetKinds(list, held)
	return list, cmp.Or(failures...)
}
