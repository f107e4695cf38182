package sgplvm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/rounds"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// mixed draws examples of a picture: three smooth patterns in random shares, and a little noise.
func mixed(n, width, height int, seed uint64) Data {
	rng := rand.New(rand.NewPCG(seed, 1))
	y := mat.New(n*width*height, 1)
	for i := range n {
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		for j := range width * height {
			u, v := float64(j%width)/float64(width), float64(j/width)/float64(height)
			y.Data[i*width*height+j] = 20 + 3*a*math.Sin(3*u+v) + 2*b*math.Cos(2*v-u) + c*u*v + 0.05*rng.NormFloat64()
		}
	}
	return Data{Examples: n, Y: y, Grid: Grid{line(height), line(width)}}
}

// holed returns data of which some values are NaN.
func holed(d Data, missing func(example, point int) bool) Data {
	d.Y = d.Y.Clone()
	points := d.Y.Rows / d.Examples
	for i := range d.Examples {
		for j := range points {
			if missing(i, j) {
				d.Y.Set(i*points+j, 0, math.NaN())
			}
		}
	}
	return d
}

func scatteredHoles(share float64, seed uint64) func(int, int) bool {
	rng := rand.New(rand.NewPCG(seed, 2))
	return func(int, int) bool { return rng.Float64() < share }
}

// Missing values are filled in well, what was observed stays, and the errors told are those made.
func TestComplete(t *testing.T) {
	if testing.Short() {
		t.Skip("learns many models")
	}
	whole := mixed(24, 6, 5, 1)
	d := holed(whole, scatteredHoles(0.4, 3))
	c, err := Complete(t.Context(), d, Config{Effort: EffortQuick})
	if err != nil {
		t.Fatal(err)
	}
	var squares, spread, covered, count float64
	for k, y := range d.Y.Data {
		if !math.IsNaN(y) {
			if c.Mean.Data[k] != y || c.Variance.Data[k] != 0 {
				t.Fatalf("value %d: %v with variance %v, expected %v as observed, and 0", k, c.Mean.Data[k], c.Variance.Data[k], y)
			}
			continue
		}
		r := whole.Y.Data[k] - c.Mean.Data[k]
		squares += r * r
		spread += (whole.Y.Data[k] - 20) * (whole.Y.Data[k] - 20)
		if math.Abs(r) < validation.Normal90*math.Sqrt(c.Variance.Data[k]) {
			covered++
		}
		count++
	}
	rmse := math.Sqrt(squares / count)
	if rmse > 0.35 || spread/count < 1 {
		t.Errorf("error %.3g of values that spread by %.3g, expected 0.05 of noise and little more", rmse, math.Sqrt(spread/count))
	}
	if covered /= count; covered < 0.7 || covered > 0.98 {
		t.Errorf("%.2f of the values in intervals of 90 %%", covered)
	}
	if e := c.Check; e.Values < 20 || e.RMSE > 2*rmse || e.RMSE < rmse/2 || e.Coverage < 0.7 || e.Factor < 1 {
		t.Errorf("said %+v beforehand, found the error %.3g", e, rmse)
	}
	if c.Report.Missing != int(count) {
		t.Errorf("%d values were missing, expected %v", c.Report.Missing, count)
	}
	if n, _, _ := d.sizes(); c.Model.Examples() != n {
		t.Errorf("a model of %d examples, expected %d", c.Model.Examples(), n)
	}
}

func (d Data) sizes() (n, points, channels int) {
	return d.Examples, d.Y.Rows / d.Examples, d.Y.Cols
}

// Without holes the model is that of Fit.
func TestCompleteWhole(t *testing.T) {
	d := mixed(10, 4, 4, 3)
	cfg := Config{Effort: EffortQuick}
	c, err := Complete(t.Context(), d, cfg)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := Fit(t.Context(), d, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Mean.Data, d.Y.Data) || c.Check.Values != 0 || !slices.Equal(saved(t, c.Model), saved(t, m)) {
		t.Error("whole data changed, or their model")
	}
}

