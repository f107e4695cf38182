// Package learn has what a model learns from sums over complete examples, once kernels, inducing points and q(x) are given (docs/math.md, "Sums over examples"), for package sums and
// for streams that learn on small machines: it imports no trainer.
package learn

import (
	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// Sums are what examples add up to. All of it lies in Numbers, of which the rest are views, so that sums are added and scaled as vectors.
type Sums struct {
	Numbers []float64
	Psi2    mat.Matrix // Ψ2, m_ξ×m_ξ
	G       mat.Matrix // Σ ψ1·yᵀ, y as coefficients of space and channels, the channels side by side
	Totals  []float64  // Totals
}

// Where the totals are: count, Σ‖y‖² where the noise is white, Σψ0 and ΣKL.
const (
	Count = iota
	Square
	Psi0
	KL
	Totals
)

// Len returns how many numbers sums of m_ξ inducing points and so many coefficients have.
func Len(inducing, size int) int { return inducing*(inducing+size) + Totals }

// View returns the sums in Len numbers, or more before the totals, which it shares.
func View(numbers []float64, inducing, size int) Sums {
	m, g := inducing*inducing, inducing*size
	return Sums{numbers, mat.NewDense(inducing, inducing, numbers[:m]), mat.NewDense(inducing, size, numbers[m:][:g]), numbers[len(numbers)-Totals:]}
}

// Add adds examples: rows of ψ1 and of coefficients y, the sum of their Ψ2, and totals.
func (s *Sums) Add(psi1, y, psi2 mat.Matrix, totals [Totals]float64) {
	asm.Axpy(1, psi2.Data, s.Psi2.Data)
	mat.Mul(s.G, 1, psi1.T(), y, 1)
	for k, v := range totals {
		s.Totals[k] += v
	}
}

// Scale multiplies all sums, so that what they came from counts gamma times.
func (s *Sums) Scale(gamma float64) { asm.Scale(s.Numbers, gamma, s.Numbers) }

// A Latent is the latent factor of sums. It is used by one goroutine at a time.
type Latent struct {
	K        mat.Matrix   // K_0 with its jitter
	Spectrum eig.Spectrum // T_0 and Λ_0

	factor chol.Factor
	solver eig.Solver
}

// NewLatent returns that of the inducing points of statistics, with a jitter.
func NewLatent(st *psi.Statistics, inducing int, jitter float64) *Latent {
	l := &Latent{K: mat.New(inducing, inducing)}
	st.Matrix(l.K)
	jitter *= mat.Trace(l.K) / float64(inducing)
	for i := range inducing {
		l.K.Row(i)[i] += jitter
	}
	return l
}

// Solve solves the eigenproblem for a Ψ2. Errors: *chol.NotPositiveDefiniteError, those of eig.Solver.General.
func (l *Latent) Solve(psi2 mat.Matrix) error {
	if err := l.factor.Refactorize(l.K); err != nil {
		return err
	}
	if err := l.solver.General(&l.Spectrum, psi2, l.factor.L()); err != nil {
		return err
	}
	for i, v := range l.Spectrum.Values {
		l.Spectrum.Values[i] = max(0, v)
	}
	return nil
}

// Inverse returns T_0⁻¹ = T_0ᵀ·K of a spectrum.
func (l *Latent) Inverse(s eig.Spectrum) mat.Matrix {
	inverse := mat.New(l.K.Rows, l.K.Rows)
	mat.Mul(inverse, 1, s.Vectors.T(), l.K, 0)
	return inverse
}

// Recover sets Ψ2 to that of Λ_0 and T_0⁻¹.
func (s *Sums) Recover(values []float64, inverse mat.Matrix) {
	rows := mat.New(inverse.Rows, inverse.Rows)
	mat.ScaleRows(rows, values, inverse)
	mat.MulSym(s.Psi2, 1, rows.T(), inverse, 0)
	mat.MirrorLower(s.Psi2)
}

// Divide divides coefficients, so many channels of each latent and spatial eigenvector, by d_ij, or multiplies them by it where power is −1.
func Divide(h, latent, space []float64, channels int, beta, power float64) {
	for i, l0 := range latent {
		for j, l := range space {
			d := 1/beta + l0*l
			if power < 0 {
				d = 1 / d
			}
			for k := (i*len(space) + j) * channels; k < (i*len(space)+j+1)*channels; k++ {
				h[k] /= d
			}
		}
	}
}

// Unexplained returns the share of the mean square of values that neither a model, which leaves an error of them, nor its noise explains.
func Unexplained(left, noise, square float64) float64 { return max(0, left-noise) / square }
