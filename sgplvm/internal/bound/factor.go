package bound

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Factor is one Kronecker factor, latent or spatial, with the solution of its
// generalised eigenproblem, T_fᵀ K_f T_f = I and T_fᵀ Ψ2_f T_f = diag Λ_f (docs/math.md, "Factors").
//
// A tied spatial factor, whose inducing points are its data points, has
// K = Ψ1 = V·diag(s)·Vᵀ, T = V·s^(−1/2) and W = V·s^(1/2). It carries V and s
// alone: every formula holds with V in place of T and W and a weight Omega = s
// put where W's s^(1/2) would stand twice, so that s_j = 0 does no harm. Where K is
// diagonal, as a white kernel makes it, V is the identity and is not stored: the zero
// Matrix stands for it, as in a kronprod.Operator.
type Factor struct {
	Tied   bool
	K      mat.Matrix // K_f, m_f×m_f; of the latent factor without the jitter
	Psi1   mat.Matrix // Ψ1_f, n_f×m_f; K_f itself where tied
	Data   mat.Matrix // what Y is contracted with: W = Ψ1·T, n_f×m_f; V where tied
	Coord  mat.Matrix // from eigen-coordinates to inducing points: T; V where tied
	Lambda []float64  // Λ_f, ascending, clamped at 0; s where tied
	Omega  []float64  // s where tied, else nil, which stands for ones

	logNoise float64 // log|Σ| of a factor that is decomposed in the metric of Σ

	spectrum eig.Spectrum  // holds Lambda and Coord
	blocks   mirroredBasis // the same by blocks, where there are any
}

// Spectrum returns what predictions need of the factor: Λ and T; s and V where tied, V of no rows for the identity.
func (f *Factor) Spectrum() eig.Spectrum { return eig.Spectrum{Values: f.Lambda, Vectors: f.Coord} }

// Size returns m_f.
func (f *Factor) Size() int { return len(f.Lambda) }

// sumLambda returns Σ Λ_f = tr K_f⁻¹Ψ2_f.
func (f *Factor) sumLambda() float64 { return work.Sum(f.Lambda) }

// ToInducing sets dst = a·Coord, both n×m_f.
func (f *Factor) ToInducing(dst, a mat.Matrix) {
	if f.Coord.Rows == 0 {
		mat.Copy(dst, a)
		return
	}
	mat.Mul(dst, 1, a, f.Coord, 0)
}

func (f *Factor) eigenvalue(j int) float64 { return f.Lambda[j] }

func (f *Factor) weight(j int) float64 {
	if f.Omega == nil {
		return 1
	}
	return f.Omega[j]
}

// factorWork is what a factor's decomposition needs beside its result. A factor that is
// set again with the same work allocates no matrix.
type factorWork struct {
	psi2     mat.Matrix
	cholesky chol.Factor
	eigen    eig.Solver

	space  *mirrored // that of the points, once it is known
	known  bool
	blocks []blockWork
}

// blockWork is what the decomposition of a block needs.
type blockWork struct {
	kernel, noise mat.Matrix
	cholesky      chol.Factor
	eigen         eig.Solver
	logNoise      float64
}

// mirrored returns the mirrored space of the factor's points, always the same, nil where there is none.
func (w *factorWork) mirrored(x mat.Matrix) *mirrored {
	if !w.known {
		w.space, w.known = newMirrored(x), true
		if w.space != nil {
			w.blocks = make([]blockWork, len(w.space.parities))
		}
	}
	return w.space
}

// Factors decomposes the latent factor and the spatial ones with points x (n_f×d_f), for
// prediction: the latent one first. Errors: *FactorizationError.
func Factors(ps *psi.Statistics, p *Params, x []mat.Matrix, jitter float64) ([]*Factor, error) {
	latent := new(Factor)
	if err := latent.setLatent(new(factorWork), ps, p, jitter); err != nil {
		return nil, &field.FactorizationError{Factor: 0, Err: err}
	}
	all := []*Factor{latent}
	for f := range x {
		s := new(Factor)
		if err := p.space().factor(s, new(factorWork), p, f, x[f], jitter); err != nil {
			return nil, &field.FactorizationError{Factor: f + 1, Err: err}
		}
		all = append(all, s)
	}
	return all, nil
}

