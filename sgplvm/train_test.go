package sgplvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// line returns n equally spaced points of one dimension.
func line(n int) mat.Matrix {
	x := mat.New(n, 1)
	for i := range n {
		x.Data[i] = float64(i)
	}
	return x
}

// bumps are examples of one channel on a grid: a bump whose place follows a
// curve, with a little noise; in the user's units.
func bumps(examples, height, width int, seed uint64) Data {
	rng := rand.New(rand.NewPCG(seed, 20))
	y := mat.New(examples*height*width, 1)
	for n := range examples {
		angle := 2 * math.Pi * float64(n) / float64(examples)
		a, b := float64(height)*(0.5+0.3*math.Cos(angle)), float64(width)*(0.5+0.3*math.Sin(angle))
		for i := range height {
			for j := range width {
				r := math.Pow(float64(i)-a, 2) + math.Pow(float64(j)-b, 2)
				y.Set((n*height+i)*width+j, 0, 100+40*math.Exp(-r/8)+rng.NormFloat64())
			}
		}
	}
	return Data{Examples: examples, Y: y}
}

func bumpConfig(height, width int) Config {
	return Config{Space: []SpatialFactor{{X: line(height)}, {X: line(width)}}, LatentDims: 2, Inducing: 8, Seed: 1}
}

// trained is a model of bumps, trained once for all tests that use it.
func trained(t testing.TB) *Model {
	t.Helper()
	trainOnce.Do(func() {
		m, err := New(bumps(16, 6, 5, 1), bumpConfig(6, 5))
		if err == nil {
			_, err = m.Fit(context.Background(), FitOptions{Iterations: 150})
		}
		trainedModel, trainError = m, err
	})
	if trainError != nil {
		t.Fatal(trainError)
	}
	return trainedModel
}

var (
	trainOnce    sync.Once
	trainedModel *Model
	trainError   error
)

// flat lists all parameters.
func flat(p *Params) []float64 {
	_, values, _ := natural(p, p.Latent.Parts())
	return slices.Concat(values...)
}

