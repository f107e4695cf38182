package sgplvm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// The collapsed bound is the uncollapsed one, trace term and all, at q(U) with
// the model's own α, and any other mean of q(U) gives less.
func TestUncollapsed(t *testing.T) {
	for seed := range uint64(sizes(50)) {
		shape := randomShape(1000 + seed)
		m := shape.model(t)
		d := newDense(m)
		q := m.mustReady(t)
		alpha := newRows(m.channels, len(d.kuu))
		for u := range d.kuu {
			for c := range m.channels {
				alpha[c][u] = q.alpha.Data[u*m.channels+c]
			}
		}
		bound := m.mustBound(t)
		near(t, shape.String(), one(d.uncollapsed(alpha)), one(bound), 1e-9)

		rng := rand.New(rand.NewPCG(seed, 4))
		for c := range alpha {
			for u := range alpha[c] {
				alpha[c][u] += 0.01 * rng.NormFloat64()
			}
		}
		if v := d.uncollapsed(alpha); !(v < bound) {
			t.Errorf("%v: %v away from the optimal q(U), above the bound %v", shape, v, bound)
		}
	}
}

// logGaussian is log N(y | 0, cov).
func logGaussian(y []float64, cov rows) float64 {
	l := choleskyOf(cov)
	return -0.5 * (float64(len(y))*math.Log(2*math.Pi) + logDetOf(l) + inner(y, solveWith(l, y)))
}

// logEvidenceGiven is log p(Y | X) for latent points x, by the full covariance
// of all data.
func logEvidenceGiven(m *Model, x mat.Matrix) float64 {
	p, points := m.params, gridPoints(m.space)
	n, ns := x.Rows*len(points), len(points)
	cov := newRows(n, n)
	for i := range n {
		for j := range n {
			cov[i][j] = latentCovarianceOf(p.Latent, x.Row(i/ns), x.Row(j/ns)) * spatialCovariance(p, points[i%ns], points[j%ns])
		}
		cov[i][i] += 1 / p.Beta
	}
	var sum float64
	for c := range m.channels {
		y := make([]float64, n)
		for i := range y {
			y[i] = m.problem.observations().Data[i*m.channels+c]
		}
		sum += logGaussian(y, cov)
	}
	return sum
}

// logEvidence is log p(Y) where the covariance depends on one number: for one
// example with one latent dimension, x ~ N(0, 1); for two whose latent kernel has
// no linear part, x₁ − x₂ ~ N(0, 2).
func logEvidence(m *Model) float64 {
	x := m.params.Mu.Clone()
	x.Fill(0)
	variance := float64(x.Rows)
	// The trapezoidal rule converges exponentially for such integrands.
	const step, reach = 0.02, 12.0
	var logs []float64
	for at := -reach; at <= reach; at += step {
		x.Set(0, 0, at)
		logs = append(logs, logEvidenceGiven(m, x)-at*at/(2*variance))
	}
	largest, sum := slices.Max(logs), 0.0
	for _, v := range logs {
		sum += step * math.Exp(v-largest)
	}
	return largest + math.Log(sum) - 0.5*math.Log(2*math.Pi*variance)
}

// With S → 0, all points as inducing points and the KL given back, nothing is
// approximated; with fewer inducing points the bound can only be lower.
func TestBoundAtCertainLatentPoints(t *testing.T) {
	for seed := range uint64(sizes(30)) {
		shape := randomShape(2000 + seed)
		shape.parts |= LatentRBF // no jitter
		shape.jitter = 0
		for f := range shape.space {
			shape.space[f].inducing = 0
		}
		full := shape
		full.inducing = full.examples
		m := full.model(t)
		m.params.Z = m.params.Mu.Clone()
		m.params.S.Fill(1e-13)
		got := m.mustBound(t) + independentKL(m.params.Mu, m.params.S, nil)
		exact := logEvidenceGiven(m, m.params.Mu)
		near(t, full.String(), one(got), one(exact), 1e-9)

		m = shape.model(t)
		m.params.S.Fill(1e-13)
		got = m.mustBound(t) + independentKL(m.params.Mu, m.params.S, nil)
		if exact = logEvidenceGiven(m, m.params.Mu); !(got <= exact+1e-9*math.Abs(exact)) {
			t.Errorf("%v: bound %v above the log evidence %v given the latent points", shape, got, exact)
		}
	}
}

