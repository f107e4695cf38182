package sgplvm

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// The mean of E_q (y − f)·(y − f)ᵀ over examples and channels, with q's own moments of
// every training example one by one.
func TestResidualCovariance(t *testing.T) {
	for seed := range uint64(sizes(40)) {
		shape := residualShape(30000 + seed)
		m := shape.model(t)
		got, err := m.problem.residualCovariance(m.params)
		if err != nil {
			t.Fatal(err)
		}
		d, y := newDense(m), m.problem.observations()
		n := len(d.points)
		want := mat.New(n, n)
		share := 1 / float64(shape.examples*shape.channels)
		for e := range shape.examples {
			f := d.forecast(Latent{Mu: m.params.Mu.Row(e), S: m.params.S.Row(e)}, m.space)
			for c := range shape.channels {
				for i := range n {
					for j := range n {
						left, right := y.At(e*n+i, c)-f.mean[c][i], y.At(e*n+j, c)-f.mean[c][j]
						want.Row(i)[j] += share * (float64(left*right) + f.cov[c][i][j])
					}
				}
			}
		}
		near(t, shape.String(), got.Data, want.Data, 1e-8)
	}
}

// A learned Σ raises the bound, penalised by its prior's divergence, and without a prior
// the bound itself: the step is one of expectation and maximisation.
func TestLearnNoise(t *testing.T) {
	raised := 0
	for seed := range uint64(sizes(40)) {
		shape := residualShape(31000 + seed)
		m := shape.model(t)
		before := m.mustBound(t)
		if shape.examples*shape.channels <= 2*m.space.Len() {
			if err := m.problem.learnNoise(m.params, 1e9); err != nil { // hardly anything moves
				t.Fatal(err)
			}
			near(t, shape.String()+": strong prior", one(m.mustBound(t)), one(before), 1e-5)
			continue
		}
		raised++
		if err := m.problem.learnNoise(m.params, 0); err != nil {
			t.Fatal(err)
		}
		if after := m.mustBound(t); !(after >= before-1e-9*math.Abs(before)) {
			t.Errorf("%v: bound %v, %v after the step", shape, before, after)
		}
	}
	if raised == 0 && !testing.Short() {
		t.Error("no shape with enough examples")
	}
}

// A model with a structured residual, learned or not, is saved and loaded whole: its file
// has the same bytes again and it predicts with the same bits.
func TestResidualModelFile(t *testing.T) {
	for _, learned := range []bool{false, true} {
		m := residualShape(3).model(t)
		if learned {
			if err := m.problem.learnNoise(m.params, 5); err != nil {
				t.Fatal(err)
			}
		}
		var first, second bytes.Buffer
		if err := m.Save(&first); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := loaded.Save(&second); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("learned %v: another file", learned)
		}
		rng := rand.New(rand.NewPCG(4, 4))
		l := randomLatent(rng, m.params.Mu.Cols)
		a, err := m.Predict(l, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := loaded.Predict(l, nil)
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, fmt.Sprintf("learned %v: variance", learned), a.Variance.Data, b.Variance.Data)
		elsewhere := Grid{mat.New(2, m.space[0].Cols)}
		if p, err := loaded.Predict(l, elsewhere); err != nil || p.Noise != "parametric" || a.Noise != map[bool]string{true: "learned", false: "parametric"}[learned] {
			t.Errorf("learned %v: noise %q on the grid, %q off it, error %v", learned, a.Noise, p.Noise, err)
		}
	}
}

