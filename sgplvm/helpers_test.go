package sgplvm

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/rounds"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// line returns n equally spaced points of one dimension.
func line(n int) mat.Matrix {
	x := mat.New(n, 1)
	for i := range n {
		x.Data[i] = float64(i)
	}
	return x
}

// plane returns the points of a picture as one factor.
func plane(height, width int) mat.Matrix {
	x := mat.New(height*width, 2)
	for i := range x.Rows {
		copy(x.Row(i), []float64{float64(i / width), float64(i % width)})
	}
	return x
}

// bumps are examples of one channel on a grid of two factors: a bump whose place follows a curve, with a
// little noise; in the user's units.
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
	return Data{Examples: examples, Y: y, Grid: Grid{line(height), line(width)}}
}

// on returns the data on another grid of as many points.
func (d Data) on(g ...mat.Matrix) Data {
	d.Grid = g
	return d
}

// holed returns the data without a share of its values, point by point or, of several masks, channel by channel, and
// without example 3 and point 4.
func (d Data) holed(share float64, masks int) Data {
	rng := rand.New(rand.NewPCG(7, 22))
	d.Y = d.Y.Clone()
	points := d.Y.Rows / d.Examples
	for i := range d.Y.Rows {
		gone := rng.Float64() < share
		for c := range d.Y.Cols {
			if masks > 1 {
				gone = rng.Float64() < share
			}
			if gone || i/points == 3 || i%points == 4 {
				d.Y.Set(i, c, math.NaN())
			}
		}
	}
	return d
}

// withErrors returns the data with a known standard error of every other value, which is that wrong, and without some.
func (d Data) withErrors() Data {
	rng := rand.New(rand.NewPCG(8, 22))
	d.Y = d.Y.Clone()
	errors := make([]float64, len(d.Y.Data))
	for i := range errors {
		if i%2 == 0 {
			errors[i] = 10 * rng.Float64()
			d.Y.Data[i] += errors[i] * rng.NormFloat64()
		}
		if i%7 == 3 {
			d.Y.Data[i] = math.NaN()
		}
	}
	d.Errors = NewSource(errors, d.Examples, d.Y.Rows/d.Examples, d.Y.Cols)
	return d
}

// at returns the data with times and labels.
func (d Data) at(times []float64, labels []int) Data {
	d.Times, d.Sequences = times, labels
	return d
}

// normals returns n examples of independent numbers at points of a line.
func normals(examples, points, channels int, seed uint64) Data {
	y, rng := mat.New(examples*points, channels), rand.New(rand.NewPCG(seed, 21))
	for i := range y.Data {
		y.Data[i] = rng.NormFloat64()
	}
	return Data{Examples: examples, Y: y, Grid: Grid{line(points)}}
}

