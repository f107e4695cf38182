package predict_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// A drawn is a posterior with the dense model that it has to agree with, and an example on a grid.
type drawn struct {
	name      string
	posterior *predict.Posterior
	model     *reference.Model
	dense     *reference.Dense
	latent    field.Latent
	grid      field.Grid
	values    mat.Matrix // of the model's units, some missing
}

func draw(t *testing.T, s *fuzz.Source) drawn {
	t.Helper()
	shape := reference.ShapeOf(s.IntN)
	m := shape.Model(t)
	alpha, err := m.Evaluator().Alpha(t.Context(), m.Params)
	if err != nil {
		t.Fatal(err)
	}
	q, err := predict.New(m.Params, m.Space, m.Scaler, alpha, m.Jitter, predict.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := drawn{name: shape.String(), posterior: q, model: m, dense: reference.NewDense(m), grid: m.Space}
	if s.Bool() {
		c.grid = m.RandomGrid(rand.New(rand.NewPCG(s.Uint64(), 1)))
	}
	c.latent.Mu, c.latent.S = reference.RandomLatent(rand.New(rand.NewPCG(s.Uint64(), 2)), shape.Latent)
	if s.IntN(4) == 1 {
		clear(c.latent.S)
	}
	if paths := m.Params.X.Paths; paths != nil && s.Bool() {
		at := paths.Prior.Instants()[s.IntN(m.Examples())]
		at.Time += float64(s.IntN(3)) / 2
		c.latent.At = &at
	}
	c.values = mat.New(c.grid.Len(), m.Channels())
	for i := range c.values.Data {
		if c.values.Data[i] = s.NormFloat64(); s.IntN(3) == 1 {
			c.values.Data[i] = math.NaN()
		}
	}
	return c
}

// observed is the example in the user's units.
func (c drawn) observed() field.Observed {
	obs := field.Observed{Grid: c.grid, Values: c.model.UserValues(c.values)}
	if c.latent.At != nil {
		prior := c.posterior.PriorLatent()
		prior.At = c.latent.At
		obs.Prior = &prior
	}
	return obs
}

// FuzzPosterior tries one of the laws below.
func FuzzPosterior(f *testing.F) { fuzz.OneOf(f, tryForecast, tryExample, tryNumbers) }

// Means, variances and covariances are those of full matrices.
func tryForecast(t *testing.T, s *fuzz.Source) {
	c := draw(t, s)
	mean, cov, err := c.posterior.PredictCovariance(c.latent, c.grid)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.posterior.Predict(c.latent, c.grid)
	if err != nil {
		t.Fatal(err)
	}
	want, noise := c.dense.Forecast(c.latent.Mu, c.latent.S, c.latent.At, c.grid), c.dense.Noise(reference.GridPoints(c.grid))
	for k, scale := range c.model.Scaler.Scale {
		for i := range mean.Rows {
			y := c.model.Scaler.Mean[k] + float64(scale*want.Mean[k][i])
			compare.NearOne(t, c.name+": mean", mean.At(i, k), y, 1e-8)
			compare.NearOne(t, c.name+": marginal mean", p.Mean.At(i, k), y, 1e-8)
			compare.NearOne(t, c.name+": marginal variance", p.Variance.At(i, k)/(scale*scale), want.Cov[k][i][i]+noise[i][i], 1e-8)
			for j := range mean.Rows {
				compare.NearOne(t, c.name+": covariance", cov[k].At(i, j)/(scale*scale), want.Cov[k][i][j], 1e-8)
			}
		}
	}
}

// What is said of a partly seen example is by definition: its bound at the latent posterior found, which is no worse
// than at the prior and at training examples, and what its missing values are given that. The bits are the same at any
// GOMAXPROCS.
func tryExample(t *testing.T, s *fuzz.Source) {
	c := draw(t, s)
	obs, o := c.observed(), field.InferOptions{FirstOrder: true, Candidates: 50, Iterations: 1 + s.IntN(20)}
	l, err := c.posterior.Infer(t.Context(), obs, o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.posterior.ImputeGiven(t.Context(), obs, l, o)
	if err != nil {
		t.Fatal(err)
	}
	compare.AtEveryWidth(func(procs int) {
		again, other, err := c.posterior.Impute(t.Context(), obs, o)
		if err != nil {
			t.Fatal(err)
		}
		compare.SameBits(t, fmt.Sprint("GOMAXPROCS ", procs), slices.Concat(other.Mu, other.S, again.Mean.Data, again.Variance.Data), slices.Concat(l.Mu, l.S, p.Mean.Data, p.Variance.Data))
	})
	if slices.ContainsFunc(c.values.Data, func(v float64) bool { return v == v }) {
		bound := func(mu, v []float64) float64 { return c.dense.TestBound(mu, v, c.latent.At, c.grid, c.values) }
		compare.NearOne(t, c.name+": L*", l.Bound, bound(l.Mu, l.S), 1e-8)
		start := c.posterior.PriorLatent()
		least := bound(start.Mu, start.S)
		for i := range c.model.Examples() {
			least = max(least, bound(c.model.Params.X.Mu.Row(i), c.model.Params.X.S.Row(i)))
		}
		if !(l.Bound >= least-1e-8*max(1, math.Abs(least))) {
			t.Errorf("%s: L* %v, of its starts %v", c.name, l.Bound, least)
		}
	}
	mean, variance := c.dense.Conditional(l.Mu, l.S, c.latent.At, c.grid, c.values)
	for k, scale := range c.model.Scaler.Scale {
		for i := range mean.Rows {
			m, v := c.model.Scaler.Mean[k]+float64(scale*mean.At(i, k)), variance.At(i, k)+1/c.model.Params.Noise.Beta
			if c.values.At(i, k) == c.values.At(i, k) {
				m, v = obs.Values.At(i, k), 0
			}
			compare.NearOne(t, c.name+": mean given what was seen", p.Mean.At(i, k), m, 1e-7)
			compare.NearOne(t, c.name+": variance given what was seen", p.Variance.At(i, k)/(scale*scale), v, 1e-7)
		}
	}
}

// Any numbers of a user are refused by a typed error, or give finite means and variances that are not negative.
func tryNumbers(t *testing.T, s *fuzz.Source) {
	c := draw(t, s)
	obs, l, o := c.observed(), c.latent, field.InferOptions{Iterations: 5}
	bad, i := s.Bits(), s.IntN(c.grid.Len())
	if s.Bool() {
		bad = math.Copysign(math.Pow(10, float64(s.IntN(100)-50)), bad)
	}
	switch s.IntN(6) {
	case 0:
		obs.Values.Row(i)[0] = bad
	case 1:
		obs.Errors = mat.New(c.grid.Len(), c.model.Channels())
		obs.Errors.Row(i)[0] = bad
	case 2:
		obs.Grid = slices.Clone(c.grid)
		obs.Grid[0] = c.grid[0].Clone()
		obs.Grid[0].Data[0] = bad
	case 3:
		l.Mu[0] = bad
	case 4:
		l.S[0] = bad
	case 5:
		o = []field.InferOptions{{NoiseStrength: bad}, {DegreesOfFreedom: bad}, {LocalBandwidth: bad}, {LocalStrength: bad}}[s.IntN(4)]
	}
	if s.Bool() && o.Conditioning == "" {
		o.Conditioning = field.ConditionMoments
	}
	check := func(what string, p field.Prediction, err error) {
		t.Helper()
		var config *field.ConfigError
		var value *field.ValueError
		switch {
		case err != nil && !errors.As(err, &config) && !errors.As(err, &value):
			t.Errorf("%s: %s with %v: error %v of type %T", c.name, what, bad, err, err)
		case err != nil:
			return
		}
		for k, v := range p.Variance.Data {
			if m := p.Mean.Data[k]; m-m != 0 || !(v >= 0) {
				t.Errorf("%s: %s with %v: mean %v, variance %v", c.name, what, bad, m, v)
			}
		}
	}
	p, err := c.posterior.Predict(l, obs.Grid)
	check("a prediction", p, err)
	p, _, err = c.posterior.Impute(t.Context(), obs, o)
	check("an example", p, err)
	p, err = c.posterior.ImputeGiven(t.Context(), obs, l, o)
	check("an example given its latent variables", p, err)
}
