package sgplvm

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A factor is one Kronecker factor, latent or spatial, with the solution of its
// generalised eigenproblem (math: T_fᵀ K_f T_f = I and T_fᵀ Ψ2_f T_f = diag Λ_f).
//
// A tied spatial factor, whose inducing points are its data points, has
// K = Ψ1 = V·diag(s)·Vᵀ, T = V·s^(−1/2) and W = V·s^(1/2). It carries V and s
// alone: every formula holds with V in place of T and W and a weight Omega = s
// put where W's s^(1/2) would stand twice, so that s_j = 0 does no harm. Where K is
// diagonal, as a white kernel makes it, V is the identity and is not stored: the zero
// Matrix stands for it, as in a kronprod.Operator.
type factor struct {
	tied   bool
	k      mat.Matrix // K_f, m_f×m_f; of the latent factor without the jitter
	psi1   mat.Matrix // Ψ1_f, n_f×m_f; K_f itself where tied
	kappa  mat.Matrix // the time part of the latent one
	data   mat.Matrix // what Y is contracted with: W = Ψ1·T, n_f×m_f; V where tied
	coord  mat.Matrix // from eigen-coordinates to inducing points: T; V where tied
	lambda []float64  // Λ_f, ascending, clamped at 0; s where tied
	omega  []float64  // s where tied, else nil, which stands for ones

	logNoise float64 // log|Σ| of a factor that whitens, see residual.go

	spectrum eig.Spectrum // holds lambda and coord
}

// FactorizationError says which factor's matrix could not be decomposed: 0 is
// the latent one, f the f-th spatial one counted from 1.
type FactorizationError struct {
	Factor int
	Err    error
}

func (e *FactorizationError) Error() string {
	if e.Factor == 0 {
		return fmt.Sprintf("sgplvm: latent factor: %v", e.Err)
	}
	return fmt.Sprintf("sgplvm: spatial factor %d: %v", e.Factor, e.Err)
}

func (e *FactorizationError) Unwrap() error { return e.Err }

// factorWork is what a factor's decomposition needs beside its result. A factor that is
// set again with the same work allocates nothing.
type factorWork struct {
	psi2     mat.Matrix
	time     mat.Matrix
	cholesky chol.Factor
	eigen    eig.Solver
}

// set evaluates and decomposes a spatial factor, by its number counted from 0, with data
// points x.
func (f *factor) set(w *factorWork, p *Params, number int, x mat.Matrix, jitter float64) error {
	if p.structured() {
		return f.setWhitened(w, p.Spatial[number], x, p)
	}
	return f.setSpatial(w, p.Spatial[number], x, p.Xu[number], jitter)
}

// newSpatialFactor evaluates a spatial kernel and decomposes it. x are the data
// points (n_f×d_f), xu the inducing points (m_f×d_f), or 0×0 where tied.
func newSpatialFactor(kernel Kernel, x, xu mat.Matrix, jitter float64) (*factor, error) {
	f := new(factor)
	return f, f.setSpatial(new(factorWork), kernel, x, xu, jitter)
}

// setSpatial is newSpatialFactor in the storage of an earlier factor.
func (f *factor) setSpatial(w *factorWork, kernel Kernel, x, xu mat.Matrix, jitter float64) error {
	if xu.Rows == 0 {
		resize(&f.k, x.Rows, x.Rows)
		kernel.Matrix(f.k, x, x)
		return f.diagonaliseTied(w)
	}
	m := xu.Rows
	resize(&f.k, m, m)
	resize(&f.psi1, x.Rows, m)
	resize(&w.psi2, m, m)
	kernel.Matrix(f.k, xu, xu)
	kernel.Matrix(f.psi1, x, xu)
	mat.Syrk(w.psi2, 1, f.psi1.T(), 0)
	mat.MirrorLower(w.psi2)
	return f.diagonalise(w, jitter)
}

// newLatentFactor evaluates the latent kernel's statistics and decomposes them.
func newLatentFactor(ps *latentPsi, p *Params, jitter float64) (*factor, error) {
	f := new(factor)
	return f, f.setLatent(new(factorWork), ps, p, jitter)
}

