package predict

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Values, grids and options that mean nothing are refused by name or place, and a context that has ended ends the work.
func TestObservedErrors(t *testing.T) {
	m := modelOf(t, reference.Shape{Examples: 3, Inducing: 2, Latent: 2, Channels: 2, Space: []reference.Factor{{Points: 3, Dims: 2, Kind: kernel.RBF}, {Points: 2, Dims: 1, Kind: kernel.Matern32}}})
	good := func() field.Observed {
		return field.Observed{Values: m.ref.UserValues(reference.Masked(rand.New(rand.NewPCG(1, 13)), 6, 2, 0.3, false))}
	}
	at := func(i, c int, v float64) field.Observed {
		obs := good()
		obs.Values.Set(i, c, v)
		return obs
	}
	on := func(change func(g field.Grid) field.Grid) field.Observed {
		obs := good()
		obs.Grid = change(field.Grid{m.grid[0].Clone(), m.grid[1].Clone()})
		return obs
	}
	for name, c := range map[string]struct {
		obs   field.Observed
		o     field.InferOptions
		field string // of the *field.ConfigError; "": a *field.ValueError
		value field.ValueError
	}{
		"too few points":      {obs: field.Observed{Values: mat.New(5, 2)}, field: "Observed"},
		"too many channels":   {obs: field.Observed{Values: mat.New(6, 3)}, field: "Observed"},
		"no values":           {obs: field.Observed{}, field: "Observed"},
		"an infinite value":   {obs: at(4, 1, math.Inf(-1)), value: field.ValueError{Point: 4, Channel: 1}},
		"a factor missing":    {obs: on(func(g field.Grid) field.Grid { return g[:1] }), field: "Grid"},
		"an empty grid":       {obs: on(func(g field.Grid) field.Grid { return field.Grid{} }), field: "Grid"},
		"a factor empty":      {obs: on(func(g field.Grid) field.Grid { g[1] = mat.New(0, 1); return g }), field: "Grid"},
		"a dimension missing": {obs: on(func(g field.Grid) field.Grid { g[0] = mat.New(3, 1); return g }), field: "Grid"},
		"a coordinate NaN":    {obs: on(func(g field.Grid) field.Grid { g[0].Set(1, 1, math.NaN()); return g }), field: "Grid"},
		"a coordinate Inf":    {obs: on(func(g field.Grid) field.Grid { g[1].Set(1, 0, math.Inf(1)); return g }), field: "Grid"},
		"negative candidates": {obs: good(), o: field.InferOptions{Candidates: -1}, field: "InferOptions"},
		"negative iterations": {obs: good(), o: field.InferOptions{Iterations: -1}, field: "InferOptions"},
		"an unknown way":      {obs: good(), o: field.InferOptions{Conditioning: "exact"}, field: "InferOptions"},
	} {
		_, inferErr := m.Infer(t.Context(), c.obs, c.o)
		_, _, imputeErr := m.Impute(t.Context(), c.obs, c.o)
		for _, err := range []error{inferErr, imputeErr} {
			var config *field.ConfigError
			var value *field.ValueError
			switch {
			case c.field != "" && (!errors.As(err, &config) || config.Field != c.field):
				t.Errorf("%s: error %v, expected one about %s", name, err, c.field)
			case c.field == "" && (!errors.As(err, &value) || value.Point != c.value.Point || value.Channel != c.value.Channel):
				t.Errorf("%s: error %v, expected one at %+v", name, err, c.value)
			}
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, inferErr := m.Infer(ended, good(), field.InferOptions{})
	_, _, imputeErr := m.Impute(ended, good(), field.InferOptions{})
	if !errors.Is(inferErr, context.Canceled) || !errors.Is(imputeErr, context.Canceled) {
		t.Errorf("cancelled: %v, %v", inferErr, imputeErr)
	}
}

// A value so far off that its square overflows is refused by its place; one that
// is merely absurd is taken as it is.
func TestObservedFarOff(t *testing.T) {
	m := modelOf(t, reference.Shape{Examples: 3, Inducing: 2, Latent: 2, Channels: 2, Space: []reference.Factor{{Points: 4, Dims: 1, Kind: kernel.RBF}}})
	for _, v := range []float64{1e308, -1e160} {
		values := missing(4, 2)
		values.Set(1, 0, 0)
		values.Set(2, 1, v)
		var value *field.ValueError
		if _, err := m.Infer(t.Context(), field.Observed{Values: values}, field.InferOptions{}); !errors.As(err, &value) || value.Point != 2 || value.Channel != 1 || value.Value != v {
			t.Errorf("%g: error %v", v, err)
		}
	}
	values := missing(4, 2)
	values.Set(1, 1, 1e50)
	p, l, err := m.Impute(t.Context(), field.Observed{Values: values}, field.InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, bad := mat.NonFinite(mat.Vector(slices.Concat(p.Mean.Data, p.Variance.Data, l.Mu, l.S, one(l.Bound)))); bad {
		t.Errorf("prediction %v, posterior %+v", p, l)
	}
}

// With the prior of its time an example of which nothing was seen is that prior, one that
// was seen in part starts from it too, and the standard normal prior is the one of an
// example without a time.
func TestObservedPrior(t *testing.T) {
	for seed := range uint64(compare.Sizes(12)) {
		shape := reference.TimeShape(seed)
		if seed%2 == 0 {
			shape.TimePart = ""
			shape = shape.With(shape.Parts &^ reference.Time)
		}
		m := modelOf(t, shape)
		values := m.ref.UserValues(reference.Masked(rand.New(rand.NewPCG(seed, 4)), m.grid.Len(), shape.Channels, 0.5, false))
		values.Set(0, 0, 1)
		l, err := m.LatentAt(m.times[0].Sequence, one(1.234))
		if err != nil {
			t.Fatal(err)
		}
		prior := l[0]
		got, err := m.Infer(t.Context(), field.Observed{Values: missing(m.grid.Len(), m.channels()), Prior: &prior}, field.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(prior, got); d != "" {
			t.Errorf("nothing seen:\n%s", d)
		}

		standard := m.PriorLatent()
		p, q, err := m.Impute(t.Context(), field.Observed{Values: values}, field.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		same, sameLatent, err := m.Impute(t.Context(), field.Observed{Values: values, Prior: &standard}, field.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(q, sameLatent); d != "" {
			t.Errorf("the standard prior:\n%s", d)
		}
		compare.SameBits(t, "the standard prior", same.Mean.Data, p.Mean.Data)

		e := m.mustObserveAll(t, field.Observed{Values: values, Prior: &prior})
		for k := range prior.S {
			prior.S[k] = 1e-10
		}
		filled, sure, err := m.Impute(t.Context(), field.Observed{Values: values, Prior: &prior}, field.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		compare.Near(t, "a prior that is sure", append(sure.Mu, sure.S...), append(prior.Mu, prior.S...), 1e-4)
		point := prior
		point.S = make([]float64, len(prior.S))
		there := m.conditional(t, e, point, field.InferOptions{})
		for j, v := range values.Data {
			if v != v {
				compare.NearOne(t, shape.String()+": filled in", filled.Mean.Data[j], m.scaler.Mean[j%shape.Channels]+m.scaler.Scale[j%shape.Channels]*there.Mean.Data[j], 1e-4*slices.Max(m.scaler.Scale))
			}
		}
	}
	m := modelOf(t, reference.Shape{Examples: 3, Inducing: 2, Latent: 1, Channels: 1, Space: []reference.Factor{{Points: 3, Dims: 1, Kind: kernel.RBF}}})
	for want, prior := range map[string]field.Latent{
		"sgplvm: Prior: 2 means and 1 variances":     {Mu: make([]float64, 2), S: work.Ones(1)},
		"sgplvm: Prior: dimension 0: variance 0, ex": {Mu: one(1), S: one(0)},
		"sgplvm: Prior: dimension 0: mean NaN":       {Mu: one(math.NaN()), S: one(1)},
	} {
		if _, err := m.Infer(t.Context(), field.Observed{Values: mat.New(3, 1), Prior: &prior}, field.InferOptions{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, expected %q", err, want)
		}
	}
}
