package sgplvm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// What is held out where a point is missing for six steps at a time is a point for six steps, of what was observed, and leaves something of each example.
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
		c, err := newCompleter(trainingSet{Data: d}, Config{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(c.holes.Missing)
		c.holdOutSome(12)
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

// Checks are the errors of held values of a kind as they are, groups weigh the same whatever their size, and the check of all weighs kinds by what is missing.
func TestFillChecks(t *testing.T) {
	c := &completion.Contest{Held: map[string][]completion.HeldValue{}, Scale: []float64{2}, Centre: make([]float64, 4), Spread: []float64{1, 1, 1, 1}}
	value := func(k completion.Kind, group int, e, v float64) completion.HeldValue {
		return completion.HeldValue{Kind: k, Group: group, Truth: 10, Mean: 10 - e, Variance: v, Value: group}
	}
	c.Add("", []completion.HeldValue{value(completion.KindGaps, 0, 1, 1), value(completion.KindGaps, 0, -3, 1), value(completion.KindGaps, 1, 4, 1), value(completion.KindWhole, 2, 9, 9)})
	c.Add("b", []completion.HeldValue{value(completion.KindGaps, 0, 5, 1), value(completion.KindGaps, 0, 5, 1), value(completion.KindGaps, 1, 5, 1), value(completion.KindWhole, 2, math.NaN(), 9)})
	c.Add("c", []completion.HeldValue{value(completion.KindGaps, 0, 2, 1), value(completion.KindGaps, 0, 2, 1), value(completion.KindGaps, 1, 2, 1), value(completion.KindWhole, 2, 7, math.Inf(1))})
	c.Shares[completion.KindGaps], c.Shares[completion.KindWhole] = completion.Alone(""), completion.Alone("")
	c.Shares[completion.KindGaps][0].Factor = 4
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

// A gap at an end of the record is held out next to it, in a run as long.
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
	c, err := newCompleter(trainingSet{Data: d}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	gaps := c.holes.TimeGaps(c.at())
	if len(gaps) != 2 {
		t.Fatalf("%d gaps, expected one at each end", len(gaps))
	}
	for _, g := range gaps {
		first := length
		if g.Value == 1 {
			first = n - 2*length
		}
		_, hidden := c.holdOut().Shifted(g, make([]bool, n), n)
		for i := range n {
			if hide, put := hidden[i]; put != (i >= first && i < first+length) || put && !hide[g.Value] {
				t.Errorf("value %d of example %d: put aside %v", g.Value, i, put)
			}
		}
	}
}
