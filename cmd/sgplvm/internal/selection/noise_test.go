package selection

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// A candidate is better if it is by more than chance makes it: by some standard
// errors of the mean difference.
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

const width, height = 5, 4

// fields draws count pictures, one a row: a few causes that all share, and a smooth random field that
// each has for itself.
func fields(count int) mat.Matrix {
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

// small is a selection with 22 pictures to learn from and 4 to fill in.
func small(t *testing.T) (Pictures, Setup) {
	t.Helper()
	y := fields(26)
	p := Pictures{Complete: y.Slice(0, 22, 0, y.Cols).Clone(), Seen: y.Slice(22, 26, 0, y.Cols).Clone(), Channels: 1}
	for i := range p.Seen.Data {
		if i*i/7%2 == 0 {
			p.Seen.Data[i] = math.NaN()
		}
	}
	space, err := dataset.Space(width, height, "joint")
	if err != nil {
		t.Fatal(err)
	}
	return p, Setup{
		Model: sgplvm.Config{Space: space, LatentDims: 21, Inducing: 22, Residual: sgplvm.Kernel{Kind: sgplvm.Matern32, Variance: 0.05}, NoiseFloor: 1e-8},
		Fit:   sgplvm.FitOptions{Iterations: 400, ResidualRounds: 2, ResidualTaper: sgplvm.DefaultTaper(22), LocalResiduals: true},
	}
}

// Pictures that are held out are filled in under masks of the others and by a model that has not
// seen them.
func TestValidation(t *testing.T) {
	p, s := small(t)
	v, err := newValidation(context.Background(), p, s, silent{})
	if err != nil {
		t.Fatal(err)
	}
	learned := mat.New(18, width*height)
	if n, points, channels := v.training.Source.Dims(); n != 18 || points != width*height || channels != 1 || v.truth.Rows != 4 {
		t.Fatalf("%d pictures of %d points and %d channels, %d held out", n, points, channels, v.truth.Rows)
	}
	if err := v.training.Source.ReadExamples(learned.Data, 0, 18); err != nil {
		t.Fatal(err)
	}
	var found []int
	for i := range p.Complete.Rows {
		for _, part := range []mat.Matrix{learned, v.truth} {
			for k := range part.Rows {
				if slices.Equal(part.Row(k), p.Complete.Row(i)) {
					found = append(found, i)
				}
			}
		}
	}
	if len(found) != p.Complete.Rows {
		t.Errorf("pictures %v learned from or held out, expected each once", found)
	}
	for k := range v.seen.Rows {
		for j, y := range v.seen.Row(k) {
			if hidden := math.IsNaN(p.Seen.At(k%p.Seen.Rows, j)); hidden != math.IsNaN(y) || !hidden && y != v.truth.At(k, j) {
				t.Errorf("picture %d, value %d: %v, %v in truth, hidden %v", k, j, y, v.truth.At(k, j), hidden)
			}
		}
	}
}

// What fills in held-out pictures better is selected, what does worse is not, whichever of them is
// the default.
func TestNoise(t *testing.T) {
	defer func(p []parameter, e float64) { parameters, noiseErrors = p, e }(parameters, noiseErrors)
	noiseErrors = 0
	p, s := small(t)
	for _, c := range []struct{ from, to, want sgplvm.Conditioning }{
		{sgplvm.ConditionNone, sgplvm.ConditionGivenLatent, sgplvm.ConditionGivenLatent},
		{sgplvm.ConditionGivenLatent, sgplvm.ConditionNone, sgplvm.ConditionGivenLatent},
	} {
		parameters = []parameter{{false, []func(*Setup, int){func(s *Setup, _ int) { s.Infer.Conditioning = c.to }}}}
		s.Infer.Conditioning = c.from
		got, err := Noise(context.Background(), p, s, silent{})
		if err != nil || got.Infer.Conditioning != c.want {
			t.Errorf("from %q with %q as the other: %q, %v", c.from, c.to, got.Infer.Conditioning, err)
		}
	}
	parameters = []parameter{{true, candidates([]float64{3}, func(s *Setup, _ int, v float64) { s.Fit.ResidualTaper = v })}}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Noise(ctx, p, s, silent{}); err != context.Canceled {
		t.Errorf("error %v, expected %v", err, context.Canceled)
	}
	s.Fit.ResidualRounds = 0 // the paper's model has nothing to select
	got, err := Noise(ctx, p, s, silent{})
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(s, got); diff != "" {
		t.Errorf("without a learned noise: %s", diff)
	}
}