func TestBoundBelowEvidence(t *testing.T) {
	for seed := range uint64(sizes(20)) {
		shape := randomShape(3000 + seed)
		shape.examples, shape.inducing, shape.latent = 1, 1, 1
		if seed%2 == 0 && shape.parts&LatentLinear == 0 {
			shape.examples, shape.inducing = 2, 1+int(seed/2%2)
		}
		m := shape.model(t)
		before, exact := m.mustBound(t), logEvidence(m)
		if !(before <= exact) {
			t.Errorf("%v: bound %v above the log evidence %v", shape, before, exact)
		}
		r, err := m.Fit(context.Background(), FitOptions{Iterations: 60, Warmup: -1})
		if err != nil {
			t.Fatal(err)
		}
		// Noise that vanishes in training multiplies the rounding of ‖Y‖² and ψ0.
		b := m.problem
		slack := 1e-9 + 16*0x1p-52*m.params.Beta*(b.yy+b.psi0(m.params))
		if exact = logEvidence(m); !(r.Bound <= exact+slack) || !(r.Bound > before) {
			t.Errorf("%v: trained from %v to %v, log evidence %v", shape, before, r.Bound, exact)
		}
	}
}

// The truth that the test above compares with, at a point where it is known:
// with a white spatial kernel of variance 0 in the limit, the data are noise.
func TestLogEvidenceOfNoise(t *testing.T) {
	m := modelShape{examples: 2, inducing: 2, latent: 1, channels: 1, space: []factorShape{{points: 3, dims: 1, kind: White}}}.model(t)
	m.params.Latent.Variance = 1e-14
	var want float64
	for _, y := range m.problem.observations().Data {
		want += 0.5*math.Log(m.params.Beta/(2*math.Pi)) - m.params.Beta/2*y*y
	}
	near(t, "log evidence", one(logEvidence(m)), one(want), 1e-11)
}

// rebuilt is a model of other data and parameters in the model's own units.
func rebuilt(space Grid, p *Params, y mat.Matrix, jitter float64) *Model {
	return &Model{space: space, channels: y.Cols, params: p, jitter: jitter, scaler: Scaler{Mean: make([]float64, y.Cols), Scale: ones(y.Cols)},
		problem: problemOf(y, p.Mu.Rows, space, jitter)}
}

// twin is a model that must say the same as another one about the same things.
type twin struct {
	model          *Model
	point, channel []int     // where the original's point and channel are; nil: where they were
	latent         []int     // which original latent dimension each one is; nil: the same
	mirror         []float64 // signs of the latent coordinates; nil: ones
	sign           float64   // of the data; 0: 1
}

func permuted(a mat.Matrix, rows, cols []int) mat.Matrix {
	if rows == nil {
		rows = identity(a.Rows)
	}
	if cols == nil {
		cols = identity(a.Cols)
	}
	b := mat.New(a.Rows, a.Cols)
	for i := range a.Rows {
		for j := range a.Cols {
			b.Set(i, j, a.At(rows[i], cols[j]))
		}
	}
	return b
}

