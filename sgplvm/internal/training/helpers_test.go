package training

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
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
	y := make([]float64, 0, examples*height*width)
	for n := range examples {
		angle := 2 * math.Pi * float64(n) / float64(examples)
		a, b := float64(height)*(0.5+0.3*math.Cos(angle)), float64(width)*(0.5+0.3*math.Sin(angle))
		for i := range height {
			for j := range width {
				r := math.Pow(float64(i)-a, 2) + math.Pow(float64(j)-b, 2)
				y = append(y, 100+40*math.Exp(-r/8)+rng.NormFloat64())
			}
		}
	}
	return Data{Source: field.NewSource(y, examples, height*width, 1), Grid: field.Grid{line(height), line(width)}}
}

// on returns the data on another grid of as many points.
func (d Data) on(g ...mat.Matrix) Data {
	d.Grid = g
	return d
}

// at returns the data with times and labels.
func (d Data) at(times []float64, labels []int) Data {
	d.Times, d.Sequences = times, labels
	return d
}

// small are the settings of most models here.
func small() Settings { return Settings{LatentDims: 2, Inducing: 8, Seed: 1} }

// with returns the settings with other training.
func (c Settings) with(o Training) Settings {
	c.Training = o
	return c
}

// steps is a training of so many steps.
func steps(n int) Training { return Training{Iterations: n} }

// A set is data and settings.
type set struct {
	data   Data
	config Settings
}

// sets are small problems of every kind.
func sets() map[string]set {
	free := small()
	free.Spatial = []Spatial{{Kernel: kernel.Kernel{Kind: kernel.RBF, LengthScale: []float64{1.5}}, Inducing: mat.NewDense(3, 1, []float64{0.5, 2.5, 4.5})}, {}}
	white := small()
	white.Spatial = []Spatial{{Kernel: kernel.Kernel{Kind: kernel.White}}}
	moving := small()
	moving.TimeKernel = kernel.Kernel{Kind: kernel.Sum, Terms: []kernel.Kernel{{Kind: kernel.RBF}, {Kind: kernel.Matern32}}}
	owned := small()
	owned.LatentKernel, owned.OwnTimeKernels, owned.Period = "linear+bias", field.On, 5
	timed := small()
	timed.LatentKernel = "rbf+time"
	residual := small()
	residual.Residual = Residual{Kernel: kernel.Kernel{Kind: kernel.Matern32}, Rounds: 2, Local: field.On}
	coarse := residual
	coarse.Residual.Rounds = 1
	coarse.Training.CoarsePoints = 12
	thinned := timed
	thinned.Training.CoarsePoints = 10
	channels := bumps(12, 10, 3, 6).on(line(10))
	values := make([]float64, 12*30)
	channels.Source.ReadExamples(values, 0, 12)
	channels.Source = field.NewSource(values, 12, 10, 3)
	labels := []int{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}
	return map[string]set{
		"product":              {bumps(12, 6, 5, 2), small()},
		"one factor":           {bumps(12, 6, 5, 3).on(plane(6, 5)), Settings{LatentDims: 3, Inducing: 12}},
		"free inducing points": {bumps(12, 6, 5, 4), free},
		"white":                {bumps(12, 6, 5, 5).on(line(30)), white},
		"channels":             {channels, small()},
		"moving":               {bumps(12, 6, 5, 2).at(line(12).Data, labels), moving},
		"own kernels in time":  {bumps(12, 6, 5, 2).at(line(12).Data, labels), owned},
		"timed":                {bumps(12, 6, 5, 2).at(line(12).Data, nil), timed},
		"residual":             {bumps(12, 6, 5, 2).on(plane(6, 5)), residual},
		"coarse":               {bumps(12, 6, 5, 2).on(plane(6, 5)), coarse},
		"coarse factors":       {bumps(12, 6, 5, 2).at(line(12).Data, nil), thinned},
	}
}

func newTrainer(t testing.TB, d Data, cfg Settings, progress ...func(field.Progress) bool) *Trainer {
	t.Helper()
	tr, err := New(d, cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range progress {
		tr.Progress = f
	}
	return tr
}

// fit trains to the end, with progress if it is given.
func fit(t testing.TB, d Data, cfg Settings, progress ...func(field.Progress) bool) (*Trainer, field.Report) {
	t.Helper()
	tr := newTrainer(t, d, cfg, progress...)
	return tr, finish(t, tr)
}

// finish trains a trainer to the end.
func finish(t testing.TB, tr *Trainer) field.Report {
	t.Helper()
	r, err := tr.Fit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// boundOf is the bound at a trainer's parameters.
func boundOf(t testing.TB, tr *Trainer) float64 {
	t.Helper()
	b, err := tr.evaluator.Bound(context.Background(), tr.params)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// startFrom makes a new trainer start from what change makes of its parameters.
func startFrom(t testing.TB, tr *Trainer, change func(p *bound.Params)) *Trainer {
	t.Helper()
	change(tr.params)
	if err := tr.begin(); err != nil {
		t.Fatal(err)
	}
	return tr
}

// swelling are pictures that swell and shrink in time.
func swelling() Data {
	const n, width, height = 16, 6, 4
	y := make([]float64, n*width*height)
	d := Data{Source: field.NewSource(y, n, width*height, 1), Grid: field.Grid{line(height), line(width)}}
	for i := range n {
		d.Times = append(d.Times, float64(i))
		for j := range width * height {
			y[i*width*height+j] = 3 + math.Sin(float64(i)/3)*math.Cos(float64(j%width)/4) + 0.2*math.Sin(float64(i*i+7*j*j))
		}
	}
	return d
}

func swellingSettings() Settings {
	return Settings{LatentDims: 2, LatentKernel: "rbf+time", Training: Training{Iterations: 40, Uncalibrated: true}}
}

// diff compares structures; floating-point numbers must be equal, NaNs count as such.
func diff(got, want any) string {
	return cmp.Diff(want, got, cmpopts.EquateNaNs(), cmp.Comparer(work.Equal), cmpopts.IgnoreUnexported(bound.Latents{}))
}
