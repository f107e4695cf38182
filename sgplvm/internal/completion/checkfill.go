package completion

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A FillTest hides values of one in oneChecked examples, at least minChecked if there are so many, and at most MaxChecked, at the maxPoints points around the middle of what is missing. The simplest methods learn from maxLearnedFrom of the given
// examples, and as many training examples, or as many as have learnedNumbers numbers, but from minLearnedFrom at least.
const (
	oneChecked, minChecked, MaxChecked, maxPoints  = 30, 32, 100, 2000
	minLearnedFrom, maxLearnedFrom, learnedNumbers = 12, 500, 1 << 16
)

// A FillTest hides observed values of some examples, and has a model fill them in.
type FillTest struct {
	Observed func(i int) field.Observed // an example
	Impute   func(ctx context.Context, obs field.Observed) (field.Prediction, error)

	// What the model knows: how many training examples, their times (nil: they have none), its grid and channels, and the training examples at the points of a grid (nil: its own).
	Known    int
	Times    []field.Instant
	Grid     field.Grid
	Channels int
	Film     bool
	Recall   func(y mat.Matrix, examples []int, grid field.Grid) error

	grid field.Grid // of the examples; nil: that of the model
	some []int      // which of the examples
	at   []int      // which of their values
	own  Filled     // these
	all  Filled     // and training examples after them
}

// Check returns the checks of n examples, one for each kind of their missing values; nil where nothing is missing or observed.
func (t *FillTest) Check(ctx context.Context, n int) (checks []field.FillCheck, err error) {
	count, err := t.read(n)
	if len(t.some) == 0 || slices.Max(count[:]) == 0 || err != nil {
		return nil, err
	}
	contest := NewContest(t.all.Y, t.all.Holes, t.own.Channels, t.own.Points.Rows == 1 && t.own.Channels > 1)
	for _, held := range t.hidden(mostChecked(n), count) {
		list, err := t.fill(ctx, held)
		if err != nil {
			return nil, err
		}
		contest.Add("", list)
		if err := contest.Try(ctx, list, t.all.Fillers(list, 0)); err != nil {
			return nil, err
		}
	}
	for k := range KindCount {
		if contest.Shares[k] = Alone(""); count[k] > 0 {
			c := contest.Check(k, count[k])
			c.Factor = 0
			checks = append(checks, c)
		}
	}
	return checks, nil
}

// Foretold is about what Check takes of n examples: how many are filled in by the model, and how long the simplest methods take.
func (t *FillTest) Foretold(n int) (filled int, methods time.Duration, err error) {
	count, err := t.read(n)
	if len(t.some) == 0 || slices.Max(count[:]) == 0 || err != nil {
		return 0, 0, err
	}
	for _, held := range t.hidden(mostChecked(n), count) {
		filled += len(held)
		methods += simple.Foretold(examples(nil, t.all.Y, t.all.Holes.Missing, t.all.Points, t.all.Channels))
	}
	return filled, methods, nil
}

// mostChecked returns how many of n examples have values hidden at most.
func mostChecked(n int) int { return min(MaxChecked, max(minChecked, n/oneChecked)) }

// FillTestMemory is about how many bytes a test of n examples takes beside so many training examples, with so many values each.
func FillTestMemory(n, known, points, channels int) float64 {
	size := min(points, maxPoints) * channels
	most := learnedFrom(size)
	return simple.Memory(min(n, most)+min(known, most), size)
}

// learnedFrom returns how many examples of a size the simplest methods learn from at most.
func learnedFrom(size int) int {
	return min(maxLearnedFrom, max(minLearnedFrom, learnedNumbers/size))
}

