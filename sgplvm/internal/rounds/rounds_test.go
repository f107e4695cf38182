package rounds

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/limit"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Of many examples one in ten has something held out, up to so many, or as many as the plan asks for.
func TestReserve(t *testing.T) {
	for _, c := range []struct{ examples, asked, reserved int }{{30, 4, 4}, {80, 4, 8}, {80, 12, 12}, {80, 26, 26}, {1200, 12, 100}} {
		done := completerOf(t, setOf(c.examples, scattered(mixed(c.examples, 3, 2, 2), 0.3, 4), 1, nil, line(2), line(3)), training.Settings{})
		done.holdOut().Some(c.asked)
		if reserved := len(done.Holes.HeldExamples()); reserved != c.reserved {
			t.Errorf("%+v: %d held out", c, reserved)
		}
	}
}

// Variances grow as errors of what is held out ask, by examples and drawn to 1, in what was filled in as in what will be. They do not shrink.
func TestRescaled(t *testing.T) {
	for _, list := range [][]field.Blend{nil, {{Gap: 1, Parts: 1, Inflation: 2}, {Gap: 3, Share: 0.5, Parts: 2, Inflation: 0.5}}} {
		c := apartOf(t, setOf(12, scattered(mixed(12, 5, 4, 2), 0.3, 4), 1, nil, line(4), line(5)), training.Settings{})
		c.holdOut().Some(6)
		for _, r := range c.Holes.HeldOut { // errors of three standard deviations
			for k, y := range r.Values() {
				c.Y.Row(r.Example)[k], c.Variance.Row(r.Example)[k] = y+3, 1
			}
		}
		n := float64(len(c.Holes.HeldOut))
		want := (9*n + selection.WholeExamples) / (n + selection.WholeExamples)
		got := c.rescaled(list)
		c.score()
		before := list
		if list == nil {
			before = []field.Blend{{Parts: 1, Inflation: 1}}
		}
		for i, b := range before {
			if b.Inflation *= want; got[i] != b {
				t.Errorf("blend %d: got %+v, expected %+v", i, got[i], b)
			}
		}
		if n == 0 || len(got) != len(before) || c.check.Factor != want || c.check.Coverage != 1 || math.Abs(c.check.NLP-0.5*(math.Log(2*math.Pi*want)+9/want)) > 1e-12 {
			t.Errorf("%v in reserve: %d blends, check %+v, expected the factor %v and that all are covered", n, len(got), c.check, want)
		}
		if list != nil && list[0].Inflation != 2 {
			t.Error("the blends of before have changed")
		}
		for i := range c.Variance.Data {
			c.Variance.Data[i] = 100
		}
		if c.rescaled(got)[0] != got[0] || c.check.Factor != 1 {
			t.Errorf("small errors: a factor of %v, expected 1", c.check.Factor)
		}
	}
}

// With times examples of which nothing was observed are set apart, with their times; without times they are not.
func TestApart(t *testing.T) {
	gone := []int{6, 11, 12, 17, 23}
	d := setOf(24, holed(mixed(24, 6, 5, 1), 30, func(i, _ int) bool { return slices.Contains(gone, i) }), 1, line(24).Data, line(5), line(6))
	for _, timed := range []bool{true, false} {
		if !timed {
			d.Times = nil
		}
		c := apartOf(t, d, training.Settings{})
		rest, some, none := c.d, c.rows, c.none
		var absent []int
		for _, a := range rest.Absent {
			absent = append(absent, int(a.Time))
		}
		if timed && (!slices.Equal(none, gone) || !slices.Equal(absent, gone)) || !timed && (none != nil || absent != nil) {
			t.Errorf("times %t: nothing of %v, at %v", timed, none, absent)
		}
		n, _, _ := rest.Source.Dims()
		if n != 24-len(none) || !slices.Equal(some, work.AllBut(24, none)) || timed && (len(rest.Times) != n || rest.Times[18] != 22) {
			t.Errorf("times %t: learns from %d examples: %v, at %v", timed, n, some, rest.Times)
		}
	}
}

