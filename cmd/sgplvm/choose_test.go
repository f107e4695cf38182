package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Another setting is better if it is by more than chance makes it: by preference standard
// errors of the mean difference.
func TestBetter(t *testing.T) {
	defer func(p float64) { preference = p }(preference)
	preference = 2
	for _, c := range []struct {
		scores, others []float64
		want           bool
	}{
		{[]float64{1, 2, 3}, []float64{1, 2, 3}, false},
		{[]float64{1, 2, 3}, []float64{1.1, 2.1, 3.2}, true},
		{[]float64{1.1, 2.1, 3.2}, []float64{1, 2, 3}, false},
		{[]float64{0, 0, 0, 0}, []float64{1, 1, 1, -1}, false},            // 0.5 ± 0.5
		{[]float64{0, 0, 0, 0}, []float64{1, 1, 1, 0.1}, true},            // 0.775 ± 0.225
		{[]float64{5}, []float64{9}, false},                               // no error is known
		{[]float64{math.Inf(1), 0, 0}, []float64{1, 1, 1}, false},         // nor here
		{[]float64{0, 0, 0}, []float64{math.NaN(), 100, 100}, false},      // or here
		{[]float64{0, 0, 0, 0, 0}, []float64{3, 3, 3, 3, -1}, true},       // 2.2 ± 0.8
		{[]float64{0, 0, 0, 0, 0}, []float64{3, 3, 3, -1, -0.999}, false}, // 1.4 ± 0.98
	} {
		if got := better(c.scores, c.others); got != c.want {
			t.Errorf("%v better than %v: %v", c.scores, c.others, got)
		}
	}
}

// Small pictures are validated at all points, large ones at no more than
// mostValidation, of which those observed are all, or three quarters.
func TestSomePoints(t *testing.T) {
	for _, c := range []struct{ points, channels, observed, want, wantObserved int }{
		{20, 1, 9, 20, 9},
		{2 * mostValidation, 1, 900, 2 * mostValidation, 900},
		{2*mostValidation + 1, 1, 400, mostValidation, 400},
		{4000, 3, 3000, mostValidation, mostValidation * 3 / 4},
		{4000, 1, 3900, mostValidation*3/4 + 100, mostValidation * 3 / 4},
	} {
		picture := make([]float64, c.points*c.channels)
		for i := c.observed * c.channels; i < len(picture); i++ {
			picture[i] = math.NaN()
		}
		got := somePoints(rand.New(rand.NewPCG(1, 2)), picture, c.channels)
		observed := 0
		for _, j := range got {
			if j < c.observed {
				observed++
			}
		}
		if len(got) != c.want || observed != c.wantObserved || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("%+v: %d points, %d observed: %v", c, len(got), observed, got)
		}
	}
}

// smallChoice is an experiment of which 22 pictures are learned from.
func smallChoice(t *testing.T) *experiment {
	t.Helper()
	splitFolder(t)
	x := &experiment{e: &environment{stdout: io.Discard, stderr: io.Discard}}
	masks := make([]uint8, 4*testPoints)
	for i := range masks {
		masks[i] = uint8(i * i / 7 % 2)
	}
	writeArray(t, "masks.npy", npy.New(masks, 4, testPoints))
	if err := x.load("all.npy", "5x4", "split.npy", "masks.npy", 22); err != nil {
		t.Fatal(err)
	}
	return x
}

// Pictures that are held out are filled in under masks of the others and by a model that
// has not seen them.
func TestValidation(t *testing.T) {
	x := smallChoice(t)
	c, err := x.configuration(structured)
	if err != nil {
		t.Fatal(err)
	}
	v, err := x.validation(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	all := values(x.training)
	learned := mat.New(18, testPoints)
	if n, points, channels := v.training.Source.Dims(); n != 18 || points != testPoints || channels != 1 || v.truth.Rows != 4 {
		t.Fatalf("%d pictures of %d points and %d channels, %d held out", n, points, channels, v.truth.Rows)
	}
	if err := v.training.Source.ReadExamples(learned.Data, 0, 18); err != nil {
		t.Fatal(err)
	}
	var found []int
	for i := range all.Rows {
		for _, part := range []mat.Matrix{learned, v.truth} {
			for k := range part.Rows {
				if slices.Equal(part.Row(k), all.Row(i)) {
					found = append(found, i)
				}
			}
		}
	}
	if len(found) != all.Rows {
		t.Errorf("pictures %v learned from or held out, expected each once", found)
	}
	masks := values(x.seen)
	for k := range v.seen.Rows {
		for j, s := range v.seen.Row(k) {
			if hidden := math.IsNaN(masks.At(k%masks.Rows, j)); hidden != math.IsNaN(s) || !hidden && s != v.truth.At(k, j) {
				t.Errorf("picture %d, value %d: %v, %v in truth, hidden %v", k, j, s, v.truth.At(k, j), hidden)
			}
		}
	}
}

// What fills in held-out pictures better is chosen, what does worse is not, whichever of
// them is the default; and settings say what they are.
func TestChoose(t *testing.T) {
	defer func(s []setting, p float64) { settings, preference = s, p }(settings, preference)
	preference = 0
	condition := func(way sgplvm.Conditioning) []setting {
		return []setting{{false, []func(*configuration){func(c *configuration) { c.infer.Conditioning = way }}}}
	}
	x := smallChoice(t)
	for _, c := range []struct{ from, to, want sgplvm.Conditioning }{
		{sgplvm.ConditionNone, sgplvm.ConditionGivenLatent, sgplvm.ConditionGivenLatent},
		{sgplvm.ConditionGivenLatent, sgplvm.ConditionNone, sgplvm.ConditionGivenLatent},
	} {
		settings = condition(c.to)
		config, err := x.configuration(structured)
		if err != nil {
			t.Fatal(err)
		}
		config.infer.Conditioning = c.from
		got, err := x.choose(context.Background(), config)
		if err != nil || got.infer.Conditioning != c.want {
			t.Errorf("from %q with %q as the other: %q, %v", c.from, c.to, got.infer.Conditioning, err)
		}
	}
	settings = []setting{{true, choices([]float64{3}, func(c *configuration, v float64) { c.fit.ResidualTaper = v })}}
	config, _ := x.configuration(structured)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := x.choose(ctx, config); err != context.Canceled {
		t.Errorf("error %v, expected %v", err, context.Canceled)
	}
	config.fit.ResidualRounds = 0 // the paper's model has nothing to choose
	if got, err := x.choose(ctx, config); err != nil || fmt.Sprint(&got) != fmt.Sprint(&config) {
		t.Errorf("%v, %v without a learned noise", &got, err)
	}
}