// Without times an example of which nothing was observed is the mean of the others, with their variance about it, also where a single column is all there is; the error
// foretold is that of the mean.
func TestCompleteAbsent(t *testing.T) {
	for _, p := range []int{1, 4} {
		y, rng := mat.New(30, p), rand.New(rand.NewPCG(1, uint64(p)))
		for k := range y.Data {
			y.Data[k] = rng.NormFloat64()
		}
		var sum, squares float64
		for i := range 24 {
			sum += y.At(i, 0)
			squares += y.At(i, 0) * y.At(i, 0)
		}
		mean, whole := sum/24, y.Clone()
		want := (squares/24 - mean*mean) * 24 / 23 * 25 / 24
		y.Slice(24, 30, 0, p).Fill(math.NaN())
		if p > 1 {
			y.Set(3, 2, math.NaN())
		}
		c, err := Complete(t.Context(), Data{Y: y, Examples: 30, Grid: Grid{line(1)}}, Config{Effort: EffortQuick})
		if err != nil {
			t.Fatal(err)
		}
		if m, v := c.Mean.At(27, 0), c.Variance.At(27, 0); math.Abs(m-mean) > 1e-12 || math.Abs(v-want) > 1e-12 {
			t.Errorf("%d columns: mean %v, variance %v, want %v and %v", p, m, v, mean, want)
		}
		k := c.Kinds[len(c.Kinds)-1]
		if k.Missing != 6*p || k.Values == 0 || math.Abs(k.RMSE/(mat.NormFro(whole)/math.Sqrt(30*float64(p)))-1) > 0.6 {
			t.Errorf("%d columns: %+v", p, k)
		}
	}
}

// Where all examples miss the same, or next to nothing is known, what can be is filled in all the same.
func TestCompleteAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("learns many models")
	}
	whole := mixed(12, 4, 4, 11)
	for name, missing := range map[string]func(i, j int) bool{
		"the same points":        func(_, j int) bool { return j%5 == 0 },
		"one example":            func(i, j int) bool { return i == 3 && j < 7 },
		"one value":              func(i, j int) bool { return i == 3 && j == 7 },
		"all but two of a whole": func(i, j int) bool { return i > 1 },
	} {
		c, err := Complete(t.Context(), holed(whole, missing), Config{Effort: EffortQuick})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for k, v := range c.Mean.Data {
			if v-v != 0 || missing(k/16, k%16) != (c.Variance.Data[k] > 0) {
				t.Errorf("%s: value %d: %v with variance %v", name, k, v, c.Variance.Data[k])
				break
			}
		}
	}
	single := holed(whole, func(i, j int) bool { return j != i })
	var config *ConfigError
	if _, err := Complete(t.Context(), single, Config{Effort: EffortQuick}); !errors.As(err, &config) || config.Field != "Data" {
		t.Errorf("one value an example: %v", err)
	}
	two := holed(mixed(2, 4, 4, 12), func(i, j int) bool { return j == i })
	if _, err := Complete(t.Context(), two, Config{Effort: EffortQuick}); err != nil {
		t.Errorf("two examples: %v", err)
	}
}

