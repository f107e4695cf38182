package sgplvm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/simple"
)

// drawnContest is one of two methods whose errors are independent, and the mean of the points, of 40 values here and there, a group each, and one of a gap.
func drawnContest(deviation float64) *contest {
	c := &contest{scale: []float64{1}, centre: []float64{0}, spread: []float64{1}, held: map[string][]heldValue{}}
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range 41 {
		v := heldValue{example: i, group: i, truth: rng.NormFloat64()}
		if i == 40 {
			v.kind = kindGaps
		}
		for _, name := range []string{"", "other"} {
			v.mean, v.variance = v.truth+deviation*rng.NormFloat64(), deviation*deviation
			if v.kind == kindGaps {
				v.mean = v.truth + map[string]float64{"": deviation, "other": -deviation}[name]
			}
			c.add(name, []heldValue{v})
		}
		v.mean, v.variance = 0, 1
		c.add(simple.Mean, []heldValue{v})
	}
	return c
}

// Two methods whose errors are independent are taken together, with the variance of their mean.
func TestContestPairs(t *testing.T) {
	c := drawnContest(0.3)
	c.decide()
	w := c.winner[kindScattered]
	if f := c.check(kindScattered, 40); !w.pair || w.factor > 1.3 || math.Abs(f.RMSE-0.21) > 0.06 || f.Coverage < 0.8 {
		t.Errorf("%v, factor %v: %+v", w, w.factor, f)
	}
}

// What a single value says of a kind does not make two methods better than one.
func TestContestFew(t *testing.T) {
	c := drawnContest(0.3)
	for i := range c.held["other"][:40] { // so wrong elsewhere that both are about as good as one
		v := &c.held["other"][i]
		v.mean = v.truth + 2*(v.mean-v.truth)
	}
	c.decide()
	if w := c.winner[kindGaps]; w.pair {
		t.Errorf("%v", w)
	}
}

// The mean of the points, which whatever is taken together takes into account, is not taken together with anything, also where it is more
// precise.
func TestContestMean(t *testing.T) {
	c := drawnContest(1.5)
	delete(c.held, "other")
	c.names = []string{"", simple.Mean}
	c.decide()
	if w := c.winner[kindScattered]; w.pair || w.name != simple.Mean {
		t.Errorf("%v", w)
	}
}
