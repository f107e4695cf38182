package sgplvm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
)

// What is held out of a gap in time is held out as a gap, however much shorter it is: here more count as one than are held out.
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
	c, err := newCompleter(trainingSet{Data: d}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.all, _, c.rows, _ = c.apart(Config{})
	gaps := c.holes.TimeGaps(c.at())
	c.holdOutSome(16)
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
