package predict_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// A drawn is a posterior, and an example on a grid.
type drawn struct {
	name      string
	posterior *predict.Posterior
	model     *reference.Model
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
	c := drawn{name: shape.String(), posterior: q, model: m, grid: m.Space}
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

// FuzzPosterior tries the law below.
func FuzzPosterior(f *testing.F) { fuzz.OneOf(f, tryNumbers) }

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
		o = []field.InferOptions{{DegreesOfFreedom: bad}, {LocalBandwidth: bad}, {LocalStrength: bad}}[s.IntN(3)]
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
