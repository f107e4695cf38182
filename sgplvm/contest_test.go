package sgplvm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// marked are the holes of n examples of so many values.
func marked(n, size int, missing func(example, value int) bool) *holes {
	h := &holes{size: size, missing: make([]bool, n*size)}
	for k := range h.missing {
		h.missing[k] = missing(k/size, k%size)
	}
	return h
}

// Values that are missing here and there, as a block, of a point for a while and with all of an example are told apart, in any order of times; an example
// of which nothing was observed does not end a gap. Without times there are no gaps, and in a table no blocks.
func TestKindsOf(t *testing.T) {
	const n, width = 30, 12
	step := rand.New(rand.NewPCG(1, 70)).Perm(n) // of each example
	want := func(i, j int) kind {
		s, u, v := step[i], j%width, j/width
		switch {
		case s == 7:
			return kindWhole
		case s == 3 && u > 1 && u < 10 && v > 1 && v < 10:
			return kindBlocks
		case j == 5 && s > 4 && s < 11:
			return kindGaps
		case j == 9 && (s == 20 || s == 21), s == 12 && j%7 == 0:
			return kindScattered
		}
		return kindCount
	}
	at := make([]Instant, n)
	for i := range at {
		at[i].Time = 10 * float64(step[i])
	}
	h := marked(n, width*width, func(i, j int) bool { return want(i, j) != kindCount })
	all, still := h.kindsOf(at, data.InSpacings(pixels(width, width)), 1), h.kindsOf(nil, data.InSpacings(pixels(width, width)), 1)
	table := h.kindsOf(at, mat.New(1, 1), width*width)
	for k := range all {
		w := want(k/h.size, k%h.size)
		if all[k] != w {
			t.Fatalf("step %d, value %d: %v, want %v", step[k/h.size], k%h.size, all[k], w)
		}
		if w == kindGaps && still[k] != kindScattered || w != kindGaps && still[k] != w {
			t.Fatalf("without times, value %d of step %d: %v", k%h.size, step[k/h.size], still[k])
		}
		if w == kindBlocks && table[k] != kindScattered || w != kindBlocks && table[k] != w {
			t.Fatalf("table, value %d of step %d: %v", k%h.size, step[k/h.size], table[k])
		}
	}
}

// Where values are missing independently hardly any run of them is a gap in time; one of twelve among them is found. Examples of different sequences make no run.
func TestGapsInTime(t *testing.T) {
	const n, size = 60, 50
	at := make([]Instant, n)
	for i := range at {
		at[i].Time = float64(i)
	}
	none := 0
	for seed := range uint64(20) {
		chance := scatteredHoles(0.3, seed)
		if len(marked(n, size, chance).gapsInTime(at)) == 0 {
			none++
		}
		h := marked(n, size, func(i, j int) bool { return chance(i, j) || j == 8 && i >= 20 && i < 32 })
		if !slices.ContainsFunc(h.gapsInTime(at), func(g gapInTime) bool { return g.value == 8 && g.from <= 20 && g.to >= 32 }) {
			t.Errorf("seed %d: a gap of twelve steps was not found", seed)
		}
	}
	if none < 15 {
		t.Errorf("%d of 20 data in which values are missing independently have no gaps in time", none)
	}
	lone := marked(n, size, func(i, j int) bool { return j == 8 && i >= 20 && i < 24 })
	if len(lone.gapsInTime(at)) != 1 {
		t.Errorf("gaps %v, expected one of four", lone.gapsInTime(at))
	}
	for i := range at {
		at[i].Sequence = i / 22
	}
	if gaps := lone.gapsInTime(at); len(gaps) > 0 {
		t.Errorf("in two sequences, two each: %v", gaps)
	}
}