// Prediction and inference with a learned Σ follow the dense formulas, as they do with the
// parametric one, on the grid of training and elsewhere.
func TestLearnedNoiseDense(t *testing.T) {
	for seed := range uint64(sizes(30)) {
		m := residualShape(32000 + seed).model(t)
		if err := m.problem.learnNoise(m.params, 3); err != nil {
			t.Fatal(err)
		}
		d, rng := newDense(m), rand.New(rand.NewPCG(seed, 9))
		near(t, "bound", one(m.mustBound(t)), one(d.bound()), 1e-9)
		checkForecast(t, m, d, randomLatent(rng, m.params.Mu.Cols), nil)
		checkExample(t, m, d, rng, m.space)
		elsewhere := randomGrid(rng, m) // there Σ is the parametric one
		checkForecast(t, m, d, randomLatent(rng, m.params.Mu.Cols), elsewhere)
		checkExample(t, m, d, rng, elsewhere)
	}
}

// What cannot be is refused in one line that says what was expected.
func TestResidualValidation(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(m *Model)
	}{
		{"a white residual kernel, expected", func(m *Model) { m.params.Residual.Kind = White }},
		{"residual", func(m *Model) { m.params.Residual.Variance = -1 }},
		{"expected one", func(m *Model) { m.params.Xu[0] = m.space[0].Clone() }},
		{"noise floor", func(m *Model) { m.params.NoiseFloor = 2 / m.params.Beta }},
		{"noise covariance is 1×2", func(m *Model) { m.params.Covariance = mat.New(1, 2) }},
		{"noise covariance of points 0 and 0", func(m *Model) {
			m.params.Covariance = mat.New(m.space[0].Rows, m.space[0].Rows)
			m.params.Covariance.Data[0] = math.NaN()
		}},
	} {
		m := residualShape(3).model(t)
		c.change(m)
		if err := m.params.validate(m.space); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, expected one with %q", err, c.want)
		}
	}
}

// Rounds of training that learn Σ follow the schedule, are named, leave Σ in the model and
// give the same bits at any number of processors; a model without a residual has none.
func TestFitResidualRounds(t *testing.T) {
	train := func(kind KernelKind) (*Model, FitResult) {
		x := mat.New(30, 2)
		for i := range 30 {
			x.Set(i, 0, float64(i/5))
			x.Set(i, 1, float64(i%5))
		}
		cfg := Config{Space: []SpatialFactor{{X: x}}, LatentDims: 3, Residual: Kernel{Kind: kind}}
		m := mustNew(t, bumps(12, 6, 5, 2), cfg)
		return m, mustFit(t, m, FitOptions{Iterations: 40, ResidualRounds: 2, ResidualStrength: 20})
	}
	var want *Model
	atEveryWidth(func(procs int) {
		m, r := train(Matern32)
		if want == nil {
			want = m
			n := len(r.Phases)
			if n < 4 || r.Phases[n-2].Name != "residual 1" || r.Phases[n-1].Name != "residual 2" || m.params.Covariance.Rows != 30 || r.Iterations > 40+2*residualSteps {
				t.Errorf("%d steps, phases %+v, Σ %d×%d", r.Iterations, r.Phases, m.params.Covariance.Rows, m.params.Covariance.Cols)
			}
			if b := m.mustBound(t); math.Abs(b-r.Bound) > 1e-9*math.Abs(b) {
				t.Errorf("bound %v, reported %v", b, r.Bound)
			}
		}
		spacing := twoSpacings(m.space[0])
		for q, l := range m.params.Taper {
			near(t, "taper", one(l), one(2.6*math.Pow(12, 1./6)*spacing[q]/2), 1e-12)
		}
		sameBits(t, fmt.Sprintf("Σ with %d processors", procs), m.params.Covariance.Data, want.params.Covariance.Data)
	})
	m, _ := train(Matern32)
	mustFit(t, m, FitOptions{Iterations: 5, ResidualRounds: 1, ResidualTaper: -1})
	if want.params.Taper == nil || m.params.Taper != nil {
		t.Errorf("tapers %v, and %v where there is to be none", want.params.Taper, m.params.Taper)
	}
	if m, r := train(""); m.params.Covariance.Rows != 0 || strings.HasPrefix(r.Phases[len(r.Phases)-1].Name, "residual") {
		t.Errorf("without a residual: phases %+v", r.Phases)
	}
}
