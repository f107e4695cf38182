package predict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// compiled returns the model as a compiled file has it.
func (m model) compiled(t testing.TB, g field.Grid, o field.InferOptions, kind edge.Type) *edge.Workspace {
	t.Helper()
	c, err := m.Compile(g, o, 1000, kind != edge.Float64)
	if err != nil {
		t.Fatal(err)
	}
	c.Quantize(points.Type(kind))
	e, err := edge.Open(points.Encode(c))
	if err != nil {
		t.Fatal(err)
	}
	return e.NewWorkspace(0)
}

// filled fills in an example by the compiled model.
func filled(t testing.TB, w *edge.Workspace, values mat.Matrix) (p field.Prediction) {
	t.Helper()
	mask := make([]bool, len(values.Data))
	for i, v := range values.Data {
		mask[i] = v == v
	}
	p.Mean, p.Variance = mat.New(values.Rows, values.Cols), mat.New(values.Rows, values.Cols)
	if err := w.Fill(p.Mean.Data, p.Variance.Data, values.Data, mask); err != nil {
		t.Fatal(err)
	}
	return p
}

// apart returns the largest difference of means, in deviations, and of variances, as parts of them.
func apart(t testing.TB, got, want field.Prediction) (worst float64) {
	t.Helper()
	for i, v := range want.Variance.Data {
		d := got.Mean.Data[i] - want.Mean.Data[i]
		if v == 0 {
			if d != 0 || got.Variance.Data[i] != 0 {
				t.Errorf("an observed value became %v with variance %v", got.Mean.Data[i], got.Variance.Data[i])
			}
			continue
		}
		worst = max(worst, math.Abs(d)/math.Sqrt(v), math.Abs(got.Variance.Data[i]/v-1))
	}
	return worst
}

// compileCase returns a random model, with and without structure in its noise, kept residuals and a blend, and options.
func compileCase(t *testing.T, seed uint64, rng *rand.Rand) (m model, o field.InferOptions) {
	switch seed % 3 {
	case 0:
		m = modelOf(t, reference.RandomShape(71000+seed))
	case 1:
		m = modelOf(t, reference.ResidualShape(72000+seed))
	default:
		m, _, _ = blendCase(t, 300+seed)
		if seed%2 == 0 {
			o.Blends = []field.Blend{anyBlend(rng, rng.Float64()), anyBlend(rng, rng.Float64())}
			o.Blends[1].Gap = 3 * rng.Float64()
			if seed%4 == 0 {
				o.Blends[0].Gap, o.Blends[0].Seen, o.Blends[1].Seen = 1, rng.Float64(), rng.Float64()
			}
		}
		if seed%4 < 2 {
			m = m.with(t, Options{Residuals: m.residuals, Filled: somethingFilled(m, rng)})
		}
	}
	if seed%7 == 6 {
		o.FirstOrder = true
	}
	if seed%4 == 1 {
		o.Candidates = 3 // a search that is not brief
	}
	if seed%11 == 10 {
		o.Conditioning = field.ConditionNone
	}
	return m, o
}

// limited changes how conditioning is limited, for one test.
func limited(t *testing.T, exact, group, neighbours int) {
	old := conditioning
	t.Cleanup(func() { conditioning = old })
	conditioning.exact, conditioning.group, conditioning.neighbours = exact, group, neighbours
}