func identity(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

// inverted returns the inverse permutation.
func inverted(p []int) []int {
	q := make([]int, len(p))
	for i, j := range p {
		q[j] = i
	}
	return q
}

var twins = map[string]func(rng *rand.Rand, m *Model) twin{
	"examples permuted": func(rng *rand.Rand, m *Model) twin {
		p, ns := m.params.clone(), m.space.Len()
		order := rng.Perm(p.Mu.Rows)
		p.Mu, p.S = permuted(p.Mu, order, nil), permuted(p.S, order, nil)
		var rows []int
		for _, i := range order {
			for j := range ns {
				rows = append(rows, i*ns+j)
			}
		}
		return twin{model: rebuilt(m.space, p, permuted(m.problem.observations(), rows, nil), m.jitter)}
	},
	"latent dimensions permuted": func(rng *rand.Rand, m *Model) twin {
		p := m.params.clone()
		order := rng.Perm(p.Mu.Cols)
		p.Mu, p.S, p.Z = permuted(p.Mu, nil, order), permuted(p.S, nil, order), permuted(p.Z, nil, order)
		for q, from := range order {
			if p.Latent.LengthScale != nil {
				p.Latent.LengthScale[q] = m.params.Latent.LengthScale[from]
			}
			if p.Latent.Linear != nil {
				p.Latent.Linear[q] = m.params.Latent.Linear[from]
			}
		}
		return twin{model: rebuilt(m.space, p, m.problem.observations(), m.jitter), latent: order}
	},
	"a latent dimension reflected": func(rng *rand.Rand, m *Model) twin {
		p := m.params.clone()
		mirror := ones(p.Mu.Cols)
		mirror[rng.IntN(len(mirror))] = -1
		mat.ScaleCols(p.Mu, p.Mu, mirror)
		mat.ScaleCols(p.Z, p.Z, mirror)
		return twin{model: rebuilt(m.space, p, m.problem.observations(), m.jitter), mirror: mirror}
	},
	"inducing points permuted": func(rng *rand.Rand, m *Model) twin {
		p := m.params.clone()
		p.Z = permuted(p.Z, rng.Perm(p.Z.Rows), nil)
		for f, u := range p.Xu {
			p.Xu[f] = permuted(u, rng.Perm(u.Rows), nil)
		}
		return twin{model: rebuilt(m.space, p, m.problem.observations(), m.jitter)}
	},
	"space translated": func(rng *rand.Rand, m *Model) twin {
		p := m.params.clone()
		moves := make(rows, len(m.space))
		for f, x := range m.space {
			for range x.Cols {
				moves[f] = append(moves[f], float64(rng.IntN(200)-100))
			}
		}
		moved := func(x mat.Matrix, f int) mat.Matrix {
			x = x.Clone()
			for i := range x.Rows {
				for q := range x.Cols {
					x.Row(i)[q] += moves[f][q]
				}
			}
			return x
		}
		var space Grid
		for f, x := range m.space {
			space = append(space, moved(x, f))
			p.Xu[f] = moved(p.Xu[f], f)
		}
		return twin{model: rebuilt(space, p, m.problem.observations(), m.jitter)}
	},
	"data negated": func(rng *rand.Rand, m *Model) twin {
		y := m.problem.observations().Clone()
		mat.Scale(y, -1, y)
		return twin{model: rebuilt(m.space, m.params.clone(), y, m.jitter), sign: -1}
	},
	"channels permuted": func(rng *rand.Rand, m *Model) twin {
		order := rng.Perm(m.channels)
		return twin{model: rebuilt(m.space, m.params.clone(), permuted(m.problem.observations(), nil, order), m.jitter), channel: inverted(order)}
	},
	"points permuted": func(rng *rand.Rand, m *Model) twin {
		orders := make([][]int, len(m.space))
		var space Grid
		for f, x := range m.space {
			orders[f] = rng.Perm(x.Rows)
			space = append(space, permuted(x, orders[f], nil))
		}
		points := []int{0} // which original point stands at each place
		for f, order := range orders {
			var next []int
			for _, base := range points {
				for _, i := range order {
					next = append(next, base*m.space[f].Rows+i)
				}
			}
			points = next
		}
		ns := len(points)
		var all []int
		for i := range m.params.Mu.Rows {
			for _, j := range points {
				all = append(all, i*ns+j)
			}
		}
		return twin{model: rebuilt(space, m.params.clone(), permuted(m.problem.observations(), all, nil), m.jitter), point: inverted(points)}
	},
	"last spatial factor first": func(rng *rand.Rand, m *Model) twin {
		p := m.params.clone()
		k := len(m.space) - 1
		space := append(Grid{m.space[k]}, m.space[:k]...)
		p.Spatial = append([]Kernel{p.Spatial[k]}, p.Spatial[:k]...)
		p.Xu = append([]mat.Matrix{p.Xu[k]}, p.Xu[:k]...)
		nk, others := m.space[k].Rows, m.space.Len()/m.space[k].Rows
		y, moved := m.problem.observations(), mat.New(len(m.problem.observations().Data)/m.channels, m.channels)
		place := make([]int, nk*others)
		for j := range place {
			place[j] = j%nk*others + j/nk
		}
		for i := range y.Rows {
			copy(moved.Row(i-i%len(place)+place[i%len(place)]), y.Row(i))
		}
		return twin{model: rebuilt(space, p, moved, m.jitter), point: place}
	},
	"variance moved between kernels": func(rng *rand.Rand, m *Model) twin {
		p := m.params.clone()
		p.Latent.Variance *= 3
		p.Latent.Bias *= 3
		for q := range p.Latent.Linear {
			p.Latent.Linear[q] *= 3
		}
		p.Spatial[0].Variance /= 3
		return twin{model: rebuilt(m.space, p, m.problem.observations(), m.jitter)}
	},
}

func TestInvariances(t *testing.T) {
	for name, change := range twins {
		for seed := range uint64(sizes(20)) {
			shape := randomShape(4000 + seed)
			rng := rand.New(rand.NewPCG(seed, 5))
			m := shape.model(t)
			m = rebuilt(m.space, m.params, m.problem.observations(), m.jitter) // without a scaler
			w := change(rng, m)
			if w.sign == 0 {
				w.sign = 1
			}
			if w.mirror == nil {
				w.mirror = ones(shape.latent)
			}
			if w.latent == nil {
				w.latent = identity(shape.latent)
			}
			if w.channel == nil {
				w.channel = identity(shape.channels)
			}
			if w.point == nil {
				w.point = identity(m.space.Len())
			}
			what := name + ": " + shape.String()
			near(t, what+": bound", one(w.model.mustBound(t)), one(m.mustBound(t)), 1e-9)

			l := randomLatent(rng, shape.latent)
			other := Latent{}
			for q, from := range w.latent {
				other.Mu, other.S = append(other.Mu, w.mirror[q]*l.Mu[from]), append(other.S, l.S[from])
			}
			want, err := m.Predict(l, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := w.model.Predict(other, nil)
			if err != nil {
				t.Fatal(err)
			}
			values := masked(rng, m.space.Len(), shape.channels, 0.3, false)
			moved := mat.New(values.Rows, values.Cols)
			for i, at := range w.point {
				for c, channel := range w.channel {
					near(t, what+": mean", one(w.sign*got.Mean.At(at, channel)), one(want.Mean.At(i, c)), 1e-9)
					near(t, what+": variance", one(got.Variance.At(at, channel)), one(want.Variance.At(i, c)), 1e-9)
					moved.Set(at, channel, w.sign*values.At(i, c))
				}
			}
			near(t, what+": test bound", one(w.model.testBound(t, other, moved)), one(m.testBound(t, l, values)), 1e-9)
		}
	}
}

// testBound is L* of an example on the training grid, in the user's units.
func (m *Model) testBound(t testing.TB, l Latent, values mat.Matrix) float64 {
	t.Helper()
	q := m.mustReady(t)
	e, err := m.observe(q, Observed{Values: values})
	if err != nil {
		t.Fatal(err)
	}
	return q.mustEvidence(e).bound(q.psi, q.psi.newScratch(), l.Mu, l.S, nil, nil)
}

// Space as a product of two factors or as one, where the kernel factorises:
// squared exponential with a length scale per axis.
func TestProductIsJoint(t *testing.T) {
	for seed := range uint64(10) {
		product := modelShape{examples: 4, inducing: 3, latent: 2, channels: 2, seed: seed,
			space: []factorShape{{points: 3, dims: 1, kind: RBF}, {points: 2, dims: 2, kind: RBF, ard: true}}}
		m := product.model(t)
		p := m.params.clone()
		a, b := p.Spatial[0], p.Spatial[1]
		p.Spatial = []Kernel{{RBF, a.Variance * b.Variance, append(a.LengthScale, b.LengthScale...)}}
		p.Xu = p.Xu[:1]
		joint := mat.New(6, 3)
		for i := range 6 {
			copy(joint.Row(i), m.space[0].Row(i/2))
			copy(joint.Row(i)[1:], m.space[1].Row(i%2))
		}
		n := rebuilt(Grid{joint}, p, m.problem.observations(), 0)
		near(t, "bound", one(n.mustBound(t)), one(m.mustBound(t)), 1e-9)
	}
}

// A white spatial kernel knows nothing between points: they are so many more
// channels of a plain Bayesian GP-LVM, whose space is a single point.
func TestWhiteSpaceIsPlain(t *testing.T) {
	for seed := range uint64(10) {
		shape := modelShape{examples: 5, inducing: 3, latent: 2, channels: 2, seed: seed, jitter: 1e-6,
			space: []factorShape{{points: 3, dims: 1, kind: White}, {points: 2, dims: 1, kind: White}}}
		m := shape.model(t)
		m = rebuilt(m.space, m.params, m.problem.observations(), m.jitter)
		p := m.params.clone()
		p.Spatial = []Kernel{{Kind: Matern32, Variance: p.Spatial[0].Variance * p.Spatial[1].Variance, LengthScale: one(1)}}
		p.Xu = p.Xu[:1]
		plain := rebuilt(Grid{mat.New(1, 1)}, p, mat.NewDense(5, 12, m.problem.observations().Data), m.jitter)
		near(t, "bound", one(plain.mustBound(t)), one(m.mustBound(t)), 1e-9)

		l := randomLatent(rand.New(rand.NewPCG(seed, 6)), 2)
		want, err := m.Predict(l, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := plain.Predict(l, nil)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "mean", got.Mean.Data, want.Mean.Data, 1e-9)
		near(t, "variance", got.Variance.Data, want.Variance.Data, 1e-9)
	}
}

// Extreme noise, latent variances and length scales give a number, or an error
// that says which factor failed; never a NaN.
func TestBoundAtExtremes(t *testing.T) {
	for name, change := range map[string]func(p *Params){
		"precision 1e12":           func(p *Params) { p.Beta = 1e12 },
		"precision 1e-12":          func(p *Params) { p.Beta = 1e-12 },
		"latent variance 1e-12":    func(p *Params) { p.Latent.Variance = 1e-12 },
		"latent variance 1e12":     func(p *Params) { p.Latent.Variance = 1e12 },
		"linear variances 1e-12":   func(p *Params) { mat.Scale(mat.Vector(p.Latent.Linear), 1e-12, mat.Vector(p.Latent.Linear)) },
		"bias 1e-300":              func(p *Params) { p.Latent.Bias *= 1e-300 },
		"uncertain by 1e12":        func(p *Params) { p.S.Fill(1e12) },
		"certain to 1e-12":         func(p *Params) { p.S.Fill(1e-12) },
		"long latent scale":        func(p *Params) { p.Latent.LengthScale[0] = 1e6 },
		"short latent scale":       func(p *Params) { p.Latent.LengthScale[0] = 1e-3 },
		"long spatial scale":       func(p *Params) { p.Spatial[0].LengthScale[0] = 1e6 },
		"short spatial scale":      func(p *Params) { p.Spatial[0].LengthScale[0] = 1e-6 },
		"equal inducing points":    func(p *Params) { p.Z.Fill(0.5) },
		"latent means far away":    func(p *Params) { p.Mu.Fill(1e4) },
		"inducing points far away": func(p *Params) { p.Z.Fill(-1e4) },
	} {
		for _, parts := range []LatentParts{LatentRBF, LatentRBF | LatentLinear | LatentBias} {
			shape := modelShape{examples: 4, inducing: 3, latent: 2, channels: 2, jitter: 1e-8, parts: parts,
				space: []factorShape{{points: 3, dims: 1, kind: Matern32}, {points: 3, dims: 1, inducing: 2, kind: RBF}}}
			m := shape.model(t)
			change(m.params)
			if v := m.mustBound(t); math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s, %v: bound %v", name, parts, v)
			}
			grad := m.params.clone()
			m.problem.gradientOf(grad, m.params, groupAll)
			grad.visit(grad, groupAll, func(value, _ []float64, _ bool) {
				for _, v := range value {
					if v-v != 0 {
						t.Errorf("%s, %v: gradient entry %v", name, parts, v)
					}
				}
			})
		}
	}
}

// Where exponents lose their digits, between latent coordinates too many length
// scales apart, or a linear part or a bias so large that rounding outgrows the
// rest, there is an error that says so, or the truth; never a bound that an
// optimiser would take for a better one.
func TestBoundWhereDigitsEnd(t *testing.T) {
	const every = LatentRBF | LatentLinear | LatentBias
	for name, c := range map[string]struct {
		parts  LatentParts
		most   float64 // beyond it the truth, too, is lost in the dense formulas
		refuse bool    // something is
		change func(p *Params, far float64)
	}{
		"an inducing point far away":              {LatentRBF, 1e12, true, func(p *Params, far float64) { p.Z.Set(0, 0, far) }},
		"a short length scale":                    {LatentRBF, 1e12, true, func(p *Params, far float64) { p.Latent.LengthScale[0] = 1 / far }},
		"a latent mean far away":                  {LatentRBF, 1e12, false, func(p *Params, far float64) { p.Mu.Set(0, 0, far) }},
		"all parts, an inducing point far away":   {every, 1e12, true, func(p *Params, far float64) { p.Z.Set(0, 0, far) }},
		"all parts, a latent mean far away":       {every, 1e6, false, func(p *Params, far float64) { p.Mu.Set(0, 0, far) }},
		"all parts, a linear variance":            {every, 1e12, true, func(p *Params, far float64) { p.Latent.Linear[0] = far }},
		"all parts, a bias":                       {every, 1e12, true, func(p *Params, far float64) { p.Latent.Bias = far }},
		"linear and bias, an inducing point away": {LatentLinear | LatentBias, 1e12, false, func(p *Params, far float64) { p.Z.Set(0, 0, far) }},
		"linear and bias, a linear variance":      {LatentLinear | LatentBias, 1e12, true, func(p *Params, far float64) { p.Latent.Linear[0] = far }},
		"linear and bias, small variances":        {LatentLinear | LatentBias, 1e12, false, func(p *Params, far float64) { p.Latent.Linear[0], p.Latent.Bias = 1/far, 1/far }},
		"linear and bias, a bias":                 {LatentLinear | LatentBias, 1e12, true, func(p *Params, far float64) { p.Latent.Bias = far }},
		"bias alone":                              {LatentBias, 1e12, true, func(p *Params, far float64) { p.Latent.Bias = far }},
	} {
		refused := false
		for _, far := range []float64{1e2, 1e4, 1e6, 1e8, 3e8, 1e9, 3e9, 1e10, 1e12} {
			if far > c.most {
				break
			}
			m := modelShape{examples: 6, inducing: 4, latent: 2, channels: 2, jitter: 1e-7, parts: c.parts, space: []factorShape{{points: 3, dims: 1, kind: Matern32}}}.model(t)
			c.change(m.params, far)
			b, err := m.problem.bound(m.params)
			var at *FactorizationError
			if errors.As(err, &at) && at.Factor == 0 {
				refused = true
			} else if err != nil {
				t.Errorf("%s, %g: error %v", name, far, err)
			} else if truth := newDense(m).bound(); !(b <= truth+1e-4*math.Abs(truth)) {
				t.Errorf("%s, %g: bound %v, in truth %v", name, far, b, truth)
			}
		}
		if refused != c.refuse {
			t.Errorf("%s: something was refused: %v", name, refused)
		}
	}
}

// One evaluation allocates a few numbers for each datum and a fixed number of
// m_ξ×m_ξ tiles, not one for each example: twice the examples take at most twice
// the memory, and all of it is far below n_ξ·m_ξ² numbers.
func TestBoundMemory(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector makes pools forget")
	}
	const inducing = 100
	var last float64
	for _, examples := range []int{200, 400} {
		m := modelShape{examples: examples, inducing: inducing, latent: 3, channels: 1, jitter: 1e-6,
			space: []factorShape{{points: 8, dims: 1, kind: Matern32}, {points: 6, dims: 1, kind: Matern32}}}.model(t)
		grad := m.params.clone()
		used := math.Inf(1)
		for range 3 { // a pool may lose a buffer at any moment
			m.problem = problemOf(m.problem.observations(), examples, m.space, m.jitter)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			m.mustBound(t)
			m.problem.gradientOf(grad, m.params, groupAll)
			runtime.ReadMemStats(&after)
			used = min(used, float64(after.TotalAlloc-before.TotalAlloc))
		}
		if last > 0 && used > 2.2*last {
			t.Errorf("%d examples: %.0f bytes, %.0f for half as many", examples, used, last)
		}
		last = used
	}
	if limit := float64(8 * 400 * inducing * inducing); last > limit/2 {
		t.Errorf("%.0f bytes, expected far less than %.0f", last, limit)
	}
}
