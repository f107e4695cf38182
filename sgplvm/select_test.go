package sgplvm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A candidate is better if it is by more than chance makes it: by some standard errors of the mean
// difference.
func TestBetter(t *testing.T) {
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
		if got := better(c.scores, c.others, 2); got != c.want {
			t.Errorf("%v better than %v: %v", c.scores, c.others, got)
		}
	}
}

// A later candidate wins only where it is better by more than chance; those that fail are passed over.
func TestBestOf(t *testing.T) {
	candidates := []Config{{LatentDims: 3, NoiseFloor: 0.1}, {LatentDims: 3, NoiseFloor: 0.2}, {LatentDims: 3, NoiseFloor: 0.3}}
	failed := errors.New("failed")
	for _, c := range []struct {
		scores [][]float64 // nil: fails
		want   float64
	}{
		{[][]float64{{1, 2, 3}, {1.1, 2, 2.8}, {0, 1, 2}}, 0.3},
		{[][]float64{{1, 2, 3}, {1.5, 1, 2.9}}, 0.1},
		{[][]float64{{1, 2, 3}, {0, 1, 2.1}, {0.01, 0.9, 2.1}}, 0.2},
		{[][]float64{nil, {9, 9, 9}}, 0.2},
		{[][]float64{{1, 2, math.NaN()}, {9, 9, 9}, {math.Inf(-1), 0, 0}}, 0.2},
		{[][]float64{nil, nil}, 0},
	} {
		tried := 0
		cfg, err := bestOf(context.Background(), candidates[:len(c.scores)], func(Config) ([]float64, error) {
			tried++
			if c.scores[tried-1] == nil {
				return nil, failed
			}
			return c.scores[tried-1], nil
		})
		if cfg.NoiseFloor != c.want || c.want > 0 && cfg.LatentDims != 3 || (c.want == 0) != (err == failed) {
			t.Errorf("%v: noise floor %v, error %v; want %v", c.scores, cfg.NoiseFloor, err, c.want)
		}
	}
}

// Small pictures are validated at all points, large ones at no more than mostValidation, of which those
// observed are all, or three quarters.
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

// waves draws pictures of 5×4 points, one a row: a few causes that all share, and a smooth random field
// that each has for itself.
func waves(count int) mat.Matrix {
	const width, height = 5, 4
	rng := rand.New(rand.NewPCG(5, 6))
	y := mat.New(count, width*height)
	for i := range count {
		a, b := math.Sin(float64(i)/3), math.Cos(float64(i)/7)
		own := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		for j := range y.Row(i) {
			r, c := float64(j/width), float64(j%width)
			field := own[0] + own[1]*math.Sin(r/2+c/3) + own[2]*math.Cos(c/2-r/3)
			y.Set(i, j, 100+30*a*math.Sin(r+a)+20*b*math.Cos(c/2)+10*field+rng.NormFloat64())
		}
	}
	return y
}

// noiseSet is 22 pictures to learn from and 4 to fill in.
func noiseSet() (set, NoiseSelection) {
	y := waves(26)
	seen := y.Slice(22, 26, 0, 20).Clone()
	for i := range seen.Data {
		if i*i/7%2 == 0 {
			seen.Data[i] = math.NaN()
		}
	}
	return set{Data{Examples: 22, Y: mat.NewDense(22*20, 1, y.Data[:22*20]), Grid: Grid{plane(4, 5)}}, Config{LatentDims: 21, Inducing: 22, NoiseFloor: 1e-8,
		Residual: ResidualConfig{Kernel: kernel.Kernel{Kind: kernel.Matern32, Variance: 0.05}, Rounds: 2, Taper: bound.DefaultTaper(22), Local: On}}}, NoiseSelection{Seen: seen}
}

// A recorder is a Watcher that counts.
type recorder struct {
	started, stopped int
	counted          atomic.Int64
}

func (r *recorder) begin() func() { r.started++; return func() { r.stopped++ } }

func (r *recorder) Tell(string) {}

func (r *recorder) Timing(string) func() { return r.begin() }

func (r *recorder) Training(string) (func(Progress) bool, func()) {
	return func(Progress) bool { return true }, r.begin()
}

func (r *recorder) Counting(string, int) (func(int), func()) {
	return func(int) { r.counted.Add(1) }, r.begin()
}

// Pictures that are held out are filled in under masks of the others and by a model that has not seen them.
func TestValidation(t *testing.T) {
	s, by := noiseSet()
	d, err := s.data.checked()
	if err != nil {
		t.Fatal(err)
	}
	v, err := newValidation(context.Background(), d, noiseSettings{config: s.config}, by, 0)
	if err != nil {
		t.Fatal(err)
	}
	learned := mat.New(18, 20)
	if n, points, channels := v.training.Source.Dims(); n != 18 || points != 20 || channels != 1 || v.truth.Rows != 4 {
		t.Fatalf("%d pictures of %d points and %d channels, %d held out", n, points, channels, v.truth.Rows)
	}
	if err := v.training.Source.ReadExamples(learned.Data, 0, 18); err != nil {
		t.Fatal(err)
	}
	var found []int
	for i := range 22 {
		for _, part := range []mat.Matrix{learned, v.truth} {
			for k := range part.Rows {
				if slices.Equal(part.Row(k), s.data.Y.Data[i*20:(i+1)*20]) {
					found = append(found, i)
				}
			}
		}
	}
	if len(found) != 22 {
		t.Errorf("pictures %v learned from or held out, expected each once", found)
	}
	for k := range v.seen.Rows {
		for j, y := range v.seen.Row(k) {
			if hidden := math.IsNaN(by.Seen.At(k%by.Seen.Rows, j)); hidden != math.IsNaN(y) || !hidden && y != v.truth.At(k, j) {
				t.Errorf("picture %d, value %d: %v, %v in truth, hidden %v", k, j, y, v.truth.At(k, j), hidden)
			}
		}
	}
}

