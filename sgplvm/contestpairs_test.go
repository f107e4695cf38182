package sgplvm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
)

// drawnContest is one of two methods whose errors are independent, and the mean of the points, of 40 values here and there, a group each, and one of a gap.
func drawnContest(deviation float64) *completion.Contest {
	c := &completion.Contest{Scale: []float64{1}, Centre: []float64{0}, Spread: []float64{1}, Held: map[string][]completion.HeldValue{}}
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range 41 {
		v := completion.HeldValue{Example: i, Group: i, Truth: rng.NormFloat64()}
		if i == 40 {
			v.Kind = completion.KindGaps
		}
		for _, name := range []string{"", "other"} {
			v.Mean, v.Variance = v.Truth+deviation*rng.NormFloat64(), deviation*deviation
			if v.Kind == completion.KindGaps {
				v.Mean = v.Truth + map[string]float64{"": deviation, "other": -deviation}[name]
			}
			c.Add(name, []completion.HeldValue{v})
		}
		v.Mean, v.Variance = 0, 1
		c.Add(simple.Mean, []completion.HeldValue{v})
	}
	return c
}

// Two methods whose errors are independent are taken together, with the variance of their mean.
func TestContestPairs(t *testing.T) {
	c := drawnContest(0.3)
	c.Decide()
	w := c.Winner[completion.KindScattered]
	if f := checkOfKind(c, completion.KindScattered, 40); !w.Pair || w.Factor > 1.3 || math.Abs(f.RMSE-0.21) > 0.06 || f.Coverage < 0.8 {
		t.Errorf("%v, factor %v: %+v", w, w.Factor, f)
	}
}

// What a single value says of a kind does not make two methods better than one.
func TestContestFew(t *testing.T) {
	c := drawnContest(0.3)
	for i := range c.Held["other"][:40] { // so wrong elsewhere that both are about as good as one
		v := &c.Held["other"][i]
		v.Mean = v.Truth + 2*(v.Mean-v.Truth)
	}
	c.Decide()
	if w := c.Winner[completion.KindGaps]; w.Pair {
		t.Errorf("%v", w)
	}
}

// The mean of the points, which whatever is taken together takes into account, is not taken together with anything, also where it is more
// precise.
func TestContestMean(t *testing.T) {
	c := drawnContest(1.5)
	delete(c.Held, "other")
	c.Names = []string{"", simple.Mean}
	c.Decide()
	if w := c.Winner[completion.KindScattered]; w.Pair || w.Name != simple.Mean {
		t.Errorf("%v", w)
	}
}

// What is put aside of a gap in time is held out as a gap, however much shorter it is: here more count as one than are put aside.
func TestContestGaps(t *testing.T) {
	const n, p = 48, 8
	rng := rand.New(rand.NewPCG(5, 5))
	d := Data{Y: mat.New(n, p), Examples: n, Grid: Grid{line(1)}}
	for i := range n {
		d.Times = append(d.Times, float64(i))
		for j := range p {
			if d.Y.Set(i, j, rng.NormFloat64()); j == 0 && i >= 18 && i < 32 || j > 1 && rng.Float64() < 0.5 {
				d.Y.Set(i, j, math.NaN())
			}
		}
	}
	d, err := d.checked()
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Effort: EffortQuick}
	c, err := newCompleter(d, cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.all, _, c.rows, _ = c.apart(Config{})
	gaps := c.gapsInTime()
	c.putAside(16)
	contest, err := c.compete(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(gaps) != 1 || len(contest.Held[simple.Mean]) == 0 {
		t.Fatalf("gaps %v", gaps)
	}
	for _, v := range contest.Held[simple.Mean] {
		if v.Value == 0 && v.Kind == completion.KindGaps {
			return
		}
	}
	t.Errorf("no gap is held out: %+v", contest.Held[simple.Mean])
}