// setLatent is newLatentFactor in the storage of an earlier factor.
// It refuses inducing inputs so far apart that the split exponents of the psi
// statistics, of size (distance/ℓ)², would lose their digits: an optimiser takes
// what comes out then for a better bound. For the same reason it refuses a linear
// part, a bias and a time part of prior variances above flattestPrior.
func (f *factor) setLatent(w *factorWork, ps *latentPsi, p *Params, jitter float64) error {
	if far := ps.farthest(); !(far <= farthestInducing) {
		return fmt.Errorf("an inducing input lies %.3g length scales from the mean of all, expected at most %g", far, farthestInducing)
	}
	flat := p.Latent.flatVariance()
	for _, k := range p.Spatial {
		flat *= k.Variance
	}
	if !(flat <= flattestPrior) {
		return fmt.Errorf("the linear part, the bias and the time part give f a prior variance of %.3g, expected at most %g", flat, flattestPrior)
	}
	m := p.Z.Rows
	resize(&f.k, m, m)
	resize(&f.psi1, p.Mu.Rows, m)
	resize(&w.psi2, m, m)
	p.Latent.matrix(f.k, p.Z, p.Z)
	ps.psi1(f.psi1, p.Mu, p.S)
	ps.psi2(w.psi2, p.Mu, p.S)
	f.addTime(w, p)
	return f.diagonalise(w, jitter)
}

// diagonalise solves the generalised eigenproblem of a factor that is not tied, with
// Ψ2_f in w; jitter, relative to the mean of K_f's diagonal, is added to that
// diagonal alone.
func (f *factor) diagonalise(w *factorWork, jitter float64) error {
	m := f.k.Rows
	if err := w.cholesky.RefactorizeShifted(f.k, jitter*mat.Trace(f.k)/float64(m)); err != nil {
		return err
	}
	if err := w.eigen.General(&f.spectrum, w.psi2, w.cholesky.L()); err != nil {
		return err
	}
	clampAtZero(f.spectrum.Values)
	f.lambda, f.coord = f.spectrum.Values, f.spectrum.Vectors
	resize(&f.data, f.psi1.Rows, m)
	mat.Mul(f.data, 1, f.psi1, f.coord, 0)
	return nil
}

// diagonaliseTied decomposes K_f of a spatial factor whose inducing points are its
// data points.
func (f *factor) diagonaliseTied(w *factorWork) error {
	f.tied, f.psi1 = true, f.k
	if isDiagonal(f.k) {
		f.lambda = grown(f.lambda, f.k.Rows)
		for i := range f.lambda {
			f.lambda[i] = f.k.At(i, i)
		}
	} else {
		if err := w.eigen.Sym(&f.spectrum, f.k); err != nil {
			return err
		}
		clampAtZero(f.spectrum.Values)
		f.data, f.coord, f.lambda = f.spectrum.Vectors, f.spectrum.Vectors, f.spectrum.Values
	}
	f.omega = f.lambda
	return nil
}

func isDiagonal(a mat.Matrix) bool {
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			if i != j && v != 0 {
				return false
			}
		}
	}
	return true
}

// resize makes a an r×c matrix in its own storage if that is large enough.
func resize(a *mat.Matrix, r, c int) {
	if a.Rows == r && a.Cols == c {
		return
	}
	if cap(a.Data) < r*c {
		*a = mat.New(r, c)
		return
	}
	*a = mat.NewDense(r, c, a.Data[:r*c])
}

// toInducing sets dst = a·coord, both n×m_f.
func (f *factor) toInducing(dst, a mat.Matrix) {
	if f.coord.Rows == 0 {
		mat.Copy(dst, a)
		return
	}
	mat.Mul(dst, 1, a, f.coord, 0)
}

// clampAtZero removes negative rounding errors: with them the objective would
// not be a bound.
func clampAtZero(v []float64) {
	for i, x := range v {
		if x < 0 {
			v[i] = 0
		}
	}
}

// size returns m_f.
func (f *factor) size() int { return len(f.lambda) }

// sumLambda returns Σ Λ_f = tr K_f⁻¹Ψ2_f.
func (f *factor) sumLambda() float64 {
	var s float64
	for _, l := range f.lambda {
		s += l
	}
	return s
}