// What fills in held-out pictures better is selected, what does worse is not, whichever of them is the
// default.
func TestSelectNoise(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a dozen models")
	}
	defer func(p []noiseParameter, e float64) { noiseParameters, noiseErrors = p, e }(noiseParameters, noiseErrors)
	noiseErrors = 0
	s, by := noiseSet()
	ctx := context.Background()
	for _, c := range []struct{ from, to, want Conditioning }{
		{ConditionNone, ConditionGivenLatent, ConditionGivenLatent},
		{ConditionGivenLatent, ConditionNone, ConditionGivenLatent},
	} {
		noiseParameters = []noiseParameter{{false, []float64{1}, func(s *noiseSettings, _ int, _ float64) { s.infer.Conditioning = c.to }}}
		_, got, err := SelectNoise(ctx, s.data, s.config, InferOptions{Conditioning: c.from}, by)
		if err != nil || got.Conditioning != c.want {
			t.Errorf("from %q with %q as the other: %q, %v", c.from, c.to, got.Conditioning, err)
		}
	}
	noiseParameters = []noiseParameter{{true, []float64{3}, func(s *noiseSettings, _ int, v float64) { s.config.Residual.Taper = v }}}
	shown := new(recorder)
	by.Watch = shown
	s.config.Training.Progress = func(Progress) bool {
		t.Error("the selection shows its steps as those of the training after it")
		return false
	}
	if cfg, _, err := SelectNoise(ctx, s.data, s.config, InferOptions{}, by); err != nil || cfg.Residual.Taper != 3 && cfg.Residual.Taper != s.config.Residual.Taper {
		t.Errorf("taper %v, error %v", cfg.Residual.Taper, err)
	}
	if shown.started == 0 || shown.started != shown.stopped || int(shown.counted.Load()) != 2*4 {
		t.Errorf("%d tasks shown, %d ended, %d examples counted", shown.started, shown.stopped, shown.counted.Load())
	}
	by.Watch = nil
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := SelectNoise(ended, s.data, s.config, InferOptions{}, by); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, expected %v", err, context.Canceled)
	}
	for name, c := range map[string]struct {
		change func(s *set, by *NoiseSelection)
		refuse bool
	}{
		"nothing is learned": {func(s *set, _ *NoiseSelection) { s.config.Residual.Rounds = 0 }, false},
		"few examples":       {func(s *set, _ *NoiseSelection) { s.data.Examples, s.data.Y = 19, s.data.Y.Slice(0, 380, 0, 1) }, false},
		"nothing to fill in": {func(_ *set, by *NoiseSelection) { by.Seen = mat.Matrix{} }, true},
		"other values":       {func(_ *set, by *NoiseSelection) { by.Seen = mat.New(2, 21) }, true},
		"two factors":        {func(s *set, _ *NoiseSelection) { s.data.Grid = Grid{line(4), line(5)} }, true},
		"no data":            {func(s *set, _ *NoiseSelection) { s.data = Data{} }, true},
	} {
		s, by := noiseSet()
		c.change(&s, &by)
		cfg, o, err := SelectNoise(ctx, s.data, s.config, InferOptions{}, by)
		var refused *ConfigError
		if errors.As(err, &refused) != c.refuse || (err != nil) != c.refuse {
			t.Errorf("%s: error %v", name, err)
		}
		if d := diff(cfg, s.config) + diff(o, InferOptions{}); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	s.config.Residual.Taper = 0
	s.data.Examples, s.data.Y = 19, s.data.Y.Slice(0, 380, 0, 1)
	if cfg, _, err := SelectNoise(ctx, s.data, s.config, InferOptions{}, by); err != nil || cfg.Residual.Taper != bound.DefaultTaper(19) {
		t.Errorf("taper %v, error %v", cfg.Residual.Taper, err)
	}
}

// Only what is hidden counts, by −log N(y | m, v) on average.
func TestHiddenDensity(t *testing.T) {
	nan := math.NaN()
	truth, seen := []float64{1, 2, 3, 4, 5, 6}, []float64{1, nan, 3, nan, 5, 6}
	p := Prediction{Mean: mat.NewDense(3, 2, []float64{9, 4, 9, 4, 9, 9}), Variance: mat.NewDense(3, 2, []float64{0, 4, 0, 0.25, 0, 0})}
	want := (0.5*math.Log(2*math.Pi*4) + 0.5 + 0.5*math.Log(2*math.Pi*0.25)) / 2
	if got := hiddenDensity(truth, seen, p); math.Abs(got-want) > 1e-14 {
		t.Errorf("%v, want %v", got, want)
	}
	if got := hiddenDensity(truth, truth, p); got != 0 {
		t.Errorf("%v of nothing hidden", got)
	}
}
