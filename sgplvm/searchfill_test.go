package sgplvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// newSearch is one of some data that have been checked, as Select begins it.
func newSearch(t testing.TB, data Data, cfg Config) *search {
	t.Helper()
	d, err := trainingSet{Data: data}.checked()
	if err != nil {
		t.Fatal(err)
	}
	if cfg, err = cfg.checkedOpen(d); err != nil {
		t.Fatal(err)
	}
	d.Hide = completion.Hiding(d.Hide)
	ctx := context.Background()
	return &search{ctx: ctx, outer: ctx, data: d, given: cfg, plan: plans[cfg.Effort], begin: time.Now()}
}

// waves draws pictures of 5×4 points, one a row: a few causes that all share, and a smooth random field
// that each has for itself.
func waves(count int) Data {
	const width, height = 5, 4
	rng := rand.New(rand.NewPCG(5, 6))
	y := mat.New(count*width*height, 1)
	for i := range count {
		a, b := math.Sin(float64(i)/3), math.Cos(float64(i)/7)
		own := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		for j := range width * height {
			r, c := float64(j/width), float64(j%width)
			field := own[0] + own[1]*math.Sin(r/2+c/3) + own[2]*math.Cos(c/2-r/3)
			y.Set(i*width*height+j, 0, 100+30*a*math.Sin(r+a)+20*b*math.Cos(c/2)+10*field+rng.NormFloat64())
		}
	}
	return Data{Examples: count, Y: y, Grid: Grid{line(height), line(width)}}
}

