package reference

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Model is a model with its data.
type Model struct {
	Params *bound.Params
	Space  field.Grid
	Y      mat.Matrix // (n_ξ·n_s)×d_y, in the model's units; NaN: missing
	Errors mat.Matrix // known standard errors of Y, likewise; 0×0: none
	Jitter float64
	Scaler data.Scaler // to the user's units
	Seed   uint64
}

// Channels returns d_y.
func (m *Model) Channels() int { return m.Y.Cols }

// Examples returns n_ξ.
func (m *Model) Examples() int { return m.Params.X.Mu.Rows }

// Evaluator returns a new evaluator of the bound.
func (m *Model) Evaluator() *bound.Evaluator {
	n := m.Examples()
	y := &data.Scaled{Source: field.MatrixSource(m.Y, n), Examples: n, Points: m.Y.Rows / n, Channels: m.Y.Cols, Scaler: Unscaled(m.Y.Cols)}
	for _, v := range m.Y.Data {
		if v != v {
			y.Missing++
		}
	}
	if m.Errors.Rows > 0 {
		y.Errors = field.MatrixSource(m.Errors, n)
	}
	return bound.NewEvaluator(y, m.Space, m.Jitter)
}

// Unscaled leaves data in the model's units.
func Unscaled(channels int) data.Scaler {
	return data.Scaler{Mean: make([]float64, channels), Scale: work.Ones(channels)}
}

// UserValues returns values of the model's units in the user's.
func (m *Model) UserValues(v mat.Matrix) mat.Matrix {
	u := mat.New(v.Rows, v.Cols)
	for i := range v.Rows {
		for c := range v.Cols {
			u.Set(i, c, m.Scaler.Mean[c]+m.Scaler.Scale[c]*v.At(i, c))
		}
	}
	return u
}

// Model draws the parameters and the data. Points are jittered lattices and length scales about
// their spacing, so that kernel matrices have condition numbers below 10⁶ and the dense formulas 9
// digits or more. The scaler is not the identity; the data are drawn in the model's units.
func (s Shape) Model(t testing.TB) *Model {
	t.Helper()
	rng := rand.New(rand.NewPCG(s.Seed, 2))
	other := rand.New(rand.NewPCG(s.Seed, 2020))
	p := &bound.Params{Noise: bound.Noise{Beta: uniform(rng, 2, 20)}}
	rbf := &psi.RBF{Variance: uniform(rng, 0.5, 2), LengthScale: make([]float64, s.Latent)}
	p.X = bound.Latents{Mu: lattice(rng, s.Examples, s.Latent, 1), S: mat.New(s.Examples, s.Latent)}
	p.Z = lattice(rng, s.Inducing, s.Latent, 1.2)
	for q := range s.Latent {
		rbf.LengthScale[q] = uniform(rng, 0.6, 1.2)
		for n := range s.Examples {
			p.X.S.Set(n, q, uniform(rng, 0.05, 0.6))
		}
	}
	m := &Model{Params: p, Jitter: s.Jitter, Seed: s.Seed}
	s.addSpace(m, rng)
	s.addLatentKernel(p, rbf, other)
	if s.Residual != "" {
		p.Noise.Residual = kernel.Kernel{Kind: s.Residual, Variance: 0.1 + 0.5*other.Float64()}
		for range max(1, len(p.Space[0].Kernel.LengthScale)) {
			p.Noise.Residual.LengthScale = append(p.Noise.Residual.LengthScale, 0.5+other.Float64())
		}
		p.Noise.Floor = 0.5 / p.Noise.Beta * other.Float64()
	}
	if s.Time != "" {
		s.addPaths(t, p)
	}
	if s.TimePart != "" {
		part := &psi.Time{Variance: uniform(rng, 0.5, 1.5), Kernel: Parsed(t, s.TimePart).Complete(1.1, 3)}
		p.Latent.Parts = append(p.Latent.Parts, part)
		p.ZExamples = rand.New(rand.NewPCG(s.Seed, 78)).Perm(s.Examples)[:s.Inducing]
	}
	if err := p.Validate(m.Space); err != nil {
		t.Fatal(err)
	}
	m.Y = mat.New(s.Examples*m.Space.Len(), s.Channels)
	for i := range m.Y.Data {
		m.Y.Data[i] = rng.NormFloat64()
	}
	for range s.Channels {
		m.Scaler.Mean = append(m.Scaler.Mean, 5*rng.NormFloat64())
		m.Scaler.Scale = append(m.Scaler.Scale, uniform(rng, 0.1, 10))
	}
	return m
}

