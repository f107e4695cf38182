package sgplvm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Latent means start as principal component scores of unit variance, the strongest first.
func TestStart(t *testing.T) {
	const n = 30
	rng := rand.New(rand.NewPCG(6, 50))
	y, scores, directions := mat.New(n*8, 1), mat.New(n, 2), normals(2, 8, 1, 9).Y
	for i := range n {
		scores.Set(i, 0, 5*rng.NormFloat64())
		scores.Set(i, 1, rng.NormFloat64())
		for j := range 8 {
			y.Set(i*8+j, 0, 3+scores.At(i, 0)*directions.Data[j]+scores.At(i, 1)*directions.Data[8+j])
		}
	}
	p := newTestTrainer(t, Data{Examples: n, Y: y, Grid: Grid{line(8)}}, Config{LatentDims: 4, Inducing: 10}).inner.Params()
	variance := func(q int) (v float64) {
		for i := range n {
			v += p.X.Mu.At(i, q) * p.X.Mu.At(i, q) / n
		}
		return v
	}
	compare.Near(t, "variances of the scores", []float64{variance(0), variance(1)}, []float64{1, 1}, 1e-9)
	if variance(2) > 1e-3 || variance(3) > 1e-3 || variance(2) == 0 {
		t.Errorf("dimensions beyond the rank have variances %g and %g", variance(2), variance(3))
	}
	// The first score is a linear function of the two that made the data, nearly the first one alone.
	var cross, own, mean float64
	for i := range n {
		mean += scores.At(i, 0) / n
	}
	for i := range n {
		d := scores.At(i, 0) - mean
		cross += p.X.Mu.At(i, 0) * d
		own += d * d
	}
	if r := math.Abs(cross) / math.Sqrt(own*n*variance(0)); r < 0.95 {
		t.Errorf("correlation %g of the first score with the strongest source", r)
	}
	l := p.Latent.Parts[0].(*psi.RBF).LengthScale
	if !(l[0] < l[1] && l[1] < l[2] && l[2] == l[3]) {
		t.Errorf("length scales %v, expected longer ones for weaker components", l)
	}
	for k := range p.Z.Rows { // each one a latent mean, and all different
		found := 0
		for i := range n {
			if slices.Equal(p.Z.Row(k), p.X.Mu.Row(i)) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("inducing point %d equals %d latent means", k, found)
		}
	}
}