// A suspect that is near what was filled in in its place is put back as observed, no longer named, nor counted among the missing values of its kind; another stays out, with
// the distance that the model says.
func TestOutliersAgain(t *testing.T) {
	c := &Completion{Mean: mat.NewDense(4, 2, []float64{0, 1, 2, 3, 4, 5, 6, 7}), Variance: mat.NewDense(4, 2, []float64{0, 0, 0, 0.25, 0, 0, 0.25, 0})}
	c.Report.Missing = 5
	c.Kinds = []field.FillCheck{{Kind: completion.KindNames[completion.KindScattered], Missing: 4}, {Kind: completion.KindNames[completion.KindGaps], Missing: 1}}
	kinds := map[float64]completion.Kind{3.5: completion.KindGaps, 1000: completion.KindScattered}
	c.restore([]field.Outlier{{Example: 0, Point: 1, Channel: 1, Value: 3.5, Score: 40}, {Example: 1, Point: 1, Channel: 0, Value: 1000, Score: 40}}, 2,
		func(v field.Outlier) completion.Kind { return kinds[v.Value] })
	if len(c.Kinds) != 1 || c.Kinds[0].Missing != c.Report.Missing {
		t.Errorf("%d missing, by kind %+v", c.Report.Missing, c.Kinds)
	}
	if c.Mean.At(1, 1) != 3.5 || c.Variance.At(1, 1) != 0 || c.Mean.At(3, 0) != 6 || c.Variance.At(3, 0) != 0.25 || c.Report.Missing != 4 {
		t.Errorf("means %v, variances %v, %d missing", c.Mean.Data, c.Variance.Data, c.Report.Missing)
	}
	if o := c.Report.Outliers; len(o) != 1 || o[0].Value != 1000 || math.Abs(o[0].Score-994/0.5) > 1e-9 {
		t.Errorf("outliers %v", o)
	}
}

// A first model is given up where values held out say that the simplest methods are much better; otherwise all values are as they were before it.
func TestProbe(t *testing.T) {
	if testing.Short() {
		t.Skip("learns two models")
	}
	for name, c := range map[string]struct {
		data Set
		lost bool
	}{"a curve": {longTable(60), false}, "of low rank": {setOf(60, scattered(mixed(60, 6, 5, 1), 0.3, 4), 1, nil, line(5), line(6)), true}} {
		cfg := training.Settings{Effort: field.EffortQuick, LatentDims: 2, Training: training.Training{Iterations: 40}}
		k := apartOf(t, c.data, cfg)
		k.holdOut().Some(selection.Plans[field.EffortQuick].HeldOut)
		if err := k.firstCompletion(t.Context()); err != nil {
			t.Fatal(err)
		}
		y, variance := k.Y.Clone(), k.Variance.Clone()
		first, err := k.first(cfg)
		if err != nil {
			t.Fatal(err)
		}
		lost, err := k.probe(t.Context(), first, cfg)
		if err != nil || lost != c.lost || k.hopeless != c.lost || (k.contest != nil) != c.lost {
			t.Errorf("%s: lost %t, error %v", name, lost, err)
		}
		if same := slices.Equal(k.Y.Data, y.Data) && slices.Equal(k.Variance.Data, variance.Data); same == c.lost {
			t.Errorf("%s: lost %t, and values are the same as before: %t", name, lost, same)
		}
	}
}

// Maps with times are completed without them too, but for a quick choice, unless nothing was seen of an example or a kernel in time is given; tables are not.
func TestWithoutTimes(t *testing.T) {
	for _, w := range []struct {
		side, gone int
		kernel     kernel.Kind
		want       bool
	}{{1, -1, "", false}, {3, -1, "", true}, {3, 5, "", false}, {3, -1, kernel.Matern32, false}} {
		y := scattered(normals(12*w.side*w.side*3, 1), 0.05, 3)
		for k := range y {
			if k/(w.side*w.side*3) == w.gone {
				y[k] = math.NaN()
			}
		}
		c := completerOf(t, setOf(12, y, 3, line(12).Data, line(w.side), line(w.side)), training.Settings{})
		for _, effort := range []field.Effort{field.EffortQuick, field.EffortNormal} {
			if got := c.withoutTimes(training.Settings{Effort: effort, TimeKernel: kernel.Kernel{Kind: w.kernel}}) != nil; got != (w.want && effort == field.EffortNormal) {
				t.Errorf("%+v, effort %v: completed without times %v", w, effort, got)
			}
		}
	}
}

// Where the noise has a covariance that does not learn what is unsure, more rounds would make it too narrow.
func TestHidden(t *testing.T) {
	structured := kernel.Kernel{Kind: kernel.Matern52}
	for _, c := range []struct {
		residual training.Residual
		want     int
	}{
		{training.Residual{}, 4}, {training.Residual{Kernel: kernel.Kernel{Kind: kernel.White}}, 4},
		{training.Residual{Kernel: structured, Rounds: 1}, 4}, {training.Residual{Kernel: structured, Rounds: -1}, 0}, {training.Residual{Kernel: structured}, 0},
	} {
		if got := hidden(training.Settings{Residual: c.residual}, selection.Plans[field.EffortNormal]); got != c.want {
			t.Errorf("%+v: %d rounds, expected %d", c.residual, got, c.want)
		}
	}
}