func uniform(rng *rand.Rand, low, high float64) float64 { return low + (high-low)*rng.Float64() }

// lattice returns n points of d dimensions, jittered.
func lattice(rng *rand.Rand, n, d int, spacing float64) mat.Matrix {
	x := mat.New(n, d)
	for i := range n {
		for q := range d {
			x.Set(i, q, 0.2*rng.NormFloat64())
		}
		x.Row(i)[i%d] += spacing * (float64(i) - float64(n-1)/2)
	}
	return x
}

// addSpace draws the spatial factors.
func (s Shape) addSpace(m *Model, rng *rand.Rand) {
	for _, f := range s.Space {
		x, own := lattice(rng, f.Points, f.Dims, 1), bound.Spatial{Kernel: kernel.Kernel{Kind: f.Kind, Variance: uniform(rng, 0.5, 2)}}
		scales := 1
		if f.ARD {
			scales = f.Dims
		}
		for range scales {
			if f.Kind != kernel.White {
				own.Kernel.LengthScale = append(own.Kernel.LengthScale, uniform(rng, 0.6, 1.2))
			}
		}
		if f.Inducing > 0 {
			own.Xu = lattice(rng, f.Inducing, f.Dims, float64(f.Points)/float64(f.Inducing))
		}
		m.Space = append(m.Space, x)
		m.Params.Space = append(m.Params.Space, own)
	}
}

// addLatentKernel draws the latent kernel's parts but that of time.
func (s Shape) addLatentKernel(p *bound.Params, rbf *psi.RBF, rng *rand.Rand) {
	if s.Parts == 0 || s.Parts.Has(RBF) {
		p.Latent.Parts = append(p.Latent.Parts, rbf)
	}
	if s.Parts.Has(Linear) {
		linear := new(psi.Linear)
		for range s.Latent {
			linear.Variance = append(linear.Variance, 0.2+rng.Float64())
		}
		p.Latent.Parts = append(p.Latent.Parts, linear)
	}
	if s.Parts.Has(Bias) {
		p.Latent.Parts = append(p.Latent.Parts, &psi.Bias{Variance: 0.2 + rng.Float64()})
	}
}

// addPaths gives p a dynamical prior under which its latent means and variances are about what they
// are: irregular times in no order, two of them equal, of sequences of unequal lengths with labels
// in no order.
func (s Shape) addPaths(t testing.TB, p *bound.Params) {
	t.Helper()
	rng := rand.New(rand.NewPCG(s.Seed, 77))
	prior := dynamics.Prior{Kernel: Parsed(t, s.Time).Complete(1.7, 2.5)}
	for i := range s.Examples {
		prior.Times = append(prior.Times, float64((3*i)%s.Examples)+0.4*rng.Float64())
		if s.Sequences > 1 {
			prior.Sequences = append(prior.Sequences, 5-(i*i)%s.Sequences)
		}
	}
	if s.Examples > 3 {
		prior.Times[3] = prior.Times[0]
	}
	p.X.Paths = &dynamics.Params{Prior: prior, MuBar: p.X.Mu.Clone(), Lambda: p.X.S.Clone()}
	for i := range p.X.Paths.Lambda.Data {
		p.X.Paths.Lambda.Data[i] = 0.3 + 5*rng.Float64()
	}
	SetMarginals(t, p)
}

// SetMarginals sets Mu and S of p to those of its paths.
func SetMarginals(t testing.TB, p *bound.Params) {
	t.Helper()
	if _, err := dynamics.NewEvaluator(p.X.Paths.Prior).Marginals(p.X.Paths, p.X.Mu, p.X.S); err != nil {
		t.Fatal(err)
	}
}

// Parsed reads a kernel.
func Parsed(t testing.TB, text string) kernel.Kernel {
	t.Helper()
	k, err := kernel.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// RandomLatent draws N(mu, diag s) of one example's latent variables.
func RandomLatent(rng *rand.Rand, d int) (mu, s []float64) {
	mu, s = make([]float64, d), make([]float64, d)
	for q := range d {
		mu[q] = rng.NormFloat64()
		s[q] = 0.05 + rng.Float64()
	}
	return mu, s
}

// RandomGrid draws points that are not those of the model, a few per factor.
func (m *Model) RandomGrid(rng *rand.Rand) field.Grid {
	var g field.Grid
	for _, x := range m.Space {
		points := mat.New(1+rng.IntN(3), x.Cols)
		for i := range points.Data {
			points.Data[i] = 2 * rng.NormFloat64()
		}
		g = append(g, points)
	}
	return g
}
