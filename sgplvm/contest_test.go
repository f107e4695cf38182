package sgplvm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
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
