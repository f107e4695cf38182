package selection

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// unstepped are trainers that take no step: models have the parameters from which training starts, and a learned covariance of the noise and residuals where
// settings ask for these.
type unstepped struct{}

func (unstepped) New(d Data, c training.Settings, p *bound.Params) (Trainer, error) {
	if c.Factors == field.FactorsJoint {
		d.Grid = field.Grid{data.Joined(d.Grid)}
	}
	y, err := data.NewScaled(d.Source)
	if err != nil {
		return nil, err
	}
	if p == nil {
		c.Noise, c.NoiseFloor = 0.05, 0 // of any model
		n, _, channels := d.Source.Dims()
		if c, err = c.Complete(n, d.Grid, channels); err == nil {
			p, err = training.Start(y, d.Grid, d.Times, d.Sequences, c)
		}
		if err != nil {
			return nil, err
		}
	}
	return &untrained{d, c, p, bound.NewEvaluator(y, d.Grid, 1e-6)}, nil
}

type untrained struct {
	data      Data
	settings  training.Settings
	params    *bound.Params
	evaluator *bound.Evaluator
}

func (t *untrained) Fit(ctx context.Context) (none field.Report, err error) {
	r := t.settings.Residual
	if r.Rounds <= 0 {
		return none, nil
	}
	for _, two := range work.TwoSpacings(t.data.Grid[0]) {
		t.params.Noise.Taper = append(t.params.Noise.Taper, r.Taper*two/2)
	}
	return none, t.evaluator.LearnNoise(ctx, t.params, cmp.Or(r.Strength, training.ResidualStrength), t.data.Imputed.Covariance)
}

func (t *untrained) Params() *bound.Params { return t.params }

func (t *untrained) Posterior() (*predict.Posterior, error) {
	alpha, err := t.evaluator.Alpha(context.Background(), t.params)
	if err != nil {
		return nil, err
	}
	q, err := predict.New(t.params, t.data.Grid, t.evaluator.Data().Scaler, alpha, 1e-6, predict.Options{Totals: t.evaluator.Totals(t.params), Spectra: t.evaluator.Spectra()})
	if err != nil || t.settings.Residual.Local != field.On || !t.params.Noise.Learned() {
		return q, err
	}
	residuals, err := q.Residuals(context.Background(), t.evaluator.Data())
	if err != nil {
		return nil, err
	}
	return q.With(predict.Options{Residuals: residuals})
}

func (t *untrained) Evaluate(ctx context.Context, _ float64, _, free bound.Group) error {
	_, err := t.evaluator.Evaluate(ctx, t.params, t.params.Clone(), free)
	return err
}

func (t *untrained) EvaluateDense(ctx context.Context) error {
	_, err := t.evaluator.Bound(ctx, t.params)
	return err
}

// newSearch is one of some data, as Select begins it.
func newSearch(t testing.TB, d Data, given training.Settings) *Search {
	t.Helper()
	d.Hide = completion.Hiding(d.Hide)
	return New(d, given, unstepped{}, Run{})
}

// steps is a training of so many steps.
func steps(n int) training.Training { return training.Training{Iterations: n} }

// line returns n equally spaced points of one dimension.
func line(n int) mat.Matrix {
	x := mat.New(n, 1)
	for i := range n {
		x.Data[i] = float64(i)
	}
	return x
}

// grid returns the points of a picture.
func grid(height, width int) field.Grid { return field.Grid{line(height), line(width)} }

// of returns examples of some values on a grid, of one channel.
func of(values []float64, g field.Grid) Data {
	return Data{Data: training.Data{Source: field.NewSource(values, len(values)/g.Len(), g.Len(), 1), Grid: g}}
}

// at returns the data with times and labels.
func (d Data) at(times []float64, labels []int) Data {
	d.Times, d.Sequences = times, labels
	return d
}

// values returns the values of all examples.
func (d Data) values(t testing.TB) []float64 {
	t.Helper()
	n, points, channels := d.Source.Dims()
	v := make([]float64, n*points*channels)
	if err := d.Source.ReadExamples(v, 0, n); err != nil {
		t.Fatal(err)
	}
	return v
}

// correlated draws pictures that are a random field each, around two causes: steps that neighbours alone share, and some noise.
func correlated(count, height, width int) Data {
	rng := rand.New(rand.NewPCG(11, 12))
	y := make([]float64, count*height*width)
	for i := range count {
		a, b, steps := rng.NormFloat64(), rng.NormFloat64(), [100]float64{}
		for k := range steps {
			steps[k] = rng.NormFloat64()
		}
		for j := range height * width {
			r, c := float64(j/width)/float64(height), float64(j%width)/float64(width)
			y[i*height*width+j] = 10 + 2*a*math.Cos(3*r+c) + b*math.Sin(2*c) + steps[j/width/2*10+j%width/2] + 0.1*rng.NormFloat64()
		}
	}
	return of(y, grid(height, width))
}

// waves are 5×4 of these.
func waves(count int) Data { return correlated(count, 4, 5) }

// apart draws two sequences at the same times that have nothing to do with each other.
func apart(n int) Data {
	const points = 12
	rng := rand.New(rand.NewPCG(8, 9))
	y := make([]float64, 2*n*points)
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	d := of(y, field.Grid{line(points)})
	for s := range 2 {
		for i := range n {
			d.Times, d.Sequences = append(d.Times, float64(i)), append(d.Sequences, 4*s-1)
		}
	}
	return d
}

// errSource is that of a source that failed.
var errSource = errors.New("the disk is gone")

// A recorder writes down what it is shown.
type recorder struct {
	field.Watcher
	told             []string
	started, stopped int
}

func (r *recorder) Tell(line string) { r.told = append(r.told, line) }

func (r *recorder) Timing(string) func() {
	r.started++
	return func() { r.stopped++ }
}

// A sized source has sizes alone.
type sized [3]int

func (s sized) Dims() (examples, points, channels int)         { return s[0], s[1], s[2] }
func (s sized) ReadExamples(dst []float64, from, to int) error { return nil }