// What is put aside where a point is missing for six steps at a time is a point for six steps, of what was observed, and leaves something of each example.
func TestReserveGaps(t *testing.T) {
	const n, size, length = 60, 6, 6
	gone := func(value, step int) bool { // two are missing together for a while, and one of them again later
		return slices.ContainsFunc([][2]int{{0, 8}, {1, 11}, {1, 38}}, func(g [2]int) bool { return value == g[0] && step >= g[1] && step < g[1]+length })
	}
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 71))
		d := normals(n, size, 1, seed)
		step := rng.Perm(n)
		for _, s := range step {
			d.Times = append(d.Times, float64(s))
		}
		d, err := holed(d, func(i, j int) bool { return gone(j, step[i]) }).checked()
		if err != nil {
			t.Fatal(err)
		}
		c, err := newCompleter(d, Config{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(c.holes.missing)
		c.putAside(12)
		groups, long := map[int][]int{}, 0
		for _, r := range c.holes.reserve {
			hidden := 0
			for k := range r.values() {
				hidden++
				if before[r.example*size+k] {
					t.Fatalf("seed %d: value %d of example %d was missing already", seed, k, r.example)
				}
			}
			if hidden == 0 || !slices.Contains(c.holes.of(r.example), false) {
				t.Errorf("seed %d: %d values of example %d put aside, nothing or all of it", seed, hidden, r.example)
			}
			groups[r.group] = append(groups[r.group], step[r.example])
		}
		for _, steps := range groups {
			if slices.Sort(steps); steps[len(steps)-1]-steps[0] != len(steps)-1 {
				t.Errorf("seed %d: steps %v were put aside together", seed, steps)
			}
			if len(steps) == length {
				long++
			}
		}
		if held := len(c.holes.reserve); held != n/3 || long < 2 {
			t.Errorf("seed %d: %d of %d examples put aside in %d groups, %d of them of %d steps", seed, held, n, len(groups), long, length)
		}
	}
}

// A judged method says how it fills in: with errors of this deviation, and variances so many times their square.
type judged struct {
	name             string
	deviation, times float64
}

// drawn adds what methods say of groups of two values of a kind, of deviation 2, each value of a column of its own. Unless they are
// independent their errors differ in size alone.
func (c *contest) drawn(rng *rand.Rand, k kind, groups int, independent bool, methods ...judged) {
	first := len(c.centre)
	lists := make([][]heldValue, len(methods))
	for range 2 * groups {
		v := heldValue{value: len(c.centre), kind: k, group: first + (len(c.centre)-first)/2, truth: 2 * rng.NormFloat64()}
		z := rng.NormFloat64()
		c.centre, c.spread = append(c.centre, 0), append(c.spread, 2)
		for i, m := range methods {
			v.mean, v.variance = v.truth+m.deviation*z, m.times*m.deviation*m.deviation
			if independent { // the method sees the value with noise, and says what that tells
				noise := 1 / (1/(m.deviation*m.deviation) - 1./4)
				v.mean = (v.truth + math.Sqrt(noise)*rng.NormFloat64()) * 4 / (4 + noise)
			}
			lists[i] = append(lists[i], v)
		}
	}
	for i, m := range methods {
		c.add(m.name, lists[i])
	}
}

