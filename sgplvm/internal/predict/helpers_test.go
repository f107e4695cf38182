package predict

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A model is a small model with its data and what it says.
type model struct {
	*Posterior
	ref *reference.Model
}

// modelOf returns the random model of a shape.
func modelOf(t testing.TB, s reference.Shape) model { return saying(t, s.Model(t), Options{}) }

// saying returns what m says, from a posterior of its own.
func saying(t testing.TB, m *reference.Model, o Options) model {
	t.Helper()
	alpha, err := m.Evaluator().Alpha(t.Context(), m.Params)
	if err != nil {
		t.Fatal(err)
	}
	q, err := New(m.Params, m.Space, m.Scaler, alpha, m.Jitter, o)
	if err != nil {
		t.Fatal(err)
	}
	return model{q, m}
}

// with returns the model with other options.
func (m model) with(t testing.TB, o Options) model {
	t.Helper()
	q, err := m.With(o)
	if err != nil {
		t.Fatal(err)
	}
	return model{q, m.ref}
}

// learned gives m a learned covariance of the noise.
func learned(t testing.TB, m *reference.Model, strength float64) *reference.Model {
	t.Helper()
	if err := m.Evaluator().LearnNoise(t.Context(), m.Params, strength, mat.Matrix{}); err != nil {
		t.Fatal(err)
	}
	return m
}

// keeping returns what m says with its training residuals.
func keeping(t testing.TB, m *reference.Model) model {
	t.Helper()
	q := saying(t, m, Options{})
	r, err := q.Residuals(t.Context(), m.Evaluator().Data())
	if err != nil {
		t.Fatal(err)
	}
	return q.with(t, Options{Residuals: r})
}

// calibrated returns the model with a calibration at random.
func (m model) calibrated(t testing.TB, rng *rand.Rand) model {
	t.Helper()
	c := &Calibration{Factor: mat.New(m.grid.Len(), m.channels()), Power: 0.5 + rng.Float64()}
	for i := range c.Factor.Data {
		c.Factor.Data[i] = 0.3 + 2*rng.Float64()
	}
	for _, scale := range m.scaler.Scale {
		c.Mean = append(c.Mean, scale*scale*(0.1+rng.Float64()))
	}
	for range m.times {
		c.Inflation.Ratios = append(c.Inflation.Ratios, 3*rng.Float64())
	}
	c.Inflation.Reach = 0.5
	return m.with(t, Options{Calibration: c, Residuals: m.residuals})
}

// samplingShape is a random shape of which a third have a structured residual.
func samplingShape(seed uint64) reference.Shape {
	if seed%3 == 2 {
		return reference.ResidualShape(seed)
	}
	return reference.RandomShape(seed)
}

// samplingGrids are the training grid, one of other points, and two that have some of the
// training points, one of them twice, beside others.
func (m model) samplingGrids(rng *rand.Rand) []field.Grid {
	other := m.ref.RandomGrid(rng)
	var mixed field.Grid
	for f, x := range m.grid {
		g := mat.New(2+other[f].Rows, x.Cols)
		copy(g.Row(0), x.Row(x.Rows-1))
		copy(g.Row(1), x.Row(x.Rows-1))
		mat.Copy(g.Slice(2, g.Rows, 0, g.Cols), other[f])
		mixed = append(mixed, g)
	}
	last := slices.Clone(m.grid)
	last[len(last)-1] = mixed[len(last)-1]
	return []field.Grid{nil, other, mixed, last}
}

// or returns the training grid for none.
func (m model) or(g field.Grid) field.Grid {
	if g == nil {
		return m.grid
	}
	return g
}

// randomLatent draws a latent posterior.
func randomLatent(rng *rand.Rand, d int) field.Latent {
	mu, s := reference.RandomLatent(rng, d)
	return field.Latent{Mu: mu, S: s}
}

// missing returns values of which none was observed.
func missing(points, channels int) mat.Matrix {
	v := mat.New(points, channels)
	v.Fill(math.NaN())
	return v
}

// mustObserve condenses an example on a grid (nil: the training grid), given in the model's units.
func (m model) mustObserve(t testing.TB, g field.Grid, values mat.Matrix) *example {
	t.Helper()
	return m.mustObserveAll(t, field.Observed{Grid: g, Values: m.ref.UserValues(values)})
}

