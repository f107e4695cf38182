package sgplvm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
)

// PriorLatent returns the prior of a latent variable, N(0, I), as a posterior that has
// seen nothing; for a certain time see LatentAt.
func (m *Model) PriorLatent() Latent { return (*normal)(nil).latent(m.params.Mu.Cols) }

// TrainingLatent returns q(x) of training example i, which is counted from 0. It
// panics if there is no such example. Its Bound is 0: examples share one.
func (m *Model) TrainingLatent(i int) Latent {
	if i < 0 || i >= m.Examples() {
		panic(fmt.Sprintf("sgplvm: TrainingLatent: example %d of %d", i, m.Examples()))
	}
	l := Latent{Mu: slices.Clone(m.params.Mu.Row(i)), S: slices.Clone(m.params.S.Row(i)), Noise: 1, Start: i}
	if m.params.dynamic() {
		l.At = &m.params.Dynamics.Instants()[i]
	}
	return l
}

// Sample draws from N(Mu, diag S): a row for each of count points, count×d_ξ. The same
// seed gives the same points, and a larger count the same ones first.
func (l Latent) Sample(count int, seed uint64) mat.Matrix {
	rng := rand.New(rand.NewPCG(seed, 0x6c6174656e74))
	x := mat.New(count, len(l.Mu))
	for k := range count {
		for q, mu := range l.Mu {
			x.Row(k)[q] = mu + math.Sqrt(l.S[q])*rng.NormFloat64()
		}
	}
	return x
}

// SampleOptions steer sampling. The zero value draws one field without noise.
type SampleOptions struct {
	Count int    // number of fields; 0: 1
	Seed  uint64 // decides everything random
	Noise bool   // add the noise, white and structured, as the data have it
}

// Samples are fields drawn from a model, in the user's units.
type Samples struct {
	X mat.Matrix   // count×d_ξ: the latent point of each
	Y []mat.Matrix // count of n_s*×d_y
}

// Sample draws whole fields, all points and channels at once, at the points of a grid
// (nil: the training grid): each has a latent point of its own from l, inducing
// variables from q(U) and the rest from the prior given these. Where l has no variance
// the fields have mean and covariance of PredictCovariance. The n_s*×n_s* covariance is
// not formed; an n_f*×n_f* matrix of each factor is decomposed when a grid is first
// sampled. The same options give the same bits at any GOMAXPROCS. Errors: *ConfigError,
// *FactorizationError, ctx.Err().
func (m *Model) Sample(ctx context.Context, l Latent, g Grid, o SampleOptions) (Samples, error) {
	if o.Count < 0 {
		return Samples{}, &ConfigError{Field: "SampleOptions", Err: fmt.Errorf("Count %d, expected no negative number", o.Count)}
	}
	count := max(1, o.Count)
	q, on, err := m.prepare(l, g)
	if err != nil {
		return Samples{}, err
	}
	s, err := on.sampler()
	if err != nil {
		return Samples{}, err
	}
	r := Samples{X: l.Sample(count, o.Seed)}
	n, dy := on.grid.Len(), q.channels()
	step := max(1, min(count, slabNumbers/(n*dy)))
	noise := 0.
	if o.Noise {
		noise = l.noise()
	}
	for from := 0; from < count; from += step {
		if err := ctx.Err(); err != nil {
			return Samples{}, err
		}
		to := min(from+step, count)
		y, err := s.draw(r.X.Slice(from, to, 0, r.X.Cols), l.At, o.Seed, from, noise)
		if err != nil {
			return Samples{}, err
		}
		for k := range to - from {
			field := mat.New(n, dy)
			for c, scale := range m.scaler.Scale {
				for i, v := range y[(k*dy+c)*n : (k*dy+c+1)*n] {
					field.Row(i)[c] = m.scaler.Mean[c] + scale*v
				}
			}
			r.Y = append(r.Y, field)
		}
	}
	return r, nil
}