// setSpatial evaluates a spatial kernel and decomposes it. x are the data points (n_f×d_f), xu
// the inducing points (m_f×d_f), or 0×0 where tied.
func (f *Factor) setSpatial(w *factorWork, k kernel.Kernel, x, xu mat.Matrix, jitter float64) error {
	if xu.Rows == 0 {
		work.Resize(&f.K, x.Rows, x.Rows)
		k.Matrix(f.K, x, x)
		return f.diagonaliseTied(w, x)
	}
	m := xu.Rows
	work.Resize(&f.K, m, m)
	work.Resize(&f.Psi1, x.Rows, m)
	work.Resize(&w.psi2, m, m)
	k.Matrix(f.K, xu, xu)
	k.Matrix(f.Psi1, x, xu)
	mat.Syrk(w.psi2, 1, f.Psi1.T(), 0)
	mat.MirrorLower(w.psi2)
	return f.diagonalise(w, jitter)
}

// setLatent evaluates the latent kernel's statistics and decomposes them.
// It refuses inducing inputs so far apart that the split exponents of the psi
// statistics, of size (distance/ℓ)², would lose their digits: an optimiser takes
// what comes out then for a better bound. For the same reason it refuses parts other than RBF of
// prior variances above psi.FlattestPrior, and RBF of such above psi.LargestPrior.
func (f *Factor) setLatent(w *factorWork, ps *psi.Statistics, p *Params, jitter float64) error {
	if err := checkLatent(ps, p); err != nil {
		return err
	}
	m := p.Z.Rows
	work.Resize(&f.K, m, m)
	work.Resize(&f.Psi1, p.X.Mu.Rows, m)
	work.Resize(&w.psi2, m, m)
	ps.Matrix(f.K)
	ps.Forward(f.Psi1, w.psi2, p.Q())
	return f.diagonalise(w, jitter)
}

// diagonalise solves the generalised eigenproblem of a factor that is not tied, with
// Ψ2_f in w; jitter, relative to the mean of K_f's diagonal, is added to that
// diagonal alone.
func (f *Factor) diagonalise(w *factorWork, jitter float64) error {
	if err := w.generalised(&f.spectrum, f.K, w.psi2, jitter); err != nil {
		return err
	}
	f.Lambda, f.Coord = f.spectrum.Values, f.spectrum.Vectors
	work.Resize(&f.Data, f.Psi1.Rows, f.K.Rows)
	mat.Mul(f.Data, 1, f.Psi1, f.Coord, 0)
	return nil
}

// generalised sets dst to T with TᵀKT = I, K with jitter, and Tᵀ·psi2·T = diag Λ.
func (w *factorWork) generalised(dst *eig.Spectrum, k, psi2 mat.Matrix, jitter float64) error {
	if err := w.cholesky.RefactorizeShifted(k, jitter*mat.Trace(k)/float64(k.Rows)); err != nil {
		return err
	}
	if err := w.eigen.General(dst, psi2, w.cholesky.L()); err != nil {
		return err
	}
	clampAtZero(dst.Values)
	return nil
}

// diagonaliseTied decomposes K_f of a spatial factor whose inducing points are its
// data points x (n×d).
func (f *Factor) diagonaliseTied(w *factorWork, x mat.Matrix) error {
	f.Tied, f.Psi1, f.blocks.space = true, f.K, nil
	if isDiagonal(f.K) {
		f.Lambda = work.Grown(f.Lambda, f.K.Rows)
		for i := range f.Lambda {
			f.Lambda[i] = f.K.At(i, i)
		}
		f.Omega = f.Lambda
		return nil
	}
	if err := f.solveTied(w, x); err != nil {
		return err
	}
	f.takeSpectrum()
	return nil
}

// solveTied sets the spectrum to that of K_f at points x (n×d).
func (f *Factor) solveTied(w *factorWork, x mat.Matrix) error {
	done, err := f.byBlocks(w, x, func(b *blockWork, _ parity, dst *eig.Spectrum) error { return b.eigen.Sym(dst, b.kernel) })
	if !done {
		err = w.eigen.Sym(&f.spectrum, f.K)
	}
	return err
}

// byBlocks has decompose solve each block of K_f and reports that it did: it does nothing where the points x (n×d) have none.
func (f *Factor) byBlocks(w *factorWork, x mat.Matrix, decompose func(b *blockWork, p parity, dst *eig.Spectrum) error) (done bool, err error) {
	space := w.mirrored(x)
	if space == nil {
		return false, nil
	}
	return true, f.blocks.set(&f.spectrum, space, func(number int, p parity, dst *eig.Spectrum) error {
		b := &w.blocks[number]
		b.eigen.Stop = w.eigen.Stop
		space.fold(&b.kernel, f.K, p)
		return decompose(b, p, dst)
	})
}

