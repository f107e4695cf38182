package sgplvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// missing returns values of which none was observed.
func missing(points, channels int) mat.Matrix {
	v := mat.New(points, channels)
	v.Fill(math.NaN())
	return v
}

// mustObserve condenses an example on a grid (nil: the training grid), given in
// the model's units.
func (m *Model) mustObserve(t testing.TB, g Grid, values mat.Matrix) (*posterior, *example) {
	t.Helper()
	q := m.mustReady(t)
	e, err := m.observe(q, Observed{Grid: g, Values: m.scaler.unscaled(values)})
	if err != nil {
		t.Fatal(err)
	}
	return q, e
}

// With nothing observed L* is −KL, exactly, and the posterior is the prior.
func TestNothingObserved(t *testing.T) {
	for seed := range uint64(sizes(20)) {
		shape := randomShape(6000 + seed)
		m := shape.model(t)
		values := missing(m.space.Len(), shape.channels)
		q, e := m.mustObserve(t, nil, values)
		l := randomLatent(rand.New(rand.NewPCG(seed, 9)), shape.latent)
		got := q.mustEvidence(e).bound(q.psi, q.psi.newScratch(), l.Mu, l.S, nil, nil)
		if want := -independentKL(mat.NewDense(1, shape.latent, l.Mu), mat.NewDense(1, shape.latent, l.S), nil); got != want {
			t.Errorf("%v: L* %v, −KL %v", shape, got, want)
		}

		prior := Latent{Mu: make([]float64, shape.latent), S: ones(shape.latent)}
		for _, g := range []Grid{nil, randomGrid(rand.New(rand.NewPCG(seed, 10)), m)} {
			obs := Observed{Grid: g, Values: values}
			if g != nil {
				obs.Values = missing(g.Len(), shape.channels)
			}
			p, posterior, err := m.Impute(context.Background(), obs, InferOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(posterior.Mu, prior.Mu) || !slices.Equal(posterior.S, prior.S) || posterior.Bound != 0 || posterior.Start != -1 {
				t.Errorf("%v: posterior %+v, expected the prior", shape, posterior)
			}
			want, err := m.Predict(prior, g)
			if err != nil {
				t.Fatal(err)
			}
			sameBits(t, "mean", p.Mean.Data, want.Mean.Data)
			sameBits(t, "variance", p.Variance.Data, want.Variance.Data)
			if p.Conditioning != "none" {
				t.Errorf("%v: conditioning %q", shape, p.Conditioning)
			}
		}
	}
}

// logLikelihood is E_q(U) log p(y* | x, U) of the observed values for a certain
// latent point.
func (d *dense) logLikelihood(x []float64, g Grid, values mat.Matrix) float64 {
	t := d.forecast(Latent{Mu: x, S: make([]float64, len(x))}, g)
	var sum float64
	for c := range values.Cols {
		for i := range values.Rows {
			if y := values.At(i, c); y == y {
				sum += 0.5*math.Log(d.p.Beta/(2*math.Pi)) - d.p.Beta/2*(math.Pow(y-t.mean[c][i], 2)+t.cov[c][i][i])
			}
		}
	}
	return sum
}

// With one latent dimension L* = ∫ q(x)·(log p(y*|x) + log p(x) − log q(x)) dx is
// a quadrature over certain latent points, and by Jensen's inequality it is
// at most log ∫ p(x)·e^(log p(y*|x)) dx, whatever q is.
func TestEvidenceQuadrature(t *testing.T) {
	nodes, weights := gaussHermite(t, 40)
	for seed := range uint64(sizes(20)) {
		shape := randomShape(7000 + seed)
		shape.latent = 1
		m := shape.model(t)
		d := newDense(m)
		rng := rand.New(rand.NewPCG(seed, 11))
		values := masked(rng, m.space.Len(), shape.channels, 0.4, seed%2 == 0)
		values.Set(0, 0, 0.5) // at least one
		q, e := m.mustObserve(t, nil, values)

		l := Latent{Mu: one(rng.NormFloat64()), S: one(0.1 * rng.Float64())}
		if m.params.Latent.LengthScale != nil {
			l.S[0] *= math.Pow(m.params.Latent.LengthScale[0], 2)
		}
		want := expectation(nodes, weights, l.Mu, l.S, func(x []float64) float64 {
			logPrior := -0.5 * (math.Log(2*math.Pi) + x[0]*x[0])
			logQ := -0.5 * (math.Log(2*math.Pi*l.S[0]) + math.Pow(x[0]-l.Mu[0], 2)/l.S[0])
			return d.logLikelihood(x, m.space, values) + logPrior - logQ
		})
		got := q.mustEvidence(e).bound(q.psi, q.psi.newScratch(), l.Mu, l.S, nil, nil)
		near(t, shape.String()+": L*", one(got), one(want), 1e-9)

		best, err := m.Infer(context.Background(), Observed{Values: m.scaler.unscaled(values)}, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		const step = 0.05
		var sum float64
		for x := -10.0; x <= 10; x += step {
			sum += step * math.Exp(d.logLikelihood(one(x), m.space, values)-best.Bound-x*x/2) / math.Sqrt(2*math.Pi)
		}
		if gap := math.Log(sum); !(gap >= -1e-9) {
			t.Errorf("%v: L* %v is above the log evidence by %g", shape, best.Bound, -gap)
		}
	}
}

// The result is at least as good as every start, its bound is that of its
// posterior, and no direction leads further up.
func TestInferOptimum(t *testing.T) {
	for seed := range uint64(sizes(30)) {
		shape := randomShape(8000 + seed)
		m := shape.model(t)
		values := masked(rand.New(rand.NewPCG(seed, 12)), m.space.Len(), shape.channels, 0.3, false)
		values.Set(0, 0, 1)
		q, e := m.mustObserve(t, nil, values)
		v, scratch := q.mustEvidence(e), q.psi.newScratch()
		l, err := m.Infer(context.Background(), Observed{Values: m.scaler.unscaled(values)}, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		dmu, ds := make([]float64, shape.latent), make([]float64, shape.latent)
		if got := v.bound(q.psi, scratch, l.Mu, l.S, dmu, ds); got != l.Bound {
			t.Errorf("%v: bound %v reported, %v at the posterior", shape, l.Bound, got)
		}
		for i := range dmu {
			if g := max(math.Abs(dmu[i]), math.Abs(ds[i]*l.S[i])); !(g <= 1e-3*max(1, math.Abs(l.Bound))) {
				t.Errorf("%v: slope %g in dimension %d at the end", shape, g, i)
			}
		}
		starts := q.score(v, math.Inf(1))
		for k, s := range starts {
			want := v.bound(q.psi, scratch, s.Mu, s.S, nil, nil)
			near(t, "score", one(s.Bound), one(want), 1e-10)
			if s.Start != k {
				t.Errorf("%v: start %d is called %d", shape, k, s.Start)
			}
		}
		starts = append(starts, Latent{Mu: make([]float64, shape.latent), S: ones(shape.latent)})
		for _, s := range starts {
			if b := v.bound(q.psi, scratch, s.Mu, s.S, nil, nil); !(l.Bound >= b) {
				t.Errorf("%v: bound %v, start %d has %v", shape, l.Bound, s.Start, b)
			}
		}
		if l.Start < -1 || l.Start >= shape.examples {
			t.Errorf("%v: start %d", shape, l.Start)
		}
		// A single step from a single start is no worse than the best start.
		quick, err := m.Infer(context.Background(), Observed{Values: m.scaler.unscaled(values)}, InferOptions{Polish: 1, Iterations: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range starts {
			if b := v.bound(q.psi, scratch, s.Mu, s.S, nil, nil); !(quick.Bound >= b) {
				t.Errorf("%v: bound %v after one step, start %d has %v", shape, quick.Bound, s.Start, b)
			}
		}
		// More starts can only help.
		all, err := m.Infer(context.Background(), Observed{Values: m.scaler.unscaled(values)}, InferOptions{Polish: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if !(all.Bound >= l.Bound) {
			t.Errorf("%v: bound %v from all starts, %v from three", shape, all.Bound, l.Bound)
		}
	}
}

// A training example shown again, half of it, is found again.
func TestInferFindsTrainingExample(t *testing.T) {
	m := trained(t)
	for i := range m.Examples() {
		values := m.problem.observations().Slice(i*m.space.Len(), (i+1)*m.space.Len(), 0, m.channels).Clone()
		for j := range values.Rows {
			if j%2 == i%2 {
				values.Set(j, 0, math.NaN())
			}
		}
		l, err := m.Infer(context.Background(), Observed{Values: m.scaler.unscaled(values)}, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for q, mu := range l.Mu {
			sd := math.Sqrt(m.params.S.At(i, q) + l.S[q])
			if d := math.Abs(mu - m.params.Mu.At(i, q)); !(d <= 4*sd) {
				t.Errorf("example %d, dimension %d: %v found, %v in training, standard deviation %g", i, q, mu, m.params.Mu.At(i, q), sd)
			}
		}
	}
}

// Where no training example is like the one seen, the prior is the best start.
func TestInferStartsFromPrior(t *testing.T) {
	m := modelShape{examples: 4, inducing: 3, latent: 2, channels: 1, space: []factorShape{{points: 4, dims: 1, kind: RBF}}}.model(t)
	for _, a := range []mat.Matrix{m.params.Mu, m.params.Z} {
		for i := range a.Data {
			a.Data[i] += 8 // unlikely under the prior
		}
	}
	m.params.Latent.Variance = 1e-3 // and not worth it
	l, err := m.Infer(context.Background(), Observed{Values: m.scaler.unscaled(mat.New(4, 1))}, InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if l.Start != -1 {
		t.Errorf("started from training example %d: %+v", l.Start, l)
	}
}

func TestInferSameBitsAtAnyWidth(t *testing.T) {
	m := trained(t)
	rng := rand.New(rand.NewPCG(3, 12))
	values := m.scaler.unscaled(masked(rng, m.space.Len(), 1, 0.5, false))
	var want []float64
	atEveryWidth(func(procs int) {
		fresh := rebuilt(m.space, m.params, m.problem.observations(), m.jitter)
		fresh.scaler = m.scaler
		p, l, err := fresh.Impute(context.Background(), Observed{Values: values}, InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Concat(l.Mu, l.S, one(l.Bound), p.Mean.Data, p.Variance.Data)
		if want == nil {
			want = got
		}
		sameBits(t, fmt.Sprintf("GOMAXPROCS %d", procs), got, want)
	})
}

func TestObservedErrors(t *testing.T) {
	m := modelShape{examples: 3, inducing: 2, latent: 2, channels: 2, space: []factorShape{{points: 3, dims: 2, kind: RBF}, {points: 2, dims: 1, kind: Matern32}}}.model(t)
	good := func() Observed {
		return Observed{Values: m.scaler.unscaled(masked(rand.New(rand.NewPCG(1, 13)), 6, 2, 0.3, false))}
	}
	at := func(i, c int, v float64) Observed {
		obs := good()
		obs.Values.Set(i, c, v)
		return obs
	}
	on := func(change func(g Grid) Grid) Observed {
		obs := good()
		obs.Grid = change(Grid{m.space[0].Clone(), m.space[1].Clone()})
		return obs
	}
	for name, c := range map[string]struct {
		obs   Observed
		o     InferOptions
		field string // of the *ConfigError; "": a *ValueError
		value ValueError
	}{
		"too few points":      {obs: Observed{Values: mat.New(5, 2)}, field: "Observed"},
		"too many channels":   {obs: Observed{Values: mat.New(6, 3)}, field: "Observed"},
		"no values":           {obs: Observed{}, field: "Observed"},
		"an infinite value":   {obs: at(4, 1, math.Inf(-1)), value: ValueError{Point: 4, Channel: 1}},
		"a factor missing":    {obs: on(func(g Grid) Grid { return g[:1] }), field: "Grid"},
		"an empty grid":       {obs: on(func(g Grid) Grid { return Grid{} }), field: "Grid"},
		"a factor empty":      {obs: on(func(g Grid) Grid { g[1] = mat.New(0, 1); return g }), field: "Grid"},
		"a dimension missing": {obs: on(func(g Grid) Grid { g[0] = mat.New(3, 1); return g }), field: "Grid"},
		"a coordinate NaN":    {obs: on(func(g Grid) Grid { g[0].Set(1, 1, math.NaN()); return g }), field: "Grid"},
		"a coordinate Inf":    {obs: on(func(g Grid) Grid { g[1].Set(1, 0, math.Inf(1)); return g }), field: "Grid"},
		"negative polish":     {obs: good(), o: InferOptions{Polish: -1}, field: "InferOptions"},
		"negative iterations": {obs: good(), o: InferOptions{Iterations: -1}, field: "InferOptions"},
	} {
		_, inferErr := m.Infer(context.Background(), c.obs, c.o)
		_, _, imputeErr := m.Impute(context.Background(), c.obs, c.o)
		for _, err := range []error{inferErr, imputeErr} {
			var config *ConfigError
			var value *ValueError
			switch {
			case c.field != "" && (!errors.As(err, &config) || config.Field != c.field):
				t.Errorf("%s: error %v, expected one about %s", name, err, c.field)
			case c.field == "" && (!errors.As(err, &value) || value.Point != c.value.Point || value.Channel != c.value.Channel):
				t.Errorf("%s: error %v, expected one at %+v", name, err, c.value)
			}
		}
	}
}

// A value so far off that its square overflows is refused by its place; one that
// is merely absurd is taken as it is.
func TestObservedFarOff(t *testing.T) {
	m := modelShape{examples: 3, inducing: 2, latent: 2, channels: 2, space: []factorShape{{points: 4, dims: 1, kind: RBF}}}.model(t)
	for _, v := range []float64{1e308, -1e160} {
		values := missing(4, 2)
		values.Set(1, 0, 0)
		values.Set(2, 1, v)
		var value *ValueError
		if _, err := m.Infer(context.Background(), Observed{Values: values}, InferOptions{}); !errors.As(err, &value) || value.Point != 2 || value.Channel != 1 || value.Value != v {
			t.Errorf("%g: error %v", v, err)
		}
	}
	values := missing(4, 2)
	values.Set(1, 1, 1e50)
	p, l, err := m.Impute(context.Background(), Observed{Values: values}, InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, bad := mat.NonFinite(mat.Vector(slices.Concat(p.Mean.Data, p.Variance.Data, l.Mu, l.S, one(l.Bound)))); bad {
		t.Errorf("prediction %v, posterior %+v", p, l)
	}
}

func TestInferCancelled(t *testing.T) {
	m := modelShape{examples: 3, inducing: 2, latent: 2, channels: 1, space: []factorShape{{points: 4, dims: 1, kind: RBF}}}.model(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, values := range []mat.Matrix{mat.New(4, 1), missing(4, 1)} {
		if _, err := m.Infer(ctx, Observed{Values: values}, InferOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("Infer: error %v", err)
		}
		if _, _, err := m.Impute(ctx, Observed{Values: values}, InferOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("Impute: error %v", err)
		}
	}
}