// read reads some of n examples of which something was observed, and training examples, and returns how many values of all are missing in each way.
func (t *FillTest) read(n int) (count [KindCount]int, err error) {
	x := t.Grid
	if n > 0 && t.Observed(0).Grid != nil {
		t.grid = t.Observed(0).Grid
		x = t.grid
	}
	h := &Mask{Size: x.Len() * t.Channels}
	t.own = Filled{Holes: h, Points: data.InSpacings(x), Channels: t.Channels, Film: t.Film}
	var seen []int
	for i := range n {
		obs := t.Observed(i)
		if v := obs.Values; v.Rows != x.Len() || v.Cols != t.Channels {
			return count, &field.ConfigError{Field: "Values", Err: fmt.Errorf("example %d has %d×%d values, expected %d×%d", i, v.Rows, v.Cols, x.Len(), t.Channels)}
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
	count = CountKinds(t.own.Kinds())
	t.at = t.window()
	missing, at, size := *h, t.own.At, len(t.at)
	most := learnedFrom(size)
	t.some = examplesNear(seen, most, at, at)
	trained := examplesNear(work.AllBut(t.Known, nil), most, t.Times, at)
	*h, t.own.At, t.own.Y = Mask{Size: size}, nil, mat.New(len(t.some)+len(trained), size)
	for k, i := range t.some {
		values, row := t.Observed(i).Values.Clone().Data, t.own.Y.Row(k)
		for c, j := range t.at {
			row[c] = values[j]
			h.Missing = append(h.Missing, missing.Of(i)[j])
		}
		if at != nil {
			t.own.At = append(t.own.At, at[i])
		}
	}
	t.all = t.own
	t.all.Holes = &Mask{Size: size, Missing: append(slices.Clone(h.Missing), make([]bool, len(trained)*size)...)}
	t.own.Y = t.own.Y.Slice(0, len(t.some), 0, size)
	one := mat.New(1, missing.Size)
	for k, i := range trained {
		if at != nil {
			t.all.At = append(slices.Clip(t.all.At), t.Times[i])
		}
		if err := t.Recall(one, []int{i}, t.grid); err != nil {
			return count, err
		}
		for c, j := range t.at {
			t.all.Y.Row(len(t.some) + k)[c] = one.Data[j]
		}
	}
	return count, nil
}

// window returns the values of the points nearest to the middle of what is missing, and has their places take that of all points.
func (t *FillTest) window() (at []int) {
	x, centre, count := t.own.Points, make([]float64, t.own.Points.Cols), 0.
	for k, missing := range t.own.Holes.Missing {
		if missing {
			asm.Axpy(1, x.Row(k%t.own.Holes.Size/t.Channels), centre)
			count++
		}
	}
	asm.Scale(centre, 1/max(1, count), centre)
	points := work.AllBut(x.Rows, nil)
	if x.Rows > maxPoints {
		points = simple.NewTree(x).Nearest(nil, centre, maxPoints)
		slices.Sort(points)
		t.own.Points = work.Gather(x, points)
	}
	for _, p := range points {
		for c := range t.Channels {
			at = append(at, p*t.Channels+c)
		}
	}
	return at
}

// examplesNear returns so many of the examples in a list, or all: at even steps or, where times are known, those nearest to the middle one of given times.
func examplesNear(list []int, most int, at, given []field.Instant) []int {
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

// hidden returns what is hidden of at most so many examples: of those that are seen in part, and of some as a whole where some are missing whose times are known.
func (t *FillTest) hidden(most int, count [KindCount]int) (all [][]Held) {
	h := t.own.Hiding(nil)
	if count[KindScattered]+count[KindBlocks]+count[KindGaps] > 0 {
		HoldOut{Mask: h, Y: t.own.Y, Points: t.own.Points, Channels: t.own.Channels, At: t.own.GapTimes(), Rand: rand.New(Random(0)), Most: most, Patches: true}.Some(most)
		all = append(all, h.HeldOut)
	}
	if count[KindWhole] > 0 && t.own.At != nil {
		var whole []Held
		for _, k := range spread(work.AllBut(len(t.some), nil), min(most, (len(t.some)+WholeShare-1)/WholeShare)) {
			whole = append(whole, Held{Example: k, Group: k, Truth: t.own.Y.Row(k)}) // NaN where missing
		}
		all = append(all, whole)
	}
	return all
}

// fill has the model fill in held-out values.
func (t *FillTest) fill(ctx context.Context, held []Held) (list []HeldValue, err error) {
	lists, failures := make([][]HeldValue, len(held)), make([]error, len(held))
	mat.Parallel(len(held), func(k int) {
		r := held[k]
		obs := t.Observed(t.some[r.Example])
		obs.Values = obs.Values.Clone()
		for j := range r.Values() {
			obs.Values.Data[t.at[j]] = math.NaN()
		}
		var p field.Prediction
		if p, failures[k] = t.Impute(ctx, obs); failures[k] != nil {
			return
		}
		for j, truth := range r.Values() {
			lists[k] = append(lists[k], HeldValue{Example: r.Example, Value: j, Group: r.Group, Truth: truth, Mean: p.Mean.Data[t.at[j]], Variance: p.Variance.Data[t.at[j]]})
		}
	})
	list = slices.Concat(lists...)
	t.own.SetKinds(list, held)
	return list, cmp.Or(failures...)
}

// Random returns a source of random numbers for what is hidden.
func Random(seed uint64) rand.Source { return rand.NewPCG(seed, 0x66696c6c) }