// What is held out where a point is missing for six steps at a time is a point for six steps, of what was observed, and leaves something of each example.
func TestReserveGaps(t *testing.T) {
	const n, size, length = 60, 6, 6
	gone := func(value, step int) bool { // two are missing together for a while, and one of them again later
		return slices.ContainsFunc([][2]int{{0, 8}, {1, 11}, {1, 38}}, func(g [2]int) bool { return value == g[0] && step >= g[1] && step < g[1]+length })
	}
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 71))
		step := rng.Perm(n)
		var times []float64
		for _, s := range step {
			times = append(times, float64(s))
		}
		d := setOf(n, holed(normals(n*size, seed), size, func(i, j int) bool { return gone(j, step[i]) }), 1, times, line(size))
		c := completerOf(t, d, training.Settings{Seed: seed})
		before := slices.Clone(c.Holes.Missing)
		c.holdOut().Some(12)
		groups, long := map[int][]int{}, 0
		for _, r := range c.Holes.HeldOut {
			hidden := 0
			for k := range r.Values() {
				hidden++
				if before[r.Example*size+k] {
					t.Fatalf("seed %d: value %d of example %d was missing already", seed, k, r.Example)
				}
			}
			if hidden == 0 || !slices.Contains(c.Holes.Of(r.Example), false) {
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
		if held := len(c.Holes.HeldOut); held != n/3 || long < 2 {
			t.Errorf("seed %d: %d of %d examples put aside in %d groups, %d of them of %d steps", seed, held, n, len(groups), long, length)
		}
	}
}