func (m model) mustObserveAll(t testing.TB, obs field.Observed) *example {
	t.Helper()
	e, err := m.begin(t.Context(), obs, field.InferOptions{}, usual)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// mustEvidence returns L*.
func mustEvidence(t testing.TB, e *example) *infer.Evidence {
	t.Helper()
	v, err := e.w.Evidence()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// conditional returns mean and variance of f and structured noise at all points in the model's units, given the latent posterior l as it is and what was observed.
func (m model) conditional(t testing.TB, e *example, l field.Latent, o field.InferOptions) field.Prediction {
	t.Helper()
	o.FirstOrder, o.LocalBandwidth, o.DegreesOfFreedom = true, -1, cmp.Or(o.DegreesOfFreedom, -1)
	return m.given(t, e, l, o)
}

// given is conditional with options as they are.
func (m model) given(t testing.TB, e *example, l field.Latent, o field.InferOptions) field.Prediction {
	t.Helper()
	err := CheckOptions(o)
	if err != nil {
		t.Fatal(err)
	}
	options := m.pointOptions(o, scoredStarts)
	e.w.SetOptions(&options)
	e.w.SetTime(l.At)
	e.w.Predict(l.Mu, l.S)
	mean, variance := e.w.Result()
	alone := variance.Clone()
	e.w.SetLatent(l.Mu, l.S)
	if err := e.w.Complete(); err != nil {
		t.Fatal(err)
	}
	p := field.Prediction{Mean: mean.Clone(), Variance: variance.Clone(), Conditioning: [...]string{"none", "exact", "local"}[e.w.Way()]}
	for i := range p.Variance.Rows {
		whole := true
		for c := range p.Variance.Cols {
			whole = whole && e.values[i*p.Variance.Cols+c] == e.values[i*p.Variance.Cols+c]
		}
		for c := range p.Variance.Cols {
			if whole {
				p.Variance.Set(i, c, alone.At(i, c))
			}
			p.Variance.Set(i, c, p.Variance.At(i, c)-1/m.params.Noise.Beta)
		}
	}
	return p
}

// seen returns the observed points of each channel.
func (e *example) seen() [][]int {
	seen := make([][]int, len(e.on.p))
	for k, v := range e.values {
		if v == v {
			seen[k%len(seen)] = append(seen[k%len(seen)], k/len(seen))
		}
	}
	return seen
}

// complement returns the numbers below n that are not in the ascending list.
func complement(list []int, n int) (rest []int) {
	for i := range n {
		if !slices.Contains(list, i) {
			rest = append(rest, i)
		}
	}
	return rest
}

// bound is L* at l.
func boundAt(v *infer.Evidence, l field.Latent) float64 {
	value := v.At(new(psi.Scratch), l.Mu, l.S, nil, nil)
	return value
}

// difference returns max|a − b|.
func difference(a, b mat.Matrix) float64 {
	d := mat.New(a.Rows, a.Cols)
	mat.Add(d, a, -1, b)
	return mat.NormMax(d)
}

// scaled returns factor·a.
func scaled(a mat.Matrix, factor float64) mat.Matrix {
	b := mat.New(a.Rows, a.Cols)
	mat.Scale(b, factor, a)
	return b
}

// one is a list of one number.
func one(v float64) []float64 { return []float64{v} }

// line returns n equally spaced points of one dimension.
func line(n int) mat.Matrix {
	x := mat.New(n, 1)
	for i := range n {
		x.Data[i] = float64(i)
	}
	return x
}

// bumps are examples of one channel on a 6×5 grid: a bump whose place follows a
// curve, with a little noise; in the user's units.
func bumps(examples int, seed uint64) mat.Matrix {
	const height, width = 6, 5
	rng := rand.New(rand.NewPCG(seed, 20))
	y := mat.New(examples*height*width, 1)
	for n := range examples {
		sin, cos := math.Sincos(2 * math.Pi * float64(n) / float64(examples))
		a, b := height*(0.5+0.3*cos), width*(0.5+0.3*sin)
		for i := range height {
			for j := range width {
				r := math.Pow(float64(i)-a, 2) + math.Pow(float64(j)-b, 2)
				y.Set((n*height+i)*width+j, 0, 100+40*math.Exp(-r/8)+rng.NormFloat64())
			}
		}
	}
	return y
}

// bumpModel is trained once for all tests that use it, from a circle.
var bumpModel = sync.OnceValues(func() (*reference.Model, error) {
	const n = 16
	y, err := data.NewScaled(field.MatrixSource(bumps(n, 1), n))
	if err != nil {
		return nil, err
	}
	m := &reference.Model{Space: field.Grid{line(6), line(5)}, Y: y.Scaler.Apply(bumps(n, 1)), Jitter: 1e-6, Scaler: y.Scaler}
	p := &bound.Params{Noise: bound.Noise{Beta: 20}, Z: mat.New(8, 2)}
	p.Latent.Parts = []psi.Part{&psi.RBF{Variance: 1, LengthScale: []float64{1, 1}}}
	p.X = bound.Latents{Mu: mat.New(n, 2), S: mat.New(n, 2)}
	p.X.S.Fill(0.1)
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		copy(p.X.Mu.Row(i), []float64{1.4 * cos, 1.4 * sin})
		copy(p.Z.Row(i/2), p.X.Mu.Row(i))
	}
	for range m.Space {
		p.Space = append(p.Space, bound.Spatial{Kernel: kernel.Kernel{Kind: kernel.Matern32, Variance: 1, LengthScale: []float64{2}}})
	}
	m.Params = p
	e, grad, c := m.Evaluator(), p.Clone(), bound.Coordinates{Free: bound.GroupAll}
	x := make([]float64, c.Count(p))
	c.Pack(x, p)
	r, err := lbfgs.Minimize(context.Background(), func(x, slope []float64) float64 {
		c.Unpack(p, x)
		value, err := e.Evaluate(context.Background(), p, grad, bound.GroupAll)
		if err != nil {
			return math.NaN()
		}
		c.PackGradient(slope, p, grad)
		for i := range slope {
			slope[i] = -slope[i]
		}
		return -value
	}, x, lbfgs.Options{MaxIterations: 150})
	c.Unpack(p, r.X)
	return m, err
})

// trained returns the model of bumps, with a posterior of its own.
func trained(t testing.TB) model {
	t.Helper()
	m, err := bumpModel()
	if err != nil {
		t.Fatal(err)
	}
	return saying(t, m, Options{})
}