// A model completes what it has learned better than the mean of the examples does.
func TestModelFillsIn(t *testing.T) {
	m := trained(t)
	d := bumps(16, 6, 5, 1)
	var square, plain float64
	for i := range 16 {
		values := d.Y.Slice(i*30, (i+1)*30, 0, 1).Clone()
		for j := 0; j < 30; j += 3 {
			values.Set(j, 0, math.NaN())
		}
		p, l, err := m.Impute(context.Background(), Observed{Values: values}, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !l.Seen || !(l.Bound > -1e6) {
			t.Errorf("latent %+v", l)
		}
		for j := range 30 {
			truth := d.Y.At(i*30+j, 0)
			if j%3 != 0 {
				if p.Mean.At(j, 0) != truth || p.Variance.At(j, 0) != 0 {
					t.Errorf("a value that was seen, %v, is %v ± %v", truth, p.Mean.At(j, 0), p.Variance.At(j, 0))
				}
				continue
			}
			square += math.Pow(p.Mean.At(j, 0)-truth, 2)
			plain += math.Pow(m.Summary().Mean[0]-truth, 2)
			if !(p.Variance.At(j, 0) > 0) {
				t.Errorf("variance %v", p.Variance.At(j, 0))
			}
		}
	}
	if square > 0.05*plain {
		t.Errorf("squared error %v, of the mean %v", square, plain)
	}
}

// What cannot be asked is refused by name.
func TestModelRefuses(t *testing.T) {
	ctx, nan := context.Background(), math.NaN()
	still := trained(t)
	tr, _ := fit(t, swelling(), swellingConfig())
	moving := modelOf(t, tr)
	good := still.TrainingLatent(0)
	values := func(n int) mat.Matrix { return mat.New(n, 1) }
	bad := values(30)
	bad.Data[7] = math.Inf(1)
	predict := func(l Latent, g Grid) error { _, err := still.Predict(l, g); return err }
	infer := func(o Observed, options InferOptions) error { _, err := still.Infer(ctx, o, options); return err }
	at := func(m *Model, label int, times ...float64) error { _, err := m.LatentAt(label, times); return err }
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"few latent dimensions": {predict(Latent{Mu: []float64{1}, S: []float64{1}}, nil), "1 means and 1 variances, expected 2"},
		"a NaN mean":            {predict(Latent{Mu: []float64{1, nan}, S: []float64{1, 1}}, nil), "NaN"},
		"a negative variance":   {predict(Latent{Mu: []float64{1, 1}, S: []float64{1, -1}}, nil), "-1"},
		"one factor":            {predict(good, Grid{line(6)}), "1 spatial factors, expected 2"},
		"two dimensions":        {predict(good, Grid{line(6), mat.New(5, 2)}), "5×2"},
		"no points":             {predict(good, Grid{line(6), mat.New(0, 1)}), "0×1"},
		"a NaN point":           {predict(good, Grid{line(6), mat.NewDense(1, 1, []float64{nan})}), "coordinate NaN"},
		"few values":            {infer(Observed{Values: values(29)}, InferOptions{}), "29×1"},
		"negative candidates":   {infer(Observed{Values: values(30)}, InferOptions{Candidates: -1}), "Candidates -1"},
		"NaN strength":          {infer(Observed{Values: values(30)}, InferOptions{LocalStrength: nan}), "NaN"},
		"a prior of others":     {infer(Observed{Values: values(30), Prior: &Latent{Mu: []float64{1}, S: []float64{1}}}, InferOptions{}), "1 means"},
		"components":            {second(still.PredictMixture(good, nil, MixtureOptions{Components: -1})), "-1"},
		"fields":                {second(still.Sample(ctx, good, nil, SampleOptions{Count: -1})), "-1"},
		"an unknown sequence":   {at(moving, 3, 1), "3"},
		"paths of unknown":      {second(moving.LatentPaths(-2, []float64{1}, 2, 0)), "-2"},
		"a NaN time":            {at(moving, 0, 1, nan), "NaN"},
		"an infinite time":      {at(moving, 0, math.Inf(-1)), "Inf"},
		"negative paths":        {second(moving.LatentPaths(0, []float64{1}, -1, 0)), "-1"},
	} {
		var refused *ConfigError
		if !errors.As(c.err, &refused) || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: error %v, expected %q", name, c.err, c.want)
		}
	}
	for _, err := range []error{at(still, 0, 1), second(still.LatentPaths(0, []float64{1}, 2, 0))} {
		if err == nil || !strings.Contains(err.Error(), "no time") {
			t.Errorf("a model without times: error %v", err)
		}
	}
	var value *ValueError
	if err := infer(Observed{Values: bad}, InferOptions{}); !errors.As(err, &value) || value.Point != 7 {
		t.Errorf("an infinite value: %v", err)
	}
	if err := at(moving, 0); err != nil {
		t.Errorf("no times asked for: %v", err)
	}
	for name, act := range map[string]func(){
		"training example -1": func() { still.TrainingLatent(-1) },
		"training example 16": func() { still.TrainingLatent(16) },
		"-1 points":           func() { good.Sample(-1, 0) },
	} {
		if text := tier.Panic(act); !strings.Contains(text, "sgplvm") {
			t.Errorf("%s: panic %v, expected one with a word of its own", name, text)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A context that has ended ends what takes long.
func TestModelHearsTheContext(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	m := trained(t)
	l, obs := m.TrainingLatent(0), Observed{Values: mat.New(30, 1)}
	for name, err := range map[string]error{
		"Infer":        second(m.Infer(ended, obs, InferOptions{})),
		"Sample":       second(m.Sample(ended, l, nil, SampleOptions{})),
		"PredictSlabs": m.PredictSlabs(ended, []Latent{l}, nil, SlabOptions{}, func(Slab) error { return nil }),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, _, err := m.Impute(ended, obs, InferOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Impute: error %v", err)
	}
}

// A model that has joined the factors of its grid to one takes grids of several factors for what they are, in any resolution.
func TestGridStaysAGrid(t *testing.T) {
	ctx := context.Background()
	cfg := Config{Effort: EffortNone, Factors: FactorsJoint, LatentDims: 2, Residual: ResidualConfig{Kernel: kernel.Kernel{Kind: kernel.Matern32}}, Training: steps(8)}
	m, _, err := Fit(ctx, bumps(12, 6, 5, 2), cfg)
	if err != nil {
		t.Fatal(err)
	}
	finer := Grid{mat.NewDense(3, 1, []float64{0, 0.5, 2}), mat.NewDense(2, 2, []float64{1, 9, 4, 9}).Slice(0, 2, 0, 1)}
	points := Grid{mat.NewDense(6, 2, []float64{0, 1, 0, 4, 0.5, 1, 0.5, 4, 2, 1, 2, 4})}
	l := m.TrainingLatent(3)
	values := mat.NewDense(6, 1, []float64{110, math.NaN(), math.NaN(), 120, math.NaN(), 105})
	answers := func(g Grid) []any {
		var list []any
		add := func(err error, v ...any) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, v...)
		}
		p, err := m.Predict(l, g)
		add(err, p)
		mean, cov, err := m.PredictCovariance(l, g)
		add(err, mean, cov)
		mean, cov, err = m.PredictDataCovariance(l, g)
		add(err, mean, cov)
		x, err := m.PredictMixture(l, g, MixtureOptions{Components: 3})
		add(err)
		add(nil, x.Moments())
		y, err := m.Sample(ctx, l, g, SampleOptions{Count: 2})
		add(err, y)
		err = m.PredictSlabs(ctx, []Latent{l}, g, SlabOptions{}, func(s Slab) error {
			add(nil, s.Mean[0].Clone(), s.Variance[0].Clone())
			return nil
		})
		add(err)
		q, at, err := m.Impute(ctx, Observed{Values: values, Grid: g}, InferOptions{})
		add(err, q, at)
		at, err = m.Infer(ctx, Observed{Values: values, Grid: g}, InferOptions{})
		add(err, at)
		return list
	}
	if d := diff(answers(finer), answers(points)); d != "" {
		t.Error(d)
	}
	for name, g := range map[string]Grid{
		"other dimensions": {line(2), mat.New(3, 2)}, "three factors": {line(2), line(2), line(2)}, "no points": {line(2), mat.New(0, 1)},
		"a NaN point": {line(2), mat.NewDense(1, 1, []float64{math.NaN()})},
	} {
		var refused *ConfigError
		if _, err := m.Predict(l, g); !errors.As(err, &refused) || refused.Field != "Grid" {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