// takeSpectrum takes the spectrum of a tied factor over.
func (f *Factor) takeSpectrum() {
	clampAtZero(f.spectrum.Values)
	f.Data, f.Coord, f.Lambda, f.Omega = f.spectrum.Vectors, f.spectrum.Vectors, f.spectrum.Values, f.spectrum.Values
}

// setWhitened evaluates the kernel of a tied spatial factor at x (n×d_s) and decomposes
// it in the metric of Σ.
func (f *Factor) setWhitened(w *factorWork, k kernel.Kernel, x mat.Matrix, noise *Noise) error {
	n := x.Rows
	work.Resize(&f.K, n, n)
	work.Resize(&w.psi2, n, n)
	k.Matrix(f.K, x, x)
	noise.Matrix(w.psi2, x)
	f.Tied, f.Psi1, f.blocks.space = true, f.K, nil
	if err := f.whiten(w, x, noise); err != nil {
		return err
	}
	f.takeSpectrum()
	return nil
}

// whiten decomposes K_f in the metric of Σ, which is in w.
func (f *Factor) whiten(w *factorWork, x mat.Matrix, noise *Noise) error {
	if !noise.Learned() {
		f.logNoise = 0
		done, err := f.byBlocks(w, x, func(b *blockWork, p parity, dst *eig.Spectrum) error {
			w.space.fold(&b.noise, w.psi2, p)
			if err := b.cholesky.Refactorize(b.noise); err != nil {
				return err
			}
			b.logNoise = b.cholesky.LogDet()
			return b.eigen.General(dst, b.kernel, b.cholesky.L())
		})
		for i := range w.blocks {
			f.logNoise += w.blocks[i].logNoise
		}
		if done {
			return err
		}
	}
	if err := w.cholesky.Refactorize(w.psi2); err != nil {
		return err
	}
	f.logNoise = w.cholesky.LogDet()
	return w.eigen.General(&f.spectrum, f.K, w.cholesky.L())
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

// clampAtZero removes negative rounding errors: with them the objective would
// not be a bound.
func clampAtZero(v []float64) {
	for i, x := range v {
		if x < 0 {
			v[i] = 0
		}
	}
}

// latentFactor is the latent factor's number where spatial factors count from 0.
const latentFactor = -1

// failure is the error of a factor, or that of a context that has ended.
func failure(ctx context.Context, factor int, err error) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	return &field.FactorizationError{Factor: factor, Err: err}
}

// checkLatent refuses what Factor.setLatent refuses.
func checkLatent(ps *psi.Statistics, p *Params) error {
	steep := p.Latent.NonlinearVariance() * p.SpatialVariance()
	if !(steep <= psi.LargestPrior) {
		return fmt.Errorf("the latent kernel gives f a prior variance of %.3g, expected at most %g", steep, psi.LargestPrior)
	}
	if far, most := ps.Farthest(), psi.FarthestInducing/math.Sqrt(max(1, steep)); !(far <= most) {
		return fmt.Errorf("an inducing input lies %.3g length scales from the mean of all, expected at most %.3g with a prior variance of %.3g", far, most, steep)
	}
	if flat := p.Latent.FlatVariance() * p.SpatialVariance(); !(flat <= psi.FlattestPrior) {
		return fmt.Errorf("the linear part, the bias and the time part give f a prior variance of %.3g, expected at most %g", flat, psi.FlattestPrior)
	}
	return nil
}

// setKernels sets K and Psi1 alone, at points x.
func (f *Factor) setKernels(s Spatial, x mat.Matrix) {
	f.Tied = s.Tied()
	if f.Tied {
		work.Resize(&f.K, x.Rows, x.Rows)
		s.Kernel.Matrix(f.K, x, x)
		f.Psi1 = f.K
		return
	}
	work.Resize(&f.K, s.Xu.Rows, s.Xu.Rows)
	work.Resize(&f.Psi1, x.Rows, s.Xu.Rows)
	s.Kernel.Matrix(f.K, s.Xu, s.Xu)
	s.Kernel.Matrix(f.Psi1, x, s.Xu)
}

// gradientWork is room for the derivatives in one factor's matrices.
type gradientWork struct {
	inner, half, gram, dK, dPsi1, dPsi2 mat.Matrix
	diagonal                            []float64
}