// A sampler draws f at the points of a grid for a certain x by Matheron's rule,
//
//	f = K_*u·K_uu⁻¹·u + [f' − K_*u·K_uu⁻¹·f'_u],   u ~ q(U), f' ~ the prior
//
// of which it draws both parts as what they are, so that no K_uu⁻¹ remains. With
// Q_f = K_f(X*, X_u)·K_f⁻¹·K_f(X_u, X*), k0 = k(x, x), τ = (T_0ᵀ·ψ1)∘² and q0 = Σ τ_i their
// covariances are
//
//	first   (⊗Q_f^½)·diag(Σ_i τ_i·β⁻¹/d_ij)·(⊗Q_f^½)ᵀ,   around the mean P·ψ1
//	second  k0·⊗K_f − q0·⊗Q_f = (k0 − q0)·⊗K_f + q0·Σ_f Q_1 ⊗ … ⊗ (K_f − Q_f) ⊗ K_f+1 ⊗ …
//
// a sum of Kronecker products with non-negative weights. Matheron's rule: Journel and
// Huijbregts (1978); for sparse Gaussian processes: Wilson et al., "Efficiently sampling
// functions from Gaussian process posteriors" (2020).
type sampler struct {
	q  *posterior
	on *projection

	whole   kronprod.Operator                 // ⊗K_f^½
	known   kronprod.Operator                 // ⊗Q_f^½
	rest    []kronprod.Operator               // the terms of ⊗K_f − ⊗Q_f that do not vanish
	unknown mat.Matrix                        // β⁻¹/d_ij, m_ξ×Π m_f
	noise   func() (kronprod.Operator, error) // Σ^½, n_s*×n_s*
}

// leastMode bounds the modes of a tied factor that determine f off its points, as a
// fraction of the largest eigenvalue: of smaller ones rounding has taken the
// eigenvectors. What they explain, at most λ0·β·leastMode of the prior variance, is drawn
// from the prior. The same fraction of the prior variance is added to each point's where
// that helps against rounding.
const leastMode = 1e-12

// newSampler decomposes what sampling on a grid needs.
func newSampler(q *posterior, on *projection) (*sampler, error) {
	s := &sampler{q: q, on: on}
	var rest []mat.Matrix // (K_f − Q_f)^½ of each factor; 0×0 where it vanishes
	for f, x := range on.grid {
		known, err := s.knownRoot(f)
		if err != nil {
			return nil, err
		}
		whole, remainder := known, mat.Matrix{}
		if u := q.factors[f+1]; !u.tied || !equalMatrix(x, q.inducing[f]) {
			nugget := leastMode * q.params.Spatial[f].Variance
			if whole, err = root(on.kss[f](), nugget); err != nil {
				return nil, &FactorizationError{Factor: f + 1, Err: err}
			}
			unexplained := on.kss[f]().Clone()
			mat.Syrk(unexplained, -1, known, 1)
			if remainder, err = root(unexplained, nugget); err != nil {
				return nil, &FactorizationError{Factor: f + 1, Err: err}
			}
		}
		s.whole.Factors = append(s.whole.Factors, whole)
		s.known.Factors = append(s.known.Factors, known)
		rest = append(rest, remainder)
	}
	for f, remainder := range rest {
		if remainder.Rows > 0 {
			factors := append(slices.Clone(s.known.Factors[:f]), remainder)
			s.rest = append(s.rest, kronprod.Of(append(factors, s.whole.Factors[f+1:]...)...))
		}
	}
	s.noise = sync.OnceValues(func() (kronprod.Operator, error) {
		noise, err := root(q.noise(on), 0)
		if err != nil {
			return kronprod.Operator{}, fmt.Errorf("sgplvm: noise covariance: %w", err)
		}
		return kronprod.Of(noise), nil
	})
	s.unknown = q.unknown()
	return s, nil
}

// knownRoot returns Q_f^½ = K_f(X*, X_u)·T_f, n*_f×m_f.
func (s *sampler) knownRoot(f int) (mat.Matrix, error) {
	u, phi := s.q.factors[f+1], s.on.phi.Factors[f]
	if !u.tied {
		return phi, nil
	}
	scale := make([]float64, u.size())
	known := mat.New(phi.Rows, phi.Cols)
	if !equalMatrix(s.on.grid[f], s.q.inducing[f]) {
		least := leastMode * slices.Max(u.lambda)
		for j, v := range u.lambda {
			if v > least {
				scale[j] = 1 / math.Sqrt(v)
			}
		}
		mat.ScaleCols(known, phi, scale)
		return known, nil
	}
	for j, v := range u.lambda {
		scale[j] = math.Sqrt(v)
	}
	basis := u.coord // K·V = V·diag(s), and K·Ū = Σ·Ū·diag(s) where the noise is structured
	switch {
	case s.q.params.structured():
		basis = mat.New(phi.Rows, phi.Cols)
		mat.Mul(basis, 1, s.q.noise(s.on), u.coord, 0)
	case basis.Rows == 0:
		basis = mat.Identity(phi.Rows)
	}
	mat.ScaleCols(known, basis, scale)
	return known, nil
}

