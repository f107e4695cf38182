package sums

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/lbfgs"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A Solution is q(U): α of docs/math.md, m_ξ×m_1×…×d_y, and the solutions of the factors' eigenproblems, the latent one first.
type Solution struct {
	Alpha   kronprod.Tensor
	Spectra []eig.Spectrum
}

// latent solves the latent eigenproblem for a Ψ2. Errors: *field.FactorizationError.
func (b *Basis) latent(psi2 mat.Matrix) (eig.Spectrum, error) {
	k := b.latentKernel()
	l, err := chol.Factorize(k)
	var s eig.Spectrum
	if err == nil {
		s, err = eig.General(psi2, l.L())
	}
	if err != nil {
		return s, &field.FactorizationError{Err: err}
	}
	for i, v := range s.Values {
		s.Values[i] = max(0, v)
	}
	return s, nil
}

// latentKernel returns K_0 with its jitter.
func (b *Basis) latentKernel() mat.Matrix {
	k := mat.New(b.params.Z.Rows, b.params.Z.Rows)
	b.stats.Matrix(k)
	addDiagonal(k, b.jitter*mat.Trace(k)/float64(k.Rows))
	return k
}

func addDiagonal(a mat.Matrix, v float64) {
	for i := range a.Rows {
		a.Row(i)[i] += v
	}
}

// coordinates returns T_0 ⊗ T_1 ⊗ … of a solution, V of tied factors.
func coordinates(spectra []eig.Spectrum) kronprod.Operator {
	var o kronprod.Operator
	for _, s := range spectra {
		o.Factors = append(o.Factors, s.Vectors)
	}
	return o
}

// inverse returns (T_0 ⊗ T_1 ⊗ …)⁻¹: TᵀK where TᵀKT = I, Vᵀ of tied factors, ŪᵀΣ where the noise is structured.
func (b *Basis) inverse(spectra []eig.Spectrum) kronprod.Operator {
	var o kronprod.Operator
	for f, s := range spectra {
		var metric mat.Matrix
		switch {
		case f == 0:
			metric = b.latentKernel()
		case b.params.Noise.Structured():
			metric = mat.New(b.grid.Len(), b.grid.Len())
			b.params.Noise.Matrix(metric, b.grid[0])
		case b.params.Space[f-1].Tied():
			o.Factors = append(o.Factors, s.Vectors.T())
			continue
		default:
			space := &b.params.Space[f-1]
			metric = mat.New(space.Xu.Rows, space.Xu.Rows)
			space.Kernel.Matrix(metric, space.Xu, space.Xu)
			addDiagonal(metric, b.jitter*mat.Trace(metric)/float64(metric.Rows))
		}
		inverse := mat.New(len(s.Values), len(s.Values))
		mat.Mul(inverse, 1, s.Vectors.T(), metric, 0)
		o.Factors = append(o.Factors, inverse)
	}
	return o
}

// Recover returns what the sums of a model's examples were, by its q(U) and their totals, but for Outer, which q(U) does not tell.
func (b *Basis) Recover(q Solution, totals []float64) *Sums {
	s, back := b.New(), b.inverse(q.Spectra)
	h := back.MulTensor(make([]float64, len(q.Alpha.Data)), q.Alpha, &b.work)
	b.divide(h.Data, q.Spectra, -1)
	back.T().MulTensor(s.G.Data, h, &b.work)
	rows := mat.New(s.Psi2.Rows, s.Psi2.Rows)
	mat.ScaleRows(rows, q.Spectra[0].Values, back.Factors[0])
	mat.MulSym(s.Psi2, 1, rows.T(), back.Factors[0], 0)
	mat.MirrorLower(s.Psi2)
	copy(s.Totals, totals)
	return s
}