// What cannot be completed is refused.
func TestCompleteRefuses(t *testing.T) {
	d := mixed(4, 3, 3, 5)
	nothing := holed(d, func(int, int) bool { return true })
	var config *ConfigError
	if _, err := Complete(t.Context(), nothing, Config{}); !errors.As(err, &config) || config.Field != "Data" {
		t.Errorf("nothing observed: %v", err)
	}
	still := holed(d, scatteredHoles(0.3, 2))
	for i, v := range still.Y.Data {
		if !math.IsNaN(v) {
			still.Y.Data[i] = float64(i % 9)
		}
	}
	if _, err := Complete(t.Context(), still, Config{}); !errors.As(err, &config) || !strings.Contains(err.Error(), "are the same where they were observed, expected examples that differ") {
		t.Errorf("examples that are all the same: %v", err)
	}
	infinite := holed(d, func(i, j int) bool { return j == 0 })
	infinite.Y.Data[9+4] = math.Inf(1)
	var value *ValueError
	if _, err := Complete(t.Context(), infinite, Config{}); !errors.As(err, &value) || value.Example != 1 || value.Point != 4 {
		t.Errorf("an infinite value: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Complete(ctx, holed(d, scatteredHoles(0.3, 1)), Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func mustSource(t *testing.T, d Data) Source {
	d, err := d.checked()
	if err != nil {
		t.Fatal(err)
	}
	return d.Source
}

// Examples that have nothing to do with their neighbours in time, and of which something is seen everywhere, are completed as if they had no times.
func TestCompleteWithoutTimes(t *testing.T) {
	defer func(n int) { rounds.MinProbed = n }(rounds.MinProbed)
	rounds.MinProbed = math.MaxInt // the examples are of low rank, which the simplest methods fill in
	const n, width, height = 24, 6, 5
	shuffled, ordered := mixed(n, width, height, 1), mixed(n, width, height, 1)
	shuffled.Times = line(n).Data
	for k := range shuffled.Y.Data { // pixels that tell nothing of those beside them either
		shuffled.Y.Data[k] = ordered.Y.Data[k-k%30+7*(k%30)%30]
	}
	done, err := Complete(t.Context(), holed(shuffled, scatteredHoles(0.4, 3)), Config{LatentDims: 3, Training: steps(20)})
	if err != nil {
		t.Fatal(err)
	}
	stages := done.Model.Selection().Stages
	last := stages[len(stages)-1]
	if done.Model.Times() != nil || last.Name != "times of the examples" || !last.Candidates[1].Chosen || !(last.Candidates[0].Difference > last.Candidates[0].Error) {
		t.Errorf("a model with times %v: %+v", done.Model.Times(), last)
	}
}

// wandering are frames of a rough texture that moves by 1.7 and 0.8 pixels a frame.
func wandering(frames int) (v []float64) {
	rng := rand.New(rand.NewPCG(3, 4))
	const waves = 40
	var across, down, phase [waves]float64
	for k := range waves {
		length, angle := 4+8*rng.Float64(), 2*math.Pi*rng.Float64()
		across[k], down[k], phase[k] = 2*math.Pi/length*math.Cos(angle), 2*math.Pi/length*math.Sin(angle), 2*math.Pi*rng.Float64()
	}
	for t := range frames {
		for i := range filmWidth * filmHeight {
			x, y := float64(i%filmWidth)-1.7*float64(t), float64(i/filmWidth)-0.8*float64(t)
			value := 100.
			for k := range waves {
				value += 8 * math.Sin(across[k]*x+down[k]*y+phase[k])
			}
			v = append(v, value)
		}
	}
	return v
}

// Frames of a film with holes are completed better than by the nearest frames in which a pixel is seen, as what moves is followed, and what is said of
// hidden values holds for missing ones.
func TestCompleteFilm(t *testing.T) {
	if testing.Short() {
		t.Skip("motions and models to learn")
	}
	const frames, size = 5, filmWidth * filmHeight
	truth := wandering(frames)
	v := slices.Clone(truth)
	for i := range v {
		frame, x, y := i/size, i%filmWidth, i/filmWidth%filmHeight
		if dx, dy := x-frame*7%filmWidth, y-frame*5%filmHeight; dx*dx+dy*dy < 36 {
			v[i] = math.NaN()
		}
	}
	nearest := func(i, step int) float64 {
		for j := i; j >= 0 && j < len(v); j += step {
			if v[j] == v[j] {
				return v[j]
			}
		}
		return math.NaN()
	}
	d := sceneData(evenly(frames))
	d.Source = NewSource(v, frames, size, 1)
	c, err := Complete(t.Context(), d, Config{Effort: EffortQuick, LatentDims: 2, Training: TrainingConfig{Iterations: 25}})
	if err != nil {
		t.Fatal(err)
	}
	var moving, still, inside, count float64
	for i, y := range truth {
		e := c.Mean.Data[i] - y
		if v[i] == v[i] {
			if e != 0 || c.Variance.Data[i] != 0 {
				t.Fatalf("seen pixel %d is off by %v, variance %v", i, e, c.Variance.Data[i])
			}
			continue
		}
		if e*e < validation.Normal90*validation.Normal90*c.Variance.Data[i] {
			inside++
		}
		if s := (nearest(i, -size)+nearest(i, size))/2 - y; s == s {
			moving, still = moving+e*e, still+s*s
		}
		count++
	}
	if inside /= count; !(moving < 0.1*still) || !(inside > 0.75 && inside <= 1) {
		t.Errorf("mean squares %g, of the nearest frames %g; 90 %% intervals hold %g", moving, still, inside)
	}
}

// steppedMaps are maps that change smoothly in time, of some of which nothing was observed: one, two after one another, and the last.
func steppedMaps() (whole, d Data) {
	const n, width, height = 24, 6, 5
	whole = mixed(n, width, height, 1)
	for k := range whole.Y.Data {
		i, j := k/(width*height), k%(width*height)
		u, v, s := float64(j%width)/width, float64(j/width)/height, float64(i)
		whole.Y.Data[k] += -20 - 0.98*(whole.Y.Data[k]-20) + 3*math.Sin(0.8*s)*math.Sin(3*u+v) + 2*math.Cos(0.5*s)*math.Cos(2*v-u)
	}
	whole.Times = line(n).Data
	return whole, holed(whole, func(i, _ int) bool { return slices.Contains([]int{6, 11, 12, 17, 23}, i) })
}

// Steps of which nothing was observed are filled in at their times, better than a line does, by a model of the others; the error is foretold by steps held out.
func TestCompleteWholeSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("learns several models")
	}
	whole, d := steppedMaps()
	squares := func(y mat.Matrix) (sum float64) {
		for k, v := range d.Y.Data {
			if math.IsNaN(v) {
				sum += math.Pow(y.Data[k]-whole.Y.Data[k], 2) / 150
			}
		}
		return sum
	}
	first, err := Complete(t.Context(), d, Config{Effort: EffortQuick})
	if err != nil {
		t.Fatal(err)
	}
	_, h, err := completion.Read(mustSource(t, d))
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]float64{"": squares(first.Mean)}
	for _, m := range (&completion.Filled{Y: mat.NewDense(24, 30, d.Y.Data), Holes: h, Points: data.InSpacings(d.Grid), Channels: 1, At: data.Instants(d.Times, nil)}).Fillers(nil, 0) {
		y, _, err := m.Fill(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		of[m.Name] = squares(y)
	}
	if !(of[""] < 0.5*of["linear in time"]) || !(of[""] < of["mean of the points"]/9) {
		t.Errorf("mean squares %v", of)
	}
	if n := first.Model.Examples(); n != 19 {
		t.Errorf("a model of %d examples, expected the 19 of which something was observed", n)
	}
	if k := first.Kinds; len(k) != 1 || k[0].Kind != "whole examples" || k[0].Missing != 150 || k[0].Values == 0 || k[0].Simplest == "" || k[0].RMSE > 3*math.Sqrt(of[""]) || k[0].RMSE < math.Sqrt(of[""])/3 {
		t.Errorf("said %+v, found an error of %v", k, math.Sqrt(of[""]))
	}
	for k, y := range d.Y.Data {
		if v := first.Variance.Data[k]; math.IsNaN(y) != (v > 0) || y == y && first.Mean.Data[k] != y {
			t.Fatalf("value %d: %v with variance %v, observed was %v", k, first.Mean.Data[k], v, y)
		}
	}
}

