package selection

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Folds hold out different examples, as many as the plan says and no more than a quarter; in time at even distances.
func TestDivide(t *testing.T) {
	for effort, p := range Plans {
		for n := MinTraining; n < 200; n++ {
			for _, inTime := range []bool{false, true} {
				folds := divide(rand.New(rand.NewPCG(1, 2)), n, p, inTime)
				if len(folds) < 1 || len(folds) > p.Folds {
					t.Fatalf("%v, %d examples: %d folds", effort, n, len(folds))
				}
				held := map[int]bool{}
				for _, out := range folds {
					if len(out) < 1 || len(out) > max(1, n/4) || !slices.IsSorted(out) {
						t.Errorf("%v, %d examples, in time %t: %v held out", effort, n, inTime, out)
					}
					for k, i := range out {
						if held[i] || i < 0 || i >= n {
							t.Errorf("%v, %d examples, in time %t: example %d twice", effort, n, inTime, i)
						}
						if inTime && k > 0 && i != out[k-1]+4 {
							t.Errorf("%v, %d examples: %v held out", effort, n, out)
						}
						held[i] = true
					}
				}
				if len(held) > p.HeldOut {
					t.Errorf("%v, %d examples, in time %t: %d held out", effort, n, inTime, len(held))
				}
			}
		}
	}
}

// Examples of which values are held out are so in as few folds as suffice, but where neighbours in time teach them.
func TestFoldsOfHoles(t *testing.T) {
	for _, c := range []struct{ examples, reserved, folds int }{{30, 4, 1}, {80, 8, 1}, {80, 12, 2}, {80, 26, 3}, {1200, 100, 1}} {
		holes := &completion.Mask{Size: 1}
		for i := range c.reserved {
			holes.HeldOut = append(holes.HeldOut, completion.Held{Example: 2 * i, Group: 2 * i})
		}
		s := newSearch(t, Data{Data: training.Data{Source: sized{c.examples, 1, 1}}, Holes: holes}, training.Settings{})
		folds := s.heldOut(nil, Plan{Folds: 3})
		var held []int
		for _, out := range folds {
			held = append(held, out...)
		}
		slices.Sort(held)
		if len(folds) != c.folds || !slices.Equal(held, holes.HeldExamples()) || len(held) != c.reserved {
			t.Errorf("%+v: %d held out in %d folds", c, len(held), len(folds))
		}
		s.data.Times = line(c.examples).Data
		if folds := s.heldOut(nil, Plan{Folds: 3}); len(folds) != 3 {
			t.Errorf("%+v, in time: %d folds", c, len(folds))
		}
	}
}