// divide divides m_ξ×Π m_f×d_y numbers by d_ij, or multiplies by them where power is −1.
func (b *Basis) divide(h []float64, spectra []eig.Spectrum, power int) {
	beta := b.params.Noise.Precision()
	lambda := b.lambda(spectra)
	for i, l0 := range spectra[0].Values {
		for j, l := range lambda {
			d := 1/beta + l0*l
			if power < 0 {
				d = 1 / d
			}
			for k := (i*len(lambda) + j) * b.channels; k < (i*len(lambda)+j+1)*b.channels; k++ {
				h[k] /= d
			}
		}
	}
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
	latent, err := b.latent(s.Psi2)
	if err != nil {
		return q, err
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
	q.Spectra = append([]eig.Spectrum{latent}, spatial...)
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

// A bounded is the bound as a function of the noise alone, where that is white.
type bounded struct {
	squares         []float64 // Σ_c b², m_ξ×Π m_f
	latent, lambda  []float64
	square, slack   float64 // ‖Y‖² and d_y·(ψ0 − Π tr Λ)
	points, channel float64
	count, kl       float64
	logNoise        float64 // log|Σ| of an example, where the noise is structured
}

// bounded returns the bound's sums in the eigenbasis of a solution.
func (b *Basis) bounded(s *Sums, spectra []eig.Spectrum) (*bounded, error) {
	v := &bounded{latent: spectra[0].Values, lambda: b.lambda(spectra), square: s.Totals[Square],
		points: float64(b.grid.Len()), channel: float64(b.channels), count: s.Totals[Count], kl: s.Totals[KL]}
	trace, omega, tr := 1., []float64{1}, work.Sum(v.latent)
	for f, x := range b.grid {
		trace *= float64(x.Rows) * b.params.Space[f].Kernel.Variance
		tr *= work.Sum(spectra[f+1].Values)
		weights := work.Ones(len(spectra[f+1].Values))
		if b.params.Space[f].Tied() {
			weights = spectra[f+1].Values
		}
		omega = kronprod.Vectors(omega, weights)
	}
	if b.params.Noise.Structured() {
		if err := b.whiten(v, s, spectra[1]); err != nil {
			return nil, err
		}
		trace = work.Sum(v.lambda)
	}
	v.slack = v.channel * (s.Totals[Psi0]*trace - tr)
	h := b.contract(s, spectra).Data
	v.squares = make([]float64, len(v.latent)*len(v.lambda))
	for k := range v.squares {
		v.squares[k] = omega[k%len(omega)] * asm.SumSquares(h[k*b.channels:(k+1)*b.channels])
	}
	return v, nil
}

// whiten sets ‖Y‖² and log|Σ| in the metric of structured noise: tr Σ⁻¹·Σ y·yᵀ.
func (b *Basis) whiten(v *bounded, s *Sums, spatial eig.Spectrum) error {
	sigma, half := mat.New(s.Outer.Rows, s.Outer.Rows), mat.New(s.Outer.Rows, s.Outer.Rows)
	b.params.Noise.Matrix(sigma, b.grid[0])
	factor, err := chol.Factorize(sigma)
	if err != nil {
		return &field.FactorizationError{Factor: 1, Err: err}
	}
	mat.Mul(half, 1, s.Outer, spatial.Vectors, 0)
	v.square, v.logNoise = mat.Dot(half, spatial.Vectors), factor.LogDet()
	return nil
}

// at returns the bound at a precision and its derivative there.
func (v *bounded) at(beta float64) (value, slope float64) {
	n, m := v.count*v.points, float64(len(v.squares))
	var logs, inverse, fit, coefficients float64
	for i, l0 := range v.latent {
		for j, l := range v.lambda {
			d := 1/beta + l0*l
			square := v.squares[i*len(v.lambda)+j] / d
			logs += math.Log(d)
			inverse += 1 / d
			fit += square
			coefficients += square / d
		}
	}
	left := v.square - fit + v.slack
	value = v.channel/2*((n-m)*math.Log(beta)-n*math.Log(2*math.Pi)-logs-v.count*v.logNoise) - beta/2*left - v.kl
	return value, v.channel/2*((n-m)/beta+inverse/(beta*beta)) - left/2 + coefficients/(2*beta)
}

// Bound returns the collapsed bound of sums with the parameters as they are. Errors: *field.FactorizationError.
func (b *Basis) Bound(s *Sums, q Solution) (float64, error) {
	v, err := b.bounded(s, q.Spectra)
	if err != nil {
		return math.NaN(), err
	}
	value, _ := v.at(b.params.Noise.Precision())
	return value, nil
}

// White returns the precision of white noise at which the bound of sums is highest, above its floor.
// Errors: *field.FactorizationError.
func (b *Basis) White(ctx context.Context, s *Sums, q Solution) (float64, error) {
	v, err := b.bounded(s, q.Spectra)
	if err != nil {
		return 0, err
	}
	floor := b.params.Noise.Floor
	r, err := lbfgs.Minimize(ctx, func(x, slope []float64) float64 {
		above := math.Exp(x[0])
		beta := 1 / (floor + above)
		value, rise := v.at(beta)
		slope[0] = rise * beta * beta * above
		return -value
	}, []float64{math.Log(1/b.params.Noise.Beta - floor)}, lbfgs.Options{MaxIterations: 100, RelativeDecrease: 1e-13, InitialStep: 0.1})
	if err != nil {
		return 0, err
	}
	return 1 / (floor + math.Exp(r.X[0])), nil
}