// trainingSets are five small problems with different features.
func trainingSets() map[string]func() (*Model, error) {
	free := bumpConfig(6, 5)
	free.Space[0].Xu = mat.NewDense(3, 1, []float64{0.5, 2.5, 4.5})
	free.Space[0].Kernel = Kernel{Kind: RBF, LengthScale: one(1.5)}
	joint := mat.New(30, 2)
	for i := range 30 {
		copy(joint.Row(i), []float64{float64(i / 5), float64(i % 5)})
	}
	moving := bumpConfig(6, 5)
	moving.Dynamics = Dynamics{Times: line(12).Data, Sequences: []int{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, Kernel: TimeKernel{Kind: Sum, Terms: []TimeKernel{{Kind: RBF}, {Kind: Matern32}}}}
	return map[string]func() (*Model, error){
		"moving":  func() (*Model, error) { return New(bumps(12, 6, 5, 2), moving) },
		"product": func() (*Model, error) { return New(bumps(12, 6, 5, 2), bumpConfig(6, 5)) },
		"joint": func() (*Model, error) {
			return New(bumps(12, 6, 5, 3), Config{Space: []SpatialFactor{{X: joint}}, LatentDims: 3, Inducing: 12})
		},
		"free inducing points": func() (*Model, error) { return New(bumps(12, 6, 5, 4), free) },
		"white": func() (*Model, error) {
			return New(bumps(12, 6, 5, 5), Config{Space: []SpatialFactor{{X: line(30), Kernel: Kernel{Kind: White}}}, LatentDims: 2})
		},
		"channels": func() (*Model, error) {
			d := bumps(12, 6, 5, 6)
			d.Y = mat.NewDense(12*10, 3, d.Y.Data)
			return New(d, Config{Space: []SpatialFactor{{X: line(10)}}, LatentDims: 2, Inducing: 6})
		},
	}
}

// Every accepted step raises the bound, up to the rounding error that the
// optimiser is told of, and the result is the best of them.
func TestTrainingIsMonotone(t *testing.T) {
	for name, set := range trainingSets() {
		m, err := set()
		if err != nil {
			t.Fatal(err)
		}
		start := m.mustBound(t)
		last, steps := start, 0
		r, err := m.Fit(context.Background(), FitOptions{Iterations: 40, Progress: func(p Progress) bool {
			steps++
			if p.Iteration != steps || p.Total != 40 {
				t.Errorf("%s: step %d of %d reported as step %d of 40", name, p.Iteration, p.Total, steps)
			}
			if !(p.Bound >= last-1e-11*math.Abs(last)) {
				t.Errorf("%s: step %d (%s) lowers the bound from %v to %v", name, steps, p.Phase, last, p.Bound)
			}
			if !(p.Noise > 0) || !(p.GradNorm >= 0) {
				t.Errorf("%s: step %d: noise %v, gradient %v", name, steps, p.Noise, p.GradNorm)
			}
			last = p.Bound
			return true
		}})
		if err != nil {
			t.Fatal(err)
		}
		if !(r.Bound > start+1) || !(r.Bound >= last) || r.Iterations != steps || r.Evaluations < steps {
			t.Errorf("%s: result %+v after %d steps from %v to %v", name, r, steps, start, last)
		}
		if got := m.mustBound(t); got != r.Bound {
			t.Errorf("%s: the model has the bound %v, the result says %v", name, got, r.Bound)
		}
		if err := m.params.validate(m.space); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTrainingSameBits(t *testing.T) {
	for name, set := range trainingSets() {
		var want []float64
		atEveryWidth(func(procs int) {
			m, err := set()
			if err != nil {
				t.Fatal(err)
			}
			r, err := m.Fit(context.Background(), FitOptions{Iterations: 12})
			if err != nil {
				t.Fatal(err)
			}
			got := append(flat(m.params), r.Bound)
			if want == nil {
				want = got
			}
			sameBits(t, fmt.Sprintf("%s at GOMAXPROCS %d", name, procs), got, want)
		})
	}
}

// Products large enough to be split between processors.
func TestTrainingSameBitsLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	cfg := bumpConfig(14, 13)
	cfg.Space = []SpatialFactor{{X: mat.New(14*13, 2)}}
	for i := range 14 * 13 {
		copy(cfg.Space[0].X.Row(i), []float64{float64(i / 13), float64(i % 13)})
	}
	var want []float64
	atEveryWidth(func(procs int) {
		m, err := New(bumps(40, 14, 13, 7), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = m.Fit(context.Background(), FitOptions{Iterations: 4, Warmup: 2}); err != nil {
			t.Fatal(err)
		}
		got := flat(m.params)
		if want == nil {
			want = got
		}
		sameBits(t, fmt.Sprintf("GOMAXPROCS %d", procs), got, want)
	})
}

// The unit of the data does not matter: a power of two changes no bit of the
// parameters and multiplies predictions.
func TestTrainingKnowsNoUnits(t *testing.T) {
	fit := func(scale float64) *Model {
		d := bumps(8, 4, 3, 8)
		mat.Scale(d.Y, scale, d.Y)
		m, err := New(d, bumpConfig(4, 3))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Fit(context.Background(), FitOptions{Iterations: 15}); err != nil {
			t.Fatal(err)
		}
		return m
	}
	plain := fit(1)
	want, err := plain.Predict(Latent{Mu: []float64{0.3, -0.2}, S: []float64{0.1, 0.2}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, scale := range []float64{0x1p20, 0x1p-20, 0x1p300} {
		m := fit(scale)
		sameBits(t, fmt.Sprintf("scale %g", scale), flat(m.params), flat(plain.params))
		got, err := m.Predict(Latent{Mu: []float64{0.3, -0.2}, S: []float64{0.1, 0.2}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		mat.Scale(got.Mean, 1/scale, got.Mean)
		mat.Scale(got.Variance, 1/scale, got.Variance)
		mat.Scale(got.Variance, 1/scale, got.Variance)
		sameBits(t, fmt.Sprintf("mean, scale %g", scale), got.Mean.Data, want.Mean.Data)
		sameBits(t, fmt.Sprintf("variance, scale %g", scale), got.Variance.Data, want.Variance.Data)
	}
}

// However training ends, the model holds the best parameters met, and goes on
// from there when asked again.
func TestTrainingStops(t *testing.T) {
	for _, last := range []int{1, 3, 7, 20} { // the warm-up takes 5 steps of 20
		for _, byContext := range []bool{false, true} {
			m, err := New(bumps(10, 5, 4, 9), bumpConfig(5, 4))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			best := math.Inf(-1)
			r, err := m.Fit(ctx, FitOptions{Iterations: 20, Progress: func(p Progress) bool {
				best = max(best, p.Bound)
				if p.Iteration < last {
					return true
				}
				if p.Iteration > last {
					t.Errorf("step %d after the end at %d", p.Iteration, last)
				}
				if byContext {
					cancel()
					return true
				}
				return false
			}})
			cancel()
			if byContext && !errors.Is(err, context.Canceled) && last < 20 || !byContext && err != nil {
				t.Errorf("stopped at step %d, by context %v: error %v", last, byContext, err)
			}
			if !(r.Bound >= best) || m.mustBound(t) != r.Bound {
				t.Errorf("stopped at step %d, by context %v: result %v, model %v, best seen %v", last, byContext, r.Bound, m.mustBound(t), best)
			}
			again, err := m.Fit(context.Background(), FitOptions{Iterations: 3, Warmup: -1})
			if err != nil {
				t.Fatal(err)
			}
			if !(again.Bound > r.Bound) {
				t.Errorf("stopped at step %d: %v, then %v", last, r.Bound, again.Bound)
			}
		}
	}
}

func TestTrainingCancelledAtOnce(t *testing.T) {
	m, err := New(bumps(10, 5, 4, 10), bumpConfig(5, 4))
	if err != nil {
		t.Fatal(err)
	}
	before := m.mustBound(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Fit(ctx, FitOptions{Iterations: 5}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	// The optimiser's logarithms may move the last bit.
	near(t, "bound", one(m.mustBound(t)), one(before), 1e-11)
}

// Training makes earlier predictions stale.
func TestTrainingChangesPredictions(t *testing.T) {
	m, err := New(bumps(10, 5, 4, 13), bumpConfig(5, 4))
	if err != nil {
		t.Fatal(err)
	}
	l := Latent{Mu: []float64{1, 0.5}, S: []float64{0.1, 0.1}}
	before, err := m.Predict(l, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Fit(context.Background(), FitOptions{Iterations: 10}); err != nil {
		t.Fatal(err)
	}
	after, err := m.Predict(l, nil)
	if err != nil {
		t.Fatal(err)
	}
	fresh := rebuilt(m.space, m.params, m.problem.observations(), m.jitter)
	fresh.scaler = m.scaler
	want, err := fresh.Predict(l, nil)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(before.Mean.Data, after.Mean.Data) {
		t.Error("the prediction is that of the untrained model")
	}
	sameBits(t, "mean", after.Mean.Data, want.Mean.Data)
	sameBits(t, "variance", after.Variance.Data, want.Variance.Data)
}

// A start at which nothing can be evaluated is an error that says why, and moves
// nothing.
func TestTrainingCannotStart(t *testing.T) {
	m := modelShape{examples: 4, inducing: 3, latent: 1, channels: 1, space: []factorShape{{points: 3, dims: 1, kind: RBF}}}.model(t)
	m.params.Latent.Variance = 1
	m.params.Z.Fill(0.5)
	before := flat(m.params)
	_, err := m.Fit(context.Background(), FitOptions{Iterations: 5})
	var at *FactorizationError
	if !errors.As(err, &at) || at.Factor != 0 {
		t.Errorf("error %v, expected one about the latent factor", err)
	}
	sameBits(t, "parameters", flat(m.params), before)
}

func TestTrainingOptions(t *testing.T) {
	if _, err := New(bumps(6, 4, 3, 11), bumpConfig(4, 3)); err == nil {
		t.Error("8 inducing points for 6 examples were accepted")
	}
	cfg := bumpConfig(4, 3)
	cfg.Inducing = 4
	m, err := New(bumps(6, 4, 3, 11), cfg)
	if err != nil {
		t.Fatal(err)
	}
	var config *ConfigError
	if _, err := m.Fit(context.Background(), FitOptions{Iterations: -1}); !errors.As(err, &config) || config.Field != "Iterations" {
		t.Errorf("error %v, expected one about Iterations", err)
	}
	if _, err := m.Fit(context.Background(), FitOptions{Restarts: -2}); !errors.As(err, &config) || config.Field != "Restarts" {
		t.Errorf("error %v, expected one about Restarts", err)
	}
	if _, err := m.Fit(context.Background(), FitOptions{Schedule: "all"}); !errors.As(err, &config) || err.Error() != `sgplvm: Schedule: schedule "all", expected alternating or joint` {
		t.Errorf("error %v, expected one about Schedule", err)
	}
	for _, c := range []struct{ warmup, steps, first int }{{-1, 6, 0}, {0, 8, 6}, {3, 6, 3}, {100, 6, 6}} {
		if m, err = New(bumps(6, 4, 3, 11), cfg); err != nil {
			t.Fatal(err)
		}
		beta, scale := m.params.Beta, m.params.Spatial[0].LengthScale[0]
		counts := map[string]int{}
		if _, err := m.Fit(context.Background(), FitOptions{Iterations: c.steps, Warmup: c.warmup, Progress: func(p Progress) bool {
			if p.Phase == "warm-up" {
				counts[p.Phase]++
			} else {
				counts["training"]++
			}
			return true
		}}); err != nil {
			t.Fatal(err)
		}
		if counts["warm-up"] != c.first || counts["training"] != c.steps-c.first {
			t.Errorf("%d steps, warm-up %d: steps %v", c.steps, c.warmup, counts)
		}
		held := m.params.Beta == beta && m.params.Spatial[0].LengthScale[0] == scale
		if held != (c.first == c.steps) {
			t.Errorf("%d steps, %d of them warm-up: noise and space held: %v", c.steps, c.first, held)
		}
	}
}

// Data in which something is degenerate train to finite numbers, and predict
// finite numbers.
func TestDegenerateData(t *testing.T) {
	for name, set := range map[string]struct {
		change func(d *Data, cfg *Config)
	}{
		"a constant channel": {func(d *Data, cfg *Config) {
			y := mat.New(d.Y.Rows, 2)
			mat.Copy(y.Slice(0, y.Rows, 0, 1), d.Y)
			y.Slice(0, y.Rows, 1, 2).Fill(7)
			d.Y = y
		}},
		"all constant": {func(d *Data, cfg *Config) { d.Y.Fill(-3) }},
		"all zero":     {func(d *Data, cfg *Config) { d.Y.Fill(0) }},
		"every example the same": {func(d *Data, cfg *Config) {
			for n := 1; n < d.Examples; n++ {
				mat.Copy(d.Y.Slice(n*12, n*12+12, 0, 1), d.Y.Slice(0, 12, 0, 1))
			}
		}},
		"examples in pairs": {func(d *Data, cfg *Config) {
			for n := 1; n < d.Examples; n += 2 {
				mat.Copy(d.Y.Slice(n*12, n*12+12, 0, 1), d.Y.Slice(n*12-12, n*12, 0, 1))
			}
		}},
		"one example": {func(d *Data, cfg *Config) {
			d.Examples, d.Y = 1, d.Y.Slice(0, 12, 0, 1)
			cfg.Inducing, cfg.LatentDims = 0, 0
		}},
		"two examples": {func(d *Data, cfg *Config) {
			d.Examples, d.Y = 2, d.Y.Slice(0, 24, 0, 1)
			cfg.Inducing, cfg.LatentDims = 0, 0
		}},
		"one point": {func(d *Data, cfg *Config) {
			d.Y = d.Y.Slice(0, 8, 0, 1)
			cfg.Space = []SpatialFactor{{X: mat.New(1, 1)}}
		}},
		"points that coincide":                 {func(d *Data, cfg *Config) { cfg.Space[0].X.Fill(2) }},
		"inducing points that coincide":        {func(d *Data, cfg *Config) { cfg.Space[0].Xu = mat.New(2, 1) }},
		"more latent dimensions than examples": {func(d *Data, cfg *Config) { cfg.LatentDims = 20 }},
		"times 1e6":                            {func(d *Data, cfg *Config) { mat.Scale(d.Y, 1e6, d.Y) }},
		"times 1e-6":                           {func(d *Data, cfg *Config) { mat.Scale(d.Y, 1e-6, d.Y) }},
		"times 1e150":                          {func(d *Data, cfg *Config) { mat.Scale(d.Y, 1e150, d.Y) }},
		"one huge value":                       {func(d *Data, cfg *Config) { d.Y.Set(17, 0, 1e12) }},
		"a large offset": {func(d *Data, cfg *Config) {
			for i := range d.Y.Data {
				d.Y.Data[i] += 1e9
			}
		}},
		"without noise":  {func(d *Data, cfg *Config) { cfg.Noise = 1e-12 }},
		"without jitter": {func(d *Data, cfg *Config) { cfg.Jitter = -1 }},
		"noise alone": {func(d *Data, cfg *Config) {
			rng := rand.New(rand.NewPCG(1, 21))
			for i := range d.Y.Data {
				d.Y.Data[i] = rng.NormFloat64()
			}
		}},
	} {
		d, cfg := bumps(8, 4, 3, 12), bumpConfig(4, 3)
		set.change(&d, &cfg)
		m, err := New(d, cfg)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r, err := m.Fit(context.Background(), FitOptions{Iterations: 25})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		numbers := append(flat(m.params), r.Bound)
		values := missing(m.space.Len(), m.channels)
		values.Set(0, 0, d.Y.At(0, 0))
		p, _, err := m.Impute(context.Background(), Observed{Values: values}, InferOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if i, j, bad := mat.NonFinite(mat.Vector(slices.Concat(numbers, p.Mean.Data, p.Variance.Data))); bad {
			t.Errorf("%s: a number that is not finite, at %d, %d: bound %v\n%+v", name, i, j, r.Bound, m.params)
		}
		for i, v := range p.Variance.Data {
			if v < 0 {
				t.Errorf("%s: variance %v at %d", name, v, i)
			}
		}
	}
}

// A model of noise alone says that it found nothing.
func TestTrainingWarnsOfCollapse(t *testing.T) {
	d := Data{Examples: 10, Y: normalMatrix(rand.New(rand.NewPCG(2, 21)), 10*20, 1)}
	m, err := New(d, Config{Space: []SpatialFactor{{X: line(20)}}, LatentDims: 1, Inducing: 3})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Fit(context.Background(), FitOptions{Iterations: 100})
	if err != nil {
		t.Fatal(err)
	}
	if m.SignalToNoise() > 1.4 || len(r.Warnings) != 1 {
		t.Errorf("signal-to-noise ratio %v, warnings %q", m.SignalToNoise(), r.Warnings)
	}
	if m := trained(t); m.SignalToNoise() < 20 {
		t.Errorf("signal-to-noise ratio %v where the noise is a small part", m.SignalToNoise())
	}
}
