package sums

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/learn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A Solution is q(U): α of docs/math.md, m_ξ×m_1×…×d_y, and the solutions of the factors' eigenproblems, the latent one first.
type Solution struct {
	Alpha   kronprod.Tensor
	Spectra []eig.Spectrum
}

// latent returns the latent factor.
func (b *Basis) latent() *learn.Latent {
	return learn.NewLatent(b.stats, b.params.Z.Rows, b.jitter)
}

// coordinates returns T_0 ⊗ T_1 ⊗ … of a solution, V of tied factors.
func coordinates(spectra []eig.Spectrum) kronprod.Operator {
	var o kronprod.Operator
	for _, s := range spectra {
		o.Factors = append(o.Factors, vectors(s))
	}
	return o
}

// vectors returns those of a spectrum, of which no rows stand for the identity, as package kronprod knows it.
func vectors(s eig.Spectrum) mat.Matrix {
	if s.Vectors.Rows == 0 {
		return mat.Matrix{}
	}
	return s.Vectors
}

// inverse returns (T_0 ⊗ T_1 ⊗ …)⁻¹ given that of T_0: TᵀK where TᵀKT = I, Vᵀ of tied factors, ŪᵀΣ where the noise is structured.
func (b *Basis) inverse(spectra []eig.Spectrum, latent mat.Matrix) kronprod.Operator {
	o := kronprod.Of(latent)
	for f, s := range spectra[1:] {
		var metric mat.Matrix
		switch {
		case b.params.Noise.Structured():
			metric = mat.New(b.grid.Len(), b.grid.Len())
			b.params.Noise.Matrix(metric, b.grid[0])
		case b.params.Space[f].Tied():
			o.Factors = append(o.Factors, vectors(s).T())
			continue
		default:
			space := &b.params.Space[f]
			metric = mat.New(space.Xu.Rows, space.Xu.Rows)
			space.Kernel.Matrix(metric, space.Xu, space.Xu)
			for i, jitter := 0, b.jitter*mat.Trace(metric)/float64(metric.Rows); i < metric.Rows; i++ {
				metric.Row(i)[i] += jitter
			}
		}
		inverse := mat.New(len(s.Values), len(s.Values))
		mat.Mul(inverse, 1, s.Vectors.T(), metric, 0)
		o.Factors = append(o.Factors, inverse)
	}
	return o
}

// Recover returns what the sums of a model's examples were, by its q(U) and their totals, but for Outer, which q(U) does not tell.
func (b *Basis) Recover(q Solution, totals []float64) *Sums {
	s, back := b.New(), b.inverse(q.Spectra, b.latent().Inverse(q.Spectra[0]))
	h := back.MulTensor(make([]float64, len(q.Alpha.Data)), q.Alpha, &b.work)
	b.divide(h.Data, q.Spectra, -1)
	back.T().MulTensor(s.G.Data, h, &b.work)
	s.Sums.Recover(q.Spectra[0].Values, back.Factors[0])
	copy(s.Totals, totals)
	return s
}

// divide divides m_ξ×Π m_f×d_y numbers by d_ij, or multiplies by them where power is −1.
func (b *Basis) divide(h []float64, spectra []eig.Spectrum, power float64) {
	learn.Divide(h, spectra[0].Values, b.lambda(spectra), b.channels, b.params.Noise.Precision(), power)
}

// lambda returns the eigenvalues of all spatial factors together.
func (b *Basis) lambda(spectra []eig.Spectrum) []float64 {
	var all [][]float64
	for _, s := range spectra[1:] {
		all = append(all, s.Values)
	}
	return kronprod.Vectors(all...)
}

// Solve returns q(U) of sums, with the spatial factors' solutions (nil: they are solved here). Errors: *field.FactorizationError.
func (b *Basis) Solve(s *Sums, spatial []eig.Spectrum) (q Solution, err error) {
	latent := b.latent()
	if err := latent.Solve(s.Psi2); err != nil {
		return q, &field.FactorizationError{Err: err}
	}
	if spatial == nil {
		factors, err := bound.Factors(b.stats, b.params, b.grid, b.jitter)
		if err != nil {
			return q, err
		}
		for _, f := range factors[1:] {
			spatial = append(spatial, f.Spectrum())
		}
	}
	q.Spectra = append([]eig.Spectrum{latent.Spectrum}, spatial...)
	o, h := coordinates(q.Spectra), b.contract(s, q.Spectra)
	b.divide(h.Data, q.Spectra, 1)
	q.Alpha = o.MulTensor(make([]float64, len(h.Data)), h, &b.work)
	return q, nil
}