// A broken value of a table is filled in as if it was missing and named, and stays where all values are believed.
func TestCompleteOutliers(t *testing.T) {
	d := weather(60)
	d.Y = d.Y.Clone()
	was := d.Y.At(20, 1)
	d.Y.Set(20, 1, 1e6)
	for i := 3; i < 60; i += 10 {
		d.Y.Set(i, i%2, math.NaN())
	}
	for _, keep := range []bool{false, true} {
		c, err := Complete(t.Context(), d, Config{Effort: EffortQuick, Training: steps(5), KeepOutliers: keep})
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, k := range c.Kinds {
			sum += k.Missing
		}
		if sum != c.Report.Missing {
			t.Errorf("%d missing, by kind %+v", c.Report.Missing, c.Kinds)
		}
		y, v := c.Mean.At(20, 1), c.Variance.At(20, 1)
		if keep && (y != 1e6 || v != 0 || len(c.Report.Outliers) > 0 || c.Report.Missing != 6) {
			t.Errorf("kept: %v with variance %v, outliers %v, %d missing", y, v, c.Report.Outliers, c.Report.Missing)
		}
		if o := c.Report.Outliers; !keep && (math.Abs(y-was) > 200 || !(v > 0) || len(o) != 1 || o[0].Example != 20 || o[0].Channel != 1 || o[0].Value != 1e6 || c.Report.Missing != 7) {
			t.Errorf("%v with variance %v in the place of %v, outliers %v, %d missing", y, v, was, o, c.Report.Missing)
		}
	}
}

