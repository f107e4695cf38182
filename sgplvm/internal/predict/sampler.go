package predict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

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
	q  *Posterior
	on *projection

	whole kronprod.Operator                 // ⊗K_f^½
	known kronprod.Operator                 // ⊗Q_f^½
	rest  []kronprod.Operator               // the terms of ⊗K_f − ⊗Q_f that do not vanish
	noise func() (kronprod.Operator, error) // Σ^½, n_s*×n_s*
}

// minMode bounds the modes of a tied factor that determine f off its points, as a
// fraction of the largest eigenvalue: of smaller ones rounding has taken the
// eigenvectors. What they explain, at most λ0·β·minMode of the prior variance, is drawn
// from the prior. The same fraction of the prior variance is added to each point's where
// that helps against rounding.
const minMode = 1e-12

// newSampler decomposes what sampling on a grid needs.
func newSampler(q *Posterior, on *projection) (*sampler, error) {
	s := &sampler{q: q, on: on}
	var rest []mat.Matrix // (K_f − Q_f)^½ of each factor; 0×0 where it vanishes
	for f, x := range on.grid {
		known, err := s.knownRoot(f)
		if err != nil {
			return nil, err
		}
		whole, remainder := known, mat.Matrix{}
		if u := q.factors[f+1]; !u.Tied || !work.Equal(x, q.inducing[f]) {
			nugget := minMode * q.params.Space[f].Kernel.Variance
			if whole, err = dynamics.Root(on.kss[f](), nugget); err != nil {
				return nil, &field.FactorizationError{Factor: f + 1, Err: err}
			}
			unexplained := on.kss[f]().Clone()
			mat.Syrk(unexplained, -1, known, 1)
			if remainder, err = dynamics.Root(unexplained, nugget); err != nil {
				return nil, &field.FactorizationError{Factor: f + 1, Err: err}
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
		noise, err := dynamics.Root(q.noise(on), 0)
		if err != nil {
			return kronprod.Operator{}, fmt.Errorf("sgplvm: noise covariance: %w", err)
		}
		return kronprod.Of(noise), nil
	})
	return s, nil
}

// knownRoot returns Q_f^½ = K_f(X*, X_u)·T_f, n*_f×m_f.
func (s *sampler) knownRoot(f int) (mat.Matrix, error) {
	u, phi := s.q.factors[f+1], s.on.features().phi.Factors[f]
	if !u.Tied {
		return phi, nil
	}
	if !work.Equal(s.on.grid[f], s.q.inducing[f]) {
		return s.q.knownElsewhere(f, phi, minMode), nil
	}
	scale := make([]float64, u.Size())
	known := mat.New(phi.Rows, phi.Cols)
	for j, v := range u.Lambda {
		scale[j] = math.Sqrt(v)
	}
	basis := u.Coord // K·V = V·diag(s), and K·Ū = Σ·Ū·diag(s) where the noise is structured
	switch {
	case s.q.params.Noise.Structured():
		basis = mat.New(phi.Rows, phi.Cols)
		mat.Mul(basis, 1, s.q.noise(s.on), u.Coord, 0)
	case basis.Rows == 0:
		basis = mat.Identity(phi.Rows)
	}
	mat.ScaleCols(known, basis, scale)
	return known, nil
}

// knownElsewhere returns Q_f^½ from Φ_f at points that are not those of a tied factor.
// Modes of no more than a part least of the largest eigenvalue are left out.
func (q *Posterior) knownElsewhere(f int, phi mat.Matrix, least float64) mat.Matrix {
	u := q.factors[f+1]
	if !u.Tied {
		return phi
	}
	scale, known := make([]float64, u.Size()), mat.New(phi.Rows, phi.Cols)
	least *= slices.Max(u.Lambda)
	for j, v := range u.Lambda {
		if v > least {
			scale[j] = 1 / math.Sqrt(v)
		}
	}
	mat.ScaleCols(known, phi, scale)
	return known
}

// leftAt returns Σ_i τ_i·w_ij of some latent points, what q(U) leaves of the prior variance, count×Π m_f for each version
// of the mask; w is β⁻¹/d for complete data.
func (q *Posterior) leftAt(t certain) []mat.Matrix {
	var all []mat.Matrix
	for _, w := range q.left() {
		left := mat.New(t.tau.Rows, w.Cols)
		mat.Mul(left, 1, t.tau, w, 0)
		all = append(all, left)
	}
	return all
}

// draw returns f for the latent points in the rows of x, at a time, with noise or without: for each point and channel n_s* numbers, in the model's units.
// Point k is number from+k of its batch.
func (s *sampler) draw(x mat.Matrix, at *data.Instant, seed uint64, from int, noise bool) ([]float64, error) {
	count, n, dy := x.Rows, s.on.grid.Len(), s.q.channels()
	d := &drawing{y: make([]float64, count*dy*n), channels: dy, streams: make([]*rand.Rand, count)}
	for k := range d.streams {
		d.streams[k] = rand.New(rand.NewPCG(seed, 0x6669656c00000000+uint64(from+k)))
	}
	t := s.q.certain(x, at)
	left := s.q.leftAt(t)
	for c, p := range s.on.p {
		fields := mat.Matrix{Rows: count, Cols: n, RowStride: dy * n, ColStride: 1, Data: d.y[c*n:]}
		mat.Mul(fields, 1, t.psi1, p.T(), 0)
	}
	beyond := func(k int) float64 { return t.k0[k] - t.q0[k] }
	if len(s.rest) > 0 {
		d.add(s.whole, constant(beyond))
		for _, o := range s.rest {
			d.add(o, constant(func(k int) float64 { return t.q0[k] }))
		}
		beyond = func(int) float64 { return 0 }
	}
	d.add(s.known, func(k, c int, z []float64) { // with ⊗K_f, where that is ⊗Q_f
		for j, v := range left[s.q.version[c]].Row(k) {
			z[j] *= math.Sqrt(max(0, v+beyond(k)))
		}
	})
	switch {
	case noise && s.q.params.Noise.Structured():
		structured, err := s.noise()
		if err != nil {
			return nil, err
		}
		d.add(structured, constant(func(int) float64 { return 1 }))
	case noise:
		d.addWhite(math.Sqrt(1 / s.q.params.Noise.Beta))
	}
	return d.y, nil
}

// A drawing is fields under way: those of point k take their random numbers from stream k.
type drawing struct {
	y        []float64 // for each point and channel n_s*
	channels int
	streams  []*rand.Rand
}

// add draws standard normal numbers, a row for each of the operator's columns in
// every field, scales them and adds their product with the operator.
func (d *drawing) add(o kronprod.Operator, scale func(k, c int, z []float64)) {
	count, size := len(d.streams), o.Cols()
	z := make([]float64, count*d.channels*size)
	mat.Parallel(count, func(k int) {
		for c := range d.channels {
			row := z[(k*d.channels+c)*size : (k*d.channels+c+1)*size]
			for j := range row {
				row[j] = d.streams[k].NormFloat64()
			}
			scale(k, c, row)
		}
	})
	fields := count * d.channels
	addFields(mat.NewDense(fields, len(d.y)/fields, d.y), o, mat.NewDense(fields, size, z))
}

// constant scales all numbers of point k to a variance.
func constant(variance func(k int) float64) func(k, c int, z []float64) {
	return func(k, _ int, z []float64) { asm.Scale(z, math.Sqrt(max(0, variance(k))), z) }
}

// addWhite adds independent numbers of a standard deviation.
func (d *drawing) addWhite(deviation float64) {
	size := len(d.y) / len(d.streams)
	mat.Parallel(len(d.streams), func(k int) {
		field := d.y[k*size : (k+1)*size]
		for i := range field {
			field[i] += deviation * d.streams[k].NormFloat64()
		}
	})
}