// root returns a factor R, R·Rᵀ = a + nugget·I, of a symmetric matrix: its Cholesky factor,
// or V·diag(w)^½ of a = V·diag(w)·Vᵀ, without the nugget, where rounding has left it
// indefinite. Cholesky is some 50 times as fast.
func root(a mat.Matrix, nugget float64) (mat.Matrix, error) {
	var l chol.Factor
	if l.RefactorizeShifted(a, nugget) == nil {
		return l.L(), nil
	}
	spectrum, err := eig.Sym(a)
	if err != nil {
		return mat.Matrix{}, err
	}
	for j, w := range spectrum.Values {
		spectrum.Values[j] = math.Sqrt(max(w, 0))
	}
	mat.ScaleCols(spectrum.Vectors, spectrum.Vectors, spectrum.Values)
	return spectrum.Vectors, nil
}

// unknown returns β⁻¹/d_ij, the share of the prior variance that q(U) leaves.
func (q *posterior) unknown() mat.Matrix {
	var spatial [][]float64
	for _, s := range q.factors[1:] {
		spatial = append(spatial, s.lambda)
	}
	lambda, beta := kronprod.Vectors(spatial...), q.params.precision()
	share := mat.New(q.factors[0].size(), len(lambda))
	for i, l0 := range q.factors[0].lambda {
		row := share.Row(i)
		for j, l := range lambda {
			row[j] = 1 / (1 + beta*l0*l)
		}
	}
	return share
}

// draw returns f for the latent points in the rows of x, at a time, with noise of the given multiple
// of the training data's: for each point and channel n_s* numbers, in the model's units.
// Point k is number from+k of its batch.
func (s *sampler) draw(x mat.Matrix, at *Instant, seed uint64, from int, noise float64) ([]float64, error) {
	count, n, dy := x.Rows, s.on.grid.Len(), s.q.channels()
	y := make([]float64, count*dy*n)
	streams := make([]*rand.Rand, count)
	for k := range streams {
		streams[k] = rand.New(rand.NewPCG(seed, 0x6669656c00000000+uint64(from+k)))
	}
	// add draws standard normal numbers, a row for each of the operator's columns in
	// every field, scales them and adds their product with the operator.
	add := func(o kronprod.Operator, scale func(k int, z []float64)) {
		dims := []int{count * dy}
		size := 1
		for _, a := range o.Factors {
			dims = append(dims, a.Cols)
			size *= a.Cols
		}
		z := kronprod.NewTensor(dims...)
		mat.Parallel(count, func(k int) {
			for c := range dy {
				row := z.Data[(k*dy+c)*size : (k*dy+c+1)*size]
				for j := range row {
					row[j] = streams[k].NormFloat64()
				}
				scale(k, row)
			}
		})
		fields := kronprod.Operator{Factors: append([]mat.Matrix{{}}, o.Factors...)}
		asm.Axpy(1, fields.MulTensor(make([]float64, len(y)), z, nil).Data, y)
	}
	constant := func(variance func(k int) float64) func(k int, z []float64) {
		return func(k int, z []float64) { asm.Scale(z, math.Sqrt(max(0, variance(k))), z) }
	}

	t, left := s.q.certain(x, at), mat.New(count, s.unknown.Cols)
	mat.Mul(left, 1, t.tau, s.unknown, 0)
	for c, p := range s.on.p {
		fields := mat.Matrix{Rows: count, Cols: n, RowStride: dy * n, ColStride: 1, Data: y[c*n:]}
		mat.Mul(fields, 1, t.psi1, p.T(), 0)
	}
	beyond := func(k int) float64 { return t.k0[k] - t.q0[k] }
	if len(s.rest) > 0 {
		add(s.whole, constant(beyond))
		for _, o := range s.rest {
			add(o, constant(func(k int) float64 { return t.q0[k] }))
		}
		beyond = func(int) float64 { return 0 }
	}
	add(s.known, func(k int, z []float64) { // with ⊗K_f, where that is ⊗Q_f
		for j, v := range left.Row(k) {
			z[j] *= math.Sqrt(max(0, v+beyond(k)))
		}
	})
	switch {
	case noise > 0 && s.q.params.structured():
		structured, err := s.noise()
		if err != nil {
			return nil, err
		}
		add(structured, constant(func(int) float64 { return noise }))
	case noise > 0:
		deviation := math.Sqrt(noise / s.q.params.Beta)
		mat.Parallel(count, func(k int) {
			field := y[k*dy*n : (k+1)*dy*n]
			for i := range field {
				field[i] += deviation * streams[k].NormFloat64()
			}
		})
	}
	return y, nil
}