// What fills in a kind is what is better in it, or as good and tried first; of few groups of a kind what holds of all counts more. Two methods that see
// the same value independently are taken together. Variances grow as errors ask, and do not shrink.
func TestDecide(t *testing.T) {
	for name, c := range map[string]struct {
		draw   func(c *contest, rng *rand.Rand)
		want   [kindCount]string
		factor float64 // of scattered values
	}{
		"each its own": {func(c *contest, rng *rand.Rand) {
			c.drawn(rng, kindScattered, 40, false, judged{"", 0.3, 1}, judged{"b", 1, 1})
			c.drawn(rng, kindGaps, 40, false, judged{"", 1.5, 1}, judged{"b", 0.2, 1})
		}, [kindCount]string{"the model", "the model", "b", "the model"}, 1},
		"few groups": {func(c *contest, rng *rand.Rand) {
			c.drawn(rng, kindScattered, 40, false, judged{"", 0.3, 1}, judged{"b", 1.8, 1})
			c.drawn(rng, kindGaps, 1, false, judged{"", 0.8, 1}, judged{"b", 0.7, 1})
		}, [kindCount]string{"the model", "the model", "the model", "the model"}, 1},
		"few groups alone": {func(c *contest, rng *rand.Rand) {
			c.drawn(rng, kindGaps, 1, false, judged{"", 0.8, 1}, judged{"b", 0.7, 1})
		}, [kindCount]string{"the model", "the model", "b", "the model"}, 0},
		"together": {func(c *contest, rng *rand.Rand) {
			c.drawn(rng, kindScattered, 100, true, judged{"", 0.7, 1}, judged{"b", 0.7, 1})
		}, [kindCount]string{"the model and b", "the model", "the model", "the model"}, 1},
		"too sure": {func(c *contest, rng *rand.Rand) {
			c.drawn(rng, kindScattered, 100, false, judged{"", 1.5, 0.1}, judged{"b", 0.2, 0.1})
		}, [kindCount]string{"b", "the model", "the model", "the model"}, 9},
		"too unsure": {func(c *contest, rng *rand.Rand) {
			c.drawn(rng, kindScattered, 100, false, judged{"", 1.5, 9}, judged{"b", 0.2, 9})
		}, [kindCount]string{"b", "the model", "the model", "the model"}, 1},
	} {
		s := &contest{held: map[string][]heldValue{}, scale: []float64{2}}
		c.draw(s, rand.New(rand.NewPCG(3, 72)))
		s.decide()
		for k, w := range s.winner {
			want := c.want[k]
			if len(s.of("", kind(k))) == 0 { // what is best of all kinds
				want = s.best(kindCount).String()
			}
			if w.String() != want {
				t.Errorf("%s, %s: %v, want %s", name, kindNames[k], w, want)
			}
		}
		if f := s.winner[kindScattered].factor; f != 0 && f < 1 || math.Abs(f/max(c.factor, 1e-9)-1) > 0.2 && c.factor > 0 {
			t.Errorf("%s: a factor of %v, expected about %v", name, f, c.factor)
		}
	}
	tie := &contest{held: map[string][]heldValue{}, scale: []float64{2}}
	tie.drawn(rand.New(rand.NewPCG(3, 72)), kindBlocks, 10, false, judged{"", 1, 1})
	tie.add("b", tie.held[""])
	if tie.decide(); tie.winner[kindBlocks].String() != "the model" {
		t.Errorf("a tie is for %v", tie.winner[kindBlocks])
	}
}

// What two methods say together is the Gaussian conditional of the value given both of what they have seen, with noise of its own each.
func TestTogether(t *testing.T) {
	const centre, spread = 3., 2.
	c := contest{centre: []float64{0, centre}, spread: []float64{1, spread}}
	for _, noise := range [][]float64{{0.5, 0.5}, {0.01, 7}, {30, 4}} {
		seen := []float64{centre + 1.7, centre - 0.4}
		const prior = spread * spread
		one := func(i int) (m, v float64) {
			k := prior / (prior + noise[i])
			return centre + k*(seen[i]-centre), prior - k*prior
		}
		// Covariances of what is seen are {{a, prior}, {prior, b}}: their inverse, by hand.
		a, b := prior+noise[0], prior+noise[1]
		det := a*b - prior*prior
		k0, k1 := prior*(b-prior)/det, prior*(a-prior)/det
		wantMean, wantVariance := centre+k0*(seen[0]-centre)+k1*(seen[1]-centre), prior-(k0+k1)*prior
		m, v := one(0)
		n, w := one(1)
		mean, variance := c.together(1, m, v, n, w)
		compare.Near(t, fmt.Sprint("noise ", noise), []float64{mean, variance}, []float64{wantMean, wantVariance}, 1e-12)
	}
	if _, v := c.together(1, 0, 1e6, 0, 1e6); !(v > 0) || math.IsInf(v, 0) {
		t.Errorf("of two that know less than the mean the variance is %v", v)
	}
}

