package dynamics

import (
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// factoredCavities bounds the examples of a sequence whose B is factored. Tests lower it.
var factoredCavities = 1000

// minInverse is what rounding leaves of 1 − Λ·S at least.
const minInverse = 1e-12

// Cavities returns means and variances, n×d, of the latent variables of every example without its own
// part of the posterior, whose marginals are mu and s (n×d): the cavity of expectation propagation
// (Minka 2001), N(μ − μ̄/p, 1/p) with p = 1/S − Λ. With b = (B⁻¹)_ii = 1 − Λ·S it has the variance S/b
// and the mean μ − μ̄·S/b; where b is small, S is (1 − b)/Λ without cancellation. B is factored for
// sequences of up to a thousand examples; in longer ones b is that difference. The error names the
// sequence and the latent dimension of which B could not be factored.
func Cavities(p *Params, mu, s mat.Matrix) (mean, variance mat.Matrix, err error) {
	n, d := mu.Rows, mu.Cols
	mean, variance = mat.New(n, d), mat.New(n, d)
	for _, sequence := range p.Prior.sequences() {
		lambda, b := make([]float64, len(sequence.Times)), make([]float64, len(sequence.Times))
		var k mat.Matrix
		if len(sequence.Times) <= factoredCavities {
			k = mat.New(len(sequence.Times), len(sequence.Times))
		}
		kernels := p.Prior.kernels()
		for q := range d {
			if q < len(kernels) && k.Rows > 0 {
				kernels[q].TimeMatrix(k, sequence.Times, sequence.Times)
			}
			sequence.Column(lambda, p.Lambda, q)
			if k.Rows > 0 {
				if err := inverseDiagonal(b, k, lambda); err != nil {
					return mat.Matrix{}, mat.Matrix{}, failed(&sequence, q, err)
				}
			} else {
				for j, i := range sequence.Examples {
					b[j] = max(1-lambda[j]*s.At(i, q), minInverse)
				}
			}
			for j, i := range sequence.Examples {
				v := s.At(i, q)
				if b[j] < 0.5 && k.Rows > 0 {
					v = (1 - b[j]) / lambda[j]
				}
				v = min(v/b[j], 1)
				mean.Set(i, q, mu.At(i, q)-p.MuBar.At(i, q)*v)
				variance.Set(i, q, v)
			}
		}
	}
	return mean, variance, nil
}

// inverseDiagonal sets b to the diagonal of B⁻¹ = (I + Λ^½·K·Λ^½)⁻¹.
func inverseDiagonal(b []float64, k mat.Matrix, lambda []float64) error {
	n := len(lambda)
	var f chol.Factor
	if err := factorB(&f, mat.New(n, n), mat.New(n, n), k, lambda); err != nil {
		return err
	}
	half := mat.Identity(n)
	f.SolveHalf(half)
	copy(b, work.ColumnSquares(half))
	return nil
}