// setOf returns data as a run works on them.
func setOf(t testing.TB, d Data) rounds.Set {
	set, err := d.set()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// small is the configuration of most models here, of which nothing is chosen.
func small() Config { return Config{Effort: EffortNone, LatentDims: 2, Inducing: 8, Seed: 1} }

// with returns the configuration with other training.
func (c Config) with(o TrainingConfig) Config {
	c.Training = o
	return c
}

// steps is a training of so many steps.
func steps(n int) TrainingConfig { return TrainingConfig{Iterations: n} }

// A set is data and configuration.
type set struct {
	data   Data
	config Config
}

// sets are small problems of every kind.
func sets() map[string]set {
	free := small()
	free.Spatial = []SpatialConfig{{Kernel: kernel.Kernel{Kind: kernel.RBF, LengthScale: []float64{1.5}}, Inducing: mat.NewDense(3, 1, []float64{0.5, 2.5, 4.5})}, {}}
	white := small()
	white.Spatial = []SpatialConfig{{Kernel: kernel.Kernel{Kind: kernel.White}}}
	moving := small()
	moving.TimeKernel = kernel.Kernel{Kind: kernel.Sum, Terms: []kernel.Kernel{{Kind: kernel.RBF}, {Kind: kernel.Matern32}}}
	owned := small()
	owned.LatentKernel, owned.OwnTimeKernels, owned.Period = "linear+bias", On, 5
	timed := small()
	timed.LatentKernel = "rbf+time"
	residual := small()
	residual.Residual = ResidualConfig{Kernel: kernel.Kernel{Kind: kernel.Matern32}, Rounds: 2, Local: On}
	coarse := residual
	coarse.Residual.Rounds = 1
	coarse.Training.CoarsePoints = 12
	thinned := timed
	thinned.Training.CoarsePoints = 10
	linear := small()
	linear.LatentKernel = "linear+bias"
	channels := bumps(12, 6, 5, 6).on(line(10))
	channels.Y = mat.NewDense(12*10, 3, channels.Y.Data)
	labels := []int{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}
	return map[string]set{
		"product":              {bumps(12, 6, 5, 2), small()},
		"one factor":           {bumps(12, 6, 5, 3).on(plane(6, 5)), Config{LatentDims: 3, Inducing: 12}},
		"free inducing points": {bumps(12, 6, 5, 4), free},
		"white":                {bumps(12, 6, 5, 5).on(line(30)), white},
		"channels":             {channels, small()},
		"linear":               {bumps(12, 6, 5, 2), linear},
		"moving":               {bumps(12, 6, 5, 2).at(line(12).Data, labels), moving},
		"own kernels in time":  {bumps(12, 6, 5, 2).at(line(12).Data, labels), owned},
		"timed":                {bumps(12, 6, 5, 2).at(line(12).Data, nil), timed},
		"residual":             {bumps(12, 6, 5, 2).on(plane(6, 5)), residual},
		"coarse":               {bumps(12, 6, 5, 2).on(plane(6, 5)), coarse},
		"coarse factors":       {bumps(12, 6, 5, 2).at(line(12).Data, nil), thinned},
		"holes":                {bumps(12, 6, 5, 2).holed(0.3, 1), small()},
		"holes in time":        {bumps(12, 6, 5, 2).at(line(12).Data, labels).holed(0.3, 1), moving},
		"holes by channel":     {channels.holed(0.2, 3), small()},
		"known errors":         {bumps(12, 6, 5, 4).withErrors(), free},
	}
}

func newTestTrainer(t testing.TB, d Data, cfg Config, progress ...func(Progress) bool) *Trainer {
	t.Helper()
	tr, err := NewTrainer(d, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range progress {
		tr.Progress = f
	}
	return tr
}

// oneProcessor lets a test of many small trainings have one processor: sharing these takes longer than they do.
func oneProcessor(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// fit trains to the end, with progress if it is given.
func fit(t testing.TB, d Data, cfg Config, progress ...func(Progress) bool) (*Trainer, Report) {
	t.Helper()
	tr := newTestTrainer(t, d, cfg, progress...)
	return tr, finish(t, tr)
}

// finish trains a trainer to the end.
func finish(t testing.TB, tr *Trainer) Report {
	t.Helper()
	r, err := tr.Fit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// modelOf returns the model that a trainer gives.
func modelOf(t testing.TB, tr *Trainer) *Model {
	t.Helper()
	m, err := tr.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// boundOf is the bound of data at a trainer's parameters.
func boundOf(t testing.TB, d Data, tr *Trainer) float64 {
	t.Helper()
	s := tr.inner.Settings()
	d, err := d.checked()
	if err != nil {
		t.Fatal(err)
	}
	y, err := data.NewScaled(d.Source)
	if err != nil {
		t.Fatal(err)
	}
	y.Errors = d.Errors
	grid, err := training.Points(d.Grid, s.Factors)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bound.NewEvaluator(y, grid, s.Jitter).Bound(context.Background(), tr.inner.Params())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// trained is a model of bumps, trained once for all tests that use it.
func trained(t testing.TB) *Model {
	t.Helper()
	m, err := trainOnce()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var trainOnce = sync.OnceValues(func() (*Model, error) {
	m, _, err := Fit(context.Background(), bumps(16, 6, 5, 1), small().with(steps(150)))
	return m, err
})

// swelling are pictures that swell and shrink in time.
func swelling() Data {
	const n, width, height = 16, 6, 4
	d := Data{Examples: n, Y: mat.New(n*width*height, 1), Grid: Grid{line(height), line(width)}}
	for i := range n {
		d.Times = append(d.Times, float64(i))
		for j := range width * height {
			d.Y.Set(i*width*height+j, 0, 3+math.Sin(float64(i)/3)*math.Cos(float64(j%width)/4)+0.2*math.Sin(float64(i*i+7*j*j)))
		}
	}
	return d
}

func swellingConfig() Config {
	return Config{Effort: EffortNone, LatentDims: 2, LatentKernel: "rbf+time", Training: TrainingConfig{Iterations: 40, Uncalibrated: true}}
}

// referenceModel returns a random model that was not trained.
func referenceModel(t testing.TB, s reference.Shape) *Model {
	t.Helper()
	m := s.Model(t)
	alpha, err := m.Evaluator().Alpha(context.Background(), m.Params)
	if err != nil {
		t.Fatal(err)
	}
	q, err := predict.New(m.Params, m.Space, m.Scaler, alpha, m.Jitter, predict.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return newModel(q, nil, m.Seed, nil, nil)
}

// saved returns a model's file.
func saved(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fileOf is the file of the model that a trainer gives.
func fileOf(t testing.TB, tr *Trainer) []byte {
	t.Helper()
	return saved(t, modelOf(t, tr))
}

func loaded(t testing.TB, file []byte) *Model {
	t.Helper()
	m, err := Load(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// diff compares structures; floating-point numbers must be equal, NaNs count as such.
func diff(got, want any) string {
	return cmp.Diff(want, got, cmpopts.EquateNaNs(), cmp.Comparer(work.Equal), cmpopts.IgnoreUnexported(bound.Latents{}))
}
