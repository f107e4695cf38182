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
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// marked are the holes of n examples of so many values.
func marked(n, size int, missing func(example, value int) bool) *completion.Mask {
	h := &completion.Mask{Size: size, Missing: make([]bool, n*size)}
	for k := range h.Missing {
		h.Missing[k] = missing(k/size, k%size)
	}
	return h
}

// Values that are missing here and there, as a block, of a point for a while and with all of an example are told apart, in any order of times; an example
// of which nothing was observed does not end a gap. Without times there are no gaps, and in a table no blocks.
func TestKindsOf(t *testing.T) {
	const n, width = 30, 12
	step := rand.New(rand.NewPCG(1, 70)).Perm(n) // of each example
	want := func(i, j int) completion.Kind {
		s, u, v := step[i], j%width, j/width
		switch {
		case s == 7:
			return completion.KindWhole
		case s == 3 && u > 1 && u < 10 && v > 1 && v < 10:
			return completion.KindBlocks
		case j == 5 && s > 4 && s < 11:
			return completion.KindGaps
		case j == 9 && (s == 20 || s == 21), s == 12 && j%7 == 0:
			return completion.KindScattered
		}
		return completion.KindCount
	}
	at := make([]Instant, n)
	for i := range at {
		at[i].Time = 10 * float64(step[i])
	}
	h := marked(n, width*width, func(i, j int) bool { return want(i, j) != completion.KindCount })
	all, still := h.KindsOf(at, data.InSpacings(pixels(width, width)), 1), h.KindsOf(nil, data.InSpacings(pixels(width, width)), 1)
	table := h.KindsOf(at, mat.New(1, 1), width*width)
	for k := range all {
		w := want(k/h.Size, k%h.Size)
		if all[k] != w {
			t.Fatalf("step %d, value %d: %v, want %v", step[k/h.Size], k%h.Size, all[k], w)
		}
		if w == completion.KindGaps && still[k] != completion.KindScattered || w != completion.KindGaps && still[k] != w {
			t.Fatalf("without times, value %d of step %d: %v", k%h.Size, step[k/h.Size], still[k])
		}
		if w == completion.KindBlocks && table[k] != completion.KindScattered || w != completion.KindBlocks && table[k] != w {
			t.Fatalf("table, value %d of step %d: %v", k%h.Size, step[k/h.Size], table[k])
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
		if len(marked(n, size, chance).TimeGaps(at)) == 0 {
			none++
		}
		h := marked(n, size, func(i, j int) bool { return chance(i, j) || j == 8 && i >= 20 && i < 32 })
		if !slices.ContainsFunc(h.TimeGaps(at), func(g completion.TimeGap) bool { return g.Value == 8 && g.From <= 20 && g.To >= 32 }) {
			t.Errorf("seed %d: a gap of twelve steps was not found", seed)
		}
	}
	if none < 15 {
		t.Errorf("%d of 20 data in which values are missing independently have no gaps in time", none)
	}
	lone := marked(n, size, func(i, j int) bool { return j == 8 && i >= 20 && i < 24 })
	if len(lone.TimeGaps(at)) != 1 {
		t.Errorf("gaps %v, expected one of four", lone.TimeGaps(at))
	}
	for i := range at {
		at[i].Sequence = i / 22
	}
	if gaps := lone.TimeGaps(at); len(gaps) > 0 {
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
		before := slices.Clone(c.holes.Missing)
		c.putAside(12)
		groups, long := map[int][]int{}, 0
		for _, r := range c.holes.HeldOut {
			hidden := 0
			for k := range r.Values() {
				hidden++
				if before[r.Example*size+k] {
					t.Fatalf("seed %d: value %d of example %d was missing already", seed, k, r.Example)
				}
			}
			if hidden == 0 || !slices.Contains(c.holes.Of(r.Example), false) {
				t.Errorf("seed %d: %d values of example %d put aside, nothing or all of it", seed, hidden, r.Example)
			}
			groups[r.Group] = append(groups[r.Group], step[r.Example])
		}
		for _, steps := range groups {
			if slices.Sort(steps); steps[len(steps)-1]-steps[0] != len(steps)-1 {
				t.Errorf("seed %d: steps %v were put aside together", seed, steps)
			}
			if len(steps) == length {
				long++
			}
		}
		if held := len(c.holes.HeldOut); held != n/3 || long < 2 {
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
func drawn(c *completion.Contest, rng *rand.Rand, k completion.Kind, groups int, independent bool, methods ...judged) {
	first := len(c.Centre)
	lists := make([][]completion.HeldValue, len(methods))
	for range 2 * groups {
		v := completion.HeldValue{Value: len(c.Centre), Kind: k, Group: first + (len(c.Centre)-first)/2, Truth: 2 * rng.NormFloat64()}
		z := rng.NormFloat64()
		c.Centre, c.Spread = append(c.Centre, 0), append(c.Spread, 2)
		for i, m := range methods {
			v.Mean, v.Variance = v.Truth+m.deviation*z, m.times*m.deviation*m.deviation
			if independent { // the method sees the value with noise, and says what that tells
				noise := 1 / (1/(m.deviation*m.deviation) - 1./4)
				v.Mean = (v.Truth + math.Sqrt(noise)*rng.NormFloat64()) * 4 / (4 + noise)
			}
			lists[i] = append(lists[i], v)
		}
	}
	for i, m := range methods {
		c.Add(m.name, lists[i])
	}
}

// What fills in a kind is what is better in it, or as good and tried first; of few groups of a kind what holds of all counts more. Two methods that see
// the same value independently are taken together. Variances grow as errors ask, and do not shrink.
func TestDecide(t *testing.T) {
	for name, c := range map[string]struct {
		draw   func(c *completion.Contest, rng *rand.Rand)
		want   [completion.KindCount]string
		factor float64 // of scattered values
	}{
		"each its own": {func(c *completion.Contest, rng *rand.Rand) {
			drawn(c, rng, completion.KindScattered, 40, false, judged{"", 0.3, 1}, judged{"b", 1, 1})
			drawn(c, rng, completion.KindGaps, 40, false, judged{"", 1.5, 1}, judged{"b", 0.2, 1})
		}, [completion.KindCount]string{"the model", "the model", "b", "the model"}, 1},
		"few groups": {func(c *completion.Contest, rng *rand.Rand) {
			drawn(c, rng, completion.KindScattered, 40, false, judged{"", 0.3, 1}, judged{"b", 1.8, 1})
			drawn(c, rng, completion.KindGaps, 1, false, judged{"", 0.8, 1}, judged{"b", 0.7, 1})
		}, [completion.KindCount]string{"the model", "the model", "the model", "the model"}, 1},
		"few groups alone": {func(c *completion.Contest, rng *rand.Rand) {
			drawn(c, rng, completion.KindGaps, 1, false, judged{"", 0.8, 1}, judged{"b", 0.7, 1})
		}, [completion.KindCount]string{"the model", "the model", "b", "the model"}, 0},
		"together": {func(c *completion.Contest, rng *rand.Rand) {
			drawn(c, rng, completion.KindScattered, 100, true, judged{"", 0.7, 1}, judged{"b", 0.7, 1})
		}, [completion.KindCount]string{"the model and b", "the model", "the model", "the model"}, 1},
		"too sure": {func(c *completion.Contest, rng *rand.Rand) {
			drawn(c, rng, completion.KindScattered, 100, false, judged{"", 1.5, 0.1}, judged{"b", 0.2, 0.1})
		}, [completion.KindCount]string{"b", "the model", "the model", "the model"}, 9},
		"too unsure": {func(c *completion.Contest, rng *rand.Rand) {
			drawn(c, rng, completion.KindScattered, 100, false, judged{"", 1.5, 9}, judged{"b", 0.2, 9})
		}, [completion.KindCount]string{"b", "the model", "the model", "the model"}, 1},
	} {
		s := &completion.Contest{Held: map[string][]completion.HeldValue{}, Scale: []float64{2}}
		c.draw(s, rand.New(rand.NewPCG(3, 72)))
		s.Decide()
		for k, w := range s.Winner {
			want := c.want[k]
			if len(s.Of("", completion.Kind(k))) == 0 { // what is best of all kinds
				want = s.Best(completion.KindCount).String()
			}
			if w.String() != want {
				t.Errorf("%s, %s: %v, want %s", name, completion.KindNames[k], w, want)
			}
		}
		if f := s.Winner[completion.KindScattered].Factor; f != 0 && f < 1 || math.Abs(f/max(c.factor, 1e-9)-1) > 0.2 && c.factor > 0 {
			t.Errorf("%s: a factor of %v, expected about %v", name, f, c.factor)
		}
	}
	tie := &completion.Contest{Held: map[string][]completion.HeldValue{}, Scale: []float64{2}}
	drawn(tie, rand.New(rand.NewPCG(3, 72)), completion.KindBlocks, 10, false, judged{"", 1, 1})
	tie.Add("b", tie.Held[""])
	if tie.Decide(); tie.Winner[completion.KindBlocks].String() != "the model" {
		t.Errorf("a tie is for %v", tie.Winner[completion.KindBlocks])
	}
}

// What two methods say together is the Gaussian conditional of the value given both of what they have seen, with noise of its own each.
func TestTogether(t *testing.T) {
	const centre, spread = 3., 2.
	c := completion.Contest{Centre: []float64{0, centre}, Spread: []float64{1, spread}}
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
		mean, variance := c.Together(1, m, v, n, w)
		compare.Near(t, fmt.Sprint("noise ", noise), []float64{mean, variance}, []float64{wantMean, wantVariance}, 1e-12)
	}
	if _, v := c.Together(1, 0, 1e6, 0, 1e6); !(v > 0) || math.IsInf(v, 0) {
		t.Errorf("of two that know less than the mean the variance is %v", v)
	}
}

// Checks are the errors of held values of a kind as they are, groups weigh the same whatever their size, and the check of all weighs kinds by what is missing.
func TestFillChecks(t *testing.T) {
	c := &completion.Contest{Held: map[string][]completion.HeldValue{}, Scale: []float64{2}, Centre: make([]float64, 4), Spread: []float64{1, 1, 1, 1}}
	value := func(k completion.Kind, group int, e, v float64) completion.HeldValue {
		return completion.HeldValue{Kind: k, Group: group, Truth: 10, Mean: 10 - e, Variance: v, Value: group}
	}
	c.Add("", []completion.HeldValue{value(completion.KindGaps, 0, 1, 1), value(completion.KindGaps, 0, -3, 1), value(completion.KindGaps, 1, 4, 1), value(completion.KindWhole, 2, 9, 9)})
	c.Add("b", []completion.HeldValue{value(completion.KindGaps, 0, 5, 1), value(completion.KindGaps, 0, 5, 1), value(completion.KindGaps, 1, 5, 1), value(completion.KindWhole, 2, math.NaN(), 9)})
	c.Add("c", []completion.HeldValue{value(completion.KindGaps, 0, 2, 1), value(completion.KindGaps, 0, 2, 1), value(completion.KindGaps, 1, 2, 1), value(completion.KindWhole, 2, 7, math.Inf(1))})
	c.Winner[completion.KindGaps].Factor, c.Winner[completion.KindWhole].Factor = 4, 1
	log := func(v float64) float64 { return 0.5 * math.Log(2*math.Pi*v) }
	gaps := FillCheck{Kind: completion.KindNames[completion.KindGaps], Missing: 30, By: "the model", Values: 3, RMSE: math.Sqrt((1 + 9 + 16) / 3.),
		NLP: log(4) + 0.5*(1+9+16)/4./3, Coverage: 2. / 3, Factor: 4, Simplest: "c", SimplestRMSE: 2}
	whole := FillCheck{Kind: completion.KindNames[completion.KindWhole], Missing: 10, By: "the model", Values: 1, RMSE: 9, NLP: log(9) + 4.5, Factor: 1}
	near := func(what string, got, want FillCheck) {
		t.Helper()
		compare.Near(t, what, []float64{got.RMSE, got.NLP, got.Coverage, got.SimplestRMSE}, []float64{want.RMSE, want.NLP, want.Coverage, want.SimplestRMSE}, 1e-12)
		got.RMSE, got.NLP, got.Coverage, got.SimplestRMSE = want.RMSE, want.NLP, want.Coverage, want.SimplestRMSE
		if got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	near("gaps", checkOfKind(c, completion.KindGaps, 30), gaps)
	near("whole", checkOfKind(c, completion.KindWhole, 10), whole)
	near("all", checkOf([]FillCheck{gaps, whole, {Missing: 1000}}, FillCheck{Values: 7}), FillCheck{Missing: 40, Values: 4, Factor: 4,
		RMSE: math.Sqrt((30*gaps.RMSE*gaps.RMSE + 10*81) / 40), NLP: (30*gaps.NLP + 10*whole.NLP) / 40, Coverage: 30 * (2. / 3) / 40})
	near("nothing held out", checkOf([]FillCheck{{Missing: 5}}, FillCheck{Values: 7, RMSE: 1}), FillCheck{Values: 7, RMSE: 1})

	v, factor := c.Scores(c.Of("", completion.KindGaps))
	want := validation.Inflation((5+16)/2., 2)
	compare.Near(t, "verdict", append(v.Errors, factor), []float64{math.Sqrt(5) / 2, 2, want}, 1e-12)
	compare.Near(t, "losses", v.Losses, []float64{log(want) + 2.5/want, log(want) + 8/want}, 1e-12)
}

// The winner of a kind fills in what is missing in that way, with its variances multiplied, and nothing else; what it cannot tell stays.
func TestContestFills(t *testing.T) {
	says := func(m, v float64) completion.Filler {
		mean, variance := mat.New(2, 3), mat.New(2, 3)
		mean.Fill(m)
		variance.Fill(v)
		mean.Set(1, 2, math.NaN())
		return completion.Filler{Name: fmt.Sprint(m), Fill: func(context.Context) (mat.Matrix, mat.Matrix, error) { return mean, variance, nil }}
	}
	kinds := []completion.Kind{completion.KindGaps, completion.KindCount, completion.KindWhole, completion.KindGaps, completion.KindScattered, completion.KindGaps}
	c := &completion.Contest{Centre: make([]float64, 3), Spread: []float64{10, 10, 10}}
	c.Winner[completion.KindGaps] = completion.Candidate{Name: "2", Factor: 3}
	c.Winner[completion.KindScattered] = completion.Candidate{And: "2", Pair: true, Factor: 2}
	y, variance := mat.NewDense(2, 3, []float64{10, 11, 12, 13, 14, 15}), mat.NewDense(2, 3, []float64{1, 0, 1, 1, 1, 1})
	for k := range completion.KindCount {
		if err := c.Fill(t.Context(), k, kinds, y, variance, []completion.Filler{says(1, 1), says(2, 0.5)}); err != nil {
			t.Fatal(err)
		}
	}
	m, v := c.Together(1, 14, 1, 2, 0.5)
	compare.Near(t, "filled in", y.Data, []float64{2, 11, 12, 2, m, 15}, 1e-15)
	compare.Near(t, "variances", variance.Data, []float64{1.5, 0, 1, 1.5, 2 * v, 1}, 1e-15)
}

// The model has lost where it is far worse in each kind of which values were held out, and not where it has a part in what fills in one.
func TestLost(t *testing.T) {
	for deviation, want := range map[float64]bool{0.15: false, 1.8: true} {
		c := &completion.Contest{Held: map[string][]completion.HeldValue{}, Scale: []float64{2}}
		rng := rand.New(rand.NewPCG(5, 73))
		drawn(c, rng, completion.KindScattered, 30, false, judged{"", 1.8, 1}, judged{"b", 0.2, 1})
		drawn(c, rng, completion.KindGaps, 30, false, judged{"", deviation, 1}, judged{"b", 0.2, 1})
		if c.Decide(); c.Lost(validation.StopErrors) != want {
			t.Errorf("errors of %v in gaps: lost %t; winners %v", deviation, !want, c.Winner)
		}
	}
	c := &completion.Contest{Held: map[string][]completion.HeldValue{}, Scale: []float64{2}}
	drawn(c, rand.New(rand.NewPCG(5, 73)), completion.KindScattered, 200, true, judged{"", 0.7, 1}, judged{"b", 0.7, 1})
	if c.Decide(); !c.Winner[completion.KindScattered].Pair || c.Lost(0) {
		t.Errorf("the model has lost to %v", c.Winner[completion.KindScattered])
	}
}

// The winner's variances are multiplied by what its groups ask for, drawn to 1, and by how much a Student distribution that knows no more is wider.
func TestFewGroups(t *testing.T) {
	for _, n := range []int{1, 3, 100} {
		c := &completion.Contest{Held: map[string][]completion.HeldValue{}, Scale: []float64{1}, Centre: []float64{0}, Spread: []float64{1}}
		var list []completion.HeldValue
		for g := range n {
			list = append(list, completion.HeldValue{Kind: completion.KindGaps, Group: g, Truth: 2, Variance: 1})
		}
		c.Add("", list)
		c.Decide()
		known := float64(n + 8)
		compare.NearOne(t, fmt.Sprintf("factor by %d groups", n), c.Winner[completion.KindGaps].Factor, (4*float64(n)+8)/known*known/(known-2), 1e-12)
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
		if g.Value == 1 {
			first = n - 2*length
		}
		hidden := c.shifted(g, make([]bool, n), n)
		for i := range n {
			if hide, put := hidden[i]; put != (i >= first && i < first+length) || put && !hide[g.Value] {
				t.Errorf("value %d of example %d: put aside %v", g.Value, i, put)
			}
		}
	}
}