// Each fold learns from the examples that it does not hold out, at their times, and hides of those what the
// masks say, in turn.
func TestFillValidator(t *testing.T) {
	labels := make([]int, 22)
	for i := range labels {
		labels[i] = i / 11
	}
	masks := [][]bool{make([]bool, 20), make([]bool, 20), make([]bool, 20)}
	for j := range 20 {
		masks[0][j], masks[1][j], masks[2][j] = j%3 == 0, j >= 10, j == 7
	}
	for _, c := range []struct {
		name   string
		times  []float64
		masks  [][]bool
		effort field.Effort
	}{
		{"masks", nil, masks, field.EffortNormal}, {"patterns", nil, nil, field.EffortThorough}, {"in time", line(22).Data, masks, field.EffortNormal}, {"quick", nil, masks[:1], field.EffortQuick},
	} {
		d := waves(22)
		given := d.values(t)
		d.Hide = c.masks
		unsure := completion.Errors{Covariance: mat.New(20, 20), Variance: mat.New(22, 20)}
		for k := range unsure.Covariance.Data {
			unsure.Covariance.Data[k], unsure.Variance.Data[k] = float64(k), float64(k)
		}
		if c.times != nil {
			d = d.at(c.times, labels)
		}
		s := newSearch(t, d, training.Settings{Effort: c.effort})
		s.data.Imputed = unsure
		j, err := s.thinnedFolds(1)
		if err != nil {
			t.Fatal(err)
		}
		if len(j.Cases) != j.examples()*s.plan.Patterns {
			t.Errorf("%s: %d cases of %d examples", c.name, len(j.Cases), j.examples())
		}
		for f, fold := range j.folds {
			held := map[int]bool{}
			for _, k := range j.Cases {
				if k.Fold == f {
					held[k.Example] = true
				}
			}
			n, points, channels := fold.data.Source.Dims()
			if n != 22-len(held) || points != 20 || channels != 1 || fold.scale != 1 || len(fold.data.Grid) != 2 {
				t.Fatalf("%s, fold %d: %d examples of %d points and %d channels, %d held out", c.name, f, n, points, channels, len(held))
			}
			u, learned0 := fold.data.Imputed, 0
			for held[learned0] {
				learned0++
			}
			if !slices.Equal(u.Covariance.Data, unsure.Covariance.Data) || u.Variance.Rows != n || !slices.Equal(u.Variance.Row(0), unsure.Variance.Row(learned0)) {
				t.Errorf("%s, fold %d: %v is unsure", c.name, f, u)
			}
			learned := mat.New(n, 20)
			if err := fold.data.Source.ReadExamples(learned.Data, 0, n); err != nil {
				t.Fatal(err)
			}
			for k, i := range slices.DeleteFunc(line22(), func(i int) bool { return held[i] }) {
				if !slices.Equal(learned.Row(k), given[i*20:(i+1)*20]) {
					t.Errorf("%s, fold %d: example %d is not learned from", c.name, f, i)
				}
				if c.times != nil && (fold.data.Times[k] != float64(i) || fold.data.Sequences[k] != labels[i]) {
					t.Errorf("%s, fold %d: example %d at %v of %d", c.name, f, i, fold.data.Times[k], fold.data.Sequences[k])
				}
			}
		}
		for k, e := range j.Cases {
			hidden := 0
			for p, y := range e.seen {
				truth := given[e.Example*20+p]
				if e.truth[p] != truth || y == y && y != truth || c.masks != nil && c.masks[k%len(c.masks)][p] != (y != y) {
					t.Fatalf("%s: case %d, value %d: %v, %v in truth", c.name, k, p, y, truth)
				}
				if y != y {
					hidden++
				}
			}
			if hidden == 0 || hidden == 20 {
				t.Errorf("%s: case %d: %d values hidden", c.name, k, hidden)
			}
			if c.times == nil != (e.At == nil) || e.At != nil && *e.At != (field.Instant{Time: float64(e.Example), Sequence: labels[e.Example]}) {
				t.Errorf("%s: case %d at %v", c.name, k, e.At)
			}
		}
	}
}

// A fold of the effort quick learns from some of many examples, none of them held out; with times, with holes and with more effort from all others.
func TestFoldsLearnFromSome(t *testing.T) {
	many := correlated(3*manyExamples, 2, 3)
	for name, c := range map[string]struct {
		data   Data
		effort field.Effort
		holes  bool
		want   int
	}{
		"quick":           {many, field.EffortQuick, false, Plans[field.EffortQuick].Learned},
		"few":             {correlated(40, 2, 3), field.EffortQuick, false, 30},
		"normal":          {many, field.EffortNormal, false, 3*manyExamples - 40},
		"quick in time":   {many.at(line(3*manyExamples).Data, nil), field.EffortQuick, false, 3*manyExamples - 12},
		"quick, of holes": {many, field.EffortQuick, true, 3*manyExamples - 12},
	} {
		s := newSearch(t, c.data, training.Settings{Effort: c.effort})
		if c.holes {
			s.data.Holes = new(completion.Mask)
		}
		n, _, _ := c.data.Source.Dims()
		out := divide(s.validationRandom(), n, s.plan, false)[0]
		in := s.learnedBy(n, out)
		if len(in) != c.want || !slices.IsSorted(in) || len(slices.Compact(slices.Clone(in))) != len(in) {
			t.Errorf("%s: learned from %d examples, expected %d", name, len(in), c.want)
		}
		for _, i := range out {
			if slices.Contains(in, i) {
				t.Errorf("%s: example %d is held out and learned", name, i)
			}
		}
		if len(in) == s.plan.Learned && in[len(in)-1] < n/2 {
			t.Errorf("%s: the first ones alone", name)
		}
	}
}