// A gap at an end of the record is held out next to it, in a run as long.
func TestGapsAtEnds(t *testing.T) {
	const n, size, length = 40, 3, 6
	y := holed(normals(n*size, 1), size, func(i, j int) bool { return j == 0 && i < length || j == 1 && i >= n-length })
	c := completerOf(t, setOf(n, y, 1, line(n).Data, line(size)), training.Settings{})
	gaps := c.Holes.TimeGaps(c.At)
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

// What is held out of a gap in time is held out as a gap, however much shorter it is: here more count as one than are held out.
func TestContestGaps(t *testing.T) {
	const n, p = 48, 8
	rng := rand.New(rand.NewPCG(5, 10))
	y := holed(normals(n*p, 5), p, func(i, j int) bool { return j == 0 && i >= 18 && i < 32 || j > 1 && rng.Float64() < 0.5 })
	cfg := training.Settings{Effort: field.EffortQuick}
	c := apartOf(t, setOf(n, y, p, line(n).Data, line(1)), cfg)
	gaps := c.Holes.TimeGaps(c.At)
	c.holdOut().Some(16)
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

// A round of completion leaves the covariance of what it filled in: none where nothing was missing.
func TestRoundIsUnsure(t *testing.T) {
	y := holed(mixed(14, 5, 4, 2), 20, func(example, point int) bool { return point >= 8 && (example+point)%3 == 0 })
	c := completerOf(t, setOf(14, y, 1, nil, line(4), line(5)), training.Settings{})
	if err := c.firstCompletion(t.Context()); err != nil {
		t.Fatal(err)
	}
	first, err := c.first(training.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.round(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	u := c.d.Imputed.Covariance
	if u.Rows != 20 || u.Cols != 20 {
		t.Fatalf("a %d×%d covariance, expected 20×20", u.Rows, u.Cols)
	}
	for i := range 20 {
		if v := u.At(i, i); (v > 0) != (i >= 8) || v > 1 {
			t.Errorf("point %d has the variance %v", i, v)
		}
	}
	for k, v := range c.d.Imputed.Variance.Data {
		if (v > 0) != c.Holes.Missing[k] {
			t.Errorf("value %d has the variance %v", k, v)
		}
	}
	if some := c.d.Imputed.Of([]int{3}).Variance; some.Rows != 1 || !slices.Equal(some.Row(0), c.Variance.Row(3)) {
		t.Errorf("of example 3: %v", some)
	}
}

// A model that fills in frames is learned from those of which something was observed, if there are others; one of other examples from all others.
func TestLearnedFrom(t *testing.T) {
	d := setOf(5, holed(normals(5*12, 1), 12, func(i, _ int) bool { return i == 2 }), 1, line(5).Data, line(3), line(4))
	for _, c := range []struct {
		film bool
		out  []int
		want []int
	}{{true, []int{1}, []int{0, 3, 4}}, {false, []int{1}, []int{0, 2, 3, 4}}, {true, []int{0, 1, 3, 4}, []int{0, 1, 2, 3, 4}}, {false, []int{0, 1, 2, 3}, []int{0, 1, 2, 3, 4}}} {
		d.Film = c.film
		of := completerOf(t, d, training.Settings{})
		if got := of.learnedFrom(c.out); !slices.Equal(got, c.want) {
			t.Errorf("film: %v, without %v: %v, expected %v", c.film, c.out, got, c.want)
		}
	}
}

// Where the limit leaves a model no time for the examples that it has not learned from, the best method that needs none fills these in, and the others too where these are the most.
func TestLateExamples(t *testing.T) {
	for learned, want := range map[int]string{30: "the model", 6: simple.Mean} {
		d := setOf(40, scattered(mixed(40, 1, 4, 2), 0.3, 3), 1, nil, line(4), line(1))
		clock := limit.New(time.Hour)
		clock.Begin = clock.Begin.Add(-time.Hour)
		d.Clock = clock
		c := apartOf(t, d, training.Settings{})
		c.rows = c.rows[:learned]
		held := []completion.HeldValue{{Kind: completion.KindScattered, Truth: 1, Variance: 1}}
		c.contest = c.newContest()
		for _, name := range []string{"", simple.Mean} {
			held[0].Mean += 0.1
			c.contest.Add(name, held)
		}
		for k := range c.contest.Shares {
			c.contest.Shares[k] = completion.Alone("")
		}
		c.Y.Fill(7) // as a model filled in what it had learned from
		done := new(Completion)
		kinds, err := c.finish(t.Context(), training.Settings{}, done)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.contest.Shares[completion.KindScattered].String(); got != want || clock.Late == 0 || len(done.Kinds) == 0 {
			t.Errorf("%d learned from: %s fills in, %d examples late, %v", learned, got, clock.Late, done.Kinds)
		}
		means, _, err := c.all.Fillers(nil, 0)[0].Fill(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for k, kind := range kinds {
			i := k / c.all.Holes.Size
			if byModel := i < learned && want == "the model"; kind < completion.KindCount && done.Mean.Data[k] != map[bool]float64{true: 7, false: means.Data[k]}[byModel] {
				t.Fatalf("value %d of example %d is %v", k%c.all.Holes.Size, i, done.Mean.Data[k])
			}
		}
	}
}

// A sample of many rows is in their order and of their whole range, and a hopeless model learns from as many as it was validated with, at their own times.
func TestTaught(t *testing.T) {
	most := selection.Plans[field.EffortThorough].Rows
	d := longTable(2 * most)
	d.Times = line(2 * most).Data
	if c := apartOf(t, d, training.Settings{Effort: field.EffortNone}); len(c.rows) != most || !slices.IsSorted(c.rows) || c.rows[most-1] < most {
		t.Errorf("of %d rows learns from %d up to %d", 2*most, len(c.rows), c.rows[most-1])
	}
	k := completerOf(t, d, training.Settings{})
	k.hopeless = true
	taught := k.taught(0)
	row := make([]float64, 4)
	for j, at := range taught.Times {
		if err := taught.Source.ReadExamples(row, j, j+1); err != nil || !slices.Equal(row, k.Y.Row(int(at))) {
			t.Fatalf("example %d at %v: %v, error %v", j, at, row, err)
		}
	}
	if n, _, _ := taught.Source.Dims(); n != probeExamples || len(taught.Times) != n || !slices.IsSorted(taught.Times) {
		t.Errorf("learns from %d examples, expected %d", n, probeExamples)
	}
}

// When its share of the limit has passed no method of a contest goes on but the first, the mean, and those that have a clock of their own; the warnings say how many.
func TestMethodsEndInTime(t *testing.T) {
	fill := func(ctx context.Context) (mean, variance mat.Matrix, err error) { return mean, variance, ctx.Err() }
	for _, begin := range []time.Duration{0, -time.Hour} {
		c := limit.New(time.Hour)
		c.Begin = c.Begin.Add(begin)
		var failed []string
		for _, m := range inTime(c, []completion.Filler{{Name: "mean", Fill: fill}, {Name: "lines", Fill: fill}, {Name: "another view", Sure: true, Fill: fill}}) {
			if _, _, err := m.Fill(t.Context()); err != nil {
				failed = append(failed, m.Name)
			}
		}
		if late := begin < 0; late != slices.Equal(failed, []string{"lines"}) || late != strings.Contains(strings.Join(c.Warnings(), ""), "comparison with 1 simple method early") {
			t.Errorf("%v: %q failed, warnings %q", begin, failed, c.Warnings())
		}
	}
}

// A learner that is off by so much in each round.
type off struct {
	Learner
	by       []float64
	trained  int
	training int // a round
}

func (l *off) Fit(context.Context, Set, training.Settings, string) (Model, field.Report, error) {
	l.trained++
	return offModel{by: l.by[(l.trained-1)/l.training]}, field.Report{}, nil
}

type offModel struct {
	Model
	by float64
}

func (m offModel) ImputeUnsure(_ context.Context, obs field.Observed, _ field.InferOptions) (p field.Prediction, cov mat.Matrix, err error) {
	p.Mean, p.Variance = mat.New(obs.Values.Rows, 1), mat.New(obs.Values.Rows, 1)
	for i := range p.Mean.Data {
		p.Mean.Data[i], p.Variance.Data[i] = float64(i)+m.by, 1
	}
	return p, cov, nil
}

// Rounds go on as long as each fills in held-out values better by a few per cent, four of them at most at normal effort.
func TestConverge(t *testing.T) {
	for name, c := range map[string]struct {
		by      []float64
		heldOut int
		want    int
	}{
		"settles":             {[]float64{1, 0.9, 0.8, 0.79, 0.7, 0.6}, 4, 3},
		"gains":               {[]float64{1, 0.9, 0.8, 0.7, 0.6, 0.5}, 4, 4},
		"is at once":          {[]float64{1, 1.01, 0.5}, 4, 1},
		"nothing is held out": {[]float64{1, 0.9, 0.8, 0.7, 0.6, 0.5}, 0, 1},
	} {
		y := make([]float64, 12*6)
		for k := range y {
			y[k] = float64(k % 6)
		}
		done := apartOf(t, setOf(12, holed(y, 6, func(i, j int) bool { return (i+j)%4 == 0 }), 1, nil, line(6)), training.Settings{})
		if c.heldOut > 0 {
			done.holdOut().Some(c.heldOut)
		}
		l := &off{by: c.by, training: done.folds()}
		done.learner = l
		if err := done.round(t.Context(), training.Settings{}); err != nil {
			t.Fatal(err)
		}
		if err := done.converge(t.Context(), training.Settings{}, selection.Plans[field.EffortNormal]); err != nil {
			t.Fatal(err)
		}
		if got := l.trained/l.training - 1; got != c.want {
			t.Errorf("%s: %d rounds, expected %d", name, got, c.want)
		}
	}
}

// A learner whose models tell at which times they are asked.
type timed struct {
	plain
	at *[]float64
}

func (l timed) Fit(ctx context.Context, d Set, s training.Settings, doing string) (Model, field.Report, error) {
	m, r, err := l.plain.Fit(ctx, d, s, doing)
	return timedModel{m, l.at}, r, err
}

type timedModel struct {
	Model
	at *[]float64
}

func (m timedModel) ImputeUnsure(ctx context.Context, obs field.Observed, o field.InferOptions) (field.Prediction, mat.Matrix, error) {
	if obs.Prior != nil && obs.Prior.At != nil {
		*m.at = append(*m.at, obs.Prior.At.Time)
	}
	return m.Model.ImputeUnsure(ctx, obs, o)
}

// An example at a time is filled in with what its time says of it.
func TestRoundInTime(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one example after the other
	times := []float64{0, 1, 2, 4, 5, 7, 8, 9}
	y := holed(normals(len(times)*6, 4), 6, func(i, j int) bool { return (i+j)%4 == 0 })
	s := training.Settings{LatentDims: 1, Inducing: 4, Training: training.Training{Iterations: 2, Uncalibrated: true}}
	c := apartOf(t, setOf(len(times), y, 1, times, line(6)), s)
	var at []float64
	c.learner = timed{at: &at}
	if err := c.firstCompletion(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.round(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	slices.Sort(at)
	if !slices.Equal(at, times) {
		t.Errorf("examples are filled in at %v, expected %v", at, times)
	}
}

// No fold is empty: a single example with holes, or frame of a film, is a fold by itself.
func TestFolds(t *testing.T) {
	for incomplete, want := range map[int]int{1: 1, 2: 2, 9: 4} {
		c := completerOf(t, setOf(12, holed(normals(12*6, 1), 6, func(i, j int) bool { return i < incomplete && j == 2 }), 1, nil, line(6)), training.Settings{})
		if got := c.folds(); got != want {
			t.Errorf("%d examples with holes: %d folds, expected %d", incomplete, got, want)
		}
		c.d.Film = true
		if got := c.folds(); got != min(want, filmFolds) {
			t.Errorf("%d frames with holes: %d folds, expected %d", incomplete, got, min(want, filmFolds))
		}
	}
}