// A compiled model fills in what the model does: at the training points and at others, with a prior, where too many values are observed to be used at once, and
// in types of fewer digits within what they promise.
func TestCompiledFill(t *testing.T) {
	for name, c := range map[string]struct {
		kind      edge.Type
		tolerance float64
		elsewhere bool
		prior     bool
		few       bool
	}{
		"training points": {edge.Float64, 1e-9, false, false, false}, "other points": {edge.Float64, 1e-9, true, false, false}, "a prior": {edge.Float64, 1e-9, false, true, false},
		"neighbourhoods": {edge.Float64, 1e-9, false, false, true}, "32 bits": {edge.Float32, 1e-4, false, false, false}, "16 bits": {edge.Float16, 2e-3, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			if c.few {
				limited(t, 3, 2, 3)
			}
			for seed := range uint64(compare.Sizes(30)) {
				rng := rand.New(rand.NewPCG(seed, 83))
				m, o := compileCase(t, seed, rng)
				var obs field.Observed
				if c.elsewhere {
					obs.Grid = m.ref.RandomGrid(rng)
				}
				w := m.compiled(t, obs.Grid, o, c.kind)
				if c.prior {
					prior := randomLatent(rng, m.params.X.Mu.Cols)
					w.SetPrior(prior.Mu, prior.S)
					obs.Prior = &prior
				}
				for range 2 {
					obs.Values = m.ref.UserValues(reference.Masked(rng, m.or(obs.Grid).Len(), m.channels(), 0.6, seed%2 == 0))
					want, l, err := m.Impute(t.Context(), obs, o)
					if err != nil {
						t.Fatal(err)
					}
					got := filled(t, w, obs.Values)
					compare.NearOne(t, fmt.Sprintf("seed %d: bound", seed), w.Latent().Bound, l.Bound, 100*c.tolerance)
					if d := apart(t, got, want); !(d < c.tolerance) {
						t.Errorf("seed %d: %g apart", seed, d)
					}
				}
			}
		})
	}
}

// A sketch is near what filling in says, in deviations of that, leaves observed values alone and has no part in what is filled in after it.
func TestCompiledSketch(t *testing.T) {
	var squares, count float64
	for seed := range uint64(compare.Sizes(60)) {
		rng := rand.New(rand.NewPCG(seed, 79))
		m, o := compileCase(t, seed, rng)
		w := m.compiled(t, nil, o, edge.Float64)
		values := m.ref.UserValues(reference.Masked(rng, m.grid.Len(), m.channels(), 0.6, seed%2 == 0))
		want := filled(t, w, values)
		mask, _ := seenOf(values)
		dst, variance := mat.New(values.Rows, values.Cols), mat.New(values.Rows, values.Cols)
		if err := w.Sketch(dst.Data, variance.Data, values.Data, mask); err != nil {
			t.Fatal(err)
		}
		for i, v := range want.Variance.Data {
			switch d := dst.Data[i] - want.Mean.Data[i]; {
			case mask[i] && (d != 0 || variance.Data[i] != 0):
				t.Errorf("seed %d: an observed value became %v with variance %v", seed, dst.Data[i], variance.Data[i])
			case !mask[i] && !(variance.Data[i] > v/100):
				t.Errorf("seed %d: variance %v, expected about %v", seed, variance.Data[i], v)
			case !mask[i]:
				squares, count = squares+d*d/v, count+1
			}
		}
		if d := apart(t, filled(t, w, values), want); d != 0 {
			t.Errorf("seed %d: %g apart after a sketch", seed, d)
		}
	}
	if d := math.Sqrt(squares / count); !(d < 0.1) {
		t.Errorf("sketches are %.2f deviations off, expected less than a tenth", d)
	}
}

// A compiled model predicts what the model does; in types of fewer digits within their rounding.
func TestCompiledPredict(t *testing.T) {
	for seed := range uint64(compare.Sizes(30)) {
		rng := rand.New(rand.NewPCG(seed, 79))
		m, o := compileCase(t, seed, rng)
		l := randomLatent(rng, m.params.X.Mu.Cols)
		want, err := m.Predict(l, nil)
		if err != nil {
			t.Fatal(err)
		}
		for kind, bound := range map[edge.Type]float64{edge.Float64: 1e-9, edge.Float32: 1e-4, edge.Float16: 0.02} {
			w := m.compiled(t, nil, o, kind)
			got := field.Prediction{Mean: mat.New(want.Mean.Rows, want.Mean.Cols), Variance: mat.New(want.Mean.Rows, want.Mean.Cols)}
			if err := w.Predict(got.Mean.Data, got.Variance.Data, l.Mu, l.S); err != nil {
				t.Fatal(err)
			}
			if d := apart(t, got, want); !(d < bound) {
				t.Errorf("seed %d, %v: %g apart", seed, kind, d)
			}
		}
	}
}

