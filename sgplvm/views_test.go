package sgplvm

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/rounds"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A viewWorld are views of n examples that a few shared and private Gaussian variables make by smooth maps, with white noise; the best prediction is a Gaussian conditional.
type viewWorld struct {
	sizes []int
	loads mat.Matrix // of all values, size×latents
	noise []float64  // of each view
	truth mat.Matrix // values without noise, n×size
	y     mat.Matrix
}

// drawViews draws views of points on a line, of which each has its own points; shared is how many latent variables all views have, private how many each has by itself.
func drawViews(n int, sizes []int, shared, private int, noise []float64, seed uint64) *viewWorld {
	rng := rand.New(rand.NewPCG(seed, 1))
	size := 0
	for _, s := range sizes {
		size += s
	}
	d := shared + private*len(sizes)
	w := &viewWorld{sizes: sizes, noise: noise, loads: mat.New(size, d)}
	from := 0
	for v, s := range sizes {
		for q := range d {
			if q >= shared && (q-shared)/private != v {
				continue
			}
			a, b, f := rng.NormFloat64(), rng.NormFloat64(), 1+3*rng.Float64()
			for k := range s {
				x := f * float64(k) / float64(max(1, s-1))
				if s <= 8 {
					x = 10 * rng.Float64() // a table
				}
				w.loads.Set(from+k, q, a*math.Sin(x)+b*math.Cos(x))
			}
		}
		from += s
	}
	x := mat.New(n, d)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	w.truth = mat.New(n, size)
	mat.Mul(w.truth, 1, x, w.loads.T(), 0)
	w.y = w.truth.Clone()
	for i := range n {
		from := 0
		for v, s := range sizes {
			for k := range s {
				w.y.Row(i)[from+k] += noise[v] * rng.NormFloat64()
			}
			from += s
		}
	}
	return w
}

// views returns the views with some values missing: NaN where hidden says so.
func (w *viewWorld) views(hidden func(i, v, k int) bool) (all []View) {
	from := 0
	for v, s := range w.sizes {
		y := mat.New(w.y.Rows, s)
		for i := range y.Rows {
			for k := range s {
				if y.Row(i)[k] = w.y.At(i, from+k); hidden(i, v, k) {
					y.Row(i)[k] = math.NaN()
				}
			}
		}
		x := mat.New(s, 1)
		for k := range s {
			x.Data[k] = float64(k)
		}
		d := Data{Source: NewSource(y.Data, y.Rows, s, 1), Grid: Grid{x}}
		if s <= 8 {
			d = Data{Source: NewSource(y.Data, y.Rows, 1, s), Grid: Grid{mat.New(1, 1)}}
		}
		all = append(all, View{Name: string(rune('a' + v)), Data: d})
		from += s
	}
	return all
}

// optimum returns the best prediction of the truth of hidden values of example i from the observed values of some views.
func (w *viewWorld) optimum(t *testing.T, i int, hidden func(i, v, k int) bool, from func(v int) bool) []float64 {
	var seen []int
	var noise []float64
	at := 0
	for v, s := range w.sizes {
		for k := range s {
			if !hidden(i, v, k) && from(v) {
				seen, noise = append(seen, at+k), append(noise, w.noise[v])
			}
		}
		at += s
	}
	all := mat.New(w.loads.Rows, w.loads.Rows)
	mat.Mul(all, 1, w.loads, w.loads.T(), 0)
	if len(seen) == 0 {
		return make([]float64, w.loads.Rows)
	}
	cov, y, cross := mat.New(len(seen), len(seen)), mat.New(len(seen), 1), mat.New(w.loads.Rows, len(seen))
	for a, p := range seen {
		y.Data[a] = w.y.At(i, p)
		for b, q := range seen {
			cov.Set(a, b, all.At(p, q))
		}
		cov.Row(a)[a] += noise[a] * noise[a]
		for p2 := range cross.Rows {
			cross.Set(p2, a, all.At(p2, p))
		}
	}
	f, err := chol.Factorize(cov)
	if err != nil {
		t.Fatal(err)
	}
	f.Solve(y)
	mean := mat.New(w.loads.Rows, 1)
	mat.Mul(mean, 1, cross, y, 0)
	return mean.Data
}

