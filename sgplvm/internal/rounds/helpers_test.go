package rounds

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
)

// A plain learner trains models of examples that are no film, without anything beside settings.
type plain struct{ Learner }

func (plain) Fit(ctx context.Context, d Set, s training.Settings, _ string) (Model, field.Report, error) {
	t, err := training.New(d.Data.Data, s, nil)
	if err != nil {
		return nil, field.Report{}, err
	}
	r, err := t.Fit(ctx)
	if err != nil {
		return nil, r, err
	}
	q, err := t.Posterior()
	return plainModel{q: q}, r, err
}

type plainModel struct {
	Model
	q *predict.Posterior
}

func (m plainModel) Posterior() *predict.Posterior { return m.q }

func (m plainModel) Impute(ctx context.Context, obs field.Observed, o field.InferOptions) (field.Prediction, field.Latent, error) {
	return m.q.Impute(ctx, obs, o)
}

func (m plainModel) ImputeUnsure(ctx context.Context, obs field.Observed, o field.InferOptions) (p field.Prediction, cov mat.Matrix, err error) {
	p, _, cov, err = m.q.ImputeUnsure(ctx, !m.q.Params().Noise.Learned(), obs, o)
	return p, cov, err
}

// setOf returns n examples as a set, NaN where values are missing.
func setOf(n int, y []float64, channels int, times []float64, g ...mat.Matrix) (d Set) {
	d.Grid, d.Times = g, times
	d.Source = field.NewSource(y, n, d.Grid.Len(), channels)
	return d
}

// line returns the points 0, 1, …
func line(n int) mat.Matrix {
	x := mat.New(n, 1)
	for i := range n {
		x.Data[i] = float64(i)
	}
	return x
}

// mixed returns n maps that are sums of three patterns, with a little noise.
func mixed(n, width, height int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	y := make([]float64, n*width*height)
	for i := range n {
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		for j := range width * height {
			u, v := float64(j%width)/float64(width), float64(j/width)/float64(height)
			y[i*width*height+j] = 20 + 3*a*math.Sin(3*u+v) + 2*b*math.Cos(2*v-u) + c*u*v + 0.05*rng.NormFloat64()
		}
	}
	return y
}

// normals returns independent numbers.
func normals(n int, seed uint64) []float64 {
	y, rng := make([]float64, n), rand.New(rand.NewPCG(seed, 21))
	for k := range y {
		y[k] = rng.NormFloat64()
	}
	return y
}

// scattered hides a share of values.
func scattered(y []float64, share float64, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 2))
	for k := range y {
		if rng.Float64() < share {
			y[k] = math.NaN()
		}
	}
	return y
}

// holed hides the values of examples of so many points where missing says so.
func holed(y []float64, points int, missing func(example, point int) bool) []float64 {
	for k := range y {
		if missing(k/points, k%points) {
			y[k] = math.NaN()
		}
	}
	return y
}

// longTable are rows that a curve in four columns gives, with noise, and one value in ten missing.
func longTable(n int) Set {
	rng := rand.New(rand.NewPCG(6, 80))
	var y []float64
	for range n {
		x := rng.NormFloat64()
		for _, v := range []float64{x, x * x, math.Sin(2 * x), -x} {
			y = append(y, v+0.05*rng.NormFloat64())
		}
	}
	return setOf(n, holed(y, 4, func(int, int) bool { return rng.Float64() < 0.1 }), 4, nil, line(1))
}

// completerOf returns a completer of a set.
func completerOf(t *testing.T, d Set, s training.Settings) *completer {
	c, err := newCompleter(d, s.Seed, false, plain{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// apartOf returns a completer of what is learned from of a set.
func apartOf(t *testing.T, d Set, s training.Settings) *completer {
	c, err := completerOf(t, d, s).apart(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