// longTable are rows that a curve in four columns gives, with noise, and one value in ten missing.
func longTable(n int) (whole, d Data) {
	rng := rand.New(rand.NewPCG(6, 80))
	whole = Data{Examples: n, Y: mat.New(n, 4), Grid: Grid{line(1)}}
	for i := range n {
		x := rng.NormFloat64()
		for j, v := range []float64{x, x * x, math.Sin(2 * x), -x} {
			whole.Y.Set(i, j, v+0.05*rng.NormFloat64())
		}
	}
	d = whole
	d.Y = d.Y.Clone()
	for k := range d.Y.Data {
		if rng.Float64() < 0.1 {
			d.Y.Data[k] = math.NaN()
		}
	}
	return whole, d
}

// Rows that were not learned from are what the model's Impute says of them.
func TestCompleteOthers(t *testing.T) {
	normal := selection.Plans[EffortThorough]
	defer func() { selection.Plans[EffortThorough] = normal }()
	const most = 200
	few := normal
	few.Rows = most
	selection.Plans[EffortThorough] = few
	_, d := longTable(2 * most)
	c, err := Complete(t.Context(), d, Config{Effort: EffortNone, LatentDims: 1, Inducing: 4, Training: TrainingConfig{Iterations: 2, Uncalibrated: true}})
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for i := range 2 * most {
		if !slices.ContainsFunc(d.Y.Row(i), math.IsNaN) {
			continue
		}
		p, _, err := c.Model.Impute(t.Context(), Observed{Values: d.Y.Slice(i, i+1, 0, 4).Clone()}, InferOptions{KeepOutliers: true})
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(p.Mean.Data, c.Mean.Row(i)) && slices.Equal(p.Variance.Data, c.Variance.Row(i)) {
			same++
		}
	}
	if c.Model.Examples() != most || same < 10 || same > most { // about a third of them have holes
		t.Errorf("a model of %d examples, %d rows are filled in by it", c.Model.Examples(), same)
	}
}

// Where the simplest methods fill in everything, a run for values alone trains no model; where the model has a share it is there. It fills in the same bits as a whole run, at
// any number of processors.
func TestCompleteValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	walk := Data{Y: mat.New(60, 2), Examples: 60, Grid: Grid{mat.New(1, 1)}, Times: make([]float64, 60)}
	for i := range walk.Times {
		walk.Times[i] = float64(i)
		for j := range 2 {
			walk.Y.Set(i, j, walk.Y.At(max(0, i-1), j)+rng.NormFloat64())
		}
	}
	for name, c := range map[string]struct {
		d     Data
		model bool
	}{"two walks": {holed(walk, scatteredHoles(0.15, 4)), true}, "a mixture": {holed(mixed(14, 5, 4, 2), scatteredHoles(0.3, 4)), false}} {
		whole, err := Complete(t.Context(), c.d, Config{Effort: EffortQuick})
		if err != nil {
			t.Fatal(err)
		}
		before := runtime.GOMAXPROCS(1)
		values, err := Run{Values: true}.Complete(t.Context(), c.d, Config{Effort: EffortQuick})
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		if whole.Model == nil || (values.Model != nil) != c.model {
			t.Errorf("%s: models %v and %v, kinds %+v", name, whole.Model != nil, values.Model != nil, whole.Kinds)
		}
		if !slices.Equal(values.Mean.Data, whole.Mean.Data) || !slices.Equal(values.Variance.Data, whole.Variance.Data) || !slices.Equal(values.Kinds, whole.Kinds) || values.Check != whole.Check {
			t.Errorf("%s: other values or kinds: %+v, expected %+v", name, values.Kinds, whole.Kinds)
		}
	}
}

