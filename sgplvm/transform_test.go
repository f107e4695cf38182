package sgplvm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// skewed returns 48 fields of 6×6 points, products of powers of two patterns and a little noise, of which a quarter of the values is hidden; in a second channel, if there is one, their
// logarithms.
func skewed(channels int) (truth, seen mat.Matrix) {
	rng := rand.New(rand.NewPCG(5, 17))
	const n, side = 48, 6
	truth = mat.New(n*side*side, channels)
	for i := range n {
		a, b := 1.5*rng.NormFloat64(), 1.2*rng.NormFloat64()
		for s := range side * side {
			x, y := float64(s%side)/side, float64(s/side)/side
			v := a*math.Sin(3*x+y) + b*math.Cos(4*y) + 0.1*rng.NormFloat64()
			truth.Set(i*side*side+s, 0, math.Exp(v))
			if channels > 1 {
				truth.Set(i*side*side+s, 1, v)
			}
		}
	}
	seen = truth.Clone()
	for k := range seen.Data {
		if rng.Float64() < 0.25 {
			seen.Data[k] = math.NaN()
		}
	}
	return truth, seen
}

// Positive values that differ by factors are completed by their logarithms, other channels as they are: errors, in the units of the data, are smaller, the told ones are true, and observed
// values stay as they were, to the bit.
func TestTransform(t *testing.T) {
	for channels, want := range map[int][]string{1: {"log"}, 2: {"log", "identity"}} {
		truth, seen := skewed(channels)
		fill := func(s Switch) (c *Completion, rmse float64) {
			c, err := Complete(context.Background(), Data{Source: NewSource(seen.Data, 48, 36, channels), Grid: Grid{line(6), line(6)}}, Config{Effort: EffortQuick, LatentDims: 3, Training: steps(8), Transform: s})
			if err != nil {
				t.Fatal(err)
			}
			missing := 0.
			for k, v := range seen.Data {
				if e := c.Mean.Data[k] - truth.Data[k]; v == v && (e != 0 || c.Variance.Data[k] != 0) {
					t.Fatalf("value %d was observed: %v, now %v ± %v", k, v, c.Mean.Data[k], c.Variance.Data[k])
				} else if v != v && k%channels == 0 {
					rmse, missing = rmse+e*e, missing+1
				}
			}
			return c, math.Sqrt(rmse / missing)
		}
		c, by := fill(Choose)
		if !slices.Equal(c.Transforms, want) {
			t.Errorf("transforms %v, expected %v", c.Transforms, want)
		}
		if channels > 1 {
			continue
		}
		if plain, without := fill(Off); plain.Transforms != nil || by > 0.8*without {
			t.Errorf("error %.3f, %.3f without logarithms (%v)", by, without, plain.Transforms)
		}
		if told := c.Check.RMSE; told < 0.5*by || told > 2*by {
			t.Errorf("told the error %.3f, expected about %.3f", told, by)
		}
	}
}

// Fields of which many values are at a detection limit are completed as what is cut off there: hidden values have smaller errors, and none is below.
func TestTransformOfLimits(t *testing.T) {
	truth, seen := skewed(1)
	const limit = 2
	var y, want []float64
	for k, v := range seen.Data {
		y, want = append(y, limit+max(0, math.Log(v))), append(want, limit+max(0, math.Log(truth.Data[k])))
	}
	fill := func(s Switch) (c *Completion, rmse float64) {
		c, err := Complete(t.Context(), Data{Source: NewSource(y, 48, 36, 1), Grid: Grid{line(6), line(6)}}, Config{Effort: EffortQuick, LatentDims: 3, Training: steps(8), Transform: s})
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range c.Mean.Data {
			if y[k] != y[k] {
				rmse += (v - want[k]) * (v - want[k])
			} else if v != y[k] || c.Variance.Data[k] != 0 {
				t.Fatalf("value %d was observed: %v, now %v ± %v", k, y[k], v, c.Variance.Data[k])
			}
		}
		return c, math.Sqrt(rmse)
	}
	c, by := fill(Choose)
	if name := fmt.Sprint("identity above ", limit); !slices.Equal(c.Transforms, []string{name}) {
		t.Errorf("transforms %v, expected %s", c.Transforms, name)
	}
	if w := c.TransformCheck; w.Score != "CRPS" || w.With > 0.9*w.Without {
		t.Errorf("check %+v", w)
	}
	if least := slices.Min(c.Mean.Data); least < limit || c.Check.Coverage < 0.8 || c.Check.Coverage > 0.97 {
		t.Errorf("filled in %v and more, coverage %v", least, c.Check.Coverage)
	}
	if _, without := fill(Off); by > 0.9*without {
		t.Errorf("error %.3f, %.3f without a limit", by, without)
	}
}

// A view of positive values is completed by its logarithms, and one of which nothing is missing comes back to the bit.
func TestTransformOfViews(t *testing.T) {
	if testing.Short() {
		t.Skip("completes two views")
	}
	truth, seen := skewed(1)
	var views []View
	for _, y := range []mat.Matrix{seen, truth} {
		views = append(views, View{Name: string(rune('a' + len(views))), Data: Data{Source: NewSource(y.Data[:20*36], 20, 36, 1), Grid: Grid{line(6), line(6)}}})
	}
	all, err := CompleteViews(t.Context(), views, Config{Effort: EffortQuick, LatentDims: 3, Training: steps(20)})
	if err != nil {
		t.Fatal(err)
	}
	if got := all[0].Transforms; !slices.Equal(got, []string{"log"}) {
		t.Errorf("transforms %v", got)
	}
	for v, y := range [][]float64{seen.Data, truth.Data} {
		for k, got := range all[v].Mean.Data {
			if want := y[k]; want == want && got != want || !(got > 0) {
				t.Fatalf("view %s: value %d is %v, observed %v", views[v].Name, k, got, want)
			}
		}
	}
}