// Folds hold out different examples, as many as the plan says and no more than a quarter; in time at even distances.
func TestDivide(t *testing.T) {
	for effort, p := range plans {
		for n := minTraining; n < 200; n++ {
			for _, inTime := range []bool{false, true} {
				folds := divide(rand.New(rand.NewPCG(1, 2)), n, p, inTime)
				if len(folds) < 1 || len(folds) > p.folds {
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
				if len(held) > p.heldOut {
					t.Errorf("%v, %d examples, in time %t: %d held out", effort, n, inTime, len(held))
				}
			}
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
		effort Effort
	}{
		{"masks", nil, masks, EffortNormal}, {"patterns", nil, nil, EffortThorough}, {"in time", line(22).Data, masks, EffortNormal}, {"quick", nil, masks[:1], EffortQuick},
	} {
		d := waves(22)
		d.Hide = c.masks
		unsure := imputationErrors{mat.New(20, 20), mat.New(22, 20)}
		for k := range unsure.covariance.Data {
			unsure.covariance.Data[k], unsure.variance.Data[k] = float64(k), float64(k)
		}
		if c.times != nil {
			d = d.at(c.times, labels)
		}
		s := newSearch(t, d, Config{Effort: c.effort})
		s.data.imputationErrors = unsure
		j, err := newFillValidator(s)
		if err != nil {
			t.Fatal(err)
		}
		if len(j.cases) != j.examples()*s.plan.patterns {
			t.Errorf("%s: %d cases of %d examples", c.name, len(j.cases), j.examples())
		}
		for f, fold := range j.folds {
			held := map[int]bool{}
			for _, k := range j.cases {
				if k.fold == f {
					held[k.example] = true
				}
			}
			n, points, channels := fold.data.Source.Dims()
			if n != 22-len(held) || points != 20 || channels != 1 || fold.scale != 1 || len(fold.data.Grid) != 2 {
				t.Fatalf("%s, fold %d: %d examples of %d points and %d channels, %d held out", c.name, f, n, points, channels, len(held))
			}
			u, learned0 := fold.data.imputationErrors, 0
			for held[learned0] {
				learned0++
			}
			if !slices.Equal(u.covariance.Data, unsure.covariance.Data) || u.variance.Rows != n || !slices.Equal(u.variance.Row(0), unsure.variance.Row(learned0)) {
				t.Errorf("%s, fold %d: %v is unsure", c.name, f, u)
			}
			learned := mat.New(n, 20)
			if err := fold.data.Source.ReadExamples(learned.Data, 0, n); err != nil {
				t.Fatal(err)
			}
			for k, i := range slices.DeleteFunc(line22(), func(i int) bool { return held[i] }) {
				if !slices.Equal(learned.Row(k), d.Y.Data[i*20:(i+1)*20]) {
					t.Errorf("%s, fold %d: example %d is not learned from", c.name, f, i)
				}
				if c.times != nil && (fold.data.Times[k] != float64(i) || fold.data.Sequences[k] != labels[i]) {
					t.Errorf("%s, fold %d: example %d at %v of %d", c.name, f, i, fold.data.Times[k], fold.data.Sequences[k])
				}
			}
		}
		for k, e := range j.cases {
			hidden := 0
			for p, y := range e.seen {
				truth := d.Y.Data[e.example*20+p]
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
			if c.times == nil != (e.at == nil) || e.at != nil && *e.at != (Instant{Time: float64(e.example), Sequence: labels[e.example]}) {
				t.Errorf("%s: case %d at %v", c.name, k, e.at)
			}
		}
	}
}

// A fold of the effort quick learns from some of many examples, none of them held out; with times, with holes and with more effort from all others.
func TestFoldsLearnFromSome(t *testing.T) {
	many := normals(3*manyExamples, 6, 1, 7)
	for name, c := range map[string]struct {
		data   Data
		effort Effort
		holes  bool
		want   int
	}{
		"quick":           {many, EffortQuick, false, plans[EffortQuick].learned},
		"few":             {normals(40, 6, 1, 7), EffortQuick, false, 30},
		"normal":          {many, EffortNormal, false, 3*manyExamples - 40},
		"quick in time":   {many.at(line(3*manyExamples).Data, nil), EffortQuick, false, 3*manyExamples - 12},
		"quick, of holes": {many, EffortQuick, true, 3*manyExamples - 12},
	} {
		s := newSearch(t, c.data, Config{Effort: c.effort})
		if c.holes {
			s.data.holes = new(completion.Mask)
		}
		out := divide(s.validationRandom(), c.data.Examples, s.plan, false)[0]
		in := s.learnedBy(c.data.Examples, out)
		if len(in) != c.want || !slices.IsSorted(in) || len(slices.Compact(slices.Clone(in))) != len(in) {
			t.Errorf("%s: learned from %d examples, expected %d", name, len(in), c.want)
		}
		for _, i := range out {
			if slices.Contains(in, i) {
				t.Errorf("%s: example %d is held out and learned", name, i)
			}
		}
		if len(in) == s.plan.learned && in[len(in)-1] < c.data.Examples/2 {
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
	d, changed := waves(16), waves(16)
	cfg := Config{Effort: EffortQuick, LatentDims: 3, Residual: ResidualConfig{Kernel: matern32, Rounds: 1, Local: On}, Factors: FactorsJoint, Training: steps(8)}
	j, err := newFillValidator(newSearch(t, d, cfg))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range j.cases {
		for k := range 20 {
			changed.Y.Data[c.example*20+k] += float64(17 * k % 5)
		}
	}
	other, err := newFillValidator(newSearch(t, changed, cfg))
	if err != nil {
		t.Fatal(err)
	}
	models := func(j *fillValidator) []*Model {
		t.Helper()
		m, err := j.models(context.Background(), cfg, 0, len(j.folds))
		if err != nil || len(m) != len(j.folds) {
			t.Fatalf("%d models, error %v", len(m), err)
		}
		return m
	}
	a, b := models(j), models(other)
	for f := range a {
		if !bytes.Equal(saved(t, a[f]), saved(t, b[f])) {
			t.Errorf("fold %d: another model", f)
		}
		if m := a[f]; m.Examples() != 12 || !m.Summary().Learned || m.Summary().ResidualBytes == 0 {
			t.Errorf("fold %d: %+v", f, m.Summary())
		}
	}
	if slices.Equal(j.cases[0].truth, other.cases[0].truth) {
		t.Error("the same examples are held out")
	}
}

// never finds no candidate hopeless.
func never(validation.Scores) bool { return false }

// What a candidate's result is does not depend on those validated before it.
func TestValidatedInAnyOrder(t *testing.T) {
	s := newSearch(t, waves(16), Config{Effort: EffortQuick})
	learned := withDefaults(Config{LatentDims: 3, Training: steps(6)}, s.learnedNoise())
	var cfgs []Config
	for _, change := range []func(c *Config){
		func(*Config) {}, func(c *Config) { c.Residual.Taper = 2 }, func(c *Config) { c.LatentDims = 2 }, func(c *Config) { c.Infer.DegreesOfFreedom = 4 },
		func(c *Config) { *c = withDefaults(Config{LatentDims: 3, Training: steps(6)}, s.whiteNoise()) },
	} {
		c := learned
		change(&c)
		cfgs = append(cfgs, c)
	}
	results := map[int]string{}
	shared, err := newFillValidator(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 1, 2, 3, 4, 3, 0, 2, 4, 1, 1} {
		j := shared
		if results[i] == "" {
			if j, err = newFillValidator(s); err != nil {
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
	ctx, m := context.Background(), trained(t)
	truth := slices.Clone(bumps(16, 6, 5, 1).Y.Data[:30])
	missing := make([]bool, 30)
	for k := range missing {
		missing[k] = k%4 == 0
	}
	c := newFillCase(0, 0, truth, missing, trainingSet{})
	loss, chi, square, err := c.score(ctx, m, InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := m.Impute(ctx, Observed{Values: mat.NewDense(30, 1, c.seen)}, InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var wantLoss, wantChi, wantSquare float64
	for k := 0; k < 30; k += 4 {
		r, v := truth[k]-p.Mean.Data[k], p.Variance.Data[k]
		wantLoss += (0.5*math.Log(2*math.Pi*v) + 0.5*r*r/v) / 8
		wantChi += r * r / v / 8
		wantSquare += math.Pow(r/m.Summary().Deviation[0], 2) / 8
	}
	if math.Abs(loss-wantLoss) > 1e-12 || math.Abs(chi-wantChi) > 1e-12 || math.Abs(square-wantSquare) > 1e-12 {
		t.Errorf("%v, %v and %v, want %v, %v and %v", loss, chi, square, wantLoss, wantChi, wantSquare)
	}
	c = newFillCase(0, 0, truth, make([]bool, 30), trainingSet{})
	if loss, chi, square, err := c.score(ctx, m, InferOptions{}); loss != 0 || chi != 0 || square != 0 || err != nil {
		t.Errorf("nothing hidden: %v, %v, error %v", loss, square, err)
	}
}

// Small pictures are validated at all points, larger ones at some rows and columns; scattered points at some of them, of which three
// quarters are seen at most where a mask is known; those too many for a covariance of all of them at all again.
func TestValidationPoints(t *testing.T) {
	for _, c := range []struct {
		height, width, channels int
		scattered               bool
		factors                 Factors
		seen                    int // of the mask, the first ones; -1: there is none
		want, wantSeen          int
	}{
		{4, 5, 1, false, "", 9, 20, 9},
		{30, 40, 1, false, "", 900, 1200, 900},
		{23, 87, 1, false, "", 400, 12 * 44, 2*44 + 26}, // of rows 0 and 2, and of row 4 up to column 51
		{50, 80, 3, false, FactorsJoint, -1, 25 * 40, 0},
		{69, 70, 1, false, "", -1, 23 * 24, 0},
		{1, 4001, 1, false, "", -1, 1001, 0},
		{23, 87, 1, true, "", 400, maxValidation, 400},
		{23, 87, 1, true, "", -1, maxValidation, -1},
		{50, 80, 3, true, "", 3000, maxValidation, maxValidation * 3 / 4},
		{50, 80, 1, true, "", 3900, maxValidation*3/4 + 100, maxValidation * 3 / 4},
		{50, 80, 1, false, FactorsProduct, 3000, 4000, 3000},
		{80, 80, 1, false, "", 3000, 6400, 3000},
	} {
		points := c.height * c.width
		d := Data{Source: NewSource(normals(5, points, c.channels, 1).Y.Data, 5, points, c.channels), Grid: Grid{line(c.height), line(c.width)}}
		if c.scattered {
			d.Grid = Grid{joined(d.Grid)}
		}
		if c.seen >= 0 {
			mask := make([]bool, points*c.channels)
			for i := c.seen * c.channels; i < len(mask); i++ {
				mask[i] = true
			}
			d.Hide = [][]bool{mask}
		}
		s := newSearch(t, d, Config{Factors: c.factors})
		got, grid, scale := s.validationPoints(rand.New(rand.NewPCG(1, 2)))
		x, seen := joined(grid), 0
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
func thinnedOut(t *testing.T, s *search, want int, scale float64) {
	t.Helper()
	j, err := newFillValidator(s)
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
	x, full := joined(f.data.Grid), joined(s.data.Grid)
	for _, c := range j.cases {
		hidden := 0
		for k := range x.Rows {
			at := channels * slices.IndexFunc(allBut(full.Rows, nil), func(i int) bool { return slices.Equal(full.Row(i), x.Row(k)) })
			for q := range channels {
				missing := math.IsNaN(c.seen[k*channels+q])
				if c.truth[k*channels+q] != values[c.example*all*channels+at+q] || s.data.Hide != nil && missing != s.data.Hide[0][at+q] {
					t.Fatalf("example %d: point %d, channel %d is another", c.example, k, q)
				}
				if missing {
					hidden++
				}
			}
		}
		if hidden == 0 || hidden == len(c.seen) {
			t.Errorf("example %d: %d of %d values hidden", c.example, hidden, len(c.seen))
		}
	}
	cfg := Config{LatentDims: 40, Inducing: 5, Training: TrainingConfig{CoarsePoints: want}}
	if got := f.fitted(cfg); got.LatentDims != 3 || got.Inducing != 4 || got.Training.CoarsePoints != -1 {
		t.Errorf("%+v", got)
	}
	if b := atSpacing([]Blend{{Gap: 8, Taper: 4, WideTaper: 2, Reach: 1}}, 1/scale)[0]; b.Gap != 8*scale || b.Reach != scale {
		t.Errorf("%+v", b)
	}
}

// A source that fails ends a search with its error, whenever it does.
func TestSearchReadsFailingSource(t *testing.T) {
	for _, timed := range []bool{false, true} {
		d := waves(12)
		for failAt := 1; ; failAt += 5 {
			source := &countingSource{Source: NewSource(d.Y.Data, 12, 20, 1), failAt: failAt}
			failing := Data{Source: source, Grid: d.Grid}
			if timed {
				failing.Times = line(12).Data
			}
			_, _, err := Select(context.Background(), failing, Config{Effort: EffortQuick, Training: steps(2)})
			if source.calls < failAt {
				if err != nil {
					t.Errorf("in time %t: error %v", timed, err)
				}
				break
			}
			if !errors.Is(err, errSource) {
				t.Errorf("in time %t: error %v at read %d", timed, err, failAt)
			}
		}
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