// viewsHidden hides of view 0 what is left of a random place, all of some examples of views 1 and 2, and a fifth of view 2.
func (w *viewWorld) viewsHidden(seed uint64) func(i, v, k int) bool {
	rng, mask := rand.New(rand.NewPCG(seed, 9)), map[[3]int]bool{}
	for v, s := range w.sizes {
		for i := range w.y.Rows {
			whole, cut := rng.Float64() < .15, rng.IntN(s+1)
			for k := range s {
				mask[[3]int{i, v, k}] = whole && v > 0 || v == 0 && k < cut || v == 2 && rng.Float64() < .2
			}
		}
	}
	return func(i, v, k int) bool { return mask[[3]int{i, v, k}] }
}

// errorsOf returns the root mean square errors at hidden values of view v, which begins at value from: of y, of the best prediction from all views and from this one.
func (w *viewWorld) errorsOf(t *testing.T, y mat.Matrix, v, from int, hidden func(i, v, k int) bool) (got, best, alone float64) {
	count := 0.0
	for i := range w.y.Rows {
		all, own := w.optimum(t, i, hidden, func(int) bool { return true }), w.optimum(t, i, hidden, func(u int) bool { return u == v })
		for k := range w.sizes[v] {
			if hidden(i, v, k) {
				truth := w.truth.At(i, from+k)
				got += square(y.At(i, k) - truth)
				best += square(all[from+k] - truth)
				alone += square(own[from+k] - truth)
				count++
			}
		}
	}
	return math.Sqrt(got / count), math.Sqrt(best / count), math.Sqrt(alone / count)
}

func square(x float64) float64 { return x * x }