// Checks are the errors of held values of a kind as they are, groups weigh the same whatever their size, and the check of all weighs kinds by what is missing.
func TestFillChecks(t *testing.T) {
	c := &contest{held: map[string][]heldValue{}, scale: []float64{2}, centre: make([]float64, 4), spread: []float64{1, 1, 1, 1}}
	value := func(k kind, group int, e, v float64) heldValue {
		return heldValue{kind: k, group: group, truth: 10, mean: 10 - e, variance: v, value: group}
	}
	c.add("", []heldValue{value(kindGaps, 0, 1, 1), value(kindGaps, 0, -3, 1), value(kindGaps, 1, 4, 1), value(kindWhole, 2, 9, 9)})
	c.add("b", []heldValue{value(kindGaps, 0, 5, 1), value(kindGaps, 0, 5, 1), value(kindGaps, 1, 5, 1), value(kindWhole, 2, math.NaN(), 9)})
	c.add("c", []heldValue{value(kindGaps, 0, 2, 1), value(kindGaps, 0, 2, 1), value(kindGaps, 1, 2, 1), value(kindWhole, 2, 7, math.Inf(1))})
	c.winner[kindGaps].factor, c.winner[kindWhole].factor = 4, 1
	log := func(v float64) float64 { return 0.5 * math.Log(2*math.Pi*v) }
	gaps := FillCheck{Kind: kindNames[kindGaps], Missing: 30, By: "the model", Values: 3, RMSE: math.Sqrt((1 + 9 + 16) / 3.),
		NLP: log(4) + 0.5*(1+9+16)/4./3, Coverage: 2. / 3, Factor: 4, Simplest: "c", SimplestRMSE: 2}
	whole := FillCheck{Kind: kindNames[kindWhole], Missing: 10, By: "the model", Values: 1, RMSE: 9, NLP: log(9) + 4.5, Factor: 1}
	near := func(what string, got, want FillCheck) {
		t.Helper()
		compare.Near(t, what, []float64{got.RMSE, got.NLP, got.Coverage, got.SimplestRMSE}, []float64{want.RMSE, want.NLP, want.Coverage, want.SimplestRMSE}, 1e-12)
		got.RMSE, got.NLP, got.Coverage, got.SimplestRMSE = want.RMSE, want.NLP, want.Coverage, want.SimplestRMSE
		if got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	near("gaps", checkOfKind(c, kindGaps, 30), gaps)
	near("whole", checkOfKind(c, kindWhole, 10), whole)
	near("all", checkOf([]FillCheck{gaps, whole, {Missing: 1000}}, FillCheck{Values: 7}), FillCheck{Missing: 40, Values: 4, Factor: 4,
		RMSE: math.Sqrt((30*gaps.RMSE*gaps.RMSE + 10*81) / 40), NLP: (30*gaps.NLP + 10*whole.NLP) / 40, Coverage: 30 * (2. / 3) / 40})
	near("nothing held out", checkOf([]FillCheck{{Missing: 5}}, FillCheck{Values: 7, RMSE: 1}), FillCheck{Values: 7, RMSE: 1})

	v, factor := c.verdict(c.of("", kindGaps))
	want := validation.Inflation((5+16)/2., 2)
	compare.Near(t, "verdict", append(v.Errors, factor), []float64{math.Sqrt(5) / 2, 2, want}, 1e-12)
	compare.Near(t, "losses", v.Losses, []float64{log(want) + 2.5/want, log(want) + 8/want}, 1e-12)
}

// The winner of a kind fills in what is missing in that way, with its variances multiplied, and nothing else; what it cannot tell stays.
func TestContestFills(t *testing.T) {
	says := func(m, v float64) filler {
		mean, variance := mat.New(2, 3), mat.New(2, 3)
		mean.Fill(m)
		variance.Fill(v)
		mean.Set(1, 2, math.NaN())
		return filler{fmt.Sprint(m), func(context.Context) (mat.Matrix, mat.Matrix, error) { return mean, variance, nil }}
	}
	kinds := []kind{kindGaps, kindCount, kindWhole, kindGaps, kindScattered, kindGaps}
	c := &contest{centre: make([]float64, 3), spread: []float64{10, 10, 10}}
	c.winner[kindGaps] = entrant{name: "2", factor: 3}
	c.winner[kindScattered] = entrant{and: "2", pair: true, factor: 2}
	y, variance := mat.NewDense(2, 3, []float64{10, 11, 12, 13, 14, 15}), mat.NewDense(2, 3, []float64{1, 0, 1, 1, 1, 1})
	for k := range kindCount {
		if err := c.fill(t.Context(), k, kinds, y, variance, []filler{says(1, 1), says(2, 0.5)}); err != nil {
			t.Fatal(err)
		}
	}
	m, v := c.together(1, 14, 1, 2, 0.5)
	compare.Near(t, "filled in", y.Data, []float64{2, 11, 12, 2, m, 15}, 1e-15)
	compare.Near(t, "variances", variance.Data, []float64{1.5, 0, 1, 1.5, 2 * v, 1}, 1e-15)
}

// The model has lost where it is far worse in each kind of which values were held out, and not where it has a part in what fills in one.
func TestLost(t *testing.T) {
	for deviation, want := range map[float64]bool{0.15: false, 1.8: true} {
		c := &contest{held: map[string][]heldValue{}, scale: []float64{2}}
		rng := rand.New(rand.NewPCG(5, 73))
		c.drawn(rng, kindScattered, 30, false, judged{"", 1.8, 1}, judged{"b", 0.2, 1})
		c.drawn(rng, kindGaps, 30, false, judged{"", deviation, 1}, judged{"b", 0.2, 1})
		if c.decide(); c.lost(validation.StopErrors) != want {
			t.Errorf("errors of %v in gaps: lost %t; winners %v", deviation, !want, c.winner)
		}
	}
	c := &contest{held: map[string][]heldValue{}, scale: []float64{2}}
	c.drawn(rand.New(rand.NewPCG(5, 73)), kindScattered, 200, true, judged{"", 0.7, 1}, judged{"b", 0.7, 1})
	if c.decide(); !c.winner[kindScattered].pair || c.lost(0) {
		t.Errorf("the model has lost to %v", c.winner[kindScattered])
	}
}

// The winner's variances are multiplied by what its groups ask for, drawn to 1, and by how much a Student distribution that knows no more is wider.
func TestFewGroups(t *testing.T) {
	for _, n := range []int{1, 3, 100} {
		c := &contest{held: map[string][]heldValue{}, scale: []float64{1}, centre: []float64{0}, spread: []float64{1}}
		var list []heldValue
		for g := range n {
			list = append(list, heldValue{kind: kindGaps, group: g, truth: 2, variance: 1})
		}
		c.add("", list)
		c.decide()
		known := float64(n + 8)
		compare.NearOne(t, fmt.Sprintf("factor by %d groups", n), c.winner[kindGaps].factor, (4*float64(n)+8)/known*known/(known-2), 1e-12)
	}
}

// A gap at an end of the record is put aside next to it, in a run as long.
func TestGapsAtEnds(t *testing.T) {
	const n, size, length = 40, 3, 6
	d := Data{Examples: n, Y: mat.New(n*size, 1), Grid: Grid{line(size)}, Times: line(n).Data}
	for k := range d.Y.Data {
		d.Y.Data[k] = math.Sin(float64(k))
	}
	for i := range length {
		d.Y.Set(i*size, 0, math.NaN())
		d.Y.Set((n-1-i)*size+1, 0, math.NaN())
	}
	d, err := d.checked()
	if err != nil {
		t.Fatal(err)
	}
	c, err := newCompleter(d, Config{})
	if err != nil {
		t.Fatal(err)
	}
	gaps := c.gapsInTime()
	if len(gaps) != 2 {
		t.Fatalf("%d gaps, expected one at each end", len(gaps))
	}
	for _, g := range gaps {
		first := length
		if g.value == 1 {
			first = n - 2*length
		}
		hidden := c.shifted(g, make([]bool, n), n)
		for i := range n {
			if hide, put := hidden[i]; put != (i >= first && i < first+length) || put && !hide[g.value] {
				t.Errorf("value %d of example %d: put aside %v", g.value, i, put)
			}
		}
	}
}