// An example that nobody saw is what the others say of its time, not their mean.
func TestCompleteAtATime(t *testing.T) {
	const examples, gone, points = 14, 4, 12
	d := Data{Examples: examples, Y: mat.New(examples*points, 1), Grid: Grid{line(3), line(4)}}
	value := func(i, j int) float64 { return 5 + math.Sin(0.5*float64(i)+0.3*float64(j%4)) + 0.1*float64(j/4) }
	for i := range examples {
		d.Times = append(d.Times, float64(i))
		for j := range points {
			d.Y.Set(i*points+j, 0, value(i, j))
		}
	}
	c, err := Complete(t.Context(), holed(d, func(i, j int) bool { return i == gone || i%5 == 1 && j == 3 }), Config{Effort: EffortNone, LatentDims: 2, Training: TrainingConfig{Iterations: 60}})
	if err != nil {
		t.Fatal(err)
	}
	var squares, spread float64
	for j := range points {
		var mean float64
		for i := range examples {
			mean += value(i, j) / examples
		}
		squares += math.Pow(c.Mean.At(gone*points+j, 0)-value(gone, j), 2) / points
		spread += math.Pow(mean-value(gone, j), 2) / points
	}
	if !(squares < spread/100) {
		t.Errorf("an error of %.2g, that of the mean is %.2g", math.Sqrt(squares), math.Sqrt(spread))
	}
}

// The first completion brings back a matrix of low rank.
func TestFirstCompletion(t *testing.T) {
	for _, n := range []int{12, 60} { // examples fewer than values, and more
		whole := mixed(n, 6, 5, 8)
		y, h, err := completion.Read(mustSource(t, holed(whole, scatteredHoles(0.3, 5))))
		if err != nil {
			t.Fatal(err)
		}
		if err := (&completion.Filled{Y: y, Holes: h, Points: data.InSpacings(whole.Grid), Channels: 1}).ByComponents(t.Context()); err != nil {
			t.Fatal(err)
		}
		var squares, count float64
		for k, missing := range h.Missing {
			if r := y.Data[k] - whole.Y.Data[k]; missing {
				squares += r * r
				count++
			} else if r != 0 {
				t.Fatalf("observed value %d changed", k)
			}
		}
		if rmse := math.Sqrt(squares / count); rmse > map[int]float64{12: 1.2, 60: 0.6}[n] {
			t.Errorf("%d examples: an error of %.3g, of values that spread by 2.5", n, rmse)
		}
	}
}

// What is held out was observed, is never all of an example, and lies together where holes do. It is all that another example misses where that is no farther from
// what is seen than the example's own holes.
func TestBorrow(t *testing.T) {
	const n, width, height = 30, 12, 10
	rng := rand.New(rand.NewPCG(6, 6))
	x := data.InSpacings(Grid{line(height), line(width)})
	blob := func(i, j int) bool {
		u, v := j%width-i%7, j/width-i%5
		return u >= 0 && u < 6 && v >= 0 && v < 6
	}
	far := map[string]float64{}
	for name, missing := range map[string]func(i, j int) bool{"scattered": scatteredHoles(0.3, 9), "blobs": blob} {
		_, h, err := completion.Read(mustSource(t, holed(mixed(n, width, height, 7), missing)))
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			hide := h.Borrow(rng, i, x, 1)
			own := h.Of(i)
			hidden, seen := 0, 0
			for k := range hide {
				if hide[k] && own[k] {
					t.Fatalf("%s, example %d: value %d is missing already", name, i, k)
				}
				if hide[k] {
					hidden++
				} else if !own[k] {
					seen++
				}
			}
			if hidden == 0 || seen == 0 {
				t.Errorf("%s, example %d: %d values hidden, %d left", name, i, hidden, seen)
			}
			far[name] += completion.Distance(x, 1, func(k int) bool { return hide[k] }, func(k int) bool { return !own[k] && !hide[k] }) / n
		}
	}
	if far["blobs"] < 1.2*far["scattered"] {
		t.Errorf("hidden values are %.2f spacings from what is seen where blobs are missing, %.2f where values here and there are", far["blobs"], far["scattered"])
	}
	_, h, err := completion.Read(mustSource(t, holed(mixed(4, 16, 1, 7), func(i, j int) bool { return j%4 == 2*(i%2) })))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, hidden := range h.Borrow(rng, 0, line(16), 1) {
		if hidden {
			count++
		}
	}
	if count != 4 {
		t.Errorf("%d values hidden, expected all 4 that another example misses", count)
	}
}