// A fast model whose covariances are sums of a few matrices fills in nearly what the model does; examples of small weights and observed points that are far
// away change little.
func TestCompiledFast(t *testing.T) {
	shaped := 0
	for seed := range uint64(compare.Sizes(30)) {
		rng := rand.New(rand.NewPCG(seed, 85))
		m, o := compileCase(t, seed, rng)
		fast := func(change func(o *points.Options)) *edge.Workspace {
			c, err := m.Compile(nil, o, 1000, false)
			if err != nil {
				t.Fatal(err)
			}
			before := c.Options
			c.Approximate(points.Float64)
			if len(c.Shapes) > 0 {
				shaped++
			}
			c.Options.Candidates, c.Options.Iterations, c.Options.Starts = before.Candidates, before.Iterations, before.Starts
			change(&c.Options)
			e, err := edge.Open(points.Encode(c))
			if err != nil {
				t.Fatal(err)
			}
			return e.NewWorkspace(0)
		}
		sums := fast(func(o *points.Options) { o.MinWeight, o.PartNeighbours, o.MaxExamples = 0, 0, 0 })
		few := fast(func(o *points.Options) { o.PartNeighbours, o.MaxExamples = 2, 2 })
		for range 3 {
			values := m.ref.UserValues(reference.Masked(rng, m.grid.Len(), m.channels(), 0.6, seed%2 == 0))
			want, _, err := m.Impute(t.Context(), field.Observed{Values: values}, o)
			if err != nil {
				t.Fatal(err)
			}
			if d := apart(t, filled(t, sums, values), want); !(d < 0.2) {
				t.Errorf("seed %d: %g apart by sums", seed, d)
			}
			if d := apart(t, filled(t, few, values), want); !(d < 3) {
				t.Errorf("seed %d: %g apart by few examples and points", seed, d)
			}
		}
	}
	if shaped == 0 {
		t.Error("no model had sums")
	}
}

// allocateNothing tells of calls that allocate, of models that begin makes of a seed.
func allocateNothing(t *testing.T, source uint64, begin func(seed uint64, rng *rand.Rand) map[string]func() error) {
	t.Helper()
	if tier.Raced {
		t.Skip("the race detector has pools lose what they keep")
	}
	for seed := range uint64(6) {
		for name, call := range begin(seed, rand.New(rand.NewPCG(seed, source))) {
			try := func() {
				if err := call(); err != nil {
					t.Fatal(err)
				}
			}
			try()
			if n := testing.AllocsPerRun(20, try); n != 0 {
				t.Errorf("seed %d: %s allocates %v times", seed, name, n)
			}
		}
	}
}

// Filling in allocates nothing.
func TestCompiledAllocations(t *testing.T) {
	allocateNothing(t, 81, func(seed uint64, rng *rand.Rand) map[string]func() error {
		m, o := compileCase(t, seed, rng)
		c, err := m.Compile(nil, o, 1000, true)
		if err != nil {
			t.Fatal(err)
		}
		if seed%2 == 1 {
			c.Approximate(points.Float16)
		}
		c.Quantize(points.Float16)
		e, err := edge.Open(points.Encode(c))
		if err != nil {
			t.Fatal(err)
		}
		w, known := e.NewWorkspace(0), randomLatent(rng, m.params.X.Mu.Cols)
		values := m.ref.UserValues(reference.Masked(rng, m.grid.Len(), m.channels(), 0.6, false))
		mask, _ := seenOf(values)
		dst, variance := make([]float64, len(mask)), make([]float64, len(mask))
		return map[string]func() error{
			"Fill":    func() error { return w.Fill(dst, variance, values.Data, mask) },
			"Sketch":  func() error { return w.Sketch(dst, variance, values.Data, mask) },
			"Predict": func() error { return w.Predict(dst, variance, known.Mu, known.S) },
		}
	})
}

// What cannot be compiled is refused by name.
func TestCompileRefuses(t *testing.T) {
	m := modelOf(t, reference.RandomShape(71000))
	if _, err := m.Compile(nil, field.InferOptions{Conditioning: field.ConditionMoments}, 1, false); err == nil || !strings.Contains(err.Error(), `"paper"`) {
		t.Errorf("conditioning by moments: %v", err)
	}
	if _, err := m.Compile(field.Grid{mat.New(0, 1)}, field.InferOptions{}, 1, false); err == nil {
		t.Error("an empty grid was compiled")
	}
}