func line22() (list []int) {
	for i := range 22 {
		list = append(list, i)
	}
	return list
}

// Models of a fold are the same bits whatever the examples are that it holds out.
func TestHeldOutIsNotLearned(t *testing.T) {
	d := waves(16)
	y := d.values(t)
	cfg := training.Settings{Effort: field.EffortQuick, LatentDims: 3, Residual: training.Residual{Kernel: matern32, Rounds: 1, Local: field.On}, Factors: field.FactorsJoint, Training: steps(8)}
	j, err := newSearch(t, d, cfg).thinnedFolds(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range j.Cases {
		for k := range 20 {
			y[c.Example*20+k] += float64(17 * k % 5)
		}
	}
	other, err := newSearch(t, of(y, d.Grid), cfg).thinnedFolds(1)
	if err != nil {
		t.Fatal(err)
	}
	models := func(j *Folds) []*predict.Posterior {
		t.Helper()
		m, err := j.models(context.Background(), cfg, 0, len(j.folds))
		if err != nil || len(m) != len(j.folds) {
			t.Fatalf("%d models, error %v", len(m), err)
		}
		return m
	}
	a, b := models(j), models(other)
	for f := range a {
		compare.SameBits(t, "parameters", append(slices.Clone(a[f].Params().X.Mu.Data), a[f].Alpha().Data...), append(slices.Clone(b[f].Params().X.Mu.Data), b[f].Alpha().Data...))
		compare.SameBits(t, "residuals", a[f].Options().Residuals.Data, b[f].Options().Residuals.Data)
		compare.SameBits(t, "noise", a[f].Params().Noise.Covariance.Data, b[f].Params().Noise.Covariance.Data)
		if q := a[f]; q.Params().X.Mu.Rows != 12 || !q.Params().Noise.Learned() || q.Options().Residuals.Rows == 0 {
			t.Errorf("fold %d: %d examples, residuals of %d", f, q.Params().X.Mu.Rows, q.Options().Residuals.Rows)
		}
	}
	if slices.Equal(j.Cases[0].truth, other.Cases[0].truth) {
		t.Error("the same examples are held out")
	}
}

// never finds no candidate hopeless.
func never(validation.Scores) bool { return false }

// What a candidate's result is does not depend on those validated before it.
func TestValidatedInAnyOrder(t *testing.T) {
	s := newSearch(t, waves(16), training.Settings{Effort: field.EffortQuick})
	learned := training.Settings{LatentDims: 3, Training: steps(6)}.Or(s.learnedNoise())
	var cfgs []training.Settings
	for _, change := range []func(c *training.Settings){
		func(*training.Settings) {}, func(c *training.Settings) { c.Residual.Taper = 2 }, func(c *training.Settings) { c.LatentDims = 2 }, func(c *training.Settings) { c.Infer.DegreesOfFreedom = 4 },
		func(c *training.Settings) {
			*c = training.Settings{LatentDims: 3, Training: steps(6)}.Or(s.whiteNoise())
		},
	} {
		c := learned
		change(&c)
		cfgs = append(cfgs, c)
	}
	results := map[int]string{}
	shared, err := s.thinnedFolds(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 1, 2, 3, 4, 3, 0, 2, 4, 1, 1} {
		j := shared
		if results[i] == "" {
			if j, err = s.thinnedFolds(1); err != nil {
				t.Fatal(err)
			}
		}
		v, err := j.validate(context.Background(), cfgs[i], never)
		got := fmt.Sprint(v, err)
		if err != nil || results[i] != "" && results[i] != got {
			t.Errorf("candidate %d: %s, first %s", i, got, results[i])
		}
		results[i] = got
		for k, r := range results {
			if k != i && r == got {
				t.Errorf("candidates %d and %d are the same", i, k)
			}
		}
	}
}

// Only what is hidden counts, by −log N(y | m, v) on average, and the error in standard deviations of the data.
func TestFillCase(t *testing.T) {
	ctx, d := t.Context(), correlated(16, 6, 5)
	trainer, err := unstepped{}.New(d, training.Settings{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := trainer.Posterior()
	if err != nil {
		t.Fatal(err)
	}
	truth := d.values(t)[:30]
	missing := make([]bool, 30)
	for k := range missing {
		missing[k] = k%4 == 0
	}
	c := newCase(0, 0, truth, missing, Data{})
	got, err := c.score(ctx, m, field.InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := m.Impute(ctx, field.Observed{Values: mat.NewDense(30, 1, c.seen)}, field.InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var want caseScore
	for k := 0; k < 30; k += 4 {
		r, v := truth[k]-p.Mean.Data[k], p.Variance.Data[k]
		want.Loss += (0.5*math.Log(2*math.Pi*v) + 0.5*r*r/v) / 8
		want.Chi += r * r / v / 8
		want.Square += math.Pow(r/m.Scaler().Scale[0], 2) / 8
	}
	if math.Abs(got.Loss-want.Loss) > 1e-12 || math.Abs(got.Chi-want.Chi) > 1e-12 || math.Abs(got.Square-want.Square) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	c = newCase(0, 0, truth, make([]bool, 30), Data{})
	if got, err := c.score(ctx, m, field.InferOptions{}); got != (caseScore{}) || err != nil {
		t.Errorf("nothing hidden: %v, error %v", got, err)
	}
}

// Small pictures are validated at all points, larger ones at some rows and columns; scattered points at some of them, of which three
// quarters are seen at most where a mask is known; those too many for a covariance of all of them at all again.
func TestValidationPoints(t *testing.T) {
	for _, c := range []struct {
		height, width, channels int
		scattered               bool
		factors                 field.Factors
		seen                    int // of the mask, the first ones; -1: there is none
		want, wantSeen          int
	}{
		{4, 5, 1, false, "", 9, 20, 9},
		{30, 40, 1, false, "", 900, 1200, 900},
		{23, 87, 1, false, "", 400, 12 * 44, 2*44 + 26}, // of rows 0 and 2, and of row 4 up to column 51
		{50, 80, 3, false, field.FactorsJoint, -1, 25 * 40, 0},
		{69, 70, 1, false, "", -1, 23 * 24, 0},
		{1, 4001, 1, false, "", -1, 1001, 0},
		{23, 87, 1, true, "", 400, maxValidation, 400},
		{23, 87, 1, true, "", -1, maxValidation, -1},
		{50, 80, 3, true, "", 3000, maxValidation, maxValidation * 3 / 4},
		{50, 80, 1, true, "", 3900, maxValidation*3/4 + 100, maxValidation * 3 / 4},
		{50, 80, 1, false, field.FactorsProduct, 3000, 4000, 3000},
		{80, 80, 1, false, "", 3000, 6400, 3000},
	} {
		points := c.height * c.width
		d := Data{Data: training.Data{Source: field.NewSource(line(5*points*c.channels).Data, 5, points, c.channels), Grid: grid(c.height, c.width)}}
		if c.scattered {
			d.Grid = field.Grid{data.Joined(d.Grid)}
		}
		if c.seen >= 0 {
			mask := make([]bool, points*c.channels)
			for i := c.seen * c.channels; i < len(mask); i++ {
				mask[i] = true
			}
			d.Hide = [][]bool{mask}
		}
		s := newSearch(t, d, training.Settings{Factors: c.factors})
		got, grid, scale := s.validationPoints(rand.New(rand.NewPCG(1, 2)))
		x, seen := data.Joined(grid), 0
		for k, i := range got {
			if i < c.seen {
				seen++
			}
			if x.At(k, 0) != float64(i/c.width) || x.At(k, 1) != float64(i%c.width) {
				t.Fatalf("%+v: point %d at %v", c, i, x.Row(k))
			}
		}
		if len(got) != c.want || c.seen >= 0 && seen != c.wantSeen || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) || x.Cols != 2 || len(grid) != len(s.data.Grid) {
			t.Errorf("%+v: %d points, %d seen", c, len(got), seen)
		}
		if every := 1 / scale; c.want == points != (scale == 1) || !c.scattered && every != math.Round(every) || math.Abs(float64(c.want)*every*every/float64(points)-1) > 0.15 && c.height > 1 {
			t.Errorf("%+v: distances in spacings smaller by %v", c, scale)
		}
		if c.want < points {
			thinnedOut(t, s, c.want, scale)
		}
	}
}

// thinnedOut checks a validator that has some of the points: masks and values are of these, reaches in spacings shrink.
func thinnedOut(t *testing.T, s *Search, want int, scale float64) {
	t.Helper()
	j, err := s.thinnedFolds(1)
	if err != nil {
		t.Fatal(err)
	}
	f := &j.folds[0]
	n, all, channels := s.data.Source.Dims()
	if f.data.Grid.Len() != want || f.scale != scale || j.scale() != scale {
		t.Errorf("%d points, %v as fine, expected %d and %v", f.data.Grid.Len(), f.scale, want, scale)
	}
	values := make([]float64, n*all*channels)
	if err := s.data.Source.ReadExamples(values, 0, n); err != nil {
		t.Fatal(err)
	}
	x, full := data.Joined(f.data.Grid), data.Joined(s.data.Grid)
	for _, c := range j.Cases {
		hidden := 0
		for k := range x.Rows {
			at := channels * slices.IndexFunc(work.AllBut(full.Rows, nil), func(i int) bool { return slices.Equal(full.Row(i), x.Row(k)) })
			for q := range channels {
				missing := math.IsNaN(c.seen[k*channels+q])
				if c.truth[k*channels+q] != values[c.Example*all*channels+at+q] || s.data.Hide != nil && missing != s.data.Hide[0][at+q] {
					t.Fatalf("example %d: point %d, channel %d is another", c.Example, k, q)
				}
				if missing {
					hidden++
				}
			}
		}
		if hidden == 0 || hidden == len(c.seen) {
			t.Errorf("example %d: %d of %d values hidden", c.Example, hidden, len(c.seen))
		}
	}
	cfg := training.Settings{LatentDims: 40, Inducing: 5, Training: training.Training{CoarsePoints: want}}
	if got := f.data.Fitted(cfg); got.LatentDims != 3 || got.Inducing != 4 || got.Training.CoarsePoints != -1 {
		t.Errorf("%+v", got)
	}
	if b := atSpacing([]field.Blend{{Gap: 8, Taper: 4, Reach: 1}}, 1/scale)[0]; b.Gap != 8*scale || b.Reach != scale {
		t.Errorf("%+v", b)
	}
}

// What was made last is kept, by what it was made from.
func TestRecent(t *testing.T) {
	var r recent[int]
	want := func(key string, value int, ok bool) {
		t.Helper()
		if v, found := r.get(key); v != value || found != ok {
			t.Errorf("%s: %d, %t", key, v, found)
		}
	}
	want("a", 0, false)
	r.put("a", 1)
	want("a", 1, true)
	r.put("b", 2)
	want("a", 1, true)
	want("b", 2, true)
	want("a", 1, true)
	r.put("c", 3) // b was asked for before a
	want("b", 0, false)
	want("a", 1, true)
	want("c", 3, true)
	r.limit = 3
	r.put("d", 4)
	want("a", 1, true)
	r.put("e", 5)
	want("c", 0, false)
	want("d", 4, true)
}

// Examples are held out once each, whole, and the models that predict them have learned from the others alone, at their times.
func TestAbsentValidator(t *testing.T) {
	d := apart(7)
	n, points, _ := d.Source.Dims()
	y := d.values(t)
	for effort, folds := range map[field.Effort]int{field.EffortQuick: 1, field.EffortNormal: absentFolds, field.EffortThorough: absentFolds} {
		j, err := newSearch(t, d, training.Settings{Effort: effort}).HoldOutWhole()
		if err != nil {
			t.Fatal(err)
		}
		times, heldOut := make([]int, n), make([]int, len(j.folds))
		for _, c := range j.Cases {
			heldOut[c.Fold]++
		}
		for _, c := range j.Cases {
			times[c.Example]++
			seen := slices.ContainsFunc(c.seen, func(v float64) bool { return v == v })
			if seen || !slices.Equal(c.truth, y[c.Example*points:(c.Example+1)*points]) || *c.At != data.Instants(d.Times, d.Sequences)[c.Example] {
				t.Fatalf("%s: %+v is not all of example %d", effort, c, c.Example)
			}
			f := j.folds[c.Fold].data
			if slices.Contains(data.Instants(f.Times, f.Sequences), *c.At) || f.Grid.Len() != points || len(f.Times) != n-heldOut[c.Fold] {
				t.Errorf("%s: example %d at %v is predicted by a model of %d examples at %v", effort, c.Example, *c.At, len(f.Times), f.Times)
			}
		}
		if len(j.folds) != folds || effort != field.EffortQuick && slices.Contains(times, 0) || slices.Max(times) > 1 {
			t.Errorf("%s: %d folds, examples held out %v times", effort, len(j.folds), times)
		}
	}
}

// Values that were filled in validate no prediction of whole examples.
func TestAbsentValidatorGuessed(t *testing.T) {
	d := apart(7)
	n, points, _ := d.Source.Dims()
	d.Guessed = &completion.Mask{Size: points, Missing: make([]bool, n*points)}
	for i := range n {
		d.Guessed.Of(i)[i%points] = true
	}
	j, err := newSearch(t, d, training.Settings{Effort: field.EffortNormal}).HoldOutWhole()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range j.Cases {
		for k := range c.truth {
			if c.hidden(k) == (k == c.Example%points) {
				t.Errorf("example %d, value %d: counts %t", c.Example, k, c.hidden(k))
			}
		}
	}
}

// A second model counts where it is better, by densities and by errors, and the first one further away.
func TestSecondReach(t *testing.T) {
	first, other := training.Settings{}, training.Settings{LatentDims: 7}
	for _, c := range []struct {
		name           string
		losses, errors []float64
		low, high      float64   // where the reach lies; 0, 0: anywhere
		want           []float64 // losses
	}{
		{"near", []float64{-1, -1, -1, 1, 1, 1}, []float64{1, 1, 1, 1, 1, 1}, 2, 5, []float64{-1, -1, -1, 0, 0, 0}},
		{"everywhere", []float64{-1, -1, -1, -1, -1, 0.5}, []float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, 0, 0, []float64{-1, -1, -1, -1, -1, 0.5}},
		{"errors", []float64{-1, -1, -1, -0.2, -0.2, -0.2}, []float64{1, 1, 1, 3, 3, 3}, 2, 5, []float64{-1, -1, -1, 0, 0, 0}},
	} {
		f := &Folds{kinds: 1, folds: make([]fold, 1)}
		alone, second := make([]caseScore, 6), make([]caseScore, 6)
		for i, e := range c.errors {
			f.Cases = append(f.Cases, Case{Example: i})
			alone[i].Square, second[i] = 1, caseScore{Loss: c.losses[i], Square: e * e}
		}
		f.scored.put(first.String(), alone)
		f.scored.put(other.String(), second)
		j := &secondValidator{Folds: f, first: first, alone: alone, gaps: []float64{2, 1, 1.2, 6, 5, 10}}
		reach, err := j.reachOf(t.Context(), other)
		if err != nil || !(reach >= c.low && reach <= c.high) {
			t.Errorf("%s: reach %v, %v, expected %v to %v", c.name, reach, err, c.low, c.high)
		}
		v, err := j.validate(t.Context(), other, nil)
		if err != nil || !slices.Equal(v.Losses, c.want) {
			t.Errorf("%s: losses %v, %v, expected %v", c.name, v.Losses, err, c.want)
		}
	}
}

// Each example that is held out tells of a second model what it makes of every pattern.
func TestSecondPatterns(t *testing.T) {
	d := correlated(20, 6, 5).at(line(20).Data, nil)
	j, err := newSecondValidator(newSearch(t, d, training.Settings{Effort: field.EffortQuick}), training.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[2]int]bool{}
	for _, c := range j.Cases {
		seen[[2]int{c.Example, c.kind}] = true
	}
	if n := j.examples() * len(completion.Patterns); n < 4*len(completion.Patterns) || len(seen) != n || len(j.Cases) != n {
		t.Errorf("%d cases of %d examples, %d of them different, expected %d", len(j.Cases), j.examples(), len(seen), n)
	}
}