// Values that only other views tell are filled in by them: at least two thirds of what the best prediction gains over the best from the view alone, which has the true loads.
func TestViewsTellOfOneAnother(t *testing.T) {
	if testing.Short() {
		t.Skip("trains models of three views")
	}
	w := drawViews(60, []int{40, 10, 5}, 3, 1, []float64{.2, .2, .3}, 0)
	hidden := w.viewsHidden(0)
	s, _, _, err := Run{}.beginViews(t.Context(), w.views(hidden), Config{Effort: EffortQuick, LatentDims: 4, Training: steps(30)})
	if err != nil {
		t.Fatal(err)
	}
	state, _, err := s.Fill(t.Context(), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	from := 0
	for v, n := range w.sizes {
		got, best, alone := w.errorsOf(t, state[v].Y, v, from, hidden)
		if alone-got < (alone-best)*2/3 && got > 1.2*best {
			t.Errorf("view %d: error %.3f, expected near %.3f, the best from all views, below %.3f, the best from this one", v, got, best, alone)
		}
		from += n
	}
}

// A completion of views keeps what was observed, and fills in whole examples of a view better than its mean.
func TestCompleteViews(t *testing.T) {
	if testing.Short() {
		t.Skip("completes two views")
	}
	w := drawViews(24, []int{8, 6}, 2, 0, []float64{.1, .1}, 1)
	hidden := func(i, v, k int) bool { return v == 1 && i%4 == 0 }
	given := w.views(hidden)
	all, err := CompleteViews(t.Context(), given, Config{Effort: EffortQuick})
	if err != nil {
		t.Fatal(err)
	}
	var error, mean float64
	for i := range 24 {
		for k := range 6 {
			got, seen := all[1].Mean.Data[i*6+k], w.y.At(i, 8+k)
			if !hidden(i, 1, k) && got != seen {
				t.Fatalf("example %d, value %d: %v, observed %v", i, k, got, seen)
			} else if hidden(i, 1, k) {
				error += square(got - w.truth.At(i, 8+k))
				mean += square(w.truth.At(i, 8+k))
			}
		}
	}
	if error > .1*mean {
		t.Errorf("mean square error of whole examples %.3g, of the mean %.3g", error, mean)
	}
	if by := all[1].Kinds[0].By; !strings.Contains(by, "all views") {
		t.Errorf("whole examples are filled in by %s", by)
	}
}

// Rough fields, of which each point is by itself, tell of logarithms of the same fields in another view, where nothing else does: the error is that of the noise, not of the mean, and what was
// observed comes back to the bit.
func TestViewsAtTheSamePlaces(t *testing.T) {
	if testing.Short() {
		t.Skip("completes two views")
	}
	const n, points = 18, 24
	rng := rand.New(rand.NewPCG(4, 4))
	truth, views := mat.New(n, points), make([]View, 2)
	for v, noise := range []float64{.1, .3} {
		y := mat.New(n, points)
		for k := range y.Data {
			i, p := k/points, k%points
			if v == 0 { // what all points share is there so that logarithms are seen to be better
				truth.Data[k] = rng.NormFloat64() + 2*math.Sin(float64(7*i))
			}
			y.Data[k] = truth.Data[k] + noise*rng.NormFloat64()
			if v == 0 {
				y.Data[k] = math.Exp(y.Data[k])
				if (p+7*i)%points < points/3 {
					y.Data[k] = math.NaN()
				}
			}
		}
		views[v] = View{Name: string(rune('a' + v)), Data: Data{Source: NewSource(y.Data, n, points, 1), Grid: Grid{line(points)}}}
	}
	all, err := CompleteViews(t.Context(), views, Config{Effort: EffortQuick, LatentDims: 2, Training: steps(8)})
	if err != nil {
		t.Fatal(err)
	}
	for v, view := range views {
		y := make([]float64, n*points)
		if err := view.Data.Source.ReadExamples(y, 0, n); err != nil {
			t.Fatal(err)
		}
		for k, got := range all[v].Mean.Data {
			if y[k] == y[k] && got != y[k] {
				t.Fatalf("view %s: value %d is %v, observed %v", view.Name, k, got, y[k])
			}
		}
	}
	var error, count float64
	for k, v := range all[0].Mean.Data {
		if all[0].Variance.Data[k] > 0 {
			error, count = error+square(math.Log(v)-truth.Data[k]), count+1
		}
	}
	if error = math.Sqrt(error / count); error > .4 { // .29 by the best prediction
		t.Errorf("error %.3f of values that another view has with noise of .3", error)
	}
	if by := all[0].Kinds[0].By; !strings.Contains(by, "same places") || len(all[0].Transforms) != 1 || all[0].Transforms[0] != "log" {
		t.Errorf("filled in by %s, transforms %q", by, all[0].Transforms)
	}
}

// A model of views predicts a view from another one, says how well, and does so with the same bits after saving and loading.
func TestFitViews(t *testing.T) {
	if testing.Short() {
		t.Skip("trains models of two views")
	}
	w := drawViews(40, []int{12, 10}, 2, 0, []float64{.05, .05}, 2)
	train := w.views(func(i, _, _ int) bool { return i >= 30 })
	for v := range train {
		train[v].Data.Source = SourceOf(train[v].Data.Source, work.AllBut(30, nil))
	}
	m, reports, err := FitViews(t.Context(), train, Config{Effort: EffortQuick})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(bytes.NewReader(file.Bytes())); !errors.Is(err, ErrViews) {
		t.Errorf("Load of a model of views: %v", err)
	}
	again, err := LoadViews(&file)
	if err != nil {
		t.Fatal(err)
	}
	var error, mean float64
	for i := 30; i < 40; i++ {
		seen := make([]Observed, 2)
		seen[0].Values = mat.NewDense(12, 1, w.y.Row(i)[:12])
		p, err := m.Impute(t.Context(), seen, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		q, err := again.Impute(t.Context(), seen, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		compare.SameBits(t, "after loading", q[1].Mean.Data, p[1].Mean.Data)
		for k, v := range p[1].Mean.Data {
			error += square(v - w.truth.At(i, 12+k))
			mean += square(w.truth.At(i, 12+k))
		}
	}
	if error > .05*mean {
		t.Errorf("mean square error from the other view %.3g, of the mean %.3g", error, mean)
	}
	if len(reports) != 2 {
		t.Errorf("%d reports", len(reports))
	}
	for _, c := range m.Checks() {
		if !c.FromOther || c.Whole > .5*c.ByMean {
			t.Errorf("check %+v, expected views that tell of one another", c)
		}
	}
}

// Views that cannot be matched are refused, by name.
func TestViewsRefused(t *testing.T) {
	w := drawViews(6, []int{9, 9}, 1, 0, []float64{.1, .1}, 3)
	all := func(int, int, int) bool { return false }
	for want, change := range map[string]func(v []View) []View{
		"at least two":                      func(v []View) []View { return v[:1] },
		"different names":                   func(v []View) []View { v[1].Name = v[0].Name; return v },
		"no data":                           func(v []View) []View { v[1].Data.Source = nil; return v },
		"numbers of 2 examples, expected 6": func(v []View) []View { v[1].Rows = []int{0, 1}; return v },
		"negative or there twice":           func(v []View) []View { v[1].Rows = []int{0, 1, 2, 3, 4, 4}; return v },
		"a film":                            func(v []View) []View { v[0].Data.Film = true; return v },
		"no example is in two views":        func(v []View) []View { v[1].Rows = []int{6, 7, 8, 9, 10, 11}; return v },
	} {
		if _, err := CompleteViews(t.Context(), change(w.views(all)), Config{Effort: EffortQuick}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}

// What a half of the values says of x, as the prior for the other half, gives what all values say at once, and less so without its covariance.
func TestInferInTurn(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a model")
	}
	w := drawViews(40, []int{20}, 3, 0, []float64{.2}, 5)
	d := w.views(func(int, int, int) bool { return false })[0].Data
	m, _, err := Fit(t.Context(), d, Config{Effort: EffortNone, LatentDims: 3, LatentKernel: "rbf+linear"})
	if err != nil {
		t.Fatal(err)
	}
	infer := func(i, from, to int, prior *Latent) Latent {
		v := rounds.NothingOf(20, 1)
		copy(v.Data[from:to], w.y.Row(i)[from:to])
		l, err := m.posterior.InferTogether(t.Context(), Observed{Values: v, Prior: prior}, InferOptions{KeepOutliers: true})
		if err != nil {
			t.Fatal(err)
		}
		return Latent{Mu: l.Mu, S: l.S, Precision: l.Precision}
	}
	var with, without float64
	for i := range 40 {
		first := infer(i, 0, 4, nil)
		whole, turns := infer(i, 0, 20, nil), infer(i, 4, 20, &first)
		first.Precision = mat.Matrix{}
		apart := infer(i, 4, 20, &first)
		for q, v := range whole.S {
			with += square(turns.Mu[q]-whole.Mu[q]) / v
			without += square(apart.Mu[q]-whole.Mu[q]) / v
		}
	}
	if with /= 120; with > .1 || with > .5*without/120 {
		t.Errorf("mean square difference %.3g variances, without covariance %.3g", with, without/120)
	}
}

// A limit that has passed before work begins leaves every training a step and every value filled in, and says under its own name what it has ended: the completion of
// views, their models, and the folds in which these are compared, of which some have nothing of a column with a single value.
func TestViewsLimit(t *testing.T) {
	w := drawViews(24, []int{6, 4}, 2, 0, []float64{.1, .1}, 3)
	views := w.views(func(i, v, k int) bool { return v == 1 && (i%4 == 1 || i%5 == k) || v == 0 && k == 3 && i != 5 })
	run := Run{Limit: 1}
	says := func(all []string, want string) {
		t.Helper()
		if text := strings.Join(all, "; "); !strings.Contains(text, "the limit of 1ns ended "+want) {
			t.Errorf("warnings %q, expected %q", text, want)
		}
	}
	all, err := run.CompleteViews(t.Context(), views, Config{Effort: EffortQuick})
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range all[1].Mean.Data {
		if v-v != 0 || !(all[1].Variance.Data[k] >= 0) {
			t.Fatalf("value %d: %v, variance %v", k, v, all[1].Variance.Data[k])
		}
	}
	says(all[1].Report.Warnings, "the run before a model of all views was compared")
	m, reports, err := run.FitViews(t.Context(), views, Config{Effort: EffortQuick})
	if err != nil {
		t.Fatal(err)
	}
	says(reports[0].Warnings, "the comparison of models 3 folds early")
	for _, c := range m.Checks() {
		if !(c.Whole > 0) {
			t.Errorf("view %s was not compared: %+v", c.Name, c)
		}
	}
}

// A column of a table with a single value is learned from, although some folds have none of it.
func TestFitViewsRareColumn(t *testing.T) {
	w := drawViews(24, []int{4, 3}, 2, 0, []float64{.05, .05}, 5)
	views := w.views(func(i, v, k int) bool { return v == 0 && k == 3 && i != 5 })
	if _, _, err := FitViews(t.Context(), views, Config{Effort: EffortNone, Training: TrainingConfig{Iterations: 10}}); err != nil {
		t.Error(err)
	}
}