// contract returns (T_0 ⊗ T_1 ⊗ …)ᵀ·G.
func (b *Basis) contract(s *Sums, spectra []eig.Spectrum) kronprod.Tensor {
	dims := append(append([]int{s.Psi2.Rows}, b.inducing...), b.channels)
	return coordinates(spectra).T().MulTensor(make([]float64, len(s.G.Data)), kronprod.Shaped(s.G.Data, dims...), &b.work)
}

// bounded returns the bound's sums in the eigenbasis of a solution.
func (b *Basis) bounded(s *Sums, spectra []eig.Spectrum) (*learn.White, error) {
	v := &learn.White{Latent: spectra[0].Values, Space: b.lambda(spectra), Square: s.Totals[Square],
		Values: s.Totals[Count] * float64(b.grid.Len()), Channels: float64(b.channels), KL: s.Totals[learn.KL]}
	trace, tr, omega := b.space(spectra)
	if b.params.Noise.Structured() {
		if err := b.whiten(v, s, spectra[1]); err != nil {
			return nil, err
		}
		trace = work.Sum(v.Space)
	}
	v.Slack = v.Channels * (s.Totals[Psi0]*trace - work.Sum(v.Latent)*tr)
	v.SetSquares(b.contract(s, spectra).Data, omega, b.channels)
	return v, nil
}

// space returns the traces of K and of Λ of all spatial factors, and what squares of their coefficients are multiplied by.
func (b *Basis) space(spectra []eig.Spectrum) (trace, tr float64, omega []float64) {
	trace, tr, omega = 1, 1, []float64{1}
	for f, x := range b.grid {
		trace *= float64(x.Rows) * b.params.Space[f].Kernel.Variance
		tr *= work.Sum(spectra[f+1].Values)
		weights := work.Ones(len(spectra[f+1].Values))
		if b.params.Space[f].Tied() {
			weights = spectra[f+1].Values
		}
		omega = kronprod.Vectors(omega, weights)
	}
	return trace, tr, omega
}

// Features returns T_0ᵀ·G of sums with white noise, of features B with B·Bᵀ what the inducing points tell of K, m_ξ×Π m_f·d_y, and the trace of K.
func (b *Basis) Features(s *Sums, q Solution) (h mat.Matrix, trace float64) {
	trace, _, omega := b.space(q.Spectra)
	h = mat.NewDense(s.Psi2.Rows, b.size(), b.contract(s, q.Spectra).Data)
	for k := range h.Data {
		h.Data[k] *= math.Sqrt(omega[k/b.channels%len(omega)])
	}
	return h, trace
}

// whiten sets ‖Y‖² and log|Σ| in the metric of structured noise: tr Σ⁻¹·Σ y·yᵀ.
func (b *Basis) whiten(v *learn.White, s *Sums, spatial eig.Spectrum) error {
	sigma, half := mat.New(s.Outer.Rows, s.Outer.Rows), mat.New(s.Outer.Rows, s.Outer.Rows)
	b.params.Noise.Matrix(sigma, b.grid[0])
	factor, err := chol.Factorize(sigma)
	if err != nil {
		return &field.FactorizationError{Factor: 1, Err: err}
	}
	mat.Mul(half, 1, s.Outer, spatial.Vectors, 0)
	v.Square, v.LogNoise = mat.Dot(half, spatial.Vectors), s.Totals[Count]*factor.LogDet()
	return nil
}

// Bound returns the collapsed bound of sums with the parameters as they are. Errors: *field.FactorizationError.
func (b *Basis) Bound(s *Sums, q Solution) (float64, error) {
	v, err := b.bounded(s, q.Spectra)
	if err != nil {
		return math.NaN(), err
	}
	value, _ := v.At(b.params.Noise.Precision())
	return value, nil
}

// White returns the precision of white noise at which the bound of sums is highest, above its floor.
// Errors: *field.FactorizationError.
func (b *Basis) White(ctx context.Context, s *Sums, q Solution) (float64, error) {
	v, err := b.bounded(s, q.Spectra)
	if err != nil {
		return 0, err
	}
	return v.Maximum(ctx, b.params.Noise.Beta, b.params.Noise.Floor)
}
